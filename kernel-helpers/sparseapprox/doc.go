// Package sparseapprox finds the coefficients w of many signals x at once over
// the same atoms B, with x close to Bw and w small or sparse.
//
//	r, err := sparseapprox.Solve(ctx, B, X, &sparseapprox.Options{Lambda: 0.1})
//	// r.W is n×N
//
// Shapes: X is D×N, one signal a COLUMN; B is D×n, one atom a column, usually of
// unit norm; W is n×N. n may exceed D.
//
// # What is minimised
//
// For each column x of X, with ‖·‖ the Euclidean norm,
//
//	½‖x − Bw‖² + λ P(w)
//
//	Prior           P(w)                  methods                          result
//	L1              Σ|w_j|                CoordinateDescent, FeatureSign,  the minimum
//	L1NonNegative   Σ w_j, w >= 0           LARS, FISTA, SoftThreshold     the minimum
//	L2              Σ w_j²                ClosedForm                       the minimum
//	None            0                     ClosedForm                       the one of least ‖w‖
//	Lp              Σ|w_j|^p, 0 < p < 1   CoordinateDescent                a local minimum
//	L0              k nonzeros, or an     OMP                              a greedy choice
//	                error to be reached
//
// With Options.Ridge = μ the penalty of L1 and L1NonNegative is λP(w) + ½μ‖w‖²: the
// elastic net. In the letters of scikit-learn's ElasticNet, with m rows, λ is
// m·alpha·l1_ratio and μ is m·alpha·(1 − l1_ratio). Coder.Path follows its solutions over
// all λ at one μ.
//
// This is (2) of D. M. Bradley and J. A. Bagnell, Differentiable sparse coding,
// NIPS 21 (2008), for the linear transfer function. Their section 3 writes the
// squared loss without the ½, but their gradients (6) and (18) and appendix A include it.
// Here the ½ is included; without it the same w belongs to a λ twice as large. L2 has no
// ½, like their L_p^p, so that w = (BᵀB + 2λI)⁻¹Bᵀx. Their KL prior is smooth and
// needs other methods: see package klcoding.
//
// # Files, in reading order
//
//	options.go      Prior, Method, Options, Result
//	coder.go        Solve, Coder: what the signals share; the duality gap
//	work.go         one signal's problem in terms of BᵀB and Bᵀx
//	descent.go      coordinate descent on a working set
//	search.go       the search for the support before it, in float32
//	block.go        its sweeps over the few atoms at work
//	features.go     the same for codes that are wanted in float32: patches of images
//	support.go      the linear solve for a support, and dependent atoms
//	factor.go       a Cholesky factor, made at once or atom by atom
//	featuresign.go  feature-sign search
//	lars.go path.go the exact path over all λ
//	fista.go        accelerated proximal gradients
//	omp.go lp.go    L0 and Lp
//	linear.go       L2 and None
//	vector.go       what the assembly does (written by gen), in Go
//
// # How a signal is solved
//
// A batch of 512 signals needs two dense products: BᵀX before, and BᵀR after, with
// R = X − BW, for which W is sparse: from these objective and gap are computed anew.
// In between a solver uses only G = BᵀB and c = Bᵀx, so that D does not matter any more.
//
// With q = Bᵀ(x − Bw) = c − Gw the optimality conditions for L1 are
//
//	q_j = λ sign(w_j) where w_j is not 0,   |q_j| <= λ elsewhere,
//
// and q scaled back into |q_j| <= λ gives a dual bound. The gap (Result.Gap) is a
// proved bound of the excess over the minimum; Options.Tolerance is relative to
// the objective. A small gap bounds the objective, but the coefficients only to within the
// square root of it. CoordinateDescent, FeatureSign and LARS end with a linear
// solve for their support, and mostly have gaps near rounding whatever the tolerance.
//
// CoordinateDescent looks for the support in float32, with half the memory traffic,
// but solves for it, and computes the gap, in float64: the precision of the result
// is that of float64. Results in float32 would not be faster: sweeps alone, without
// the linear solve, took 1.3 times as long for gaps of 1e-4 at 6 % nonzeros, and
// twice as long at 10 %. Where λ or the atoms are out of float32's reach, and where
// the search does not end at the minimum, its sweeps are in float64.
//
// No atoms are screened out for good by a bound from the gap: the working set
// already keeps them out of the sweeps, and a look at all q_j costs little with G.
//
// # Which method
//
// On 512 digits of MNIST in 180 dimensions with 512 atoms and 10 % nonzeros
// (BenchmarkMethods, one thread, one run on a busy machine, tolerance 1e-6)
// FeatureSign took 2.8 times as long as CoordinateDescent, LARS 4.3 times, FISTA 73
// times. The dense products are gonum's: call gemm.Use of package gemm for speed.
// Vector operations are in assembly where the processor has AVX2 or AVX-512,
// here equally fast; without, CoordinateDescent took 2.5 to 3.5 times as long. They are on
// arm64 too, where nobody has measured them: a sweep has 14 instructions for each 16 numbers
// of a row of G, and 25 more for each atom.
//
// Processor times of scikit-learn 1.2 (sparse_encode, lasso_cd, the same atoms and λ) to
// those of Solve with the Gram matrix, one thread each, AVX-512, one run of
// BenchmarkSklearn, medians, on a machine with much other work:
//
//	nonzeros   100 signals   1000 signals
//	 6 %            7             11
//	10 %           14             16
//	18 %           18
//
// With few signals and few nonzeros a third of the time goes into G. scikit-learn ended
// above Solve by at most 1.1e-6 of the objective for any signal at 6 and 10 % (2e-7 in
// the mean), and by 5e-5 at 18 %, where its 1000 iterations were not enough; the gap of
// Solve was below 1e-13. The tolerance of sparse_encode is fixed; with one three times as
// large Lasso, which it calls, misses 1e-6.
//
// # Invariants
//
// No input is modified. Results do not depend, even in the last bit, on the
// number of goroutines. With fewer or more signals in the batch the last bits may
// change, since the dense products do. A coefficient that is 0 is exactly 0.
//
// # Traps
//
// The L1 minimum need not be unique: with equal, opposite or otherwise dependent
// atoms different methods, or starts, may find different w with the same objective.
// Compare objectives. All but FISTA return a w with independent atoms, at most
// min(D, n) of them. (CoordinateDescent may meet the tolerance before that.)
//
// λ at or above max|c_j| gives w = 0. For λ below about 1e-6 of that, rounding in
// G and c is a visible part of the objective: the status is then NoProgress unless the
// tolerance is loose.
//
// G has n² numbers. Package pursuit has solvers that need less memory, basis pursuit,
// and independent versions of some of what is here.
package sparseapprox
