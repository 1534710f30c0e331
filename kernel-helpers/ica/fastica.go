package ica

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/ui/progress"
)

// Contrast is the nonlinearity g of FastICA.
type Contrast int

const (
	// Tanh is g(u) = tanh u: robust, suited to sparse sources.
	Tanh Contrast = iota
	// Cube is g(u) = u³: maximizes the kurtosis.
	Cube
)

// String returns the name of the contrast.
func (c Contrast) String() string { return nameOf("Contrast", int(c), "Tanh", "Cube") }

// Algorithm is the order in which FastICA finds the sources.
type Algorithm int

const (
	// Symmetric finds all sources at once; no source is preferred.
	Symmetric Algorithm = iota
	// Deflation finds the sources one after the other, each orthogonal to the earlier ones. Errors of the earlier sources
	// add up in the later ones, so the result depends on the order in which the sources are found. Another seed, or other
	// units of the mixtures, may change this order. The results then differ by about the sampling error.
	Deflation
)

// String returns the name of the algorithm.
func (a Algorithm) String() string { return nameOf("Algorithm", int(a), "Symmetric", "Deflation") }

// nameOf returns names[i], or the type and the number if there is no such name.
func nameOf(of string, i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", of, i)
	}
	return names[i]
}

// FastICAOptions controls FitFastICA. nil and the zero value mean the defaults.
type FastICAOptions struct {
	Contrast Contrast
	// Algorithm is Symmetric (the default) or Deflation.
	Algorithm Algorithm
	// Components is k, the number of sources. 0 means m, the number of mixtures. If k < m, the mixtures are
	// first projected on their k principal components. Use k < m if the m mixtures come from k sources with
	// little noise.
	Components    int
	Tolerance     float64 // largest 1 − |cosine| between old and new rows of W; 0 means 1e-10
	MaxIterations int     // for all sources together or, with Deflation, for each source; 0 means 500
	Seed          uint64  // seed of the random orthogonal start
	Recorder      progress.Recorder
}

// A FastICAModel separates m mixtures into k sources.
type FastICAModel struct {
	// Status is Converged, IterationLimit or Interrupted. After Interrupted, matrices that would take long to
	// compute are nil.
	Status     ended.Status
	A          *mat.Dense // mixing matrix, m×k: A s is the point of A's range that is nearest to x − Mean; E[ss'] = I
	W          *mat.Dense // unmixing, k×m: s = W (x − Mean), W A = I
	S          *mat.Dense // sources, k×p, mean 0 and variance 1
	Mean       []float64  // mean of each row of X, m
	Iterations int        // with Deflation the sum over the sources
	History    []float64  // largest 1 − |cosine| after each iteration; in the descent, of Newton's step, at most 1
}

// String returns a one-line summary.
func (f *FastICAModel) String() string {
	m, k := size.Of(f.A)
	return fmt.Sprintf("ICA of %d signals: %d sources after %d iterations (%v)", m, k, f.Iterations, f.Status)
}

// FitFastICA estimates k sources from m mixtures (X is m×p, a sample per column, p > m). It uses the symmetric
// fixed-point iteration on whitened data z (k×p),
//
//	W <- E[g(Wz) z'] − diag(E[g'(Wz)]) W,   W <- (WW')^(−1/2) W,
//
// or, with Deflation, the same iteration for the rows of W one after the other. Gram-Schmidt orthogonalization against
// the earlier rows then takes the place of (WW')^(−1/2).
//
// Sources are determined up to order, sign and scale (their variance is set to 1). At most one source may be
// Gaussian. On small samples the iteration may cycle. So after 200 iterations the symmetric algorithm continues by
// descent, which ends at the same points (see descent.go). It is an error if the covariance of X has a rank below k.
// Variance that may come from the rounding of X does not count, so a constant row (a dead electrode) lowers the rank.
// If FitFastICA does not converge within MaxIterations, it returns the last iterate with an error that wraps
// ended.ErrNotConverged. The units of the rows of X matter only if k < m, because principal components depend on them.
//
// Source: A. Hyvärinen, Fast and robust fixed-point algorithms for
// independent component analysis, IEEE Trans. Neural Netw. 10 (1999); the descent, P. Ablin, J.-F. Cardoso and A.
// Gramfort, Faster ICA under orthogonal constraint, ICASSP 2018.
func FitFastICA(ctx context.Context, X mat.Matrix, opt *FastICAOptions) (*FastICAModel, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	x := dense("FitFastICA", "X", X)
	m, p, err := points("FitFastICA", "X", x)
	if err != nil {
		return nil, err
	}
	if err := checkMatrix("FitFastICA", "X", x); err != nil {
		return nil, err
	}
	var set FastICAOptions
	if opt != nil {
		set = *opt
	}
	switch {
	case set.Contrast != Tanh && set.Contrast != Cube:
		return nil, fmt.Errorf("ica: FitFastICA: Contrast is %d, must be Tanh or Cube", int(set.Contrast))
	case set.Algorithm != Symmetric && set.Algorithm != Deflation:
		return nil, fmt.Errorf("ica: FitFastICA: Algorithm is %d, must be Symmetric or Deflation", int(set.Algorithm))
	case set.Components < 0 || set.Components > m:
		return nil, fmt.Errorf("ica: FitFastICA: Components is %d, must be 1 to %d, the number of mixtures", set.Components, m)
	case !(set.Tolerance >= 0) || math.IsInf(set.Tolerance, 0):
		return nil, fmt.Errorf("ica: FitFastICA: Tolerance is %v, must be positive and finite", set.Tolerance)
	case set.MaxIterations < 0:
		return nil, fmt.Errorf("ica: FitFastICA: MaxIterations is %d, must be positive", set.MaxIterations)
	}
	if set.Tolerance == 0 {
		set.Tolerance = 1e-10
	}
	if set.MaxIterations == 0 {
		set.MaxIterations = 500
	}
	if set.Components == 0 {
		set.Components = m
	}
	n := set.Components
	if p <= m {
		return nil, fmt.Errorf("ica: FitFastICA: %d samples of %d mixtures, must be more samples than mixtures", p, m)
	}
	// A small setup runs to its end even if ctx is already done, so that the result holds the model before the first
	// step.
	setup := parallel.Grace(ctx, float64(m)*float64(m)*float64(p+10*m))
	white, err := whiten(setup, x, n)
	if err != nil {
		return nil, fmt.Errorf("ica: FitFastICA: %w", err)
	}
	w := normalMatrix(n, set.Seed)
	if err := decorrelate(setup, w); err != nil {
		return nil, fmt.Errorf("ica: FitFastICA: %w", err)
	}
	res := &FastICAModel{Mean: white.mean}
	find := res.symmetric
	if set.Algorithm == Deflation {
		find = res.deflation
	}
	converged, err := find(ctx, white.z, w, &set)
	switch {
	case ctx.Err() != nil:
		res.Status, err = ended.Interrupted, fmt.Errorf("%w after %d iterations", ctx.Err(), res.Iterations)
	case err != nil:
		res.Status = ended.Failed
	case !converged && set.Algorithm == Deflation:
		res.Status, err = ended.IterationLimit, fmt.Errorf("%w in %d iterations of a source", ended.ErrNotConverged, set.MaxIterations)
	case !converged:
		res.Status, err = ended.IterationLimit, fmt.Errorf("%w in %d iterations", ended.ErrNotConverged, set.MaxIterations)
	default:
		res.Status = ended.Converged
	}
	res.finish(w, white)
	if err != nil {
		return res, fmt.Errorf("ica: FitFastICA: %w", err)
	}
	return res, nil
}

// A whitening of X (m×p) maps the centered samples x̄ = x − mean to z = V x̄ (k×p), which have covariance I. If U D U'
// is the eigendecomposition of the covariance of x̄, then V = D^(−1/2) U', restricted to the k largest eigenvalues.
type whitening struct {
	mean    []float64  // m
	xc      *mat.Dense // x̄ times units, row by row (m×p)
	units   []float64  // m, see equalUnits
	v, back *mat.Dense // V (k×m) and its pseudoinverse (m×k), in these units
	z       *mat.Dense // k×p
}

// whiten returns the whitening of x in k dimensions. It returns an error if the rank of the covariance is below k.
func whiten(ctx context.Context, x *mat.Dense, k int) (*whitening, error) {
	m, p := x.Dims()
	xc := mat.NewDense(m, p, nil)
	mean, rounding := make([]float64, m), make([]float64, m) // rounding of the entries of xc
	for i := range m {
		mean[i], rounding[i] = deviations(x.RawRowView(i), xc.RawRowView(i))
	}
	units := equalUnits(xc, k == m)
	var eig mat.EigenSym
	var e mat.Dense
	found := false
	err := parallel.Await(ctx, float64(m)*float64(m)*float64(p+10*m), func() {
		var cov mat.SymDense
		cov.SymOuterK(1/float64(p), xc)
		if found = eig.Factorize(&cov, true); found {
			eig.VectorsTo(&e)
		}
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("eigenvalues of the covariance not found")
	}
	ev := eig.Values(nil) // ascending
	// A direction counts only if its eigenvalue exceeds two bounds: the rounding error of the eigenvalues, and the
	// variance that the rounding of X alone may cause in this direction. If X is far from 0, the second bound is larger.
	rank := 0
	for j := m - 1; j >= 0; j-- {
		noise := 0.0
		for i, r := range rounding {
			r *= units[i] * e.At(i, j)
			noise += r * r
		}
		if !(ev[j] > 1e-12*ev[m-1] && ev[j] > noise) {
			break
		}
		rank++
	}
	if rank < k {
		return nil, fmt.Errorf("the covariance of X has rank %d (eigenvalues %.3g to %.3g): Components must be at most that", rank, ev[0], ev[m-1])
	}
	t := &whitening{mean: mean, xc: xc, units: units, v: mat.NewDense(k, m, nil), back: mat.NewDense(m, k, nil), z: &mat.Dense{}}
	for i := range m {
		for j := range k {
			d := math.Sqrt(ev[m-k+j])
			t.v.Set(j, i, e.At(i, m-k+j)/d)
			t.back.Set(i, j, e.At(i, m-k+j)*d)
		}
	}
	return t, product.Mul(ctx, t.z, t.v, xc)
}

// normalMatrix returns a k×k matrix of random normal numbers. decorrelate turns it into the first W.
func normalMatrix(k int, seed uint64) *mat.Dense {
	rng := newRand(seed, streamFastICA)
	w := mat.NewDense(k, k, nil)
	w.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, w)
	return w
}

// finish computes the model's W, A and S in the units of X, from the whitening t and the unmixing matrix w (k×k) of
// the whitened data. After an interruption, it leaves out matrices that would take long to compute.
func (res *FastICAModel) finish(w *mat.Dense, t *whitening) {
	m, p := t.xc.Dims()
	k, _ := w.Dims()
	interrupted := res.Status == ended.Interrupted
	if interrupted && float64(k)*float64(k)*float64(m) > 1e8 {
		return
	}
	res.W, res.A = &mat.Dense{}, &mat.Dense{}
	res.W.Mul(w, t.v)
	res.A.Mul(t.back, w.T())
	if !interrupted || float64(k)*float64(m)*float64(p) <= 1e8 {
		res.S = &mat.Dense{}
		res.S.Mul(res.W, t.xc)
	}
	for i, u := range t.units {
		for j := range k {
			res.A.Set(i, j, res.A.At(i, j)/u)
			res.W.Set(j, i, res.W.At(j, i)*u)
		}
	}
}

// apply replaces the entries u of a row by g(u), and returns the mean of g'(u).
func (c Contrast) apply(row []float64) (slope float64) {
	for k, v := range row {
		if c == Cube {
			row[k] = v * v * v
			slope += 3 * v * v
		} else {
			t := math.Tanh(v)
			row[k] = t
			slope += 1 - t*t
		}
	}
	return slope / float64(len(row))
}

// step counts an iteration, adds change to the history and reports the iteration to the recorder. change is the
// largest 1 − |cosine| between a row of W before and after the iteration.
func (res *FastICAModel) step(change float64, total int, o *FastICAOptions) {
	res.Iterations++
	res.History = append(res.History, change)
	progress.Report(o.Recorder, progress.Event{What: "FastICA", Step: res.Iterations, Total: total, Objective: change})
}

// symmetric iterates on all rows of w (k×k) at once, for the whitened data z (k×p), until they meet the tolerance or
// the number of iterations reaches its limit. It reports whether they met the tolerance. If ctx is done, it returns
// ctx's error.
func (res *FastICAModel) symmetric(ctx context.Context, z, w *mat.Dense, o *FastICAOptions) (converged bool, err error) {
	k, p := z.Dims()
	var u, next mat.Dense
	for res.Iterations < o.MaxIterations && !converged {
		if err := product.Mul(ctx, &u, w, z); err != nil {
			return false, err
		}
		slope := make([]float64, k)
		for i := range k {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			slope[i] = o.Contrast.apply(u.RawRowView(i))
		}
		if err := product.Mul(ctx, &next, &u, z.T()); err != nil {
			return false, err
		}
		for i := range k {
			for j := range k {
				next.Set(i, j, next.At(i, j)/float64(p)-slope[i]*w.At(i, j))
			}
		}
		if err := decorrelate(ctx, &next); err != nil {
			return false, err
		}
		var worst float64
		for i := range k {
			worst = max(worst, 1-math.Abs(vector.DotInOrder(next.RawRowView(i), w.RawRowView(i))))
		}
		w.Copy(&next)
		res.step(worst, o.MaxIterations, o)
		if converged = worst <= o.Tolerance; !converged && res.Iterations == settle {
			return res.descend(ctx, z, w, o)
		}
	}
	return converged, ctx.Err()
}

// deflation is like symmetric, but iterates on one row after the other. If a row does not converge, deflation
// keeps it and goes on to the next.
func (res *FastICAModel) deflation(ctx context.Context, z, w *mat.Dense, o *FastICAOptions) (converged bool, err error) {
	k, p := z.Dims()
	u, next := mat.NewVecDense(p, nil), mat.NewVecDense(k, nil)
	converged = true
	for j := range k {
		row := w.RowView(j).(*mat.VecDense)
		change := math.Inf(1)
		for it := 0; it < o.MaxIterations && change > o.Tolerance; it++ {
			if ctx.Err() != nil {
				for i := j; i < k; i++ { // the model needs an orthogonal w
					orthogonalize(w, i, w.RowView(i).(*mat.VecDense))
				}
				return false, ctx.Err()
			}
			u.MulVec(z.T(), row)
			slope := o.Contrast.apply(u.RawVector().Data)
			next.MulVec(z, u)
			next.ScaleVec(1/float64(p), next)
			next.AddScaledVec(next, -slope, row)
			if !orthogonalize(w, j, next) {
				return false, fmt.Errorf("the samples show no direction for source %d", j)
			}
			change = 1 - math.Abs(mat.Dot(next, row))
			row.CopyVec(next)
			res.step(change, k*o.MaxIterations, o)
		}
		converged = converged && change <= o.Tolerance
	}
	return converged, ctx.Err()
}

// orthogonalize subtracts from v its components along the rows 0 to j − 1 of w, and scales the remainder to norm 1. It
// returns false if the remainder is 0.
func orthogonalize(w *mat.Dense, j int, v *mat.VecDense) bool {
	for range 2 { // the second time removes what rounding has left
		for i := range j {
			before := w.RowView(i)
			v.AddScaledVec(v, -mat.Dot(before, v), before)
		}
	}
	norm := mat.Norm(v, 2)
	if norm == 0 {
		return false
	}
	v.ScaleVec(1/norm, v)
	return true
}

// Transform returns the sources W (x − Mean), k×q, of the columns of X (m×q).
func (f *FastICAModel) Transform(X mat.Matrix) *mat.Dense {
	x := f.input("FastICAModel.Transform", "X", X, len(f.Mean))
	_, q := x.Dims()
	centered := mat.NewDense(len(f.Mean), q, nil)
	for i, mean := range f.Mean {
		for j, v := range x.RawRowView(i) {
			centered.Set(i, j, v-mean)
		}
	}
	var s mat.Dense
	s.Mul(f.W, centered) // k×m · m×q
	return &s
}

// Inverse returns the mixtures A s + Mean, m×q, of the columns of S (k×q).
func (f *FastICAModel) Inverse(S mat.Matrix) *mat.Dense {
	k := 0
	if f.A != nil {
		_, k = f.A.Dims()
	}
	s := f.input("FastICAModel.Inverse", "S", S, k)
	var x mat.Dense
	x.Mul(f.A, s) // m×k · k×q
	for i, mean := range f.Mean {
		row := x.RawRowView(i)
		for j := range row {
			row[j] += mean
		}
	}
	return &x
}

// input returns X as a dense matrix. It panics if the model is not fitted, if X does not have r rows, or if X is not
// finite.
func (f *FastICAModel) input(fn, name string, X mat.Matrix, r int) *mat.Dense {
	if f.W == nil || f.A == nil {
		panic("ica: " + fn + ": the model is not fitted")
	}
	x := dense(fn, name, X)
	if rows, cols := dims(fn, name, x); rows != r {
		panic(fmt.Sprintf("ica: %s: %s is %d×%d, a sample per COLUMN, want %d rows", fn, name, rows, cols, r))
	}
	if err := checkMatrix(fn, name, x); err != nil {
		panic(err.Error())
	}
	return x
}

// deviations subtracts the mean from the row x, and stores the result in out. It returns the mean, and a bound on the
// rounding error of the stored numbers. If the row does not vary by more than this bound, it counts as constant, and
// all stored numbers are 0.
func deviations(x, out []float64) (mean, rounding float64) {
	p := float64(len(x))
	for _, v := range x {
		mean += v / p
	}
	most, rest := 0.0, 0.0
	for k, v := range x {
		out[k] = v - mean
		rest += out[k] / p
		most = max(most, math.Abs(v))
	}
	rounding = 0x1p-50 * most // a few units in the last place
	// The computed mean of p numbers may be off by p rounding errors. If the numbers are far from 0, this shifts out
	// noticeably, so the mean of out is added to the mean.
	if math.Abs(rest) > 1e-12*floats.Norm(out, math.Inf(1)) {
		mean += rest
		for k, v := range x {
			out[k] = v - mean
		}
	}
	if floats.Norm(out, math.Inf(1)) <= rounding {
		clear(out)
	}
	return mean, rounding
}

// equalUnits scales the rows of xc by powers of two and returns the factors. If the argument each is true, every row
// has its own factor; otherwise all rows have the same factor.
//
// All factors are 1 except in two cases. The first is that squares might overflow or underflow. The second is that
// the argument each is true, and the largest entries of the rows differ greatly in size. Without scaling, the
// covariance of a mixture in volts and a mixture in nanovolts would be numerically singular.
func equalUnits(xc *mat.Dense, each bool) []float64 {
	m, _ := xc.Dims()
	units, top := make([]float64, m), make([]float64, m)
	least, most := math.Inf(1), 0.0
	for i := range m {
		units[i], top[i] = 1, floats.Norm(xc.RawRowView(i), math.Inf(1))
		most = max(most, top[i])
		if top[i] > 0 {
			least = min(least, top[i])
		}
	}
	if most == 0 || most < 0x1p100 && least > 0x1p-100 && (!each || most < 1024*least) {
		return units
	}
	for i, t := range top {
		if !each {
			t = most
		}
		if t > 0 {
			_, exp := math.Frexp(t)
			units[i] = math.Ldexp(1, max(-1022, min(1022, -exp)))
			floats.Scale(units[i], xc.RawRowView(i))
		}
	}
	return units
}

// decorrelate replaces W by (WW')^(−1/2) W. If U D V' is the singular value decomposition of W, this is U V'.
func decorrelate(ctx context.Context, w *mat.Dense) error {
	n, _ := w.Dims()
	var orthogonal mat.Dense
	found := false
	err := parallel.Await(ctx, 20*float64(n)*float64(n)*float64(n), func() {
		var svd mat.SVD
		if found = svd.Factorize(w, mat.SVDFull); found {
			var u, v mat.Dense
			svd.UTo(&u)
			svd.VTo(&v)
			orthogonal.Mul(&u, v.T())
		}
	})
	if err != nil {
		return err
	}
	if !found {
		return errors.New("singular values of W not found")
	}
	w.Copy(&orthogonal)
	return nil
}
