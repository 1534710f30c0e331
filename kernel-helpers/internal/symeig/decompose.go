package symeig

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// Decompose returns the k largest eigenvalues of a symmetric matrix C (d×d) in descending order and their eigenvectors
// as COLUMNS (d×k), with their signs set by the function Signs. For k = d, C = QDQᵀ, where D holds the eigenvalues.
// Decompose is like Full, but checks C: it returns an error if C is nil, empty or not finite, or if the eigenvalues
// overflow.
func Decompose(C mat.Symmetric, k int) (values []float64, Q *mat.Dense, err error) {
	if err := Check(C); err != nil {
		return nil, nil, err
	}
	values, V, err := Full(C, k)
	if err != nil {
		return nil, nil, err
	}
	Q = Columns(V)
	Signs(Q)
	return values, Q, nil
}

// Columns returns the transpose of V. It copies in tiles that fit into the cache.
func Columns(V *mat.Dense) *mat.Dense {
	const tile = 32
	k, n := V.Dims()
	Q := mat.NewDense(n, k, nil)
	from, to := V.RawMatrix(), Q.RawMatrix()
	for i0 := 0; i0 < k; i0 += tile {
		for j0 := 0; j0 < n; j0 += tile {
			for i := i0; i < min(i0+tile, k); i++ {
				r := row(from, i)
				for j := j0; j < min(j0+tile, n); j++ {
					to.Data[j*to.Stride+i] = r[j]
				}
			}
		}
	}
	return Q
}

// Check returns an error if C is nil, empty or not finite.
func Check(C mat.Symmetric) error {
	if isNil(C) {
		return fmt.Errorf("the matrix is nil")
	}
	if C.SymmetricDim() == 0 {
		return fmt.Errorf("the matrix is empty")
	}
	for i := range C.SymmetricDim() {
		for j := range i + 1 {
			if x := C.At(i, j); math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("C(%d, %d) is %v", i, j, x)
			}
		}
	}
	return nil
}

func isNil(C mat.Symmetric) bool {
	v := reflect.ValueOf(C)
	return C == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Signs changes the signs of columns of Q (d×k) so that, in each column, the element of largest absolute value is
// positive. If several elements are within 1e-9 of the largest (relative), the first of them decides, so that rounding
// does not matter.
func Signs(Q *mat.Dense) {
	d, k := Q.Dims()
	peak := make([]float64, k)
	for i := range d {
		for j, q := range Q.RawRowView(i) {
			peak[j] = max(peak[j], math.Abs(q))
		}
	}
	sign := make([]float64, k) // 0 if not yet known
	for i := range d {
		for j, q := range Q.RawRowView(i) {
			if sign[j] == 0 && math.Abs(q) >= peak[j]*(1-1e-9) {
				sign[j] = math.Copysign(1, q)
			}
		}
	}
	for i := range d {
		r := Q.RawRowView(i)
		for j, x := range r {
			if sign[j] < 0 && x != 0 {
				r[j] = -x
			}
		}
	}
}

// Full returns the k largest eigenvalues of C (d×d, any symmetric matrix) in descending order, and their eigenvectors
// as rows (k×d). It returns an error if the eigenvalues overflow.
func Full(C mat.Symmetric, k int) (values []float64, vectors *mat.Dense, err error) {
	n := C.SymmetricDim()
	if k < 0 || k > n {
		panic(fmt.Sprintf("symeig: Full: %d eigenvectors of a %d×%d matrix", k, n, n))
	}
	if n == 0 {
		return nil, &mat.Dense{}, nil
	}
	a, back := scaleToUnit(C)
	values, vectors, err = decomposeFull(context.Background(), a, k)
	if err != nil {
		return nil, nil, err
	}
	return values, vectors, rescale(values, back)
}

// decomposeFull is like Full, for the symmetric matrix whose upper triangle is in the argument a. The elements must be
// of moderate size (see scaleToUnit). It overwrites the upper triangle, but not the rest of a. It checks ctx from time
// to time; if ctx is done, it returns ctx's error.
func decomposeFull(ctx context.Context, a blas64.General, k int) (values []float64, vectors *mat.Dense, err error) {
	n := a.Rows
	d, e, tau := reduce(ctx, a)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	w, z, err := divide(d, e, k, sc) // ascending
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || k == 0 {
		return nil, nil, err
	}
	values, vectors = make([]float64, k), mat.NewDense(k, n, nil)
	for i := range k {
		values[i] = w[n-1-i]
		vectors.SetRow(i, z[n-1-i])
	}
	applyReflectors(a, tau, vectors.RawMatrix())
	return values, vectors, nil
}

// Values returns all eigenvalues of C in descending order, without vectors.
func Values(C mat.Symmetric) ([]float64, error) {
	n := C.SymmetricDim()
	if n == 0 {
		return nil, nil
	}
	a, back := scaleToUnit(C)
	d, e, _ := reduce(context.Background(), a)
	if !(lapack.Implementation{}).Dsterf(n, d, e) {
		return nil, fmt.Errorf("symeig: QL iteration for the eigenvalues of a %d×%d matrix did not converge", n, n)
	}
	slices.Reverse(d)
	return d, rescale(d, back)
}

// scaleToUnit returns C multiplied by a power of two, without rounding, so that the largest element is about 1. Squares
// inside the solvers then neither overflow nor vanish. The eigenvalues of the scaled matrix, multiplied by factor (the
// second result), are those of C.
func scaleToUnit(C mat.Symmetric) (g blas64.General, factor float64) {
	n := C.SymmetricDim()
	g = general(n, n)
	big := 0.0
	for i := range n {
		r := row(g, i)[i:]
		upperRow(r, C, i)
		for _, x := range r {
			big = max(big, math.Abs(x)) // max keeps NaN
		}
	}
	factor = 1
	if big != 0 && !math.IsNaN(big) && !math.IsInf(big, 0) {
		_, e := math.Frexp(big)
		e = max(-1022, min(1022, e)) // so that both factors are normal numbers
		factor = math.Ldexp(1, e)
		if e != 0 {
			for i := range n {
				scale(math.Ldexp(1, -e), row(g, i)[i:])
			}
		}
	}
	mirror(g)
	return g, factor
}

// upperRow copies row i of C, from the diagonal on, into the slice to.
func upperRow(to []float64, C mat.Symmetric, i int) {
	if s, ok := C.(mat.RawSymmetricer); ok {
		if r := s.RawSymmetric(); r.Uplo == blas.Upper { // gonum's matrices always are
			copy(to, r.Data[i*r.Stride+i:])
			return
		}
	}
	for j := range to {
		to[j] = C.At(i, i+j)
	}
}

// rescale multiplies the eigenvalues of a scaled matrix, in the slice values, by the factor that scaleToUnit returned.
// It returns an error if they overflow.
func rescale(values []float64, factor float64) error {
	for i := range values {
		values[i] *= factor
		if math.IsInf(values[i], 0) {
			return fmt.Errorf("symeig: the eigenvalues overflow: scale the matrix")
		}
	}
	return nil
}

// mirror copies the upper triangle to the lower triangle, in tiles that fit into the cache.
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
