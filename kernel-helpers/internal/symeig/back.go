package symeig

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"overcomplete/kernel-helpers/internal/vector"
)

// applyReflectors computes Z ← Z Qᵀ. Q is a product of reflectors that a call of reduce has stored in a and tau. If the
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

// reflectors copies to the rows of Y the vectors of the reflectors H_from, H_{from+1}, ..., which a call of reduce has
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
