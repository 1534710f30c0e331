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
// Shapes: X is D×N, one signal x a COLUMN; B is D×n, one atom a column; W is n×N. If
// the signals are the rows of a matrix Z, pass Z.T(): it is used without a copy.
// Equation numbers are those of D. M. Bradley and J. A. Bagnell, Differentiable
// sparse coding, NIPS 21 (2008).
//
// # What is minimized
//
// The mean over all signals of
//
//	L = D_L(x||f(Bw)) + λ D_P(w)      (2)
//
// in the codes w of each signal, (3), and in B with ‖B_j‖ <= 1 or = 1. Without that
// constraint w would go to 0 and B to infinity. The Coder determines the loss D_L, the
// prior D_P and the way to find w; the gradient in B does not depend on the prior:
//
//	∂L/∂B = (f(Bw) − x) w'            (7)
//
// The problem is convex in W for L1 and KL, and in B, but not in both. Another seed
// gives another B, mostly with nearly the same objective.
//
// # Files, in reading order
//
//	options.go     Method, Options
//	coder.go       Coder: the interface to the packages that find W; MeanObjective
//	learn.go       Fit: passes and steps
//	start.go       the first B
//	sgd.go         stochastic gradient descent, as in the paper
//	online.go      Mairal, Bach, Ponce and Sapiro 2010
//	alternate.go   one pass of the two methods that use all signals at once
//	dual.go        Lee, Battle, Raina and Ng 2007
//	mod.go         the method of optimal directions
//	dead.go        atoms that no signal uses
//	warm.go        warm starts of the coder
//	signals.go     the data
//	state.go       State: all that a run needs to continue
//	file.go, statefile.go, basisfile.go   states and bases on disk
//
// Package dictionaryplot draws bases and the progress of learning.
//
// # Which method
//
//	Online        the fastest; no step size. Squared loss
//	SGD           any loss; the paper's method
//	LagrangeDual  exact in B; with an exact coder the objective never rises
//	MOD           simple; for L0. The scaling of columns is not part of the least
//	              squares, so that with λ the objective may rise
//
// After three passes over 10,000 digits of MNIST (180 principal components, 512
// atoms, L1 with λ = 0.3, one seed) the mean objective of 2000 other training
// digits was
//
//	Online, batches of 256     6.09, with ρ = 3 6.15
//	Online, batches of 512     6.10, with ρ = 3 6.20, ρ = 1 6.31, ρ = 0 6.43
//	SGD, batches of 128        6.20 with Rate 4, 6.19 with 8
//	SGD, batches of 512        6.58 with Rate 1, 6.33 with 4, 6.22 with 16
//	LagrangeDual               6.53
//	MOD                        6.71, and rising
//
// in about the same time, most of which is the coder's: the update takes 9% of it (1024 atoms: 15%;
// BenchmarkUpdate).
//
// # The step of SGD
//
// The paper adjusts the step to the magnitude of ŵ by hand and lets it decay as 1/√t. Here
//
//	η = Rate/(unit √t)
//
// where t is the number of the step. unit is the largest eigenvalue of the mean of ww', measured once on 512
// signals or more with the first B. It is the largest curvature of the mean squared loss in B, so Rate means
// the same in any unit of the signals and for any λ and n. The first steps exceed twice 1/curvature and
// overshoot along the most used atoms. The scaling to unit columns corrects that, and the decay of the step
// ends it. Rarely used atoms gain from the large steps.
//
// # Forgetting
//
// Online keeps A = Σww' and C = Σxw' of all signals so far, most of them coded with an outdated B. With
// Options.Forget = ρ, step t' has the weight (t'/t)^ρ at step t: about the last 1/(ρ+1) of the run counts. It
// should hold several signals for each atom. In the first steps that is a batch or two, possibly fewer
// signals than there are atoms, so the objective can rise above that of the first B before it falls. For
// a run that codes fewer than about 50 signals per atom over all its passes, use ρ = 1. In 12 steps on 1000
// digits with 512 atoms, scikit-learn's MiniBatchDictionaryLearning, which forgets about as ρ = 1 does,
// lowered the objective on other digits from 7.77 to 7.30, the default here to 7.41.
//
// # Invariants
//
// Inputs are not modified. The same seed gives the same bits for any number of goroutines, if the coder does;
// only Record.Seconds differs. A run that ends early and is resumed from its State, in memory or from a file,
// gives the same bits as an uninterrupted run. A file is replaced atomically, and a damaged file is an error
// (ErrFile), never a wrong basis.
//
// # Traps
//
// The matrix products dominate the cost: call gemm.Use() first. With KL also call
// gemm.SetWorkers(1); its signals run in parallel already.
//
// Record.Objective is the objective of the batch with the B before the step. To compare bases use
// MeanObjective on held-out signals: with few signals the objective on X itself says little.
//
// The columns of Online and LagrangeDual have a norm of at most 1, and of exactly 1 only with Options.Unit.
// Rarely used atoms may be shorter.
//
// Warm saves time only if the coder gains from it: coordinate descent from package sparseapprox gains little.
// With Warm, a coder that depends on its starting point (Lp) returns different results.
//
// If Lambda is too large all codes are 0: B then stays as it was at the start, and
// the objective is the mean of ½‖x‖².
package dictionary
