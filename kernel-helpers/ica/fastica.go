package ica

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
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

// FastICAOptions controls FitFastICA. nil and the zero value mean the defaults.
type FastICAOptions struct {
	Contrast Contrast
	// Components is k, the number of sources. 0 means m, the number of mixtures. If k < m, the mixtures are
	// first projected on their k principal components. Use k < m if the m mixtures come from k sources with
	// little noise.
	Components    int
	Tolerance     float64 // largest 1 − |cosine| between old and new rows of W; 0 means 1e-10
	MaxIterations int     // 0 means 500
	Seed          uint64  // seed of the random orthogonal start
	Recorder      progress.Recorder
}

// A FastICAModel separates m mixtures into k sources.
type FastICAModel struct {
	// Status is Converged, IterationLimit or Interrupted. After Interrupted, matrices that would take long to
	// compute are nil.
	Status     ended.Status
	A          *mat.Dense // mixing, m×k: x − Mean = A s (for k < m the nearest point), E[ss'] = I
	W          *mat.Dense // unmixing, k×m: s = W (x − Mean), W A = I
	S          *mat.Dense // sources, k×p, mean 0 and variance 1
	Mean       []float64  // mean of each row of X, m
	Iterations int
	History    []float64 // largest 1 − |cosine| after each iteration
}

// FitFastICA estimates k sources from m mixtures (X is m×p, a sample per column, p > m) by the
// symmetric fixed-point iteration on whitened data z (k×p),
//
//	W <- E[g(Wz) z'] − diag(E[g'(Wz)]) W,   W <- (WW')^(−1/2) W.
//
// Sources are determined up to order, sign and scale (their variance is set to 1). At most one source may be
// Gaussian. If the covariance of X has a rank below k, this is an error; variance that the rounding of X may
// cause does not count, so a constant row (a dead electrode) lowers the rank. If FitFastICA does not converge
// within MaxIterations, it returns the last iterate with an error that wraps ended.ErrNotConverged. The units
// of the rows of X matter only if k < m, because principal components depend on them.
//
// Source: A. Hyvärinen, Fast and robust fixed-point algorithms for
// independent component analysis, IEEE Trans. Neural Netw. 10 (1999).
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
	res := &FastICAModel{Mean: make([]float64, m)}
	xc := mat.NewDense(m, p, nil)
	rounding := make([]float64, m) // of the entries of xc
	for i := range m {
		res.Mean[i], rounding[i] = deviations(x.RawRowView(i), xc.RawRowView(i))
	}
	units := equalUnits(xc, n == m)
	// If there is little to compute, a context that has ended still gives the model before the first step.
	cost := float64(m) * float64(m) * float64(p+10*m)
	setup := parallel.Grace(ctx, cost)
	// Whitening: z = V x with V = D^(−1/2) E', E[xx'] = E D E', using the k largest elements of D.
	var eig mat.EigenSym
	var e mat.Dense
	found := false
	err = parallel.Await(setup, cost, func() {
		var cov mat.SymDense
		cov.SymOuterK(1/float64(p), xc)
		if found = eig.Factorize(&cov, true); found {
			eig.VectorsTo(&e)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("ica: FitFastICA: %w", err)
	}
	if !found {
		return nil, fmt.Errorf("ica: FitFastICA: eigenvalues of the covariance not found")
	}
	ev := eig.Values(nil) // ascending
	// A direction has variance if its eigenvalue exceeds the rounding error of the eigenvalues, and the
	// variance that the rounding of X alone may cause in this direction. Far from 0, the latter is larger.
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
	if rank < n {
		return nil, fmt.Errorf("ica: FitFastICA: the covariance of X has rank %d (eigenvalues %.3g to %.3g): Components must be at most that", rank, ev[0], ev[m-1])
	}
	white, dewhite := mat.NewDense(n, m, nil), mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			d := math.Sqrt(ev[m-n+j])
			white.Set(j, i, e.At(i, m-n+j)/d)
			dewhite.Set(i, j, e.At(i, m-n+j)*d)
		}
	}
	var z mat.Dense
	if err := product.Mul(setup, &z, white, xc); err != nil {
		return nil, fmt.Errorf("ica: FitFastICA: %w", err)
	}

	rng := newRand(set.Seed, streamFastICA)
	w := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			w.Set(i, j, rng.NormFloat64())
		}
	}
	if err := decorrelate(setup, w); err != nil {
		return nil, err
	}
	// finish stores the model for the unmixing w of whitened data, in the units of X. After the end of ctx it
	// leaves out what takes long.
	finish := func(st ended.Status) {
		res.Status = st
		if st == ended.Interrupted && float64(n)*float64(n)*float64(m) > 1e8 {
			return
		}
		res.W, res.A = &mat.Dense{}, &mat.Dense{}
		res.W.Mul(w, white)
		res.A.Mul(dewhite, w.T())
		if st != ended.Interrupted || float64(n)*float64(m)*float64(p) <= 1e8 {
			res.S = &mat.Dense{}
			res.S.Mul(res.W, xc)
		}
		for i, u := range units {
			for j := range n {
				res.A.Set(i, j, res.A.At(i, j)/u)
				res.W.Set(j, i, res.W.At(j, i)*u)
			}
		}
	}
	var u, next mat.Dense
	converged := false
	for it := 1; it <= set.MaxIterations && !converged; it++ {
		interrupted := func() (*FastICAModel, error) {
			finish(ended.Interrupted)
			return res, fmt.Errorf("ica: FitFastICA: %w at iteration %d", ctx.Err(), it)
		}
		if product.Mul(ctx, &u, w, &z) != nil {
			return interrupted()
		}
		slope := make([]float64, n)
		for i := range n {
			if ctx.Err() != nil {
				return interrupted()
			}
			row := u.RawRowView(i)
			for k, v := range row {
				if set.Contrast == Cube {
					row[k] = v * v * v
					slope[i] += 3 * v * v
				} else {
					t := math.Tanh(v)
					row[k] = t
					slope[i] += 1 - t*t
				}
			}
			slope[i] /= float64(p)
		}
		if product.Mul(ctx, &next, &u, z.T()) != nil {
			return interrupted()
		}
		for i := range n {
			for j := range n {
				next.Set(i, j, next.At(i, j)/float64(p)-slope[i]*w.At(i, j))
			}
		}
		if err := decorrelate(ctx, &next); err != nil {
			if ctx.Err() != nil {
				return interrupted()
			}
			finish(ended.Failed)
			return res, err
		}
		var worst float64
		for i := range n {
			worst = max(worst, 1-math.Abs(vector.DotInOrder(next.RawRowView(i), w.RawRowView(i))))
		}
		w.Copy(&next)
		res.Iterations = it
		res.History = append(res.History, worst)
		progress.Report(set.Recorder, progress.Event{What: "FastICA", Step: it, Total: set.MaxIterations, Objective: worst})
		converged = worst <= set.Tolerance
	}
	if !converged {
		finish(ended.IterationLimit)
		return res, fmt.Errorf("ica: FitFastICA: %w in %d iterations", ended.ErrNotConverged, set.MaxIterations)
	}
	if err := ctx.Err(); err != nil {
		finish(ended.Interrupted)
		return res, fmt.Errorf("ica: FitFastICA: %w at iteration %d", err, res.Iterations)
	}
	finish(ended.Converged)
	return res, nil
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

// input returns X as a dense matrix. It panics unless X is finite and has r rows.
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

// deviations sets out to the row x minus its mean, and returns the mean and a bound of the rounding error of
// out. If the row does not vary by more than this bound, it is constant, and out is 0.
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
	// The mean of p numbers may be off by p roundings. Far from 0 this shifts out noticeably, and the mean of
	// out corrects the mean.
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

// equalUnits scales the rows of xc by powers of two and returns the factors. It scales only if the largest
// entries of the rows differ greatly in size, or if squares might overflow or underflow. Without scaling, the
// covariance of a mixture in volts and a mixture in nanovolts would be numerically singular. If each is set,
// rows get separate factors; otherwise all rows get the same factor.
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

// decorrelate replaces W by (WW')^(−1/2) W, which is U V' of its singular value decomposition.
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
		return fmt.Errorf("ica: FitFastICA: %w", err)
	}
	if !found {
		return fmt.Errorf("ica: FitFastICA: singular values of W not found")
	}
	w.Copy(&orthogonal)
	return nil
}
