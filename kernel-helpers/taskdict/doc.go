// Package taskdict makes a basis better at a task: it trains B, together with a
// head that predicts from the codes, by carrying the gradient of the head's loss
// back through the coding (D. M. Bradley and J. A. Bagnell, Differentiable Sparse
// Coding, NIPS 2008, section 5).
//
//	head := taskdict.NewMaxent(y, start, 1e-4)
//	r, err := taskdict.Train(ctx, B, X, head, taskdict.Options{
//		Coding: klcoding.Options{Lambda: 0.3, P: 0.01, Doubled: true}, Parts: true})
//	// r.B is the new basis, head.Model() the classifier that goes with it
//
// Shapes: B D×n with unit columns, X D×N one signal a column, codes W m×N with
// m = n, or 2n with Parts.
//
// # What is minimised
//
//	(1/N) Σ_i ℓ(ŵ(x_i; B), y_i; θ)   over B and θ,   ŵ(x; B) = argmin of (2),
//
// by stochastic steps on mini-batches. The head provides dℓ/dŵ and dℓ/dθ,
// package klcoding dŵ/dB by implicit differentiation, (9) and (21).
// After every step the columns of B have unit norm again, as the paper asks,
// otherwise B would grow and w shrink. Any [Head] can be used; two are provided,
// multinomial logistic regression and linear regression.
//
// # Files, in reading order
//
//	head.go        Head, and codes for a given basis
//	maxent.go      classification
//	linear.go      regression
//	train.go       Train
//	step.go        SGD and Adam
//	checkpoint.go  what is saved to continue later
//
// # Invariants
//
// B and X are not modified; the head is trained in place. The result depends on
// the seed, not on the number of processors. A run that was stopped and continues
// from its checkpoint ends with the same bits as an uninterrupted run.
//
// # Traps
//
// The loss is not convex in B. A head that starts at θ = 0 sends no gradient to B
// in its first step, and a useless one for a while: start it from the
// best head for the initial codes.
//
// B is scaled to unit columns before it is used: a head that was trained on codes of
// another B does not fit.
//
// With few training signals little is gained. That the head separates them, so that its
// loss and the gradient of B are small, does not explain it alone: on MNIST (package
// bradley2008, table 2) the head misclassifies 0.08, 0, 0.06, 0.005 and 0.19 % of
// 1,000, 2,000, 10,000, 20,000 and 50,000 training digits before B moves, and the
// test error falls by 1, 4, 14, 18 and 29 % of it. The gain grows with the number of
// signals.
//
// Only the KL prior is implemented. The derivative of L1 codes exists on a fixed support
// (package implicit); where the support changes there is none.
package taskdict
