package synth

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// Frames cuts a signal into frames of the given length; hop is the distance, in samples, from the beginning of a frame
// to that of the next. The frames are the columns of the result (length × number of frames). Samples at the end that do
// not fill a frame are dropped. If removeMean is set, every frame has mean 0.
func Frames(signal []float64, length, hop int, removeMean bool) *mat.Dense {
	if length <= 0 || hop <= 0 || len(signal) < length {
		panic(fmt.Sprintf("synth: Frames: %d samples in frames of %d every %d", len(signal), length, hop))
	}
	n := (len(signal)-length)/hop + 1
	X := mat.NewDense(length, n, nil)
	for j := range n {
		frame := signal[j*hop : j*hop+length]
		mean := 0.0
		if removeMean {
			for _, v := range frame {
				mean += v / float64(length)
			}
		}
		for i, v := range frame {
			X.Set(i, j, v-mean)
		}
	}
	return X
}

// Whiten returns Y = W X, where W is symmetric (m × m) and the covariance of Y is the identity. X is m × n, one frame
// per column. Whiten does not subtract the mean: the covariance of X here is X X'/n, and that of Y is Y Y'/n.
//
// If the variance of X in a direction is below 1e-10 of the largest variance, W maps this direction to 0. Y then has
// no variance in this direction. An example is the constant direction if every frame has mean 0.
func Whiten(X *mat.Dense) (Y, W *mat.Dense, err error) {
	m, n := X.Dims()
	C := mat.NewSymDense(m, nil)
	C.SymOuterK(1/float64(n), X)
	for i := range m {
		for j := range n {
			if v := X.At(i, j); !finite.Is(v) {
				return nil, nil, fmt.Errorf("synth: Whiten: value %d of frame %d is %v", i, j, v)
			}
		}
	}
	var e mat.EigenSym
	if !e.Factorize(C, true) {
		return nil, nil, errors.New("synth: Whiten: the eigenvalues of the covariance did not converge")
	}
	val := e.Values(nil) // ascending
	if !(val[m-1] > 0) {
		return nil, nil, errors.New("synth: Whiten: all frames are 0")
	}
	var V, D mat.Dense
	e.VectorsTo(&V)
	D.CloneFrom(&V)
	for k, v := range val {
		g := 0.0
		if v > 1e-10*val[m-1] {
			g = 1 / math.Sqrt(v)
		}
		for i := range m {
			D.Set(i, k, V.At(i, k)*g)
		}
	}
	W = mat.NewDense(m, m, nil)
	W.Mul(&D, V.T())
	Y = mat.NewDense(m, n, nil)
	Y.Mul(W, X)
	return Y, W, nil
}
