// Package klcoding codes signals on a fixed overcomplete basis with the prior of D. M. Bradley and J. A. Bagnell,
// Differentiable Sparse Coding (NIPS 2008): the unnormalized KL divergence of the coefficients from p. The package also
// carries gradients back through the minimization, to the basis and to the signals.
//
//	c, err := klcoding.New(B, &klcoding.Options{Lambda: 0.1, P: 0.01, Doubled: true})
//	res, err := c.Code(ctx, X)             // res.W
//	g, err := c.VJP(ctx, X, res.W, dldW)   // g.B, g.X
//
// Shapes: B D×n with unit-norm columns, X D×N and W n×N with one signal per
// column. Equation numbers are the paper's.
//
// # What is minimized
//
// For each signal x, over w >= 0,
//
//	L(w) = D_L(x||f(Bw)) + λ Σ_j [w_j log(w_j/p_j) − w_j + p_j]     (2), (4)
//
//	Squared   D_L = ½‖x − Bw‖²,      f(z) = z
//	Softmax   D_L = KL(x||f(Bw)),    f(z) = e^z/Σe^z                (23)
//
// (The paper writes the squared loss without ½ in one place; its gradient (6) is that of the loss with ½.) L is
// strictly convex. Its minimum is unique, and lies in the interior, at w > 0:
//
//	w = p exp(B'r/λ),   r = x − f(Bw).
//
// Options.Doubled adds the negated columns, [−B B], without storing them. At the minimum w⁺w⁻ = p², so one
// signed number w = w⁺ − w⁻ = 2p sinh(B'r/λ) for each column is enough. The gradient of the prior is then
// arcsinh, (17).
//
// # Files, in reading order
//
//	options.go     the problem and its options
//	link.go        w as a function of v = log(w/p), or of v = arcsinh(w/2p)
//	egd.go         the paper's method, (5), (6) and footnote 4
//	dual.go        Newton's method on the dual, for the squared loss
//	batch.go       the same for many signals at once, without their Hessians
//	lognewton.go   Newton's method in log w, for softmax
//	lane.go        the same without a Hessian, for many documents: Method NewtonCG
//	cg.go          the conjugate gradients of lane.go
//	crowd.go       the products that the documents share
//	system.go      the matrices of Newton's methods, and their Cholesky factors
//	vjp.go         (9) and (21), multiplied from the left by dl/dŵ
//	calibrate.go   the paper's rule for the gradient threshold
//	parts.go       w⁻ and w⁺ of signed codes
//	coder.go       Code: many signals
//	work.go        the memory of one goroutine, and how signals are shared out among the goroutines
//
// # Newton on the dual
//
// Since w follows from r, only r (D numbers) is unknown. It minimizes
//
//	g(r) = ½‖r‖² − x'r + λ Σ_j p_j exp(B_j'r/λ),
//	∇g = r − x + Bw,   H = I + B diag(w) B'/λ,
//
// If the basis is doubled, the last term of g is 2λ Σ p cosh(B'r/λ), and H has c = w⁺ + w⁻ = 2p cosh(B'r/λ) in place of
// w. g is smooth and strictly convex, and H >= I. A step takes one symmetric product of cost D²n and a Cholesky
// factorization of order D; the primal needs a factorization of order n. The line search uses only the slope, which
// along a line needs no product with B. It never leaves the range in which the exponential does not overflow. To save
// time, the product for H leaves out columns whose c is near its least value; system.go bounds the error, which falls
// with the gradient.
//
// dual.go, the reference implementation, does this. Code instead takes batches of signals and computes steps by
// conjugate gradients, without a Hessian (Newton's method is then inexact: R. S. Dembo, S. C. Eisenstat and T.
// Steihaug, SIAM J. Numer. Anal. 19, 1982). A signal needs 20 to 50 iterations in all. Each iteration multiplies a
// batch with B twice, in float32. The preconditioner is I + a B diag(p) B'/λ, where the number a is the geometric mean
// of c/p. In the basis of the eigenvectors of B diag(p) B', the preconditioner is diagonal for every a. The gradient,
// which the stopping rule uses, is in float64. VJP solves its systems the same way, with iterative refinement. In
// BenchmarkAlone, on 100 MNIST digits with λ 0.1 and p 1e-2, Code in batches is 9 to 12 times as fast as signal by
// signal; VJP is 3.3 times as fast.
//
// Newton's method on the stationarity condition in w, B'(Bw − x) + λv = 0 with v = log(w/p), takes the same steps:
// with Δw = diag(c)Δv and the Woodbury identity, Δv = B'Δr/λ. So either problem can be solved, and for softmax the
// primal, in v, is easier. The dual of softmax has as many unknowns as words (5000 in the paper's text task) and is
// constrained to a simplex. The primal has n unknowns; the curved path v + tΔv keeps w > 0, and the line search
// uses (2) itself.
//
// A step of logNewton costs Dn², 330 million multiplications with 5000 words and 256 columns. NewtonCG (lane.go) solves
// the same system by conjugate gradients. Many documents share the two products of each iteration, one with B and one
// with B'. Its preconditioner is the system at one typical reconstruction, Options.Typical, restricted to the columns
// that matter. About 24 products with B and with B' are then enough to code a document to 1e-9. With Options.Single
// the products are in float32. In one run of BenchmarkCrowd, Code was 19 times as fast as logNewton in float64 and 52
// times as fast in float32 (to 1e-6); VJP was 4.8 and 15 times as fast.
//
// # EGD
//
// Method EGD is the paper's own method, for comparison. Its number of steps grows as λ falls. BenchmarkEGD
// measured the time that EGD and Newton take to reach the same gradient, on MNIST digits (180 principal
// components, 512 columns that are other digits, doubled, tolerance 1e-8). The last column is the ratio in a
// run with 48 digits and, for the larger λ, in a second run with 32:
//
//	λ      p      steps of EGD   of Newton      ratio
//	0.1    1e-2            390         6.1   22 and 36
//	0.03   1e-3           1400         8.0   55 and 62
//	0.01   1e-3           5100         8.3         191
//	0.01   1e-4           5000         9.6         207
//
// With very few digits the ratio is smaller: a batch then multiplies matrices of few rows, which is less efficient.
//
// # Derivatives
//
// At the minimum, the gradient (6) is 0 for every B and x, with p and λ constant. The differential of this equation
// gives dŵ from dB and dx. See VJP. Package implicit differentiates solutions of other conditions.
//
// # Invariants
//
// Inputs are not modified. The bits of a result depend neither on Workers nor on the other signals in the call. Nothing
// is random except Calibrate's choice of signals.
//
// # Traps
//
// Call gemm.Use() first: coding spends most of its time in matrix products and takes about four times as long
// without it. Also call gemm.SetWorkers(1), because the signals already run in parallel.
//
// p changes the size of the prior: λ must be chosen again for each p. Without
// Doubled, w = p is the answer to x = Bp, not to x = 0.
//
// The coefficients are never 0, only small. If a coefficient has underflowed to 0, VJP uses the limit of its
// derivative, 0.
//
// Newton on the dual was tested up to ‖x‖/p = 1e17. Far beyond that the Hessian has
// no correct digit left, and Code ends with ErrNotConverged and finite numbers.
package klcoding
