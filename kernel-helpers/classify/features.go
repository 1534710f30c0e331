package classify

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/constant"
)

// features is a dense or sparse matrix with a point per row.
type features interface {
	dims() (n, d int)
	// addTimes adds to Z the inner products of the rows [from, to) of X with the rows of W (K×d).
	addTimes(Z, W blas64.General, from, to int)
	// addTransposed adds R'Y to G (K×d), where Y consists of the rows [from, to) of X.
	addTransposed(G, R blas64.General, from, to int)
	// moments returns the means and the variances of the features.
	moments() (mean, variance []float64)
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

func (f denseFeatures) moments() (mean, variance []float64) {
	n, d := f.Dims()
	mean, variance = make([]float64, d), make([]float64, d)
	for i := range n {
		floats.AddScaled(mean, 1/float64(n), f.RawRowView(i))
	}
	for i := range n {
		for j, x := range f.RawRowView(i) {
			variance[j] += (x - mean[j]) * (x - mean[j])
		}
	}
	for j := range variance {
		variance[j] /= float64(n)
	}
	return mean, variance
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

func (f sparseFeatures) moments() (mean, variance []float64) {
	n, _ := f.Dims()
	mean, variance, _ = f.Moments()
	for j := range variance {
		variance[j] /= float64(n)
	}
	return mean, variance
}

func (f sparseFeatures) point(i int) point {
	col, val := f.View(i)
	if col == nil {
		col = []int32{}
	}
	return point{index: col, value: val}
}

// A feature is far from 0 if its mean, in absolute value, exceeds both farFrom0 and farFrom0 times its standard
// deviation. A small change
// to the feature's weight then requires a large change to the bias, which slows down training.
const farFrom0 = 30

// nearer subtracts the mean from each feature that is far from 0 (see farFrom0), and returns the resulting features.
// shift (d) holds what was subtracted from each feature: its mean or 0. square (d) holds the mean square of each
// resulting feature, or 0 if the feature is constant. If no feature is far from 0, nearer returns F itself and a nil
// shift.
func nearer(F features) (_ features, shift, square []float64) {
	n, d := F.dims()
	mean, square := F.moments()
	var constants []bool
	switch f := F.(type) {
	case denseFeatures:
		constants = constant.Columns(f.Dense)
	case sparseFeatures:
		constants = constant.Columns(f.Matrix)
	}
	shift, some := make([]float64, d), false
	for j, m := range mean {
		if math.Abs(m) > farFrom0*math.Max(1, math.Sqrt(square[j])) {
			shift[j], some = m, true
		} else {
			square[j] += m * m
		}
		if constants[j] {
			square[j] = 0
		}
	}
	if !some {
		return F, nil, square
	}
	if S, ok := F.(sparseFeatures); ok {
		var row, col []int
		var val []float64
		S.DoNonZero(func(i, j int, v float64) { row, col, val = append(row, i), append(col, j), append(val, v) })
		for j, m := range shift {
			for i := 0; m != 0 && i < n; i++ {
				row, col, val = append(row, i), append(col, j), append(val, -m)
			}
		}
		C, err := csr.FromTriplets(n, d, row, col, val)
		if err != nil {
			panic("classify: " + err.Error())
		}
		return sparseFeatures{C}, shift, square
	}
	D := mat.DenseCopyOf(F.(denseFeatures).Dense)
	for i := range n {
		floats.Sub(D.RawRowView(i), shift)
	}
	return denseFeatures{D}, shift, square
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

// checkWidth panics unless X has d columns.
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

// pointsOf returns the rows of F as points.
func pointsOf(F features) []point {
	switch f := F.(type) {
	case denseFeatures:
		if p := encode(f.Dense); p != nil {
			return p
		}
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
func (p *point) squaredNorm() (sum float64) {
	p.visit(func(_ int, x float64) { sum += x * x })
	return sum
}

const (
	noTrans = blas.NoTrans
	trans   = blas.Trans
)
