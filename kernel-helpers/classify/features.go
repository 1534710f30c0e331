package classify

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
)

// features is a dense or sparse matrix with a point per row.
type features interface {
	dims() (n, d int)
	// addTimes adds to Z the inner products of the rows [from, to) with the rows of W (K×d).
	addTimes(Z, W blas64.General, from, to int)
	// addTransposed adds R'X to G (K×d), for the rows [from, to) of X.
	addTransposed(G, R blas64.General, from, to int)
}

type denseFeatures struct{ *mat.Dense }

func (f denseFeatures) dims() (n, d int) { return f.Dims() }

func (f denseFeatures) rows(from, to int) blas64.General {
	_, d := f.Dims()
	return f.Slice(from, to, 0, d).(*mat.Dense).RawMatrix()
}

func (f denseFeatures) addTimes(Z, W blas64.General, from, to int) {
	blas64.Gemm(noTrans, trans, 1, f.rows(from, to), W, 1, Z)
}

func (f denseFeatures) addTransposed(G, R blas64.General, from, to int) {
	blas64.Gemm(trans, noTrans, 1, R, f.rows(from, to), 1, G)
}

type sparseFeatures struct{ *csr.Matrix }

func (f sparseFeatures) dims() (n, d int) { return f.Dims() }

func (f sparseFeatures) addTimes(Z, W blas64.General, from, to int) {
	for i := from; i < to; i++ {
		x := f.point(i)
		z := Z.Data[(i-from)*Z.Stride:][:Z.Cols]
		for k := range z {
			z[k] += x.dot(W.Data[k*W.Stride:][:W.Cols])
		}
	}
}

func (f sparseFeatures) addTransposed(G, R blas64.General, from, to int) {
	for i := from; i < to; i++ {
		x := f.point(i)
		for k, r := range R.Data[(i-from)*R.Stride:][:R.Cols] {
			x.addTo(G.Data[k*G.Stride:][:G.Cols], r)
		}
	}
}

func (f sparseFeatures) point(i int) point {
	col, val := f.View(i)
	if col == nil {
		col = []int32{}
	}
	return point{col, val}
}

// checkLabeledRows does what checkLabeled does, but keeps a sparse X sparse.
func checkLabeledRows(fn string, X mat.Matrix, y []int, classes int) (features, int, error) {
	if S, ok := X.(*csr.Matrix); ok && S != nil {
		if i, j := S.Find(); i >= 0 {
			return nil, 0, fmt.Errorf("classify: %s: X(%d, %d) is %v", fn, i, j, S.At(i, j))
		}
		K, err := labels(fn, S, y, classes)
		return sparseFeatures{S}, K, err
	}
	D, K, err := checkLabeled(fn, X, y, classes)
	return denseFeatures{D}, K, err
}

// inputRows does what input does, but keeps a sparse X sparse.
func inputRows(fn string, X mat.Matrix, d int) features {
	if S, ok := X.(*csr.Matrix); ok && S != nil {
		return sparseFeatures{inputSparse(fn, S, d)}
	}
	return denseFeatures{input(fn, X, d)}
}

// inputSparse does what input does, for a sparse matrix.
func inputSparse(fn string, S *csr.Matrix, d int) *csr.Matrix {
	if i, j := S.Find(); i >= 0 {
		panic(fmt.Sprintf("classify: %s: X(%d, %d) is %v", fn, i, j, S.At(i, j)))
	}
	checkWidth(fn, S, d)
	return S
}

// checkWidth panics unless X has the d features of a model.
func checkWidth(fn string, X mat.Matrix, d int) {
	n, m := X.Dims()
	switch {
	case m == d:
	case n == d:
		panic(fmt.Sprintf("classify: %s: X is %d×%d, a point per ROW, the model has %d features: want %d×%d, is X transposed?", fn, n, m, d, m, n))
	default:
		panic(fmt.Sprintf("classify: %s: X is %d×%d, the model has %d features", fn, n, m, d))
	}
}

// pointsOf returns the rows of features as points.
func pointsOf(F features) []point {
	switch f := F.(type) {
	case denseFeatures:
		return compress(f.Dense)
	case sparseFeatures:
		n, _ := f.Dims()
		p := make([]point, n)
		for i := range p {
			p[i] = f.point(i)
		}
		return p
	}
	panic("classify: unknown features")
}

// squaredNorm returns ‖x‖².
func (p *point) squaredNorm() float64 { return floats.Dot(p.value, p.value) }
