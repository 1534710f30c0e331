// Package taskdict adapts a basis to a task: it trains B, together with a head that predicts from the codes, by
// propagating the gradient of the head's loss back through the coding (D. M. Bradley and J. A. Bagnell, Differentiable
// Sparse Coding, NIPS 2008, section 5).
//
//	head := taskdict.NewMaxent(y, start, 1e-4)
//	r, err := taskdict.Fit(ctx, B, X, head, &taskdict.Options{
//		Coding: klcoding.Options{Lambda: 0.3, P: 0.01, Doubled: true}, Parts: true})
//	// r.B is the new basis, head.Model() the classifier for its codes
//
// Shapes: B D×n with unit columns, X D×N with one signal per column, codes W m×N with m = n, or 2n with Parts.
// Equation numbers are the paper's.
//
// # What is minimized
//
//	(1/N) Σ_i ℓ(ŵ(x_i; B), y_i; θ)   over B and θ,   ŵ(x; B) = argmin of (2),
//
// by stochastic steps on mini-batches. The head provides dℓ/dŵ and dℓ/dθ; package klcoding provides dŵ/dB by implicit
// differentiation, (9) and (21). After every step the columns of B are normalized, as the paper requires, because
// otherwise B would grow and w shrink. Any [Head] can be used; two are provided, multinomial logistic regression and
// linear regression.
//
// # Files, in reading order
//
//	heads.go       Head, and codes for a given basis; the heads for classification and regression
//	train.go       Fit
//	step.go        SGD and Adam
//	checkpoint.go  the state saved for resuming
//
// # Invariants
//
// B and X are not modified; the head is trained in place. The result depends on the seed, not on the number of
// processors. A run resumed from a checkpoint ends with the same bits as an uninterrupted run.
//
// # Traps
//
// The loss is not convex in B. A head that starts at θ = 0 gives B no gradient in the first step, and a useless
// gradient for a while. So start with the best head for the initial codes.
//
// If the signals, λ and p are measured in another unit, the codes are in that unit too. The basis stays the same only
// if HeadRate is negative, so that θ does not change. Otherwise the steps of the head depend on the unit: θ is in the
// inverse unit, and Adam moves θ by about HeadRate in any unit. So scale signals to a norm of about 1.
//
// The columns of B are scaled to norm 1 before B is used, so a head trained on codes of the unscaled B does not fit.
//
// Training B helps little with few training signals; it helps more with more signals. One reason is that a head
// that separates the signals has a small loss and gives B a small gradient, but this is not the whole explanation. On
// MNIST (package bradley2008, table 2), with 1,000, 2,000, 10,000, 20,000 and 50,000 training digits, the head that is
// trained on the initial codes misclassifies 0.08, 0, 0.06, 0.005 and 0.19 % of these digits. Training B then lowers
// the test error by 1, 4, 14, 18 and 29 % of its value.
//
// Only the KL prior is implemented. L1 codes are differentiable on a fixed support (package implicit), but not where
// the support changes.
package taskdict
