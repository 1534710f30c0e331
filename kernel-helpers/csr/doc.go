// Package csr has matrices that store only their nonzeros, row by row (compressed sparse
// rows): counts of words, indicators, sparse codes.
//
//	X, err := csr.FromTriplets(documents, words, doc, word, ones)
//	X := csr.Of(A) // the nonzeros of any matrix
//	m, err := regress.TrainLasso(ctx, X, y, 0.01, nil)
//
// A Matrix is a mat.Matrix, so that it goes wherever one goes; what is written for it,
// such as nmf.Fit, regress.TrainLasso, classify.TrainLinearSVM, l2svm.Sparse,
// kmeans.Fit and pca.Fit by random projections, never makes the zeros. What is not makes a dense copy.
//
// # Of other libraries
//
// Of takes the nonzeros of every matrix with gonum's method DoNonZero without asking for
// the zeros, as the types of github.com/james-bowman/sparse have it. A Matrix has that
// method, too, and DoRowNonZero.
//
// # Invariants
//
// A Matrix never changes. Columns rise within a row, no stored value is 0. Products are the
// same bits for any number of processors.
//
// # Traps
//
// At looks an element up by bisection: go through rows by View. A column is a search of
// all rows: take the transpose, which is made once and kept.
package csr
