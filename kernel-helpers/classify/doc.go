// Package classify provides the classifiers that D. Bradley and J. Bagnell, Differentiable Sparse Coding (NIPS 2008),
// train on sparse codes: maxent, a network with one hidden layer, linear and RBF support vector machines (table 3),
// and the multiple discriminant analysis of figure 2. It also provides support vector machines with other kernels,
// with probabilities, and for regression.
//
//	m, err := classify.FitMaxent(ctx, X, y, nil)
//	fmt.Println(classify.ErrorRate(m.Predict(Xtest), ytest))
//
// # Points are ROWS
//
// X is n×d with a POINT PER ROW, y has n labels 0 to K−1. The sparse coding packages keep a signal per COLUMN: pass
// sparse codes W (n×N) as W.T(). For back-propagation, transpose the result of InputGradient, which has one gradient
// per row.
//
// X may be a csr.Matrix: Maxent and LinearSVM never store its zeros; the other models make a dense copy.
//
// # What is minimized
//
//	Maxent      −(1/n) Σ log P(y_i|x_i) + (α/2) ‖W‖²                 strictly convex in W
//	            or, with an L1Ratio ρ, + αρ ‖W‖₁ + ½α(1−ρ) ‖W‖²      convex
//	Network     −(1/n) Σ log P(y_i|x_i) + (α/2) (‖W1‖² + ‖W2‖²)      not convex
//	LinearSVM   ½ ‖w‖² + ½ (b/BiasValue)² + C Σ max(0, 1 − y_i f_i)^p   one class against the rest
//	SVM         ½ β'Kβ + C Σ max(0, 1 − y_i f_i)                     one class against another
//	SVR         ½ β'Kβ + C Σ max(0, |y_i − f_i| − ε)                 y_i a number
//	MDA         maximizes |V'S_B V| / |V'S_W V|
//
// Here f_i is the score of point i, the power p is 1 or 2 (see Loss), and K in β'Kβ is the kernel matrix of the
// points. The comments of the types define the other symbols. RBFSVM is an SVM with the RBF kernel. In all models,
// SampleWeights multiply the losses of the points. So do ClassWeights in all classifiers; BalancedWeights returns
// class weights that give all classes the same total weight.
//
// # Files, in reading order
//
//	maxent.go      the model, its gradient by two products; lbfgs.go minimizes
//	newtoncg.go    Newton's method with conjugate gradients, for when L-BFGS is slow
//	polish.go      Newton's method and its bound, for when L-BFGS or newtonCG has ended without convergence
//	elasticnet.go  Newton's method by coordinate descent, for the penalty with an L1Ratio
//	network.go     forward, backward, minibatches, early stopping
//	linearsvm.go   dual coordinate descent; points.go stores the points; primal.go and interior.go follow if descent is too slow
//	kernels.go     RBF, linear, polynomial, sigmoid, and any function
//	svm.go         pairs and votes; rbfsvm.go is the special case of RBF
//	smo.go         one pair of classes, or a regression; kernelrows.go caches rows of the kernel matrix
//	platt.go       probabilities
//	svr.go         regression
//	mda.go         discriminant directions
//	split.go       splits, folds, standardized features
//	measure.go     error rate, confusion matrix, precision and recall, ROC, log loss
//	features.go    products with dense and with sparse points
//	check.go       argument checks; weights
//
// # Speed
//
// The matrix products are gonum's; they are faster if the program calls gemm.Use(). The table compares this package
// with scikit-learn 1.2.1, at the same tolerance and with the same objective (to 1e-6). The data are the first 5,000
// digits of MNIST (784 pixels). Both packages were timed in the same run of go test -bench, on two shared cores. Each
// range covers several runs:
//
//	Maxent, α 0.01                   4.1 to 7.6 times as fast
//	RBFSVM, C 5, γ 0.02: training    1.8 to 3.7
//	                     prediction  10 to 16
//
// LinearSVM with C 0.01 is 0.95 to 1.17 times as fast as scikit-learn 1.9.1, by processor time on one thread, with the
// same objective. These pixels have only 256 different values, so points.go stores them in a third of the memory.
// Other data were not measured.
//
// # Invariants
//
// No input is modified. Results depend on seeds. They do not depend on the number of processors, unless the results of
// the matrix products do (those of package gemm do not). If the cache of an SVM is too small for all rows, the results
// of the SVM are the same up to rounding. Predict returns the class with the largest score, and the first such class if
// scores are equal. A class without points is an error, except that Maxent and Network accept empty classes whose
// labels are below the option Classes.
//
// # Traps
//
//   - Converged means that the bounds in the options were met. Only the bound Gap limits how far an objective is from
//     its minimum. FitMaxent uses Gap unless only a Tolerance is given, LinearSVM always uses it, and SVM and SVR use
//     it only if it is set.
//   - In Maxent, α weighs the penalty against a MEAN of losses. In the support vector machines, C
//     multiplies a SUM of losses: C = 1/(αn).
//   - With two classes, scikit-learn's weights are v = 2 W_1. Then ‖W‖₁ is ‖v‖₁, but ‖W‖² is ‖v‖²/2. So
//     LogisticRegression(penalty="l1", C) corresponds to α = 1/(Cn), and with L2 alone to α = 2/(Cn).
//   - With an L1Ratio of 1 and two features that are equal at all points, W is not unique. The objective and the
//     probabilities are still unique.
//   - The bias has no penalty in Maxent, SVM and SVR, but LinearSVM penalizes it. In SVM and SVR, the bias
//     applies after Center has been subtracted from the points.
//   - The units of the features matter to all models except MDA without Shrinkage, because penalties and distances add
//     up different features. The origins of the features matter only to LinearSVM, which penalizes the bias, and to
//     Network, whose initial weights suit features of about 1.
//   - Scores of different models have different units: log odds, margins, votes,
//     distances.
//   - The default γ of kernels depends on the variance over all elements of X, so a single large feature dominates all
//     other features. Use Standardize.
//   - Kernel rows are float32 (relative error 6e-8), so duality gaps below about 1e-6 of the objective cannot be
//     reached. The values of kernels other than RBF may be large. For these kernels, the conditions for convergence are
//     checked with exact values at the end; if these are not met, Status is NoProgress.
//   - Probabilities are fitted to the scores of other machines, which were trained without the points that they score.
//     So the class with the largest probability need not be the class that Predict returns.
//   - Tolerance and Epsilon of SVR are in units of y, and C multiplies losses in units of y: so scale y to values of
//     about 1.
//   - LinearSVM's number of sweeps grows with C and with the size of the features: scale the features to values of about 1. In
//     an experiment with features of about 1000, descent had not converged after 3000 sweeps. The interior point method follows only if
//     MaxIterations is 0.
package classify
