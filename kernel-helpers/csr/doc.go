// Package csr provides matrices that store only their nonzeros, row by row (compressed sparse rows), for example word
// counts, indicators and sparse codes.
//
//	X, err := csr.FromTriplets(documents, words, doc, word, ones)
//	X := csr.Of(A) // the nonzeros of any matrix
//	m, err := regress.FitLasso(ctx, X, y, 0.01, nil)
//
// A Matrix implements mat.Matrix. Functions with special code for a Matrix, such as nmf.Fit, regress.FitLasso,
// classify.FitLinearSVM, l2svm.Sparse, kmeans.Fit, and pca.Fit with random projections, never store the zeros. Other
// functions make a dense copy.
//
// # Matrices of other libraries
//
// The function Of also converts matrices of other types. If a type has gonum's method DoNonZero, as the types of
// github.com/james-bowman/sparse have, Of visits only the nonzeros. A Matrix also has the methods DoNonZero and
// DoRowNonZero.
//
// # Invariants
//
// A Matrix never changes. Within a row, the column indices ascend. No stored value is 0. A product has the same bits
// for any number of processors.
//
// # Traps
//
// The method At finds an element by binary search; to loop over a row, use View. To read a column, use a row of the
// transpose, which is computed once and cached; At would need a search in every row.
package csr
