// Package s3c is spike-and-slab sparse coding: I. J. Goodfellow, A. Courville and Y.
// Bengio, Large-Scale Spike-and-Slab Sparse Coding for Unsupervised Feature Discovery
// (NIPS workshop 2011). It trains the model on millions of patches, and turns patches
// into features.
//
//	src, err := s3c.Rows(X, 1)                    // X n×D, a patch a row
//	r, err := s3c.Train(ctx, src, &s3c.Options{Units: 400, Steps: 2000})
//	s3cplot.Filters(r.Model, 6, 6, s3cplot.TileOptions{Colour: true, Use: r.State.Use})
//	H, err := r.Model.Encode(ctx, X, nil)         // E_Q[h], n×N
//
//	// In a loop of one's own, in float32: dst n×N, patches n×D.
//	e, err := s3c.NewEncoder(r.Model, s3c.EncoderOptions{Skip: &s3c.SkipOptions{}})
//	e.Encode(dst, patches, n) // e.Fork() is one for another goroutine
//
// Shapes: V is n×D, one patch a row; W is D×N, one hidden unit a column; ĥ and ŝ are
// n×N. Equation numbers are the paper's.
//
// # The model
//
//	p(h_i = 1) = σ(b_i),  p(s_i | h_i) = N(h_i μ_i, 1/α_i),  p(v | s, h) = N(W(h∘s), β⁻¹)   (1)
//
// with unit columns of W, α diagonal and β diagonal or a number.
//
// # What is minimised
//
// KL(Q||P(h,s|v)), (2), over Q = Π Q(h_i) Q(s_i | h_i), (3), of each patch; and over the
// parameters the mean of
//
//	F = E_Q[log P(v,h,s)] + H(Q) = log P(v) − KL(Q||P)
//
// is maximised, the energy functional. Given ĥ, ŝ the best variances of Q(s_i | h_i) are
// 1/γ_i, γ_i = α_i + W_i'βW_i, for h_i = 1 and 1/α_i for h_i = 0, and these are always used.
// F is not concave: another start of the E step may end elsewhere.
//
// # Files, in reading order
//
//	model.go         the parameters;  sample.go  samples of (1)
//	posterior.go     Q;  energy.go  F, twice: fast, and by the definition
//	schedule.go, estep.go   Infer, the E step in float64
//	fixedpoint.go    Algorithm 1
//	conjugate.go     conjugate gradients for ŝ, what Algorithm 1 replaces
//	coordinate.go    one unit after the other, exactly
//	enumerate.go     the true posterior of tiny models
//	moments.go, mstep.go    the M step: one gradient step, or least squares
//	block.go, vector.go     Algorithm 1 in float32, with assembly from gen
//	skip.go          the same, skipping units that cannot matter
//	encoder.go       Encoder and Encode
//	options.go, source.go, train.go, state.go, file.go    training
//	blockmoments.go  its moments and energy
//
// Package s3cplot draws.
//
// # The paper's misprints
//
// This was written from a copy of the paper in which Algorithm 1 is damaged in places, and
// some things are left open. These are the choices made here, and their reasons:
//
//   - The mean for h_i = 0: (1) has s_i | h_i = 0 around 0, with precision α_i and without
//     the likelihood; (3) says the same with h_i in the precision. Nothing is changed.
//   - ŝ*: "W_iβ[Σ...]" lacks a transpose, W_i'β[Σ...]. The formula is the zero of ∂F/∂ŝ_i;
//     a test checks it by differences.
//   - Clipping: "c = ρ asign(ŝ*)|ĉ|" is c_i = ρ sign(ŝ*_i)|ŝ_i|, for units whose sign
//     changes and with |ŝ*_i| > ρ|ŝ_i| (the bars are lost in print). It limits how far a
//     slab jumps to the other side. A slab that is exactly 0 has no side and is not
//     clipped: taken literally, sign(0) differs from any other sign, c would be 0, and with
//     μ = 0 no slab would ever move. The authors' program does the same.
//   - Damping: the superscripts are illegible. ŝ <- η c + (1−η) ŝ and ĥ <- η ĥ* + (1−η) ĥ,
//     with a separate η for each update and for ŝ and ĥ: Schedule has the values of the
//     published result.
//   - ĥ*: the argument has "+ b_i" twice and a parenthesis too many. It is the zero of
//     ∂F/∂ĥ_i with one b_i.
//   - "shrinking the update by a damping coefficient": ĥ is damped as a probability, not
//     as a logit.
//   - The order in one update: all ŝ from the old (ĥ, ŝ), then all ĥ from the new ŝ and
//     the old ĥ. That takes two residuals, four products with W.
//   - The M step is not in the paper. It is the M step of the published experiment: see
//     MStepOptions, and for the scaling of W geodesic in mstep.go.
//
// # Products
//
// An update of n patches costs four products of n, D and N, or, if N < 2D, two of n, N
// and N with W'βW. With N = 1600 and D = 108 the latter would cost 7 times as much. In
// float32, blocks of 32 patches stay in the second-level cache. Patches run along the rows,
// so that W is the left factor, is never packed, and a unit's parameters are the same for a
// row. √β is multiplied into W and v. The elementwise work is one pass of assembly for ŝ
// and one for ĥ.
//
// Measured by BenchmarkEStep, one thread, AVX-512, CIFAR-10 patches, a model trained for
// 300, 2000 and 8000 steps, shared machine: Algorithm 1 ran at 0.82 to 0.85 of the rate of
// its products alone, about 120 Gflop/s.
//
// # Skipping
//
// EncoderOptions.Skip was 3.1 to 3.3 times as fast in the same runs (66 µs a patch). The
// mean energy differed by at most 3e-4 of its size, ĥ by 1e-4 to 2.4e-4 on average. But
// in some patches one unit differs by more than 0.05: 0.03, 0.2 and 0.5 units a patch
// after 300, 2000 and 8000 steps. The largest differences in 256 patches were 0.15, 0.34
// and 0.49: two similar units that could both explain an edge. SkipOptions explains why the
// skipped units may not simply be forgotten, and how they are accounted for.
//
// # Invariants
//
// Inputs are not modified. The same source and options give the same bits, whatever
// GOMAXPROCS and Workers, on one kind of processor; AVX-512, AVX2, NEON and Go differ by
// rounding. A run that was saved and resumed has the same bits as an uninterrupted one.
//
// In float64 all probabilities are logits, and entropies are computed from
// logits: no digits are lost near 0 and 1. The float32 path keeps ĥ, which has all its
// digits near 0; near 1 it rounds 1−ĥ to multiples of 6e-8, and an entropy is then wrong by
// 1e-6.
//
// # Traps
//
// Most of the time goes into products: call gemm.Use() first, or it takes ten times as long. Where
// goroutines run side by side (Encode, Train with batches above 32, your own
// Encoders), gemm.SetWorkers(1) is better.
//
// Patches should be whitened, or at least have comparable variances in all directions;
// one β for all D assumes that the noise is the same. In the published
// experiment a patch (0 to 255) loses its mean, is divided by √(variance + 10), and then
// whitened with 0.1 added to the eigenvalues.
//
// Parallel updates need not raise F. On 1600 random patches as W, whose columns are alike,
// 100 updates with η = 0.1 ended lower than the 19 of the default schedule.
//
// A patch with NaN or Inf is an error everywhere but in Encoder.Encode, where its code is
// NaN.
//
// Units in use: nearly every ĥ is at the value of the prior, b < 0, and not at 0. Count
// those far above it (s3cplot.H), not those above 0.
package s3c
