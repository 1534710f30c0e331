package symeig

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"

	"overcomplete/kernel-helpers/internal/vector"
)

// together is the number of rows that reduce processes before it updates the rest of the matrix with one product.
const together = 32

// reduce brings a symmetric matrix A (n×n) to tridiagonal form T = QᵀAQ; the argument a holds the upper triangle of A.
// It returns T's diagonal d and off-diagonal e. Q = H_0 H_1 .. H_{n−2} is a product of reflectors H_j = I − τ_j v_j
// v_jᵀ. reduce returns the τ_j in tau, and overwrites row j of a with v_j, which is 0 up to column j and 1 in column
// j+1 (Dongarra, Sorensen and Hammarling 1989).
//
// In gonum's Dsytrd the reflectors are columns, which are not contiguous in row-major order. Here all vectors are
// rows. If ctx is done, the results are unfinished.
func reduce(ctx context.Context, a blas64.General) (d, e, tau []float64) {
	n := a.Rows
	d, e, tau = make([]float64, n), make([]float64, max(0, n-1)), make([]float64, max(0, n-1))
	W, part := general(together, n), make([]float64, together)
	for from := 0; from < n-1 && ctx.Err() == nil; from += together {
		to := min(from+together, n-1)
		for j := from; j < to; j++ {
			d[j], e[j], tau[j] = reduceRow(a, W, from, j, part)
		}
		// Update the rest: A − VᵀW − WᵀV.
		V := corner(a, from, to, to)
		blas64.Syr2k(blas.Trans, -1, V, corner(W, 0, to-from, to), 1, triangle(a, to))
	}
	if n > 0 {
		d[n-1] = a.Data[(n-1)*a.Stride+n-1]
	}
	return d, e, tau
}

// reduceRow performs step j of reduce and returns d_j, e_j and τ_j. It stores v_j in row j of a, and a second vector
// w_j in row j−from of W. A itself is updated only after several steps. Until then, the current matrix is A − VᵀW −
// WᵀV, where the rows of V and W are the v's and w's of the steps [from, j). part is workspace for as many numbers as
// W has rows.
func reduceRow(a, W blas64.General, from, j int, part []float64) (d, e, tau float64) {
	n, rank := a.Rows, j-from
	r := a.Data[j*a.Stride+j : j*a.Stride+n]
	if rank > 0 {
		V, w := corner(a, from, j, j), corner(W, 0, rank, j)
		blas64.Gemv(blas.Trans, -1, V, column(w), 1, vector.Of(r))
		blas64.Gemv(blas.Trans, -1, w, column(V), 1, vector.Of(r))
	}
	d, v := r[0], r[1:]
	w := row(W, rank)[j+1:]
	var impl lapack.Implementation
	e, tau = impl.Dlarfg(len(v), v[0], v[1:], 1)
	v[0] = 1
	if tau == 0 {
		clear(w)
		return d, e, tau
	}
	// w = τ (A − VᵀW − WᵀV) v, minus its part along v, which would be counted twice.
	blas64.Symv(tau, triangle(a, j+1), vector.Of(v), 0, vector.Of(w))
	if rank > 0 {
		V, before := corner(a, from, j, j+1), corner(W, 0, rank, j+1)
		part := part[:rank]
		blas64.Gemv(blas.NoTrans, -tau, before, vector.Of(v), 0, vector.Of(part))
		blas64.Gemv(blas.Trans, 1, V, vector.Of(part), 1, vector.Of(w))
		blas64.Gemv(blas.NoTrans, -tau, V, vector.Of(v), 0, vector.Of(part))
		blas64.Gemv(blas.Trans, 1, before, vector.Of(part), 1, vector.Of(w))
	}
	vector.Axpy(-tau/2*vector.Dot(w, v), v, w)
	return d, e, tau
}

// corner returns the rows [from, to) of g, without the columns before col.
func corner(g blas64.General, from, to, col int) blas64.General {
	c := rows(g, from, to)
	c.Cols -= col
	if c.Rows > 0 {
		c.Data = c.Data[col:]
	}
	return c
}

// column returns the first column of g.
func column(g blas64.General) blas64.Vector {
	return blas64.Vector{N: g.Rows, Inc: g.Stride, Data: g.Data}
}

// triangle returns, for the symmetric matrix stored in the argument a, the rows and columns from i on.
func triangle(a blas64.General, i int) blas64.Symmetric {
	return blas64.Symmetric{Uplo: blas.Upper, N: a.Rows - i, Stride: a.Stride, Data: a.Data[i*a.Stride+i:]}
}

// applyReflectors computes Z ← Z Qᵀ. Q is a product of reflectors that a call to reduce has stored in a and tau. If the
// rows of Z are eigenvectors of reduce's tridiagonal result, they become eigenvectors of the original matrix. A block
// of reflectors is applied as I − YᵀTY, where the rows of Y are the reflectors' vectors, and T is upper triangular
// (Schreiber and Van Loan 1989).
func applyReflectors(a blas64.General, tau []float64, Z blas64.General) {
	const block = 64
	if Z.Rows == 0 {
		return
	}
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	for from := (len(tau) - 1) / block * block; from >= 0; from -= block {
		to := min(from+block, len(tau))
		Y := sc.y.general(to-from, a.Cols-from-1)
		reflectors(Y, a, from)
		T := triangular(Y, tau[from:to])
		part := corner(Z, 0, Z.Rows, from+1) // these reflectors do not change earlier columns
		TY, ZY := sc.ty.general(Y.Rows, Y.Cols), sc.zy.general(Z.Rows, Y.Rows)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, T, Y, 0, TY)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, part, Y, 0, ZY)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, ZY, TY, 1, part)
	}
}

// reflectors copies to the rows of Y the vectors of the reflectors H_from, H_{from+1}, ..., which a call to reduce has
// stored in the matrix a. It leaves out the columns 0..from, where all these vectors are 0.
func reflectors(Y, a blas64.General, from int) {
	for i := range Y.Rows {
		r := row(Y, i)
		clear(r[:i])
		copy(r[i:], row(a, from+i)[from+i+1:])
	}
}

// triangular returns the upper triangular T for which I − YᵀTY is the product of the reflectors I − τ y yᵀ, with y in
// the rows of Y and τ in tau.
func triangular(Y blas64.General, tau []float64) blas64.General {
	w := Y.Rows
	G, T := general(w, w), general(w, w)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, Y, Y, 0, G)
	for j, t := range tau { // T(0..j, j) = −τ_j T(0..j, 0..j) Y(0..j) y_j
		for i := range j {
			T.Data[i*w+j] = -t * vector.DotInOrder(T.Data[i*w+i:i*w+j], G.Data[j*w+i:j*w+j])
		}
		T.Data[j*w+j] = t
	}
	return T
}
