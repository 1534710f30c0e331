// Package csr has matrices that store only their nonzeros, row by row (compressed sparse
// rows): counts of words, indicators, sparse codes.
//
//	X, err := csr.FromTriplets(documents, words, doc, word, ones)
//	X := csr.Of(A) // the nonzeros of any matrix
//	m, err := regress.FitLasso(ctx, X, y, 0.01, nil)
//
// A Matrix is a mat.Matrix and can be passed wherever one can. Functions with code for it, such as nmf.Fit,
// regress.FitLasso, classify.FitLinearSVM, l2svm.Sparse, kmeans.Fit and pca.Fit by random projections,
// never store the zeros. Other functions make a dense copy.
//
// # Matrices of other libraries
//
// Of visits only the nonzeros of a matrix that has gonum's method DoNonZero, such as the types of
// github.com/james-bowman/sparse. A Matrix has that method, too, and DoRowNonZero.
//
// # Invariants
//
// A Matrix never changes. Columns ascend within a row, no stored value is 0. Products have the same bits for
// any number of processors.
//
// # Traps
//
// At looks an element up by binary search: to loop over a row use View. A column needs a search in every row:
// use the transpose, which is made once and cached.
package csr
