// Package l2svm trains linear support vector machines with the squared hinge loss, one class against the others, on
// many points with many features. The points need not fit in memory. This classifier is that of A. Coates and A. Ng,
// The importance of encoding versus training with sparse coding and vector quantization (ICML 2011).
//
//	v, err := l2svm.CrossValidate(ctx, X, y, []float64{0.01, 0.1, 1}, nil)
//	m, err := l2svm.Fit(ctx, X, y, &l2svm.Options{C: v.C[v.Best]})
//	a, err := m.Accuracy(ctx, Xtest, ytest)
//	c, err := l2svm.MeasureCurve(ctx, X, y, Xtest, ytest, &l2svm.CurveOptions{})
//
// X is any Points: a features.Matrix, or the result of Dense, Sparse or Select.
//
// # What is minimized
//
// For each class k, with y_ik = 1 for its points and −1 for the others and
// standardized features x̂ = (x − mean)/√(variance + 0.01),
//
//	f_k(w, b) = ½‖w‖² + C/n Σ_i s_i max(0, 1 − y_ik (w'x̂_i + b))²
//
// with s_i = 1 unless points or classes have weights. The bias b is not penalized. C multiplies a mean. In
// package classify, C multiplies a sum (so its C corresponds to C/n here), and the bias is penalized.
//
// # Files, in reading order
//
//	points.go      Points, Select, reading block by block; sparse.go has the Points of a csr.Matrix
//	scale.go       standardization, in one pass
//	objective.go   f, its gradient, and its exact minimum along a line
//	space.go       where L-BFGS works: w itself, or combinations of points, with X̂X̂'
//	product.go     X̂p and X̂'r, block by block; device.go and products.cl on a graphics card
//	lbfgs.go       L-BFGS of many machines in step, the duality gap
//	exact.go       the same products in float64, and the certificate of a model
//	train.go       Fit, FitPath, Model; modelfile.go saves one
//	validate.go    C by cross-validation
//	check.go       checks of the input
//	curve.go       accuracy against the number of labeled points
//
// Package l2svmplot draws.
//
// # How it is solved
//
// Along a direction p, f is piecewise quadratic. Given the scores z = X̂w + b of the points and the scores X̂p of the
// direction, the minimum of f along p is found exactly, without another product. So a step takes two products: X̂p, and
// X̂'r for the gradient. There is one machine for each class, and in a cross-validation for each class and fold. All
// machines step together, each with its own L-BFGS and step length. They share the decoding of the points and the
// products: 50 machines take much less than five times as long as ten.
//
// From w = 0 all steps are combinations of points, w = X̂'β. With K = X̂X̂' formed once (Gram), a step is one n×n
// product Kr, and inner products of vectors also come from K. With few labeled points this is far faster than Primal,
// the method that computes X̂p and X̂'r. The iterates of the two methods differ only by rounding.
//
// f is strongly convex in w. If b minimizes f for the current w, the dual variables
// 2C/n s_i max(0, 1 − y_ik (w'x̂_i + b)) are feasible. The objective is then at most ½‖∂f/∂w‖² above its minimum.
// This bound is the duality gap. For up to 16 million feature values (of all points together) the gap is computed
// in float64 from the returned weights. If float32 stopped too early, training continues in float64. With more
// values, the gap is computed in float32.
//
// # Speed
//
// The following processor times are for 12,800 features of CIFAR-10 (soft threshold, 1600 atoms, sums over
// quadrants), stored as float16 in memory. Each is from one run with AVX-512 on a shared machine. The runs were
// stopped by the gradient alone (Gap +Inf).
//
//	50,000 images, C = 100, Primal, ten machines   329 steps, 355 s; 1.1 s per step
//	11,000 images, C = 10, 100                     124 and 295 steps, 33 s and 76 s
//	 2,000 images, C = 1, 10, 100 in turn          Gram 6 s, Primal 46 s (40 pairs: Gram 4 s)
//
// The last line was measured with 10 L-BFGS pairs; 40 pairs, the default, halve the steps. Fifty machines (a
// cross-validation) take two to three times the processor time of ten.
//
// Stopping by both gradient and gap was compared with stopping by the gradient alone, on the first 1,500 digits of
// MNIST (784 pixels) with Primal. At C = 1 there was no difference. At C = 100 training with both took 60 to 76 steps
// instead of 29 to 46, and the objectives were 0.05 to 5 % lower.
//
// # On a device
//
// With Options.Device, X stays in the memory of a graphics card, in float32, and a step reads it there twice: 2.9 GB for
// 50,000 points of 14,400 features. Only the vectors are copied, n + d numbers for each machine and product. What exceeds
// half of the card's memory is copied for each product. Sums over points are as exact as on the processor: 512 products
// are added up in float32, and the sums of these in pairs of float32 numbers. The kernels are tested on a processor,
// with PoCL; nothing has been measured on a card.
//
// # Invariants
//
// No input is modified. Results have the same bits for any number of processors: sums over points have eight fixed
// parts. Model.Objective and Gradient are computed from the returned W and B. Scores are updated in float64 and
// recomputed before a result is accepted.
//
// # Traps
//
// Products are in float32. So tolerances below 1e-6 and a Gap of a millionth are not reached in CrossValidate, nor if
// all points together have more than 16 million feature values; training then ends with NoProgress. Call gemm.Use() for
// speed, and gemm.SetWorkers(1): blocks already run in parallel. Most of the time is spent at the largest C. The floor
// of 0.01 that is added to the variance makes SD at least 0.1, also for a feature that is nearly always 0. The floor
// does not scale with the features, so sum-pooled and mean-pooled features need different C.
package l2svm
