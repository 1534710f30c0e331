// Package nmfimplicit contains the experiments of the notebook nmf-implicit. It examines a blog post about nonnegative
// matrix factorization and the derivative of its solution. (What the post says about the I-Con framework has a
// notebook of its own.)
//
// Each statement of the post about factorization, ADMM and implicit differentiation that can be computed is a row of
// the results: what the post says, under which heading, what was measured, and a verdict that follows from a rule. A
// statement that is wrong as written is NOT REPRODUCED, and the row's Reason gives the correction. A statement that is
// true in one reading but not in another is PARTIAL, and the Reason gives both readings. Rows without a published text
// are our own checks. Omissions in quotations are marked by "…".
//
// The post's formulas are quoted as plain text: W' for the transpose of W, Ũ for the copy of U that fits the data, Ū
// for the dual variable. A is n×d, U n×k, W d×k.
//
// # Data
//
// The claims are mathematical, and most are tested on small generated matrices. If the data are on the machine, faces
// are the Olivetti photographs, topics are those of film reviews, and at full size the digits are those of MNIST.
// Otherwise, and always in a smoke run, the data are generated. Each row names its data.
//
// Matrices at which a derivative is taken are drawn until one has a smooth solution: zeros in its factors, no entry
// that is nearly degenerate (zero with a zero multiplier), and no freedom except in the scales of the components. The
// row says how many draws that took. Lab.Kinks shows what happens at other matrices.
//
// # Files
//
//	lab.go         the run, the faces, small pieces of linear algebra
//	experiments.go the names of the experiments
//	parts.go       low rank, sparse, low-dimensional; is the code linear?
//	clusters.go    K-means and NMF: where they are the same
//	convexity.go   convex in each factor; saddles; local minima
//	admm.go        the augmented Lagrangian; the updates as displayed; the methods
//	optimality.go  the map F, its Jacobian, linear solvers, gradients, kinks
//	concepts.go    fixed concepts: which pixels change a coefficient
//	cost.go        implicit against unrolled, time and memory
//	network.go     a factorization inside a network
//	rank.go        the number of components; topics of documents
//
// Times in the results were measured on one machine at one moment. Rows about them are our own checks, with wide
// rules.
package nmfimplicit
