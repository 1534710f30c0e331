// Package nmf factors a nonnegative matrix into two nonnegative matrices,
//
//	A ≈ U W'      A n×d, U n×k, W d×k, all >= 0
//
// A row of A stands for a document, a picture or a cell; a column of W stands for a topic, a part or a gene
// program. U holds the amount of each component in each row. Fit minimizes
//
//	½‖A − U W'‖_F²                               Frobenius
//	Σ_ij A log(A/UW') − A + UW'                  KL
//	Σ_ij A/UW' − log(A/UW') − 1                  ItakuraSaito
//	Σ_ij d_β(A|UW')                              BetaDivergence
//
// plus, if set in Options, penalties L1 Σu + L2/2 Σu² for each factor.
//
//	r, err := nmf.Fit(ctx, A, &nmf.Options{Components: 49})
//	nmfplot.Parts(r, 32, 32) // the columns of W as pictures
//	nmfplot.History(r)       // loss, residuals, sparseness by iteration
//	U, err := r.Transform(ctx, more)
//
// A is any matrix. For a *Sparse, zeros are skipped and UW' is never formed. A *mat.Dense with few nonzeros, such as
// the counts of package wordcount, is converted to a Sparse automatically.
//
// # Alternating between U and W
//
// With W fixed, the rows of U solve n nonnegative least squares problems (see package nnls). These problems share G =
// W'W (k×k); the right-hand sides are the rows of C = A W (n×k). With U fixed, the rows of W solve d such problems.
// The product with A takes most of the time. The methods differ in what they do with C and G:
//
//	CoordinateDescent  minimizes exactly over one element after another (HALS)
//	ADMM               Ũ (G + ρI) = C + ρU − Y, U = max(0, Ũ + Y/ρ), Y += ρ(Ũ − U)
//	Multiplicative     U ∘ C/(U G), or for KL U ∘ ((A/UW')W)/(1'W), or for a β-divergence
//	                   U ∘ ((A∘(UW')^(β−2))W / (UW')^(β−1)W)^γ(β)
//
// CoordinateDescent is usually the fastest, and is the default. ADMM is AO-ADMM: alternating optimization that keeps
// the dual variables Y (Model.DualU) from one half-step to the next. Its Ũ is a copy of U that may have negative
// elements, and ρ is Options.Rho. Multiplicative is the only method for losses other than Frobenius.
//
// # At a solution
//
// Let Ū and W̄ be the multipliers of U >= 0 and W >= 0 (MultiplierU, MultiplierW). Then
//
//	(U W' − A) W = Ū >= 0,  Ū∘U = 0
//	(W U' − A') U = W̄ >= 0,  W̄∘W = 0
//
// Model.KKT measures how far U and W are from these conditions. ADMM's dual variables DualU and DualW are −Ū and −W̄.
// They have the opposite sign because ADMM's Lagrangian adds <Y, Ũ − U>.
//
// # K-means
//
// With U restricted to be orthogonal, NMF is K-means on the rows. With both factors restricted, it is K-means on the
// bipartite graph of rows and columns with edge weights A (C. Ding, X. He and H. Simon, On the equivalence of
// nonnegative matrix factorization and spectral clustering, SDM 2005). Without the restriction a row may belong to
// several clusters; RowClusters and ColumnClusters take the cluster with the largest weight. For a block matrix both
// return the blocks.
//
// # How many components
//
// CrossValidate holds out blocks of A (Owen and Perry); Consensus compares fits from random starts (Brunet et al.).
//
// # Files, in reading order
//
//	fit.go             Fit, Model, Step: the alternation
//	options.go         Options
//	multiplicative.go  the updates of Lee and Seung; the half-steps of the other methods are in nnls.Rows
//	batches.go         Mairal et al.: mini-batches
//	incremental.go     mini-batches for the other losses
//	penalty.go         Penalty
//	beta.go            Févotte and Idier: β-divergences, including Itakura-Saito
//	start.go           Random, NNDSVD, NNDSVDa; singular vectors for the last two
//	sparse.go          Sparse
//	data.go, single.go products with A, dense and sparse
//	gather_*           the inner loops of the sparse products
//	result.go          Transform, multipliers, clusters
//	crossvalidate.go, consensus.go   the rank
//
// Package nmfplot draws.
//
// # Speed
//
// BenchmarkSklearn and BenchmarkTarget compare Fit with scikit-learn on one thread. The numbers are ratios of processor
// times on a busy shared machine. The first comparison uses 3,000 digits of 784 pixels, 16 components, and the same start and number
// of iterations on both sides. If both sides use AVX2, Fit is 1.3 to 1.6 times as fast as scikit-learn 1.9.1 with
// CoordinateDescent, and 1.2 to 1.4 times as fast with Multiplicative; with AVX-512, it is 1.6 to 1.8 times as fast.
// With a start from singular vectors, 20 iterations are 1.05 to 1.2 times as fast with AVX2. With both sides'
// defaults, Fit comes within 1e-3 of scikit-learn's objective in 0.9 to 1 times scikit-learn's time with AVX2, and in
// 0.6 times its time with AVX-512. Fit takes as many iterations as scikit-learn, each with more sweeps. On 5,000
// pictures of 1,024 pixels with 49 components and AVX2, CoordinateDescent takes as long as scikit-learn, and
// Multiplicative takes 1.06 times as long.
//
// scikit-learn 1.2.1 was compared earlier, with 49 components. Fit was 2.2 times as fast for KL on the pictures. On
// 20,000 documents of 5,000 words with 2.6 million nonzeros, it was 3.6 times as fast with CoordinateDescent, and 2.5
// times with Multiplicative.
//
// For a dense A, nearly all of an iteration's time is spent on two products with A, in one pass over its rows.
//
// Options.Batch is for many rows. On 4,000×30 numbers with 6 components, the objective after five iterations from
// Random is 7,190 above the minimum; in batches of 100 rows it is 556 above the minimum (TestBatchesAreFaster).
// BenchmarkMiniBatch compares Fit with scikit-learn's MiniBatchNMF. One pass in batches of 256 reaches the final
// objective of MiniBatchNMF 141 times as fast on the pictures and 38 times on the documents, by processor time. Fit
// without batches reaches it in two to four iterations, 116 and 46 times as fast. Batches help if one iteration takes
// a long time.
//
// For other losses, an update of W depends on all of A. Therefore the majorizer of a batch is kept until the batch is
// processed again. On 1,000×20 numbers with 4 components and KL, the objective after six iterations from Random with
// seed 1 is 6,130; in batches of 50 rows it is 4,252 (TestBatchesDivergenceFaster).
//
// # Invariants
//
// No input is modified. With the same seed a fit is the same, for any number of processors. CoordinateDescent and
// Multiplicative never raise the objective, except by rounding. ADMM may raise it, because it ends its half-steps
// early. Batches with a loss other than Frobenius may raise it too, because they lower a sum of majorizers instead.
// With Inner 1 and the same start, CoordinateDescent and Multiplicative have the same iterates as scikit-learn.
//
// # Traps
//
//   - Scale: (U D, W D⁻¹) is as good as (U, W) for every positive diagonal D. Never compare numbers of two columns of U
//     without calling Normalized first. RowClusters allows for the scale.
//   - With a penalty on one factor alone, there is no minimum: that factor shrinks, the other grows, and the product
//     stays the same. Penalize both factors.
//   - The problem is not convex: another seed may give another solution. The objectives of good solutions may agree to
//     three digits although their columns differ.
//   - NNDSVD contains zeros, and Multiplicative keeps every zero forever: use
//     NNDSVDa. If A has a lower rank than k, NNDSVD's last columns are all zero,
//     in U and in W, and no method revives them.
//   - NNDSVDa replaces zeros by the mean of A itself, as scikit-learn does, although factors have the unit of √A. So
//     the start has the right scale only if A's elements are near 1. With numbers of 1e90 ADMM's first iteration
//     overflows, which is an error. So scale A.
//   - Multiplicative approaches a zero but never reaches it. Its KKT residual stays large
//     where zeros should be, and near-zeros become subnormal numbers, which are slow.
//   - The tolerance tests the change in an iteration: slow progress is not the same as
//     convergence. To reach a stationary point, set KKT and MaxIterations.
//   - The objective comes from ½‖A‖² − <AW, U> + ½<U'U, W'W>: below 1e-15‖A‖² it is only rounding error. An exact fit
//     shows such a number.
//   - Explained does not subtract the mean: one component that is the mean may explain 80 % of a matrix of positive
//     numbers. PCA's explained share is different.
//   - A β-divergence forms UW' in blocks, even at zeros of A: a Sparse is converted to a dense matrix. For β < 1
//     and β > 2 the loss is not convex in U alone.
//   - KL treats the numbers as counts: scaling rows to equal sums changes their weights.
//   - For fast dense products, call gemm.Use once.
package nmf
