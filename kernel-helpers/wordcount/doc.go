// Package wordcount turns tokenized documents into counts of selected words. These are the input of D.
// Bradley and J. Bagnell, Differentiable Sparse Coding (NIPS 2008), section 6.3.3: "normalised counts for the
// 5000 words with the highest tf-idf score".
//
//	v, err := wordcount.Fit(ctx, docs, &wordcount.Options{Words: 5000})
//	X := v.Transform(docs)                 // n×V, one document per ROW
//	x, err := wordcount.Normalize(X)   // rows sum to 1
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
// Neither the paper nor the papers that it follows say which score they use. Total is the most literal interpretation.
// A word that is in every document scores 0, so no list of stop words is needed.
//
// # Invariants
//
// No input is modified. Words are in descending order of score, with ties in alphabetical order. So the order
// of documents does not matter (for Mean, except for rounding), and a smaller vocabulary is a prefix of a
// larger vocabulary.
//
// # Traps
//
//   - Punctuation marks are tokens too: LettersOnly drops tokens without a letter.
//   - The vocabulary is chosen from all given documents, which in the paper
//     include the test folds (their words, not their ratings).
//   - A document without any word of the vocabulary has no normalized counts:
//     the error of Normalize names it.
//   - Sparse coding takes signals as COLUMNS: pass x.T().
package wordcount
