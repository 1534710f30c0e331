package pca

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/symeig"
	"overcomplete/ui/progress"
)

// Probabilistic is a model of probabilistic PCA: M. E. Tipping and C. M. Bishop, Probabilistic principal component
// analysis, J. R. Statist. Soc. B 61 (1999). Numbers in parentheses, here and in the comments of the methods, are
// those of the paper's equations.
//
//	x = W z + μ + ε,   z ~ N(0, I_k),   ε ~ N(0, σ²I_d)                  (2)
//	x ~ N(μ, C),       C = WWᵀ + σ²I                                     (3)
//
// W is determined only up to a rotation of z: compare WWᵀ, or subspaces.
type Probabilistic struct {
	Mean   []float64  // μ (d)
	W      *mat.Dense // d×k
	Sigma2 float64    // σ²
	// LogLikelihood is the log likelihood of the data of the fit, summed over all points.
	LogLikelihood float64
	// History has the log likelihood before each EM step and after the last; nil for the closed form.
	History []float64
	// Status is Converged, also for the closed form. If the fit returned an error, it is IterationLimit,
	// Interrupted or Failed.
	Status ended.Status
	N      int
}

// String returns a one-line summary of the model.
func (p *Probabilistic) String() string {
	d, k := p.W.Dims()
	how := "closed form"
	switch steps := len(p.History) - 1; {
	case steps >= 0 && p.Status == ended.Converged:
		how = fmt.Sprintf("EM, %d steps", steps)
	case steps >= 0:
		how = fmt.Sprintf("EM, %d steps, not converged", steps)
	case math.IsNaN(p.LogLikelihood):
		how = "σ² was set"
	}
	return fmt.Sprintf("probabilistic PCA of %d points in %d dimensions: %d axes, σ² = %.4g, log likelihood %.6g (%s)",
		p.N, d, k, p.Sigma2, p.LogLikelihood, how)
}

// EMOptions are the options of FitProbabilisticEM. The zero value is ready to use.
type EMOptions struct {
	// MaxIterations is the maximum number of EM steps. 0 means 5000.
	MaxIterations int
	// Tolerance ends EM when a step raises the log likelihood L by at most Tolerance·|L|. For this test the data are
	// scaled to a mean square of 1. 0 means 1e-10.
	Tolerance float64
	// Seed determines the random first W.
	Seed uint64
	// Recorder receives each step. May be nil.
	Recorder progress.Recorder
}

// leastNoise is the smallest σ² that is not lost in the rounding of S, as a share of the mean variance of a
// dimension.
const leastNoise = 1e-14

// slowEM is the number of steps after which EM is compared with the best model near it.
const slowEM = 500

// FitProbabilistic returns the model with the largest likelihood of the rows of X (n×d), in closed form. With S =
// X̄ᵀX̄/n (division by n), its eigenvalues λ_1 >= .. >= λ_d, and its first k eigenvectors U_k:
//
//	σ² = (λ_{k+1} + .. + λ_d)/(d − k)                                    (8)
//	W  = U_k (Λ_k − σ²I)^½                                               (7)
//
// where the paper's arbitrary rotation R is I. FitProbabilistic returns an error if k < 1, k >= d or n < k, if Fit
// would return an error, or if the data lie in a plane of k dimensions or fewer: then σ² = 0 and the likelihood has no
// maximum.
//
// The axes are those of Fit. Where Fit chooses ByRandom, as for a *csr.Matrix with many columns, the likelihood is
// slightly below its maximum. FitProbabilisticEM avoids this.
func FitProbabilistic(ctx context.Context, X mat.Matrix, k int) (*Probabilistic, error) {
	n, d, err := checkLatent(X, k)
	if err != nil {
		return nil, fmt.Errorf("pca: FitProbabilistic: %w", err)
	}
	if k > min(n, d) {
		return nil, fmt.Errorf("pca: FitProbabilistic: %d points do not determine %d axes", n, k)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	m, err := Fit(ctx, X, &Options{Components: k})
	if err != nil {
		return nil, fmt.Errorf("pca: FitProbabilistic: %w", err)
	}
	loss := m.DiscardedLoss(k)
	sigma2 := loss * loss / float64(n) / float64(d-k)
	if !(sigma2 > leastNoise*m.Total/float64(n*d)) {
		return nil, fmt.Errorf("pca: FitProbabilistic: the data lie in a plane of %d dimensions: σ² is 0, and the likelihood has no maximum", k)
	}
	W := mat.NewDense(d, k, nil)
	for j, l := range m.Eigenvalues {
		s := math.Sqrt(math.Max(0, l/float64(n)-sigma2))
		for i := range d {
			W.Set(i, j, s*m.Components.At(i, j))
		}
	}
	p := &Probabilistic{Mean: m.Mean, W: W, Sigma2: sigma2, N: n, Status: ended.Converged}
	if p.LogLikelihood, err = p.awaitLogDensity(ctx, p.centered("FitProbabilistic", X)); err != nil {
		return nil, fmt.Errorf("pca: FitProbabilistic: %w", err)
	}
	if !finite.Is(p.LogLikelihood) || !finite.Is(p.Sigma2) {
		return nil, fmt.Errorf("pca: FitProbabilistic: σ² is %v and the log likelihood %v", p.Sigma2, p.LogLikelihood)
	}
	return p, nil
}

// checkLatent returns the shape of X, or an error unless 0 < k < d.
func checkLatent(X mat.Matrix, k int) (n, d int, err error) {
	n, d, err = dims("X", X)
	switch {
	case err != nil:
	case n == 0 || d == 0:
		err = fmt.Errorf("the matrix X is empty (%d×%d)", n, d)
	case d == 1:
		err = fmt.Errorf("the data have one dimension, and k must be below that")
	default:
		err = checkRange("k", k, 1, d-1)
	}
	return n, d, err
}

// FitProbabilisticEM finds the same maximum as FitProbabilistic by the EM algorithm, from a random W. opt may be nil.
// If EM runs out of steps, the error wraps ended.ErrNotConverged; if ctx is done, it wraps that of ctx. In both cases
// the model so far is returned too.
//
// Where variances differ by many powers of ten, plain EM is slow or stalls far from the maximum: the number of its
// steps may be as large as the ratio of the largest variance to σ². So when the tolerance is met, and after every 500
// steps, a decomposition in k dimensions gives the best model whose W has the same span. If the log likelihood of this
// best model is higher by more than 1e-6 of its value, EM goes on from there.
//
// EM runs on Y = X̄/s, whose mean square is 1, so the steps do not depend on the unit of X. The results are in the
// units of X. For a *csr.Matrix a step takes O(k) per nonzero and O(k²) per row and column.
func FitProbabilisticEM(ctx context.Context, X mat.Matrix, k int, opt *EMOptions) (*Probabilistic, error) {
	n, d, err := checkLatent(X, k)
	if err != nil {
		return nil, fmt.Errorf("pca: FitProbabilisticEM: %w", err)
	}
	var o EMOptions
	if opt != nil {
		o = *opt
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 5000
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if o.MaxIterations < 0 || !(o.Tolerance >= 0) {
		return nil, fmt.Errorf("pca: FitProbabilisticEM: %d steps and a tolerance of %v: must not be negative", o.MaxIterations, o.Tolerance)
	}
	Y, mean, unit, err := standardizeAny(ctx, X) // n×d
	if err != nil {
		return nil, fmt.Errorf("pca: FitProbabilisticEM: %w", err)
	}
	trS := float64(d) // of Y, because of its scale
	rng := rand.New(rand.NewPCG(o.Seed, 0xe3))
	W := mat.NewDense(d, k, nil)
	for i := range d {
		for j := range k {
			W.Set(i, j, rng.NormFloat64())
		}
	}
	p := &Probabilistic{Mean: mean, W: W, Sigma2: 1, N: n}
	shift := -float64(n) * float64(d) * math.Log(unit)
	inUnits := func() *Probabilistic {
		W := p.W // a product that was given up may still read it
		p.W = new(mat.Dense)
		p.W.Scale(unit, W)
		p.Sigma2 = p.Sigma2 * unit * unit
		return p
	}
	last := 0.0             // log likelihood of Y before the step
	highest := math.Inf(-1) // of the models from bestNear
	for t := 0; ; t++ {
		interrupted := func(err error) (*Probabilistic, error) {
			p.Status = ended.Interrupted
			return inUnits(), fmt.Errorf("pca: FitProbabilisticEM: %w at step %d", err, t)
		}
		l, err := p.awaitLogDensity(ctx, Y)
		if err != nil {
			return interrupted(err)
		}
		settled := t > 0 && l-last <= o.Tolerance*math.Abs(l)
		if settled || !finite.Is(l) || t > 0 && t%slowEM == 0 && t < o.MaxIterations {
			better, err := p.bestNear(ctx, Y, trS, rng)
			if err != nil {
				return interrupted(err)
			}
			b, err := better.awaitLogDensity(ctx, Y)
			if err != nil {
				return interrupted(err)
			}
			// If the best σ² has no correct digits (they cancel in tr S − ΣΛ), the larger σ² of EM is wrong too. Then p takes
			// the best model, and the fit fails below.
			none := !(better.Sigma2 > leastNoise)
			if enough := max(1e-6, o.Tolerance) * math.Abs(b); none || finite.Is(b) && !(b-l <= enough) {
				p.W, p.Sigma2, l = better.W, better.Sigma2, b
				settled = b-highest <= enough // EM gained nothing since the last time
				highest = max(highest, b)
			}
		}
		if !finite.Is(l) || !(p.Sigma2 > leastNoise) {
			p.Status = ended.Failed
			return inUnits(), fmt.Errorf("pca: FitProbabilisticEM: σ² fell to %.3g of the mean variance at step %d: the data lie in a plane of %d dimensions", p.Sigma2, t, k)
		}
		p.LogLikelihood = l + shift
		p.History = append(p.History, p.LogLikelihood)
		progress.Report(o.Recorder, progress.Event{What: "EM", Step: t, Total: o.MaxIterations, Objective: p.LogLikelihood})
		if settled {
			p.Status = ended.Converged
			break
		}
		if t == o.MaxIterations {
			p.Status = ended.IterationLimit
			return inUnits(), fmt.Errorf("pca: FitProbabilisticEM: %w in %d steps: the last raised the log likelihood by %.2g of its value", ended.ErrNotConverged, t, (l-last)/math.Abs(l))
		}
		last = l
		var next *Probabilistic
		if err := parallel.Await(ctx, p.cost(Y), func() { next = p.step(Y, trS) }); err != nil {
			return interrupted(err)
		}
		p.W, p.Sigma2 = next.W, next.Sigma2
	}
	return inUnits(), nil
}

// bestNear returns the model with the largest likelihood among those whose W has the same span as p.W. With an
// orthonormal basis Q of the span and S = X̄ᵀX̄/n, this model is given by (7) and (8) with QᵀSQ in place of S. If the
// span has directions with less variance than the rest of the space, bestNear moves the span as EM does, Q ← SQ, up to
// 20 times.
//
// Where variances differ by many powers of ten, EM alone would stall far from the maximum. One of its steps changes
// the length of a column w of W only by a share of about σ²/‖w‖². A direction that was lost in rounding comes back
// just as slowly.
func (p *Probabilistic) bestNear(ctx context.Context, Xc deviations, trS float64, rng *rand.Rand) (*Probabilistic, error) {
	const turns = 20
	n, d := Xc.Dims()
	_, k := p.W.Dims()
	Q := mat.DenseCopyOf(p.W.T()) // k×d
	best := &Probabilistic{W: mat.NewDense(d, k, nil)}
	for turn := 0; ; turn++ {
		var SQ, V *mat.Dense // d×k, k×k
		var values []float64
		var failure error
		err := parallel.Await(ctx, p.cost(Xc), func() {
			symeig.Orthonormalise(Q.RawMatrix(), block(0, d), rng)
			SQ = Xc.timesT(Xc.times(mat.DenseCopyOf(Q.T())))
			SQ.Scale(1/float64(n), SQ)
			var T mat.Dense
			T.Mul(Q, SQ)
			C := mat.NewSymDense(k, nil)
			for i := range k {
				for j := i; j < k; j++ {
					C.SetSym(i, j, (T.At(i, j)+T.At(j, i))/2)
				}
			}
			values, V, failure = symeig.Full(C, k)
		})
		if err != nil {
			return nil, err
		}
		if failure != nil {
			return p, nil
		}
		best.Sigma2 = (trS - floats.Sum(values)) / float64(d-k)
		if values[k-1] > best.Sigma2 || turn == turns {
			best.W.Mul(Q.T(), V.T())
			for j, l := range values {
				s := math.Sqrt(math.Max(0, l-best.Sigma2))
				for i := range d {
					best.W.Set(i, j, s*best.W.At(i, j))
				}
			}
			return best, nil
		}
		Q.Copy(SQ.T())
	}
}

// step returns W̃ and σ̃² of one EM step, without forming S = X̄ᵀX̄/n:
//
//	M  = WᵀW + σ²I (k×k)
//	W̃  = SW (σ²I + M⁻¹WᵀSW)⁻¹                                            (29)
//	σ̃² = tr(S − SWM⁻¹W̃ᵀ)/d                                               (30)
func (p *Probabilistic) step(Xc deviations, trS float64) *Probabilistic {
	n, d := Xc.Dims()
	_, k := p.W.Dims()
	SW := Xc.timesT(Xc.times(p.W)) // d×k
	SW.Scale(1/float64(n), SW)
	M := gramPlus(p.W, p.Sigma2)
	var Minv, WSW, A, MA mat.Dense
	mustSolve(Minv.Solve(M, eye(k)))
	WSW.Mul(p.W.T(), SW) // k×k
	MA.Mul(&Minv, &WSW)
	A.Add(&MA, scaledEye(k, p.Sigma2))
	// W̃ = SW A⁻¹: solve AᵀW̃ᵀ = (SW)ᵀ.
	var Wt mat.Dense
	mustSolve(Wt.Solve(A.T(), SW.T())) // k×d
	W := mat.DenseCopyOf(Wt.T())
	var SWM mat.Dense
	SWM.Mul(SW, &Minv) // d×k
	tr := 0.0
	for i := range d {
		for j := range k {
			tr += SWM.At(i, j) * W.At(i, j)
		}
	}
	return &Probabilistic{W: W, Sigma2: (trS - tr) / float64(d)}
}

// mustSolve panics if err, the error of a linear solve, is not nil. It ignores gonum's warning about a bad
// condition number, because the likelihood is checked after each step.
func mustSolve(err error) {
	if err != nil {
		if _, ok := err.(mat.Condition); !ok {
			panic(fmt.Sprintf("pca: %v", err))
		}
	}
}

func eye(k int) *mat.Dense { return scaledEye(k, 1) }

func scaledEye(k int, s float64) *mat.Dense {
	m := mat.NewDense(k, k, nil)
	for i := range k {
		m.Set(i, i, s)
	}
	return m
}

// gramPlus returns M = WᵀW + σ²I (k×k).
func gramPlus(W *mat.Dense, sigma2 float64) *mat.Dense {
	_, k := W.Dims()
	var M mat.Dense
	M.Mul(W.T(), W)
	M.Add(&M, scaledEye(k, sigma2))
	return &M
}

// scaled returns the model in a unit s in which no squares overflow or underflow: V = W/s and v = σ²/s², where s is
// the larger of σ and max |W|.
func (p *Probabilistic) scaled() (s float64, V *mat.Dense, v float64) {
	sigma := math.Sqrt(p.Sigma2)
	s = max(sigma, mat.Max(p.W), -mat.Min(p.W))
	V = new(mat.Dense)
	V.Scale(1/s, p.W)
	return s, V, (sigma / s) * (sigma / s)
}

// LogDensity returns the log likelihood of the rows of X (n×d), summed:
//
//	L = −n/2 (d ln 2π + ln|C| + tr(C⁻¹S))                                (4)
//
// where S is the covariance of the rows about μ, divided by n. With M = WᵀW + σ²I (k×k), |C| = σ^{2(d−k)} |M| and C⁻¹
// = (I − WM⁻¹Wᵀ)/σ², so only k×k matrices are decomposed.
//
// To avoid overflow, LogDensity computes in a unit s, the larger of σ and max |W|. Let x be a row of X minus μ, y =
// x/s, V = W/s, v = σ²/s², t = Vᵀy and N = VᵀV + vI. Then |C| = s^{2d} v^{d−k} |N| and xᵀC⁻¹x = (‖y‖² − tᵀN⁻¹t)/v.
func (p *Probabilistic) LogDensity(X mat.Matrix) float64 {
	return p.logDensity(p.centered("LogDensity", X))
}

// awaitLogDensity returns the log likelihood of the deviations Xc, as LogDensity does. When ctx is done, it returns NaN
// and the error of ctx.
func (p *Probabilistic) awaitLogDensity(ctx context.Context, Xc deviations) (float64, error) {
	q, l := *p, 0.0
	if err := parallel.Await(ctx, p.cost(Xc), func() { l = q.logDensity(Xc) }); err != nil {
		return math.NaN(), err
	}
	return l, nil
}

// cost returns the approximate number of multiplications in a product of W with the deviations.
func (p *Probabilistic) cost(Xc deviations) float64 {
	d, k := p.W.Dims()
	return float64(k) * (Xc.cost() + float64(d)*float64(k))
}

func (p *Probabilistic) logDensity(Xc deviations) float64 {
	n, d := Xc.Dims()
	_, k := p.W.Dims()
	if !(p.Sigma2 > 0) {
		return math.NaN()
	}
	var chol mat.Cholesky
	s, V, v := p.scaled()
	N := gramPlus(V, v)
	sym := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			sym.SetSym(i, j, N.At(i, j))
		}
	}
	if !chol.Factorize(sym) {
		return math.NaN()
	}
	T := Xc.times(V) // n×k
	T.Scale(1/s, T)
	var NT mat.Dense
	mustSolve(chol.SolveTo(&NT, T.T())) // k×n
	q := 0.0                            // n tr(C⁻¹S) v
	squares := Xc.squares(1 / s)
	for i := range n {
		q = squares(q, i)
		for j := range k {
			q -= T.At(i, j) * NT.At(j, i)
		}
	}
	logDet := 2*float64(d)*math.Log(s) + float64(d-k)*math.Log(v) + chol.LogDet()
	return -0.5 * (float64(n)*(float64(d)*math.Log(2*math.Pi)+logDet) + q/v)
}

// WithNoise returns a model with the given σ², which must be positive and finite. The new model shares Mean and W with
// the old one; they are not copied. The LogLikelihood of the new model is NaN. As σ² → 0, the posterior mean becomes
// the orthogonal projection of PCA.
func (p *Probabilistic) WithNoise(sigma2 float64) *Probabilistic {
	if !(sigma2 > 0) || math.IsInf(sigma2, 0) {
		panic(fmt.Sprintf("pca: WithNoise: σ² is %v, must be positive and finite", sigma2))
	}
	return &Probabilistic{Mean: p.Mean, W: p.W, Sigma2: sigma2, N: p.N, LogLikelihood: math.NaN()}
}

// Transform returns the posterior means of z, M⁻¹Wᵀ(x − μ) (n×k), for the rows x of X (n×d), where M = WᵀW + σ²I. This
// is equation (9).
func (p *Probabilistic) Transform(X mat.Matrix) *mat.Dense { return p.transform("Transform", X) }

// Posterior does what Transform does. The name Posterior says what is returned.
func (p *Probabilistic) Posterior(X mat.Matrix) *mat.Dense { return p.transform("Posterior", X) }

func (p *Probabilistic) transform(what string, X mat.Matrix) *mat.Dense {
	Xc := p.centered(what, X)
	s, V, v := p.scaled()  // M⁻¹Wᵀ = N⁻¹Vᵀ/s
	T := Xc.timesTurned(V) // k×n
	T.Scale(1/s, T)
	var Z mat.Dense
	mustSolve(Z.Solve(gramPlus(V, v), T))
	return mat.DenseCopyOf(Z.T())
}

// Project returns W z + μ for the posterior means z of the rows of X (n×d). The results are shrunk toward the
// mean. They lie in the plane of PCA, and become PCA's projections as σ² → 0.
func (p *Probabilistic) Project(X mat.Matrix) *mat.Dense {
	return p.Inverse(p.transform("Project", X))
}

// Inverse returns W z + μ (n×d) for the rows of Z (n×k).
func (p *Probabilistic) Inverse(Z mat.Matrix) *mat.Dense {
	n, k := mustDims("Inverse", "Z", Z)
	if _, want := p.W.Dims(); k != want || n == 0 {
		panic(fmt.Sprintf("pca: Inverse: Z is %d×%d, must have %d columns", n, k, want))
	}
	var out mat.Dense
	out.Mul(Z, p.W.T())
	for i := range n {
		row := out.RawRowView(i)
		for j, mu := range p.Mean {
			row[j] += mu
		}
	}
	return &out
}

// Sample draws n random points from the model and returns them as rows (n×d). seed determines the points.
func (p *Probabilistic) Sample(n int, seed uint64) *mat.Dense {
	if n <= 0 {
		panic(fmt.Sprintf("pca: Sample: %d points", n))
	}
	d, k := p.W.Dims()
	rng := rand.New(rand.NewPCG(seed, 0x5a))
	Z := mat.NewDense(n, k, nil)
	for i := range n {
		for j := range k {
			Z.Set(i, j, rng.NormFloat64())
		}
	}
	var X mat.Dense
	X.Mul(Z, p.W.T())
	s := math.Sqrt(p.Sigma2)
	for i := range n {
		row := X.RawRowView(i)
		for j := range d {
			row[j] += p.Mean[j] + s*rng.NormFloat64()
		}
	}
	return &X
}

func (p *Probabilistic) centered(what string, X mat.Matrix) deviations {
	n, d := mustDims(what, "X", X)
	if d != len(p.Mean) || n == 0 {
		panic(fmt.Sprintf("pca: %s: X is %d×%d, the model has dimension %d", what, n, d, len(p.Mean)))
	}
	C, err := deviationsFrom(context.Background(), X, p.Mean)
	if err != nil {
		panic(fmt.Sprintf("pca: %s: %v", what, err))
	}
	return C
}
