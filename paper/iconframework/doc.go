// Package iconframework has the experiments of the notebook i-con: the first part of a
// blog post, which says that dimension reduction, contrastive learning and clustering
// are one loss with different kernels (I-Con: S. Alshammari, J. Hershey, A. Feldmann, W.
// Freeman and M. Hamilton, ICLR 2025),
//
//	L(θ, φ) = ∫_i KL(p_θ(·|i)‖q_φ(·|i)).
//
// Each statement of that part which can be computed is a row of the results: what the
// post says, what was measured, and a verdict that follows from a rule. Statements that
// hold only with a correction say which in their Reason. (The post's other part, on
// nonnegative matrix factorisation, is another notebook's.)
//
// # Two sides
//
// The engine is package icon, one loss and a gradient for all methods. The other side is
// formulas.go: the same methods written from their own papers, with plain loops and
// without the engine. Instances compares the two.
//
// # Digits
//
// MNIST where it is on this machine, elsewhere generated digits of the same size;
// captions and rows say which. Neighbours' votes in a map are among the mapped digits,
// so they measure the map, not a classifier. SimCLR's are among digits that its network
// was not trained on.
//
// # Files
//
//	lab.go        the run, and the digits
//	experiments.go the names of the experiments
//	loss.go       what the loss is: neighbours, identities, its gradient
//	formulas.go   the methods as their own papers write them
//	instances.go  engine against formulas; the chain rule for t-SNE
//	embeddings.go the digits by nine methods; p and q as pictures
//	contrast.go   SimCLR: views, and what the features forget
//	clusters.go   K-means: which way round the divergence is
//	theta.go      learning p as well
//	scale.go      t-SNE of many points
//	factor.go     the other view: PCA, K-means and NMF as factorisations; NMF with KL
package iconframework
