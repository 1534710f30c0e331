package nmf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// start returns the U (n×k) and W (d×k) at which the fit starts.
func start(ctx context.Context, a data, o *Options) (U, W blas64.General, err error) {
	n, d := a.dims()
	k := o.Components
	switch o.Init {
	case Given:
		if U, err = copyStart("U", o.U); err == nil {
			W, err = copyStart("W", o.W)
		}
		return U, W, err
	case Random:
		U, W = factor(n, k), factor(d, k)
		rng := rand.New(rand.NewPCG(o.Seed, 0x1417))
		scale := math.Sqrt(a.sum() / float64(n) / float64(d) / float64(k))
		for _, M := range []blas64.General{U, W} {
			for i := range M.Rows {
				if err := a.end().Err(); err != nil {
					return U, W, fmt.Errorf("nmf: %w", err)
				}
				for t := range k {
					M.Data[i*M.Stride+t] = scale * math.Abs(rng.NormFloat64())
				}
			}
		}
		return U, W, nil
	}
	S, V, T, err := findSingular(ctx, a, k, o.Seed)
	if err != nil {
		return U, W, err
	}
	fill := 0.0
	if o.Init == NNDSVDa {
		fill = a.sum() / float64(n) / float64(d)
	}
	U, W = nndsvd(S, V, T, fill)
	return U, W, nil
}

// copyStart returns a copy of M, a factor that the caller gives as the start. Error messages call M by the given name.
func copyStart(name string, M mat.Matrix) (blas64.General, error) {
	r, k := M.Dims()
	F := factor(r, k)
	for i := range r {
		for t := range k {
			v := M.At(i, t)
			if !(v >= 0 && v <= math.MaxFloat64) {
				return F, fmt.Errorf("nmf: %s(%d, %d) is %v, must be nonnegative and finite", name, i, t, v)
			}
			F.Data[i*F.Stride+t] = v
		}
	}
	return F, nil
}

// nndsvd computes the starting factors of C. Boutsidis and E. Gallopoulos, SVD based initialization: a head start for
// nonnegative matrix factorization, Pattern Recognition 41 (2008). It takes the singular values s, and the singular
// vectors as ROWS of P (k×n) and Q (k×d).
//
// Let x₊ and x₋ be the positive and the negative part of a vector, x = x₊ − x₋. For singular vectors x and y, the
// nonnegative part of xy' is x₊y₊' + x₋y₋', which has rank 2; nndsvd takes the larger term. If x and y change sign,
// the two terms are exchanged, so the signs of singular vectors do not matter. The elements of the first pair of
// vectors all have the same sign (Perron and Frobenius).
//
// Zeros are replaced by the last argument, which is the mean of A for NNDSVDa.
func nndsvd(s []float64, P, Q blas64.General, fill float64) (U, W blas64.General) {
	k, n, d := len(s), P.Cols, Q.Cols
	U, W = factor(n, k), factor(d, k)
	for t := range k {
		x, y := P.Data[t*P.Stride:][:n], Q.Data[t*Q.Stride:][:d]
		xp, xm, yp, ym := signedNorms(x, y)
		sign, nx, ny := 1.0, xp, yp
		if xm*ym > xp*yp {
			sign, nx, ny = -1, xm, ym
		}
		for i, M := range []blas64.General{U, W} {
			v, norm := x, nx
			if i == 1 {
				v, norm = y, ny
			}
			f := 0.0
			if norm > 0 {
				f = sign * math.Sqrt(s[t]*nx*ny) / norm
			}
			for r, e := range v {
				// As in scikit-learn, a value below 1e-6 is treated as a rounding error of the singular vectors.
				if e *= f; e < 1e-6*floor(s) {
					e = fill
				}
				M.Data[r*M.Stride+t] = e
			}
		}
	}
	return U, W
}

// floor returns √s_1, where s holds the singular values of A in descending order. nndsvd treats elements of a factor
// below 1e-6 of this number as rounding errors.
func floor(s []float64) float64 { return math.Sqrt(s[0]) }

// signedNorms returns the norms of the positive and negative parts of x and y.
func signedNorms(x, y []float64) (xp, xm, yp, ym float64) {
	part := func(v []float64) (p, m float64) {
		for _, e := range v {
			if e > 0 {
				p += e * e
			} else {
				m += e * e
			}
		}
		return math.Sqrt(p), math.Sqrt(m)
	}
	xp, xm = part(x)
	yp, ym = part(y)
	return xp, xm, yp, ym
}
