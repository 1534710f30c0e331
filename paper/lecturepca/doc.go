// Package lecturepca contains the experiments of the notebook lecture-pca, which is about the second half of a
// university lecture: unsupervised learning and principal component analysis. (The first half, on transformers, has
// a notebook of its own.)
//
// Each statement of the slides that can be computed is a row of the results: what the slides say, what was measured,
// and a verdict that follows from a rule. Slides are named by their headings, because they are not numbered in our
// copy. Some figures of the slides are taken from other papers: one about single cells, one about genes and geography,
// and one from the article ncomms14049. They are not repeated, because we do not have their data.
//
// # Which faces
//
// The lecture shows 5,000 faces of 32 × 32 pixels and names no source. A set of that number and size belongs to an
// exercise of a machine-learning course (ex7faces.mat); we assume that it is the same set. No official address offers
// it. If the file is missing, the rows about these faces say NO DATA. Further rows, which we added, measure the same
// things on generated faces, and on the Olivetti faces if those are available; they are not compared with any
// published number.
//
// # Files
//
//	lab.go        the run, and the faces
//	experiments.go the names of the experiments
//	manifold.go   why reduce dimensions: a plane, a roll
//	directions.go lowest loss coincides with largest variance; the next directions
//	sphering.go   whitening
//	example.go    the worked example on four points, and the noisy one
//	faces.go      eigenfaces, reconstruction, share of the variance, loss
//	svd.go        the singular value decomposition, its forms, its identities
//	cost.go       O(d³) and O(dn²): how the times are measured, and fitted as
//	              powers of the size
//	kin.go        what PCA is the same as: probabilistic PCA, a linear
//	              autoencoder, the best approximation; and what it is not
//	autoencoder.go the linear autoencoder
//	eckart.go     the truncated SVD and its competitors
//	nonlinear.go  autoencoders with nonlinear transfers and more layers
//	exercises.go  what check.Exercise tries
//
// Times in the results were measured on one machine at one moment. Rows about them are our own checks, with wide
// rules.
package lecturepca
