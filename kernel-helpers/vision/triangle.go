package vision

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"overcomplete/kernel-helpers/internal/given"
)

// Triangle returns an encoder that assigns a patch x softly to centers d_j, the columns of a k-means dictionary (A.
// Coates, H. Lee and A. Ng, An analysis of single-layer networks in unsupervised feature learning, AISTATS 2011):
//
//	f_j = max(0, μ(r) − r_j),   r_j = ‖x − d_j‖,   μ(r) the mean of the r_j.
func Triangle(d *Dictionary) Encoder {
	given.Args("vision: Triangle", "d", d)
	dim, atoms := d.Dims()
	e := &triangleEncoder{dim: dim, atoms: atoms, D: single(d.D), square: make([]float32, atoms),
		name: fmt.Sprintf("triangle of %v", d)}
	for k := range atoms {
		var s float64
		for j := range dim {
			s += d.D.At(j, k) * d.D.At(j, k)
		}
		e.square[k] = float32(s)
	}
	return e
}

type triangleEncoder struct {
	dim, atoms int
	D          []float32 // D×N
	square     []float32 // ‖d_j‖² (N)
	name       string
}

func (e *triangleEncoder) Dim() int       { return e.dim }
func (e *triangleEncoder) Channels() int  { return e.atoms }
func (e *triangleEncoder) String() string { return e.name }
func (e *triangleEncoder) Copy() Encoder  { return e }

func (e *triangleEncoder) Encode(dst, X []float32, n int) {
	checkEncode(e, dst, X, n)
	N := e.atoms
	blas32.Gemm(blas.NoTrans, blas.NoTrans, -2, general(X, n, e.dim), general(e.D, e.dim, N), 0, general(dst, n, N)) // (n×D)(D×N)
	for i := range n {
		var x float32
		for _, v := range X[i*e.dim : (i+1)*e.dim] {
			x += v * v
		}
		row := dst[i*N : (i+1)*N]
		var sum float64
		for k, v := range row {
			r := float32(math.Sqrt(float64(max(0, x+v+e.square[k]))))
			row[k] = r
			sum += float64(r)
		}
		mean := float32(sum / float64(N))
		for k, r := range row {
			row[k] = max(0, mean-r)
		}
	}
}
