// Package wordcount turns tokenised documents into counts of the words that matter:
// the input of D. Bradley and J. Bagnell, Differentiable Sparse Coding (NIPS 2008),
// section 6.3.3: "normalised counts for the 5000 words with the highest tf-idf
// score".
//
//	v, err := wordcount.Choose(docs, &wordcount.Options{Words: 5000})
//	X := v.Count(docs)                 // n×V, a document per ROW
//	x, err := wordcount.Normalise(X)   // rows sum to 1
//
// # The score
//
// With n documents, c_dw the count of word w in document d, f_w the number of
// documents with w and idf_w = log(n/f_w),
//
//	Total (the default)   Σ_d c_dw idf_w            total count, weighted by rarity
//	Mean                  Σ_d (c_dw/c_d) idf_w / n   c_d all tokens of d: long documents
//	                                               count no more than short ones
//	Peak                  max_d c_dw idf_w          the largest value in any document
//
// Neither the paper nor the papers that it follows say which score they use. Total is
// the plainest reading. A word that is in every document scores 0, so no list
// of stop words is needed.
//
// # Invariants
//
// No input is modified. Words are in order of falling score, equal scores in
// alphabetical order, so that the order of documents does not matter (for Mean, but
// for rounding) and a smaller vocabulary is the beginning of a larger one.
//
// # Traps
//
//   - Punctuation marks are tokens too: LettersOnly leaves out what has no letter.
//   - The vocabulary is chosen from all documents that are given, which in the paper
//     include the test folds (their words, not their ratings).
//   - A document without any word of the vocabulary has no normalised counts:
//     Normalise says which.
//   - Sparse coding wants signals as COLUMNS: take x.T().
package wordcount
