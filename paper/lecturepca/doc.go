// Package lecturepca has the experiments of the notebook lecture-pca: the second
// half of a university lecture, on unsupervised learning and principal component
// analysis. (Its first half, on transformers, is another notebook's.)
//
// Each statement of the slides that can be computed is a row of the results: what
// they say, what was measured, and a verdict that follows from a rule. A place
// is given by the slide's heading; the slides have no numbers in our copy. Figures
// taken from other papers (single cells; genes and geography; one of
// ncomms14049) are not repeated: their data are not ours.
//
// # Which faces
//
// The lecture shows 5,000 faces of 32 × 32 pixels and names no source. A set of
// that number and size belongs to an exercise of a machine-learning course
// (ex7faces.mat); we take it to be the same. No official address has it; where the
// file is missing the rows about them say NO DATA. The same is then measured on
// generated faces, and on the Olivetti faces where those are there, in rows of
// our own, which stand under no published number.
//
// # Files
//
//	lab.go        the run, and the faces
//	experiments.go the names of the experiments
//	manifold.go   why reduce dimensions: a plane, a roll
//	directions.go least loss is largest variance; the next directions
//	sphering.go   whitening
//	example.go    the worked example on four points, and the noisy one
//	faces.go      eigenfaces, reconstruction, share of the variance, loss
//	svd.go        the singular value decomposition, its forms, its identities
//	cost.go       O(d³) and O(dn²), measured
//	kin.go        what PCA is the same as: probabilistic PCA, a linear
//	              autoencoder, the best approximation; and what it is not
//
// Times in the results are those of one machine at one moment. Rows about them
// are our own checks, with wide rules.
package lecturepca
