// Package s3c implements spike-and-slab sparse coding: I. J. Goodfellow, A. Courville and Y. Bengio, Large-Scale
// Spike-and-Slab Sparse Coding for Unsupervised Feature Discovery (NIPS workshop 2011). The package trains the model
// on millions of patches, and turns patches into features.
//
//	src, err := s3c.Rows(X, 1)                    // X n×D, one patch per row
//	r, err := s3c.Fit(ctx, src, &s3c.Options{Units: 400, Steps: 2000})
//	s3cplot.Filters(r.Model, 6, 6, &s3cplot.TileOptions{Color: true, Use: r.State.Use})
//	H, err := r.Model.Transform(ctx, X, nil)      // E_Q[h], n×N
//
//	// In your own loop, in float32: dst n×N, patches n×D.
//	e, err := r.Model.NewEncoder(&s3c.EncoderOptions{Skip: &s3c.SkipOptions{}})
//	e.Encode(dst, patches, n) // e.Fork() is one for another goroutine
//
// Shapes: V is n×D, one patch per row; W is D×N, one hidden unit per column; ĥ and ŝ are n×N. Equation numbers are the
// paper's.
//
// # The model
//
//	p(h_i = 1) = σ(b_i),  p(s_i | h_i) = N(h_i μ_i, 1/α_i),  p(v | s, h) = N(W(h∘s), β⁻¹)   (1)
//
// The columns of W have norm 1, α is diagonal, and β is diagonal or a number.
//
// # What is minimized
//
// For each patch, the E step minimizes KL(Q||P(h,s|v)), (2), over Q = Π Q(h_i) Q(s_i | h_i), (3). The M step
// maximizes, over the parameters, the mean over patches of the energy functional
//
//	F = E_Q[log P(v,h,s)] + H(Q) = log P(v) − KL(Q||P)
//
// Given ĥ and ŝ, the best variance of Q(s_i | h_i) is 1/γ_i for h_i = 1, where γ_i = α_i + W_i'βW_i, and 1/α_i for h_i
// = 0. These variances are always used. F is not concave: from different starts, the E step may end at different
// points.
//
// # Files, in reading order
//
//	model.go         the parameters;  sample.go  samples of (1)
//	posterior.go     Q;  energy.go  F, twice: fast, and by the definition
//	estep.go         Infer, the E step in float64: its methods, options and damping
//	fixedpoint.go    Algorithm 1, the equations of the E step: slab is ŝ, spike is ĥ
//	conjugate.go     conjugate gradients for ŝ, which Algorithm 1 replaces
//	coordinate.go    one unit after the other, exactly
//	enumerate.go     the true posterior of tiny models
//	moments.go       moments of Q, also of a block with its energy
//	mstep.go         the M step: one gradient step, or least squares
//	block.go, vector.go     Algorithm 1 in float32, with assembly from gen
//	skip.go          the same, skipping units that hardly matter
//	encoder.go       Encoder and Transform
//	device.go, estep.cl     Algorithm 1 on a device
//	options.go, source.go, train.go, state.go, file.go    training
//
// Package s3cplot draws.
//
// # The paper's misprints
//
// In our copy of the paper, Algorithm 1 is illegible in places, and the paper leaves some details open. This package
// makes these choices:
//
//   - The mean for h_i = 0: in (1), s_i given h_i = 0 has mean 0 and precision α_i, without a part from the likelihood.
//     (3) says the same, with h_i in the precision. This is implemented as printed.
//   - ŝ*: "W_iβ[Σ...]" should be W_i'β[Σ...]. The formula is the zero of ∂F/∂ŝ_i; a test checks it with finite
//     differences.
//   - Clipping: "c = ρ asign(ŝ*)|ĉ|" should be c_i = ρ sign(ŝ*_i)|ŝ_i|, for units whose sign changes and for which
//     |ŝ*_i| > ρ|ŝ_i| (the print lacks the bars). Clipping limits how far a slab jumps to the opposite sign. A slab that is
//     exactly 0 has no sign and is not clipped, as in the authors' program. If it were clipped because sign(0) differs
//     from other signs, c would be 0, and with μ = 0 no slab would ever move.
//   - Damping: the superscripts are illegible. Here ŝ <- η c + (1−η) ŝ and ĥ <- η ĥ* + (1−η) ĥ, with separate values
//     of η for ŝ and for ĥ in each update. DefaultSchedule has the values of the published result.
//   - ĥ*: the argument has "+ b_i" twice and one parenthesis too many. With one b_i, ĥ* is the zero of ∂F/∂ĥ_i.
//   - "shrinking the update by a damping coefficient": ĥ is damped as a probability, not
//     as a logit.
//   - The order in one update: first all ŝ are computed from the old (ĥ, ŝ), and then all ĥ from the new ŝ and the old
//     ĥ. That takes two residuals, that is, four products with W.
//   - The M step is not in the paper. This package uses that of the published experiment: see MStepOptions. For the
//     norm of W's columns, see moveGeodesic in mstep.go.
//
// # Products
//
// An update of n patches takes four products of n×D×N multiplications, or, if N < 2D, two of n×N×N with W'βW. With N =
// 1600 and D = 108, products with W'βW would cost 7 times as much. In float32, blocks of 32 patches stay in the L2
// cache. Matrices have one column per patch; so W is the left factor and need not be packed, and all elements of a row
// share one unit's parameters. W and v are multiplied by √β beforehand. The elementwise work is one pass of assembly
// for ŝ and one for ĥ.
//
// In BenchmarkEStep (one thread, AVX-512, CIFAR-10 patches, models trained for 300, 2000 and 8000 steps, shared
// machine) Algorithm 1 ran at 0.82 to 0.85 of the rate of its products alone, about 120 Gflop/s.
//
// # Skipping
//
// With EncoderOptions.Skip the same runs were 3.1 to 3.3 times as fast (66 µs per patch). The relative difference of
// the mean energy was at most 3e-4; ĥ differed by 1e-4 to 2.4e-4 on average. But for some patches, ĥ of some units
// differed by more than 0.05: on average, 0.03, 0.2 and 0.5 units per patch after 300, 2000 and 8000 steps. The
// largest differences in 256 patches were 0.15, 0.34 and 0.49, for pairs of similar units that could both explain an
// edge. SkipOptions explains why the skipped units cannot be ignored, and how they are accounted for.
//
// # On a device
//
// With EncoderOptions.Device (see package gpu) Encode and Transform perform the E step, without skipping, on a graphics
// card. With Options.Device, Fit performs the E step there, including the moments; the M step stays on the processor.
// The device computes the same sums as the processor, in float32, but in another order. An update is four kernels: the
// residual R = V − W(H∘S) (D×N by N×n), then P = W'R (N×D by D×n) with the update of ŝ in the same kernel, and both
// again for ĥ. D is rounded up to a multiple of 16, N to a multiple of 128, and n to a multiple of 64; the additional
// elements are 0. For the moments, sums over groups of 1024 patches are computed in float32, and then added up in
// float64 on the processor. An update of a patch takes 8DN operations, so all 19 updates take 26.3 million for N = 1600
// and D = 108. Encoder.AddContext, which pooling uses, adds up adjacent patches of a cell on the device, so for
// images with 27×27 patches and 3×3 cells only a ninth of the numbers leaves the device.
//
// A batch takes 12(N + D) bytes per patch on the device. It has as many patches as fit into half of the device's
// memory, but at most 32,768. If the device has less memory than it reports, batches are halved, down to 64 patches.
// Contexts are checked between updates. If several forks wait for the device, their patches are encoded together. To
// keep a card busy with vision.ExtractShards, set the field Workers of its options to a large number, and the field
// Block to at least the number of positions in an image.
//
// If two similar units explain a patch equally well, parallel updates can amplify a difference in the last bit. With
// the published model (1600 units) and 4096 patches of CIFAR-10, PoCL's ĥ differed from the processor's by 4e-9 on
// average, and by more than 1e-4 in only one patch (1.3e-4). In BenchmarkEncode of package gpu/opencl, PoCL with
// AVX-512 was 14 times as slow as the dense encoder on the same processor (per second of processor time; 8 and 114
// Gflop/s). This says nothing about graphics cards: no card has run these kernels yet.
//
// # Invariants
//
// Inputs are not modified. The same source and options give the same bits on one kind of processor, for any GOMAXPROCS
// and Workers; AVX-512, AVX2, NEON, Go and devices differ by rounding. A run that was saved and resumed has the same
// bits as an uninterrupted run.
//
// If the patches are expressed in another unit, and the model's μ, α and β are converted to it, the spikes of Q stay
// the same up to rounding. Training in another unit gives different results, because the initial α and β, and the
// rates and penalties of the M step, suit the published patches.
//
// In float64 all probabilities are stored as logits, and entropies are computed from logits, so no digits are lost
// near 0 and 1. The float32 path stores ĥ, which is accurate near 0; near 1 it rounds 1−ĥ to multiples of 6e-8, which
// causes an error of 1e-6 in an entropy.
//
// # Traps
//
// Call gemm.Use() first: most of the time is spent in matrix products, which otherwise take ten times as long. If
// goroutines run in parallel (Transform, Fit with batches above 32, your own Encoders), also call gemm.SetWorkers(1).
//
// Patches should be whitened, or at least have comparable variances in all directions; a single number β assumes
// that the noise is the same in all dimensions.
//
// In the published experiment, the mean of a patch (pixels 0 to 255) is subtracted. The patch
// is then divided by √(variance + 10), and whitened with 0.1 added to the eigenvalues.
//
// Parallel updates need not raise F. With 1600 random patches as the columns of W (many of which are similar), F was
// lower after 100 updates with η = 0.1 than after the 19 updates of the default schedule.
//
// A patch with NaN or Inf is an error everywhere except in Encoder.Encode, which returns NaN as its code.
//
// Nearly every ĥ is near the prior's σ(b), not 0. So, to count the units in use, count the ĥ far above σ(b) (see
// s3cplot.H), not the ĥ above 0.
package s3c
