package ica

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/ui/progress"
)

// Contrast is the nonlinearity g of FastICA.
type Contrast int

const (
	// Tanh is g(u) = tanh u: robust, good for sparse sources.
	Tanh Contrast = iota
	// Cube is g(u) = u³: maximises the kurtosis.
	Cube
)

// FastICAOptions controls FastICA. nil and the zero value mean the defaults.
type FastICAOptions struct {
	Contrast      Contrast
	Tolerance     float64 // largest 1 − |cosine| between old and new rows of W; 0 means 1e-10
	MaxIterations int     // 0 means 500
	Seed          uint64  // of the random orthogonal start
	Recorder      progress.Recorder
}

// FastICAResult is an unmixing of as many sources as mixtures.
type FastICAResult struct {
	A          *mat.Dense // mixing, m×m: x − Mean = A s, E[ss'] = I
	W          *mat.Dense // unmixing, m×m: s = W (x − Mean), W = A⁻¹
	S          *mat.Dense // sources, m×p, mean 0 and variance 1
	Mean       []float64  // of X, m
	Iterations int
	History    []float64 // largest 1 − |cosine| after each iteration
}

// FastICA estimates m sources from m mixtures (X is m×p, p > m) by the
// symmetric fixed-point iteration on whitened data,
//
//	W <- E[g(Wx) x'] − diag(E[g'(Wx)]) W,   W <- (WW')^(−1/2) W.
//
// Sources are determined up to order, sign and scale (their variance is set to
// 1). At most one source may be Gaussian. X with dependent rows is an error. No
// convergence in MaxIterations is an error too, returned with the last iterate.
//
// Source: A. Hyvärinen, Fast and robust fixed-point algorithms for
// independent component analysis, IEEE Trans. Neural Netw. 10 (1999).
func FastICA(ctx context.Context, x *mat.Dense, opt *FastICAOptions) (*FastICAResult, error) {
	m, p := dims("FastICA", "X", x)
	if err := checkMatrix("FastICA", "X", x); err != nil {
		return nil, err
	}
	var set FastICAOptions
	if opt != nil {
		set = *opt
	}
	if set.Tolerance == 0 {
		set.Tolerance = 1e-10
	}
	if set.MaxIterations == 0 {
		set.MaxIterations = 500
	}
	if p <= m {
		return nil, fmt.Errorf("ica: FastICA: %d samples of %d mixtures", p, m)
	}
	res := &FastICAResult{Mean: make([]float64, m)}
	xc := mat.NewDense(m, p, nil)
	for i := range m {
		row := x.RawRowView(i)
		for _, v := range row {
			res.Mean[i] += v / float64(p)
		}
		for k, v := range row {
			xc.Set(i, k, v-res.Mean[i])
		}
	}
	// Whitening: z = V x with V = D^(−1/2) E', E[xx'] = E D E'.
	var cov mat.SymDense
	cov.SymOuterK(1/float64(p), xc)
	var eig mat.EigenSym
	if !eig.Factorize(&cov, true) {
		return nil, fmt.Errorf("ica: FastICA: eigenvalues of the covariance not found")
	}
	ev := eig.Values(nil)
	if !(ev[0] > 1e-12*ev[m-1]) {
		return nil, fmt.Errorf("ica: FastICA: the covariance is singular (eigenvalues %.3g to %.3g)", ev[0], ev[m-1])
	}
	var e mat.Dense
	eig.VectorsTo(&e)
	white, dewhite := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			white.Set(j, i, e.At(i, j)/math.Sqrt(ev[j]))
			dewhite.Set(i, j, e.At(i, j)*math.Sqrt(ev[j]))
		}
	}
	var z mat.Dense
	z.Mul(white, xc)

	rng := newRand(set.Seed, streamFastICA)
	w := mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			w.Set(i, j, rng.NormFloat64())
		}
	}
	if err := decorrelate(w); err != nil {
		return nil, err
	}
	var u, next mat.Dense
	converged := false
	for it := 1; it <= set.MaxIterations && !converged; it++ {
		if ctx != nil && ctx.Err() != nil {
			return res, fmt.Errorf("ica: FastICA: %w at iteration %d", ctx.Err(), it)
		}
		u.Mul(w, &z)
		slope := make([]float64, m)
		for i := range m {
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
		next.Mul(&u, z.T())
		for i := range m {
			for j := range m {
				next.Set(i, j, next.At(i, j)/float64(p)-slope[i]*w.At(i, j))
			}
		}
		if err := decorrelate(&next); err != nil {
			return res, err
		}
		var worst float64
		for i := range m {
			worst = max(worst, 1-math.Abs(vector.DotInOrder(next.RawRowView(i), w.RawRowView(i))))
		}
		w.Copy(&next)
		res.Iterations = it
		res.History = append(res.History, worst)
		progress.Report(set.Recorder, progress.Event{What: "FastICA", Step: it, Total: set.MaxIterations, Objective: worst})
		converged = worst <= set.Tolerance
	}
	res.W, res.A, res.S = &mat.Dense{}, &mat.Dense{}, &mat.Dense{}
	res.W.Mul(w, white)
	res.A.Mul(dewhite, w.T())
	res.S.Mul(res.W, xc)
	if !converged {
		return res, fmt.Errorf("ica: FastICA: no convergence in %d iterations", set.MaxIterations)
	}
	return res, nil
}

// decorrelate replaces W by (WW')^(−1/2) W = U V' of its singular value
// decomposition.
func decorrelate(w *mat.Dense) error {
	var svd mat.SVD
	if !svd.Factorize(w, mat.SVDFull) {
		return fmt.Errorf("ica: FastICA: singular values of W not found")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	w.Mul(&u, v.T())
	return nil
}
