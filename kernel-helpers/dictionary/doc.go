// Package dictionary learns the basis B of sparse coding from signals.
//
//	r, err := dictionary.Fit(ctx, X, &dictionary.Options{
//		Atoms: 512,
//		Coder: dictionary.SparseCoder(&sparseapprox.Options{Lambda: 0.3}),
//	})
//	// r.B is D×512
//	dictionaryplot.Objective(r.State)
//	dictionaryplot.Basis(r.B, 28, 28, &dictionaryplot.BasisOptions{Map: axes, Use: r.Use})
//
// Shapes: X is D×N, one signal x per COLUMN; B is D×n, one atom per column; W is n×N. If the signals are the rows of a
// matrix Z, pass Z.T(), which Fit uses without copying. Equation numbers are those of D. M. Bradley and J. A. Bagnell,
// Differentiable sparse coding, NIPS 21 (2008).
//
// # What is minimized
//
// Fit minimizes the mean over all signals of
//
//	L = D_L(x||f(Bw)) + λ D_P(w)      (2)
//
// with respect to B and the code w of each signal. Finding w for a given B is the paper's problem (3). The norms ‖B_j‖
// of the columns are at most 1 or exactly 1, depending on the method and on Options.Unit. Without this constraint w
// would go to 0 and B to infinity. The Coder determines the loss D_L with its function f, the prior D_P, and how w is
// found. The squared loss is ½‖x − Bw‖² and has f(z) = z; package klcoding also has the loss Softmax. The gradient in B
// does not depend on the prior:
//
//	∂L/∂B = (f(Bw) − x) w'            (7)
//
// The problem is convex in W for the priors L1 and KL, and it is convex in B, but not in W and B together. Different
// seeds give different B, mostly with nearly the same objective.
//
// # Files, in reading order
//
//	options.go     Method, Options
//	coder.go       Coder: the interface to the packages that find W; MeanObjective
//	learn.go       Fit: passes and steps
//	start.go       the initial B
//	sgd.go         stochastic gradient descent, as in the paper
//	online.go      Mairal, Bach, Ponce and Sapiro 2010
//	alternate.go   one pass of LagrangeDual and MOD, which use all signals at once; the least squares of MOD
//	dual.go        Lee, Battle, Raina and Ng 2007
//	dead.go        atoms that no signal uses
//	signals.go     access to the signals
//	state.go       State: all that a run needs to continue; warm starts of the coder
//	file.go        states and bases on disk
//
// Package dictionaryplot draws bases and the progress of learning.
//
// # Which method
//
//	Online        the fastest; no step size. Squared loss
//	SGD           any loss; the paper's method
//	LagrangeDual  exact in B; with an exact coder the objective never rises
//	MOD           simple; for L0. The columns are scaled after the least
//	              squares step, so with λ > 0 the objective may rise
//
// After three passes over 10,000 digits of MNIST (180 principal components, 512 atoms, L1 with λ = 0.3, one seed) the
// mean objective of 2000 other training digits was
//
//	Online, batches of 256     6.09, with ρ = 3 6.15
//	Online, batches of 512     6.10, with ρ = 3 6.20, ρ = 1 6.31, ρ = 0 6.43
//	SGD, batches of 128        6.20 with Rate 4, 6.19 with 8
//	SGD, batches of 512        6.58 with Rate 1, 6.33 with 4, 6.22 with 16
//	LagrangeDual               6.53
//	MOD                        6.71, and rising
//
// All these runs took about the same time. The coder takes most of it; the update of B takes 9% (15% with 1024 atoms;
// BenchmarkUpdate).
//
// # The step of SGD
//
// The paper adjusts the step to the magnitude of ŵ by hand and lets it decay as 1/√t. Here
//
//	η = Rate/(unit √t)
//
// where t is the number of the step, and unit is the largest eigenvalue of the mean of ww', measured once, on 512
// signals or more, with the first B. unit is the largest curvature of the mean squared loss in B, so the effect of
// Rate does not depend on the scale of the signals, on λ or on n. The first steps exceed 2/curvature and overshoot
// along the most used atoms. Scaling the columns to norm 1 corrects the overshoot, which ends as the step decays.
// Rarely used atoms benefit from the large steps.
//
// # Forgetting
//
// Online keeps A = Σww' and C = Σxw' of all signals so far, most of them coded with an outdated B. With Options.Forget
// = ρ, step t' has the weight (t'/t)^ρ at step t, so about the last 1/(ρ+1) of the run counts. This last part of the
// run should contain several signals for each atom. In the first steps it consists of only a batch or two, possibly
// with fewer signals than atoms, so the objective can rise above the objective of the first B before it falls. For a
// run that codes fewer than about 50 signals per atom over all its passes, use ρ = 1. In 12 steps on 1000 digits with
// 512 atoms, scikit-learn's MiniBatchDictionaryLearning, which forgets about as much as ρ = 1, lowered the objective
// on other digits from 7.77 to 7.30; the default here lowered it to 7.41.
//
// # Invariants
//
// Inputs are not modified. The same seed gives the same bits for any number of goroutines, provided that the coder's
// results do not depend on the number of goroutines. Only Record.Seconds differs. A run that ends early and is resumed
// from its State, in memory or from a file, gives the same bits as an uninterrupted run. A file is replaced atomically,
// and a damaged file leads to an error (ErrFile), never to a wrong basis.
//
// # Traps
//
// The matrix products dominate the cost: call gemm.Use() first. With KLCoder also call gemm.SetWorkers(1), because
// this coder already codes the signals in parallel.
//
// Record.Objective of a step is the mean objective of its batch with B as it was before the step. To compare bases use
// MeanObjective on held-out signals: if X has few signals, the objective on X itself says little.
//
// The columns of Online and LagrangeDual have a norm of at most 1, and of exactly 1 only with Options.Unit. Rarely
// used atoms may be shorter.
//
// Warm saves time only if the coder benefits from warm starts: coordinate descent in package sparseapprox benefits
// little. With Warm, a coder that depends on its starting point (Lp) returns different results.
//
// If Lambda is too large, all codes are 0. B then never changes, and the objective is the mean of ½‖x‖².
package dictionary
