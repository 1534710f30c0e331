// Package iconframework contains the experiments of the notebook i-con, which is about the first part of a blog post.
// The post says that dimension reduction, contrastive learning and clustering all minimize one loss, with different
// kernels (I-Con: S. Alshammari, J. Hershey, A. Feldmann, W. Freeman and M. Hamilton, ICLR 2025),
//
//	L(θ, φ) = ∫_i KL(p_θ(·|i)‖q_φ(·|i)).
//
// Each statement of that part that can be computed is a row of the results: what the
// post says, what was measured, and a verdict that follows from a rule. If a statement holds only
// with a correction, the row's Reason gives the correction. (The post's other part, on nonnegative
// matrix factorization, has a notebook of its own.)
//
// # Two sides
//
// One side is the engine, package icon, which has one loss and one gradient for all methods. The other side is
// formulas.go, which has the same methods as their own papers write them, with plain loops and without the engine.
// Instances compares the two sides.
//
// # Digits
//
// The digits are MNIST if it is on this machine, otherwise generated digits of the same size; captions and rows say
// which. In a map, a digit's neighbors are other digits of the map, so their votes measure the map and not a
// classifier. For SimCLR the neighbors are digits on which its network was not trained.
//
// # Files
//
//	lab.go        the run, and the digits
//	experiments.go the names of the experiments
//	loss.go       what the loss is: neighbors, identities, its gradient
//	formulas.go   the methods as their own papers write them
//	instances.go  engine against formulas; the chain rule for t-SNE
//	embeddings.go the digits by nine methods; p and q as pictures
//	contrast.go   SimCLR: views, and what the features forget
//	clusters.go   K-means: which way round the divergence is
//	theta.go      learning p as well
//	scale.go      t-SNE of many points
//	factor.go     the other view: PCA, K-means and NMF as factorizations; NMF with KL
package iconframework
