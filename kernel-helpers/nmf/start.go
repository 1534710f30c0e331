package nmf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/product"
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

// copyStart returns a copy of M, a starting factor given by the caller. Error messages call M by the given name.
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
// Zeros are replaced by fill, which is the mean of A for NNDSVDa.
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

// findSingular returns the k largest singular values s of A, and their vectors as ROWS of P (k×n) and Q (k×d). It uses
// the randomized subspace iteration of N. Halko, P. G. Martinsson and J. A. Tropp, Finding structure with randomness,
// SIAM Review 53 (2011), algorithms 4.4 and 5.1. It does not center A, because centering would make a sparse A dense:
//
//	Y = A Ω                                Ω d×l Gaussian, l = k + 10
//	repeat: Y = orth(Y), Z = orth(A'Y), Y = A Z
//	B' = A'orth(Y) (d×l), BB' = S Θ S'
//	s² = Θ, left vectors orth(Y) S, right vectors B'S/s
//
// A singular value below 1e-8 times the first is rounding error and becomes 0.
func findSingular(ctx context.Context, a data, k int, seed uint64) (s []float64, P, Q blas64.General, err error) {
	n, d := a.dims()
	l := min(k+10, n, d)
	passes := 4
	if 10*k < min(n, d) {
		passes = 7
	}
	rng := rand.New(rand.NewPCG(seed, 0x5bd))
	Y, Z := factor(n, l), factor(d, l)
	for j := range d {
		for t := range l {
			Z.Data[j*Z.Stride+t] = rng.NormFloat64()
		}
	}
	a.times(Z, Y)
	interrupted := func(p int) (s []float64, P, Q blas64.General, err error) {
		return nil, P, Q, fmt.Errorf("nmf: %w after %d passes for the start", ctx.Err(), p)
	}
	for p := range passes {
		if orthonormalise(ctx, Y, rng) != nil {
			return interrupted(p)
		}
		a.timesT(Y, Z)
		if orthonormalise(ctx, Z, rng) != nil {
			return interrupted(p)
		}
		a.times(Z, Y)
	}
	if orthonormalise(ctx, Y, rng) != nil {
		return interrupted(passes)
	}
	a.timesT(Y, Z) // B'
	G := factor(l, l)
	if product.Gemm(ctx, blas.Trans, blas.NoTrans, 1, Z, Z, 0, G) != nil { // BB' (l×l)
		return interrupted(passes)
	}
	var eig mat.EigenSym
	var S mat.Dense
	found := false
	err = parallel.Await(ctx, 10*float64(l)*float64(l)*float64(l), func() {
		if found = eig.Factorize(symmetricOf(G), true); found {
			eig.VectorsTo(&S)
		}
	})
	if err != nil {
		return interrupted(passes)
	}
	if !found {
		return nil, P, Q, fmt.Errorf("nmf: the eigenvalues for the start were not found")
	}
	theta := eig.Values(nil) // ascending
	T := factor(l, k)        // the last k columns of S, largest first
	s = make([]float64, k)
	for t := range k {
		from := l - 1 - t
		s[t] = math.Sqrt(max(0, theta[from]))
		if s[t] < 1e-8*s[0] {
			s[t] = 0
			continue
		}
		for i := range l {
			T.Data[i*T.Stride+t] = S.At(i, from)
		}
	}
	P = blas64.General{Rows: k, Cols: n, Stride: n, Data: make([]float64, k*n)}
	Q = blas64.General{Rows: k, Cols: d, Stride: d, Data: make([]float64, k*d)}
	if product.Gemm(ctx, blas.Trans, blas.Trans, 1, T, Y, 0, P) != nil || // (k×l)(l×n)
		product.Gemm(ctx, blas.Trans, blas.Trans, 1, T, Z, 0, Q) != nil { // (k×l)(l×d)
		return interrupted(passes)
	}
	for t, v := range s {
		if v > 0 {
			blas64.Scal(1/v, blas64.Vector{N: d, Inc: 1, Data: Q.Data[t*d:]})
		}
	}
	return s, P, Q, nil
}

// orthonormalise makes the columns of Y (r×l, l <= r) orthonormal without changing their span. It uses Cholesky factors
// of Y'Y, scaled to a unit diagonal: T. Fukaya et al., Shifted Cholesky QR for computing the QR factorization of
// ill-conditioned matrices, SIAM J. Sci. Comput. 42 (2020). If Y is rank deficient, random directions are added. If ctx
// is done, orthonormalise returns the error of ctx, and Y must not be used any more.
func orthonormalise(ctx context.Context, Y blas64.General, rng *rand.Rand) error {
	l := Y.Cols
	G := factor(l, l)
	scale := make([]float64, l)
	for range 10 {
		if err := product.Gemm(ctx, blas.Trans, blas.NoTrans, 1, Y, Y, 0, G); err != nil { // Y'Y
			return err
		}
		off := 0.0
		for i := range l {
			if g := G.Data[i*G.Stride+i]; g > 1e-290 {
				scale[i] = 1 / math.Sqrt(g)
			} else {
				for r := range Y.Rows {
					Y.Data[r*Y.Stride+i] = rng.NormFloat64()
				}
				off = math.Inf(1)
			}
		}
		if off > 0 {
			continue
		}
		S := symmetricOf(G)
		for i := range l {
			for j := i; j < l; j++ {
				want := 0.0
				if i == j {
					want = 1
				}
				off = max(off, math.Abs(S.At(i, j)-want))
				S.SetSym(i, j, S.At(i, j)*scale[i]*scale[j])
			}
		}
		if off < 1e-12 {
			return nil
		}
		err := parallel.Await(ctx, float64(l)*float64(l)*float64(l+Y.Rows), func() {
			solveByFactor(Y, S, scale)
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// solveByFactor multiplies column t of Y (r×l) by scale[t], for each t, and then Y by R⁻¹ from the right, where S = R'R
// (l×l) has a unit diagonal.
func solveByFactor(Y blas64.General, S *mat.SymDense, scale []float64) {
	l := Y.Cols
	var ch mat.Cholesky
	for shift := 1e-13 * float64(l); !ch.Factorize(S); shift *= 100 {
		for i := range l {
			S.SetSym(i, i, 1+shift)
		}
	}
	for r := range Y.Rows {
		row := Y.Data[r*Y.Stride:][:l]
		for t, v := range scale {
			row[t] *= v
		}
	}
	blas64.Trsm(blas.Right, blas.NoTrans, 1, ch.RawU().(*mat.TriDense).RawTriangular(), Y)
}

// symmetricOf returns G as a symmetric matrix. It uses the upper triangle of G.
func symmetricOf(G blas64.General) *mat.SymDense {
	S := mat.NewSymDense(G.Rows, nil)
	for i := range G.Rows {
		for j := i; j < G.Rows; j++ {
			S.SetSym(i, j, G.Data[i*G.Stride+j])
		}
	}
	return S
}
