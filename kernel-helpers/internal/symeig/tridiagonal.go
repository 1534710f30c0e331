package symeig

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// Full returns the k largest eigenvalues of C (d×d, any symmetric matrix) and
// their eigenvectors as rows (k×d). It is an error if the eigenvalues overflow.
func Full(C mat.Symmetric, k int) (values []float64, vectors *mat.Dense, err error) {
	n := C.SymmetricDim()
	if k < 0 || k > n {
		panic(fmt.Sprintf("symeig: Full: %d eigenvectors of a %d×%d matrix", k, n, n))
	}
	if n == 0 {
		return nil, &mat.Dense{}, nil
	}
	a, back := unit(C)
	values, vectors, err = full(a, k)
	if err != nil {
		return nil, nil, err
	}
	return values, vectors, rescale(values, back)
}

// full is Full for a square matrix of moderate numbers, which it overwrites.
func full(a blas64.General, k int) (values []float64, vectors *mat.Dense, err error) {
	n := a.Rows
	// QᵀCQ = T with diagonal d and off-diagonal e.
	d, e, tau := make([]float64, n), make([]float64, max(0, n-1)), make([]float64, max(0, n-1))
	var impl lapack.Implementation
	size := make([]float64, 1)
	impl.Dsytrd(blas.Lower, n, a.Data, a.Stride, d, e, tau, size, -1)
	work := make([]float64, int(size[0]))
	impl.Dsytrd(blas.Lower, n, a.Data, a.Stride, d, e, tau, work, len(work))

	w, z, err := divide(d, e) // ascending; eigenvectors of T are the columns of z
	if err != nil || k == 0 {
		return nil, nil, err
	}
	values = make([]float64, k)
	Z := blas64.General{Rows: n, Cols: k, Stride: k, Data: make([]float64, n*k)}
	for j := range k {
		values[j] = w[n-1-j]
		for i := range n {
			Z.Data[i*k+j] = z.Data[i*z.Stride+n-1-j]
		}
	}
	backTransform(a, tau, Z)
	vectors = mat.NewDense(k, n, nil)
	v := vectors.RawMatrix()
	for i := range n {
		for j := range k {
			v.Data[j*n+i] = Z.Data[i*k+j]
		}
	}
	return values, vectors, nil
}

// backTransform computes Z ← Q Z for Q = H_0 H_1 .. H_{n−2} as Dsytrd leaves it below the
// subdiagonal of a: H_i = I − τ_i y_i y_iᵀ with y_i = (0 .. 0, 1, a(i+2.., i)). Blocks
// of reflectors are applied as I − Y T Yᵀ, T upper triangular (Schreiber and Van
// Loan 1989). gonum's Dormqr does the same, but its Dlarft (version 0.17) drops the
// end of a block's first reflector where the second one is shorter, as for
// matrices of low rank, and Q is then off by 1e-3: see TestBackTransform.
func backTransform(a blas64.General, tau []float64, Z blas64.General) {
	const nb = 32
	n := a.Rows
	for from := (len(tau) - 1) / nb * nb; from >= 0; from -= nb {
		w := min(nb, len(tau)-from)
		r0 := from + 1 // rows above are not touched
		Y := general(n-r0, w)
		for j := range w {
			Y.Data[j*w+j] = 1
			for i := from + j + 2; i < n; i++ {
				Y.Data[(i-r0)*w+j] = a.Data[i*a.Stride+from+j]
			}
		}
		G, T := general(w, w), general(w, w)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, Y, Y, 0, G)
		for j := range w { // T(0..j, j) = −τ_j T(0..j, 0..j) Y(0..j)ᵀ y_j
			t := tau[from+j]
			for i := range j {
				s := 0.0
				for l := i; l < j; l++ {
					s += T.Data[i*w+l] * G.Data[l*w+j]
				}
				T.Data[i*w+j] = -t * s
			}
			T.Data[j*w+j] = t
		}
		part := blas64.General{Rows: n - r0, Cols: Z.Cols, Stride: Z.Stride, Data: Z.Data[r0*Z.Stride:]}
		YZ, TYZ := general(w, Z.Cols), general(w, Z.Cols)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, Y, part, 0, YZ)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, T, YZ, 0, TYZ)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, Y, TYZ, 1, part)
	}
}

// Values returns all eigenvalues of C in descending order, without vectors.
func Values(C mat.Symmetric) ([]float64, error) {
	n := C.SymmetricDim()
	if n == 0 {
		return nil, nil
	}
	a, back := unit(C)
	d, e, tau := make([]float64, n), make([]float64, max(0, n-1)), make([]float64, max(0, n-1))
	var impl lapack.Implementation
	size := make([]float64, 1)
	impl.Dsytrd(blas.Lower, n, a.Data, a.Stride, d, e, tau, size, -1)
	work := make([]float64, int(size[0]))
	impl.Dsytrd(blas.Lower, n, a.Data, a.Stride, d, e, tau, work, len(work))
	if !impl.Dsterf(n, d, e) {
		return nil, fmt.Errorf("symeig: QL iteration for the eigenvalues of a %d×%d matrix did not converge", n, n)
	}
	slices.Reverse(d)
	return d, rescale(d, back)
}

// unit returns C times a power of two, which costs no digits, chosen such that the largest
// element is about 1 and no square inside the solvers overflows or vanishes. The
// eigenvalues of C are back times those of the result.
func unit(C mat.Symmetric) (g blas64.General, back float64) {
	g = square(C)
	big := 0.0
	for _, x := range g.Data {
		big = max(big, math.Abs(x))
	}
	if big == 0 || math.IsNaN(big) || math.IsInf(big, 0) {
		return g, 1
	}
	_, e := math.Frexp(big)
	e = max(-1022, min(1022, e)) // so that both factors are normal numbers
	if e != 0 {
		scale(math.Ldexp(1, -e), g.Data)
	}
	return g, math.Ldexp(1, e)
}

// rescale multiplies the eigenvalues of a matrix that unit has scaled.
func rescale(values []float64, back float64) error {
	for i := range values {
		values[i] *= back
		if math.IsInf(values[i], 0) {
			return fmt.Errorf("symeig: the eigenvalues overflow: scale the matrix")
		}
	}
	return nil
}

// square copies both triangles of C.
func square(C mat.Symmetric) blas64.General {
	n := C.SymmetricDim()
	g := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	if s, ok := C.(mat.RawSymmetricer); ok {
		r := s.RawSymmetric() // gonum's are always Upper
		if r.Uplo == blas.Upper {
			for i := range n {
				copy(g.Data[i*n+i:(i+1)*n], r.Data[i*r.Stride+i:i*r.Stride+n])
			}
			mirror(g)
			return g
		}
	}
	for i := range n {
		for j := range n {
			g.Data[i*n+j] = C.At(i, j)
		}
	}
	return g
}

// mirror copies the upper triangle to the lower one, in tiles that fit the
// cache.
func mirror(g blas64.General) {
	const tile = 32
	n, s, a := g.Rows, g.Stride, g.Data
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := i0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := max(j0, i+1); j < min(j0+tile, n); j++ {
					a[j*s+i] = a[i*s+j]
				}
			}
		}
	}
}
