// Package s3c implements spike-and-slab sparse coding: I. J. Goodfellow, A. Courville and Y. Bengio,
// Large-Scale Spike-and-Slab Sparse Coding for Unsupervised Feature Discovery (NIPS workshop 2011). The
// package trains the model on millions of patches, and turns patches into features.
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
// Shapes: V is n×D, one patch per row; W is D×N, one hidden unit per column; ĥ and ŝ are n×N. Equation
// numbers are the paper's.
//
// # The model
//
//	p(h_i = 1) = σ(b_i),  p(s_i | h_i) = N(h_i μ_i, 1/α_i),  p(v | s, h) = N(W(h∘s), β⁻¹)   (1)
//
// with unit columns of W, α diagonal and β diagonal or a number.
//
// # What is minimized
//
// For each patch KL(Q||P(h,s|v)), (2), is minimized over Q = Π Q(h_i) Q(s_i | h_i), (3). The mean over
// patches of the energy functional,
//
//	F = E_Q[log P(v,h,s)] + H(Q) = log P(v) − KL(Q||P)
//
// is maximized over the parameters. Given ĥ and ŝ, the best variances of Q(s_i | h_i) are 1/γ_i, γ_i = α_i +
// W_i'βW_i, for h_i = 1, and 1/α_i for h_i = 0; these are always used. F is not concave: the E step may end
// at different points from different starts.
//
// # Files, in reading order
//
//	model.go         the parameters;  sample.go  samples of (1)
//	posterior.go     Q;  energy.go  F, twice: fast, and by the definition
//	schedule.go, estep.go   Infer, the E step in float64: its methods and options
//	fixedpoint.go    Algorithm 1, the equations of the E step: slab is ŝ, spike is ĥ
//	conjugate.go     conjugate gradients for ŝ, which Algorithm 1 replaces
//	coordinate.go    one unit after the other, exactly
//	enumerate.go     the true posterior of tiny models
//	moments.go, mstep.go    the M step: one gradient step, or least squares
//	block.go, vector.go     Algorithm 1 in float32, with assembly from gen
//	skip.go          the same, skipping units that hardly matter
//	encoder.go       Encoder and Transform
//	device.go, estep.cl     Algorithm 1 on a device
//	options.go, source.go, train.go, state.go, file.go    training
//	blockmoments.go  moments and energy of a block
//
// Package s3cplot draws.
//
// # The paper's misprints
//
// Our copy of the paper has Algorithm 1 damaged in places, and the paper leaves some details open. These are
// the choices made here, with reasons:
//
//   - The mean for h_i = 0: (1) has s_i | h_i = 0 around 0, with precision α_i and without
//     the likelihood; (3) says the same with h_i in the precision. Nothing is changed.
//   - ŝ*: "W_iβ[Σ...]" should be W_i'β[Σ...]. The formula is the zero of ∂F/∂ŝ_i;
//     a test checks it by differences.
//   - Clipping: "c = ρ asign(ŝ*)|ĉ|" is c_i = ρ sign(ŝ*_i)|ŝ_i|, for units whose sign
//     changes and with |ŝ*_i| > ρ|ŝ_i| (the bars are lost in print). It limits how far a
//     slab jumps to the opposite sign. A slab that is exactly 0 has no sign and is not
//     clipped: taken literally, sign(0) differs from any other sign, c would be 0, and with
//     μ = 0 no slab would ever move. The authors' program does the same.
//   - Damping: the superscripts are illegible. ŝ <- η c + (1−η) ŝ and ĥ <- η ĥ* + (1−η) ĥ,
//     with separate η for each update, and for ŝ and ĥ. Schedule has the values of the
//     published result.
//   - ĥ*: the argument has "+ b_i" twice and one parenthesis too many. It is the zero of
//     ∂F/∂ĥ_i with one b_i.
//   - "shrinking the update by a damping coefficient": ĥ is damped as a probability, not
//     as a logit.
//   - The order in one update: all ŝ from the old (ĥ, ŝ), then all ĥ from the new ŝ and
//     the old ĥ. That takes two residuals, four products with W.
//   - The M step is not in the paper. Here it is that of the published experiment: see
//     MStepOptions, and for the scaling of W geodesic in mstep.go.
//
// # Products
//
// An update of n patches takes four products of n×D×N multiplications, or, if N < 2D, two of n×N×N with W'βW.
// With N = 1600 and D = 108 products with W'βW would cost 7 times as much. In float32, blocks of 32 patches
// stay in the L2 cache. Patches run along the rows; so W is the left factor, which need not be packed, and a
// row has one unit's parameters. √β is multiplied into W and v. The elementwise work is one pass of assembly
// for ŝ and one for ĥ.
//
// In BenchmarkEStep (one thread, AVX-512, CIFAR-10 patches, models trained for 300, 2000 and 8000 steps,
// shared machine) Algorithm 1 ran at 0.82 to 0.85 of the rate of its products alone, about 120 Gflop/s.
//
// # Skipping
//
// With EncoderOptions.Skip the same runs were 3.1 to 3.3 times as fast (66 µs per patch). The mean energy
// differed by at most 3e-4 of its size, ĥ by 1e-4 to 2.4e-4 on average. But in some patches a unit differs by
// more than 0.05: on average 0.03, 0.2 and 0.5 units per patch after 300, 2000 and 8000 steps. The largest
// differences in 256 patches were 0.15, 0.34 and 0.49, for pairs of similar units that could both explain an
// edge. SkipOptions explains why the skipped units cannot be ignored, and how they are accounted for.
//
// # On a device
//
// With EncoderOptions.Device (see package gpu) Encode and Transform perform the dense E step on a graphics card, and with
// Options.Device so does Fit, with the moments; the M step stays on the processor. The sums are those of the processor in
// another order, in float32. An update is four kernels: the residual R = V − W(H∘S) (D×N by N×n), then P = W'R (N×D by
// D×n) with the update of ŝ in the same kernel, and both again for ĥ. D is rounded up to a multiple of 16, N of 128, n of
// 64; what is added is 0. Sums over the patches for the moments are made in float32 for each 1024 patches, and then in
// float64 on the processor. An update of a patch takes 8DN operations, so all 19 take 26.3 million for N = 1600 and D = 108.
//
// A batch takes 12(N + D) bytes per patch on the device, and as many patches as half of its memory holds, at most
// 32,768; if it has less than it says, batches are halved down to 64. Contexts are checked between updates. Calls of
// several forks that wait for the device are encoded together: so vision.ExtractShards occupies a card if it has many
// Workers and Block is all positions of an image.
//
// Parallel updates can enlarge a difference in the last bit, for pairs of similar units that explain a patch equally
// well. With the published model (1600 units) the ĥ of 4096 patches of CIFAR-10 from PoCL differed from the processor's
// by 4e-9 on average, and by more than 1e-4 (1.3e-4) in one patch. In BenchmarkEncode of package gpu/opencl, PoCL with
// AVX-512 was 14 times as slow as the dense encoder on the same processor (per second of processor time; 8 and 114
// Gflop/s). That says nothing about cards: no card has run these kernels yet.
//
// # Invariants
//
// Inputs are not modified. The same source and options give the same bits on one kind of processor, for any
// GOMAXPROCS and Workers; AVX-512, AVX2, NEON, Go and devices differ by rounding. A run that was saved and resumed has
// the same bits as an uninterrupted run.
//
// For patches in another unit, and a model with μ, α and β in that unit, the spikes of Q are the same up to
// rounding. Training is different in another unit: the first α and β, and the rates and penalties of the M step, are
// those for the published patches.
//
// In float64 all probabilities are logits, and entropies are computed from logits: no digits are lost near 0
// and 1. The float32 path stores ĥ, which is accurate near 0; near 1 it rounds 1−ĥ to multiples of 6e-8,
// which causes an error of 1e-6 in an entropy.
//
// # Traps
//
// Call gemm.Use() first: most of the time is spent in matrix products, which otherwise take ten times as
// long. If goroutines run in parallel (Transform, Fit with batches above 32, your own Encoders), also call
// gemm.SetWorkers(1).
//
// Patches should be whitened, or at least have comparable variances in all directions; one β for all D
// assumes that the noise is the same. In the published experiment the mean of a patch (0 to 255) is
// subtracted, the patch is divided by √(variance + 10), and then whitened with 0.1 added to the eigenvalues.
//
// Parallel updates need not raise F. With 1600 random patches as W, which makes many columns similar, 100
// updates with η = 0.1 ended lower than the 19 of the default schedule.
//
// A patch with NaN or Inf is an error everywhere except in Encoder.Encode, which returns NaN as its code.
//
// Nearly every ĥ is near the prior's σ(b), not 0. So, to count the units in use, count the ĥ far above σ(b)
// (see s3cplot.H), not the ĥ above 0.
package s3c
