// Package nmf factors a nonnegative matrix into two nonnegative matrices,
//
//	A ≈ U W'      A n×d, U n×k, W d×k, all >= 0
//
// A row of A stands for a document, a picture or a cell; a column of W stands for a topic, a part or a
// program of genes. U holds the amount of each component in each row. Fit minimizes
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
// A is any matrix. For a *Sparse, zeros are skipped and UW' is never formed. A *mat.Dense with few nonzeros,
// such as the counts of package wordcount, is converted to a Sparse automatically.
//
// # The problem alternates
//
// With W fixed, U solves n nonnegative least squares problems that share G = W'W (k×k) and have C = A W
// (n×k), see package nnls; with U fixed, W solves d such problems. The product with A costs most. The methods
// differ in what they do with C and G:
//
//	CoordinateDescent  one element after the other, exactly (HALS)
//	ADMM               Ũ (G + ρI) = C + ρU − Ū, U = max(0, Ũ + Ū/ρ), Ū += ρ(Ũ − U)
//	Multiplicative     U ∘ C/(U G), or for KL U ∘ ((A/UW')W)/(1'W), or for a β-divergence
//	                   U ∘ ((A∘(UW')^(β−2))W / (UW')^(β−1)W)^γ(β)
//
// CoordinateDescent is usually the fastest, and is the default. ADMM is AO-ADMM: alternating optimization
// that keeps the dual variables from one half-step to the next. Multiplicative is the only method for the
// other losses.
//
// # At a solution
//
// With Ū and W̄ the multipliers of U >= 0 and W >= 0 (MultiplierU, MultiplierW),
//
//	(U W' − A) W = Ū >= 0,  Ū∘U = 0
//	(W U' − A') U = W̄ >= 0,  W̄∘W = 0
//
// Result.KKT measures how far U and W are from these conditions. ADMM's dual variables DualU and DualW are −Ū
// and −W̄: its Lagrangian adds <Ū, Ũ − U>, so they have the opposite sign.
//
// # K-means
//
// With U restricted to be orthogonal, NMF is K-means on the rows. With both factors restricted, it is K-means
// on the bipartite graph of rows and columns with edge weights A (C. Ding, X. He and H. Simon, On the
// equivalence of nonnegative matrix factorization and spectral clustering, SDM 2005). Without the restriction
// a row may belong to several clusters; RowClusters and ColumnClusters take the largest. On a block matrix
// both return the blocks.
//
// # How many components
//
// CrossValidate holds out blocks of A (Owen and Perry); Consensus compares fits from
// random starts (Brunet et al.).
//
// # Files, in reading order
//
//	fit.go             Fit, Result, Step: the alternation
//	options.go         Options
//	multiplicative.go  Lee and Seung; the other half-steps are nnls.Rows
//	batches.go         Mairal et al.: mini-batches
//	incremental.go     mini-batches for the other losses
//	penalty.go         Penalty
//	beta.go            Févotte and Idier: β-divergences, with Itakura-Saito
//	start.go           Random, NNDSVD, NNDSVDa
//	singular.go        singular vectors for start.go
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
// BenchmarkSklearn and BenchmarkTarget compare with scikit-learn, on one thread, as ratios of processor time on a busy
// shared machine. On 3,000 digits of 784 pixels with 16 components, from the same start with the same number of
// iterations, Fit is 1.3 to 1.6 times as fast as scikit-learn 1.9.1 by coordinate descent and 1.2 to 1.4 times by
// Multiplicative if both sides use AVX2, and 1.6 to 1.8 times with AVX-512. With the start by singular vectors, 20
// iterations are 1.05 to 1.2 times as fast with AVX2. With both sides' defaults, Fit comes within
// 1e-3 of scikit-learn's objective in 0.9 to 1 of its time with AVX2 and 0.6 with AVX-512: it takes as many iterations,
// each with more sweeps. On 5,000 pictures of 1,024 pixels with 49 components and AVX2, CoordinateDescent is as fast and
// Multiplicative takes 1.06 times as long.
//
// scikit-learn 1.2.1 was compared earlier, with 49 components. Fit was 2.2 times as fast for KL on the pictures, and
// 3.6 (coordinate descent) and 2.5 times (Multiplicative) on 20,000 documents of 5,000 words with 2.6 million nonzeros.
//
// Nearly all of a dense iteration is two products with A, in one pass over its rows.
//
// Options.Batch is for many rows. On 4,000×30 numbers with 6 components, five iterations from Random end
// 7,190 above the least objective; in batches of 100 rows they end 556 above it (TestBatchesAreFaster).
// BenchmarkMiniBatch compares Fit with scikit-learn's MiniBatchNMF. One pass in batches of 256 reaches the
// final objective of MiniBatchNMF 141 times as fast on the pictures and 38 times on the documents, by
// processor time. Fit without batches reaches it in two to four iterations, 116 and 46 times as fast. Batches
// help where one iteration is long.
//
// For other losses, where an update of W depends on all of A, a batch keeps its majorizer until it is seen again. On
// 1,000×20 numbers with 4 components and KL, six iterations from Random with seed 1 end at 6,130, in batches of 50 rows
// at 4,252 (TestBatchesDivergenceFaster).
//
// # Invariants
//
// No input is modified. A fit is the same for the same seed, whatever the number of processors.
// CoordinateDescent and Multiplicative never raise the objective, except by rounding; ADMM may, because it
// ends its half-steps early, and so may batches of a loss other than Frobenius, which lower a sum of majorizers. With Inner 1 the iterates of CoordinateDescent and Multiplicative are those of
// scikit-learn from the same start.
//
// # Traps
//
//   - Scale: (U D, W D⁻¹) is as good for every positive diagonal D. Never compare numbers
//     of two columns of U without taking Normalized first; RowClusters does.
//   - With a penalty on one factor alone there is no minimum: U shrinks, W grows and the product
//     stays. Penalize both factors.
//   - The problem is not convex: another seed, another solution. Objectives of good
//     solutions may be equal to three digits and the columns still differ.
//   - NNDSVD contains zeros, and Multiplicative keeps every zero forever: use
//     NNDSVDa. If A has a lower rank than k, NNDSVD's last columns are all zero,
//     in U and in W, and no method revives them.
//   - NNDSVDa fills with the mean of A itself, as scikit-learn does, though a factor has the
//     unit of √A: the start has the right scale only if A is near 1. With numbers of 1e90 ADMM's first
//     iteration overflows, which is an error. So scale A.
//   - Multiplicative approaches a zero but never reaches it. Its KKT residual stays large
//     where zeros should be, and near-zeros become subnormal numbers, which are slow.
//   - The tolerance tests the change in an iteration: slow progress is not the same as
//     convergence. For a stationary point set KKT and MaxIterations.
//   - The objective comes from ½‖A‖² − <AW, U> + ½<U'U, W'W>: below 1e-15‖A‖² it is
//     only rounding, which is what an exact fit shows.
//   - Explained does not subtract the mean: a matrix of positive numbers is explained to
//     80 % by one component that is its mean. It is not PCA's share.
//   - A β-divergence forms UW' in blocks, also at zeros of A: a Sparse is made dense. β < 1 and
//     β > 2 are not convex in U alone.
//   - KL treats the numbers as counts: scaling rows to equal sums changes their weights.
//   - For fast dense products, call gemm.Use once.
package nmf
