// Package sparseapprox codes many signals x at once with the same atoms B: for each x it finds coefficients w that are
// small or sparse, with Bw close to x.
//
//	r, err := sparseapprox.Solve(ctx, B, X, &sparseapprox.Options{Lambda: 0.1})
//	// r.W is n×N
//
// Shapes: X is D×N, one signal per COLUMN; B is D×n, one atom per column, usually of unit norm; W is n×N. n
// may exceed D.
//
// # What is minimized
//
// For each column x of X, with ‖·‖ the Euclidean norm,
//
//	½‖x − Bw‖² + λ P(w)
//
//	Prior           P(w)                  methods                          result
//	L1              Σ|w_j|                CoordinateDescent, FeatureSign,  the minimum
//	L1NonNegative   Σ w_j, w >= 0           LARS, FISTA, SoftThreshold     the minimum
//	L2              Σ w_j²                ClosedForm                       the minimum
//	None            0                     ClosedForm                       the minimum of least ‖w‖
//	Lp              Σ|w_j|^p, 0 < p < 1   CoordinateDescent                a local minimum
//	L0              k nonzeros, or an     OMP                              a greedy choice
//	                error to be reached
//
// With Options.Ridge = μ the penalty of L1 and L1NonNegative is λP(w) + ½μ‖w‖²: the elastic net. In the notation of
// scikit-learn's ElasticNet, with m rows, λ is m·alpha·l1_ratio and μ is m·alpha·(1 − l1_ratio). Coder.Path follows the
// solutions over all λ at a fixed μ.
//
// The objective is (2) of D. M. Bradley and J. A. Bagnell, Differentiable sparse coding, NIPS 21 (2008), for the linear
// transfer function. Their section 3 writes the squared loss without the ½, but their gradients (6) and (18) and
// appendix A include it. Here the ½ is included. Without the ½, λ must be twice as large for the same w. L2 has no ½,
// like their L_p^p, so w = (BᵀB + 2λI)⁻¹Bᵀx. Their KL prior is smooth and needs other methods: see package klcoding.
//
// # Files, in reading order
//
//	options.go      Prior, Method, Options, Result
//	coder.go        Solve, Coder: data shared by the signals; the duality gap
//	work.go         one signal's problem in terms of BᵀB and Bᵀx
//	descent.go      coordinate descent on a working set
//	search.go       the preceding search for the support, in float32, and its sweeps over the working set
//	features.go     codes in float32, for image patches
//	support.go      the linear solve for a support, and dependent atoms
//	factor.go       a Cholesky factor, built at once or atom by atom
//	featuresign.go  feature-sign search
//	lars.go         the exact path over all λ
//	fista.go        accelerated proximal gradients
//	omp.go lp.go    L0 and Lp
//	linear.go       L2 and None
//	vector.go       Go versions of the assembly, which gen writes
//
// # How a signal is solved
//
// A batch of 512 signals needs two dense products: BᵀX before the signals are solved, and afterwards BᵀR with R = X −
// BW (W is sparse). The objective and the gap are computed from R and BᵀR. In between, a solver uses only G = BᵀB and c
// = Bᵀx, so its cost does not depend on D.
//
// With q = Bᵀ(x − Bw) = c − Gw the optimality conditions for L1 are
//
//	q_j = λ sign(w_j) where w_j is not 0,   |q_j| <= λ elsewhere,
//
// and the residual x − Bw, scaled so that |q_j| <= λ, gives a dual bound. The gap (Result.Gap) is a proved bound on how
// far the objective is above its minimum; Options.Tolerance is relative to the objective. A small gap bounds the error
// of the objective; the error of the coefficients is of the order of the gap's square root. CoordinateDescent,
// FeatureSign and LARS end with a linear solve for their support, and usually reach gaps near the rounding
// error for any tolerance.
//
// CoordinateDescent searches for the support in float32, with half the memory traffic. The linear solve and the gap are
// in float64, so the result has float64's precision. Leaving out the linear solve would not be faster: sweeps alone
// took 1.3 times as long for gaps of 1e-4 at 6 % nonzeros, and twice as long at 10 %. Sweeps use float64 if λ or the
// atoms are out of float32's range, or if the search does not end at the minimum.
//
// Atoms are not screened permanently by a bound from the gap: the working set already keeps most atoms out of the
// sweeps, and with G it costs little to check all q_j.
//
// # Which method
//
// On 512 digits of MNIST in 180 dimensions with 512 atoms and 10 % nonzeros (BenchmarkMethods, one thread,
// one run on a busy machine, tolerance 1e-6) FeatureSign took 2.8 times as long as CoordinateDescent, LARS
// 4.3 times, FISTA 73 times. The dense products are gonum's: call gemm.Use of package gemm for speed. Vector
// operations are in assembly for AVX2 and AVX-512, which are equally fast here; without assembly,
// CoordinateDescent took 2.5 to 3.5 times as long. There is assembly for arm64 too, not yet measured: a sweep
// has 14 instructions for each 16 numbers of a row of G, and 25 more per atom.
//
// The table gives the processor time of scikit-learn 1.2 (sparse_encode, lasso_cd, the same atoms and λ) divided by
// that of Solve, which includes the Gram matrix. These are medians of one run of BenchmarkSklearn on a busy machine,
// with one thread each and AVX-512:
//
//	nonzeros   100 signals   1000 signals
//	 6 %            7             11
//	10 %           14             16
//	18 %           18
//
// With few signals and few nonzeros a third of the time is spent on G. scikit-learn's objectives exceeded the
// objectives of Solve by at most 1.1e-6 (relative) for any signal at 6 and 10 % (2e-7 on average), and by 5e-5 at 18 %,
// where its 1000 iterations were not enough; the gap of Solve was below 1e-13. The tolerance of sparse_encode is fixed.
// It is not too strict for this comparison: scikit-learn's Lasso, which sparse_encode calls, does not come within 1e-6
// of the minimum for all signals if its tolerance is three times as large.
//
// # Invariants
//
// No input is modified. Results do not depend, even in the last bit, on the number of goroutines. But if the number of
// signals in the batch changes, the last bits may change, because those of the dense products do. Coefficients that
// vanish are exactly 0.
//
// # Traps
//
// The L1 minimum need not be unique: with equal, opposite or otherwise dependent atoms, different methods or starts may
// find different w with the same objective. So compare objectives, not coefficients. All methods except FISTA return a
// w that uses independent atoms, at most min(D, n) of them. (But CoordinateDescent may meet the tolerance before its
// atoms are independent.)
//
// λ at or above max|c_j| gives w = 0. For λ below about 1e-6 max|c_j|, rounding in G and c is a noticeable
// part of the objective: the status is then NoProgress unless the tolerance is loose.
//
// G has n² numbers. Package pursuit has basis pursuit, solvers that need less memory, and independent implementations
// of some methods of this package.
package sparseapprox
