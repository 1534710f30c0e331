// Package letters reads the handwritten words of R. Kassel (MIT Spoken Language Systems), cleaned and split into
// letters of 16 × 8 binary pixels by B. Taskar (ai.stanford.edu/~btaskar/ocr; "Max-Margin Markov Networks", NIPS
// 2003): 6,877 words with 52,152 letters in all.
//
//	l, err := letters.Load()
//	train, test := l.Fold(0)     // words of fold 0, and all others
//	X, y := l.Pixels(), l.Labels() // 52,152 × 128, and 0 to 25
//
// The format is text, one line for each letter, with fields separated by tabs: id, letter, next_id (−1 at the end of a
// word), word_id, position in the word from 1, fold from 0 to 9, then the pixels p_0_0 to p_15_7, row after row from
// the top. [Read] accepts the file compressed by gzip or not, and checks that ids, words and positions are consistent.
//
// # Traps
//
// First letters of words are missing, because they were capitals: "ommanding". There are only 55 different words, each
// written by many people, so a random split by letters or words tests on words that were also in the training data.
// Some papers train on one fold and test on nine (Taskar's small-data setting), and as many do the opposite: state
// which you use.
package letters
