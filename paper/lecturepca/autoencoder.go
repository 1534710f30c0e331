package lecturepca

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/ui/progress"
)

// A LinearAutoencoder is a network with one hidden layer of k linear units, trained to predict its input: z = Aᵀ(x −
// x̄) (k numbers) and x̂ = Bz + x̄, where x̄ is the mean and A and B are d×k. Let X̄ (n×d) be the data minus their
// mean. The network minimizes the squared loss
//
//	L(A, B) = 1/(2n) ‖X̄ − X̄ABᵀ‖_F² = ½ tr(S − 2SABᵀ + BAᵀSABᵀ),   S = X̄ᵀX̄/n.
//
// Its minima are B = Q_k R, A = Q_k R⁻ᵀ, where the columns of Q_k (d×k) are the first k eigenvectors of S and R (k×k)
// is any invertible matrix. So the columns of B span the subspace of PCA, but are not the principal axes themselves
// (P. Baldi and K. Hornik, Neural Networks and Principal Component Analysis, Neural Networks 2 (1989)). All other
// stationary points are saddles.
type LinearAutoencoder struct {
	A, B *mat.Dense // encoder and decoder weights, d×k
	Mean []float64
	// Loss is the final L, in squared units of X; History holds L at the start and after each step.
	Loss    float64
	History []float64
	// Angle holds, for each entry of History, the largest principal angle in degrees between the decoder's
	// columns and AutoencoderOptions.Reference. Without a reference Angle is nil.
	Angle []float64
	// Gradient is the norm of the gradient at the end, in squared units of X.
	Gradient float64
	// Status is Converged if there was no error, and IterationLimit or Interrupted otherwise.
	Status ended.Status
}

// AutoencoderOptions are the options of FitAutoencoder. The zero value is ready to use.
type AutoencoderOptions struct {
	// MaxIterations is the maximum number of steps. 0 means 2000.
	MaxIterations int
	// Tolerance ends training when the norm of the gradient is at most Tolerance times its first value. 0
	// means 1e-9.
	Tolerance float64
	// Seed determines the random first weights.
	Seed uint64
	// The columns of Reference (d×k) span a subspace, whose angle to the decoder is recorded at each step. Training
	// does not use Reference. It may be nil.
	Reference *mat.Dense
	// Recorder receives each step. May be nil.
	Recorder progress.Recorder
}

// AutoencoderLoss returns L(A, B) and its gradients (d×k each) for a covariance
// S (d×d), an encoder A and a decoder B (d×k each):
//
//	∂L/∂A = −SB + SA BᵀB,   ∂L/∂B = −SA + B AᵀSA.
func AutoencoderLoss(S mat.Symmetric, encoder, decoder mat.Matrix) (loss float64, dA, dB *mat.Dense) {
	A, B := mat.DenseCopyOf(encoder), mat.DenseCopyOf(decoder)
	d := S.SymmetricDim()
	ar, k := A.Dims()
	if br, bk := B.Dims(); ar != d || br != d || bk != k {
		panic(fmt.Sprintf("lecturepca: AutoencoderLoss: S is %d×%d, A %d×%d, B %d×%d", d, d, ar, k, br, bk))
	}
	var SA, SB, ASA, BB mat.Dense
	SA.Mul(S, A)        // d×k
	SB.Mul(S, B)        // d×k
	ASA.Mul(A.T(), &SA) // k×k
	BB.Mul(B.T(), B)    // k×k
	dA, dB = new(mat.Dense), new(mat.Dense)
	dA.Mul(&SA, &BB)
	dA.Sub(dA, &SB)
	dB.Mul(B, &ASA)
	dB.Sub(dB, &SA)
	loss = 0.5*mat.Trace(S) - inner(&SA, B) + 0.5*inner(&ASA, &BB)
	return loss, dA, dB
}

// inner returns tr(AᵀB).
func inner(A, B *mat.Dense) float64 {
	n, _ := A.Dims()
	s := 0.0
	for i := range n {
		b := B.RawRowView(i)
		for j, a := range A.RawRowView(i) {
			s += a * b[j]
		}
	}
	return s
}

// FitAutoencoder fits a linear autoencoder with k hidden units to the rows of X (n×d) by nonlinear conjugate gradients
// (Polak and Ribière, with restarts). Along a line the loss L is a polynomial of degree four, so each step goes exactly
// to the polynomial's first minimum, and there is no learning rate. opt may be nil. If training runs out of steps,
// FitAutoencoder returns the network so far and an error that wraps ended.ErrNotConverged. If ctx is done, it returns
// the network so far and the context's error.
//
// The steps do not depend on the unit of X, such as meters or micrometers: training runs on X̄/s, where s makes the
// mean square 1. The reported loss and gradient norm are multiplied by s²; A and B have no unit. FitAutoencoder
// returns an error if k is not between 1 and d, if the data are not finite or do not vary, or on overflow.
func FitAutoencoder(ctx context.Context, X mat.Matrix, k int, opt *AutoencoderOptions) (*LinearAutoencoder, error) {
	m, err := pca.Fit(ctx, X, &pca.Options{Components: 1}) // for the mean and the variance; it refuses bad data
	if err != nil {
		return nil, fmt.Errorf("lecturepca: FitAutoencoder: %w", err)
	}
	n, d := X.Dims()
	if k < 1 || k > d {
		return nil, fmt.Errorf("lecturepca: FitAutoencoder: k is %d, must be from 1 to %d", k, d)
	}
	if m.Total == 0 {
		return nil, fmt.Errorf("lecturepca: FitAutoencoder: the data have no variance")
	}
	var o AutoencoderOptions
	if opt != nil {
		o = *opt
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 2000
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-9
	}
	if o.MaxIterations < 0 || !(o.Tolerance >= 0) {
		return nil, fmt.Errorf("lecturepca: FitAutoencoder: %d steps and a tolerance of %v: must not be negative", o.MaxIterations, o.Tolerance)
	}
	if o.Reference != nil {
		if r, c := o.Reference.Dims(); r != d || c < 1 || c > d {
			return nil, fmt.Errorf("lecturepca: FitAutoencoder: the reference is %d×%d for data of dimension %d", r, c, d)
		}
	}
	unit := math.Sqrt(m.Total / float64(n) / float64(d))
	S := covariance(X, m.Mean, unit)

	rng := rand.New(rand.NewPCG(o.Seed, 0xae))
	A, B := mat.NewDense(d, k, nil), mat.NewDense(d, k, nil)
	for i := range d {
		for j := range k {
			A.Set(i, j, rng.NormFloat64()/math.Sqrt(float64(d)))
			B.Set(i, j, rng.NormFloat64()/math.Sqrt(float64(d)))
		}
	}
	ae := &LinearAutoencoder{A: A, B: B, Mean: m.Mean}
	loss, gA, gB := AutoencoderLoss(S, A, B)
	var P, Q mat.Dense // direction
	P.Scale(-1, gA)
	Q.Scale(-1, gB)
	gg := inner(gA, gA) + inner(gB, gB)
	first := gg
	stop := o.Tolerance * o.Tolerance * first
	for t := 0; ; t++ {
		ae.Loss, ae.Gradient = loss*unit*unit, math.Sqrt(gg)*unit*unit
		if !finite.Is(ae.Loss) || !finite.Is(ae.Gradient) {
			return nil, fmt.Errorf("lecturepca: FitAutoencoder: at step %d the loss is %v and the gradient's norm %v", t, ae.Loss, ae.Gradient)
		}
		ae.History = append(ae.History, ae.Loss)
		if o.Reference != nil {
			ae.Angle = append(ae.Angle, pca.LargestAngle(B, o.Reference))
		}
		progress.Report(o.Recorder, progress.Event{What: "autoencoder", Step: t, Total: o.MaxIterations, Objective: ae.Loss})
		if gg <= stop {
			ae.Status = ended.Converged
			return ae, nil
		}
		if t == o.MaxIterations {
			ae.Status = ended.IterationLimit
			return ae, fmt.Errorf("lecturepca: FitAutoencoder: %w in %d steps: the gradient's norm is %.2g of the first", ended.ErrNotConverged, t, math.Sqrt(gg/first))
		}
		if err := ctx.Err(); err != nil {
			ae.Status = ended.Interrupted
			return ae, fmt.Errorf("lecturepca: FitAutoencoder: %w at step %d", err, t)
		}
		if inner(gA, &P)+inner(gB, &Q) >= 0 { // not downhill: restart with the gradient
			P.Scale(-1, gA)
			Q.Scale(-1, gB)
		}
		step := minimizeQuartic(lineQuartic(S, A, B, &P, &Q))
		var dA, dB mat.Dense
		dA.Scale(step, &P)
		dB.Scale(step, &Q)
		A.Add(A, &dA)
		B.Add(B, &dB)
		var newA, newB *mat.Dense
		loss, newA, newB = AutoencoderLoss(S, A, B)
		ng := inner(newA, newA) + inner(newB, newB)
		// β = g'(g' − g)/gg, at least 0.
		beta := math.Max(0, (ng-inner(newA, gA)-inner(newB, gB))/gg)
		if (t+1)%(20*k+50) == 0 {
			beta = 0
		}
		P.Scale(beta, &P)
		P.Sub(&P, newA)
		Q.Scale(beta, &Q)
		Q.Sub(&Q, newB)
		gA, gB, gg = newA, newB, ng
	}
}

// covariance returns YᵀY/n (d×d), where Y is X (n×d) minus the mean, divided by unit.
func covariance(X mat.Matrix, mean []float64, unit float64) *mat.SymDense {
	n, d := X.Dims()
	Y := mat.NewDense(n, d, nil)
	Y.Apply(func(_, j int, x float64) float64 { return (x - mean[j]) * (1 / unit) }, X)
	S := mat.NewSymDense(d, nil)
	for from := 0; from < n; from += 512 { // in the order in which pca.Scatter sums, so that training gives the same bits
		S.SymRankK(S, 1, Y.Slice(from, min(from+512, n), 0, d).T())
	}
	S.ScaleSym(1/float64(n), S)
	return S
}

// lineQuartic returns the coefficients c_0 to c_4 of L(A + tP, B + tQ) as a polynomial in t. With A(t) = A + tP and
// B(t) = B + tQ,
//
//	L = ½ tr S − tr(B(t)ᵀSA(t)) + ½ tr(F(t)G(t)),   F(t) = A(t)ᵀSA(t),   G(t) = B(t)ᵀB(t),
//
// where F and G are quadratic in t.
func lineQuartic(S mat.Symmetric, A, B, P, Q *mat.Dense) [5]float64 {
	var SA, SP mat.Dense
	SA.Mul(S, A)
	SP.Mul(S, P)
	var F, G [3]mat.Dense
	quadratic := func(out *[3]mat.Dense, U, V, SU, SV *mat.Dense) {
		out[0].Mul(U.T(), SU)
		out[1].Mul(U.T(), SV)
		var t mat.Dense
		t.Mul(V.T(), SU)
		out[1].Add(&out[1], &t)
		out[2].Mul(V.T(), SV)
	}
	quadratic(&F, A, P, &SA, &SP)
	quadratic(&G, B, Q, B, Q)
	var c [5]float64
	c[0] = 0.5*mat.Trace(S) - inner(&SA, B)
	c[1] = -inner(&SA, Q) - inner(&SP, B)
	c[2] = -inner(&SP, Q)
	for i := range 3 {
		for j := range 3 {
			c[i+j] += 0.5 * inner(&F[i], &G[j]) // both symmetric
		}
	}
	return c
}

// minimizeQuartic returns the t > 0 at the first minimum of the quartic Σ_i c_i tⁱ. The quartic must fall at t = 0
// (c_1 < 0) and be bounded below. minimizeQuartic finds t by bisection of the derivative.
func minimizeQuartic(c [5]float64) float64 {
	slope := func(t float64) float64 { return c[1] + t*(2*c[2]+t*(3*c[3]+t*4*c[4])) }
	hi := 1.0
	for slope(hi) < 0 && hi < 1e12 {
		hi *= 2
	}
	for hi > 1e-12 && slope(hi/2) > 0 {
		hi /= 2
	}
	lo := 0.0
	if slope(hi/2) < 0 {
		lo = hi / 2
	}
	for range 60 {
		mid := lo + (hi-lo)/2
		if slope(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}

// Transform returns the values of the hidden units (n×k) for the rows of X (n×d).
func (ae *LinearAutoencoder) Transform(X mat.Matrix) *mat.Dense {
	var C, z mat.Dense
	C.Apply(func(_, j int, x float64) float64 { return x - ae.Mean[j] }, X)
	z.Mul(&C, ae.A)
	return &z
}

// Inverse returns the outputs (n×d) for values Z of the hidden units (n×k).
func (ae *LinearAutoencoder) Inverse(Z mat.Matrix) *mat.Dense {
	var x mat.Dense
	x.Mul(Z, ae.B.T())
	x.Apply(func(_, j int, v float64) float64 { return v + ae.Mean[j] }, &x)
	return &x
}
