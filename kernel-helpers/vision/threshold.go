package vision

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"overcomplete/kernel-helpers/internal/given"
)

//go:generate go run ./gen -out threshold_amd64.s -stubs threshold_amd64.go -pkg vision
//go:generate go run ./gen -isa neon -out threshold_arm64.s -stubs threshold_arm64.go -pkg vision

// SoftThreshold returns the encoder that turns a patch x into 2N channels
//
//	f_j = max(0, d_j'x − α),   f_{N+j} = max(0, −d_j'x − α),
//
// where d_j are the N atoms of d, and alpha is α. Coates and Ng's α is 0.25; it may be 0.
func SoftThreshold(d *Dictionary, alpha float64) Encoder {
	given.Args("vision: SoftThreshold", "d", d)
	if !(alpha >= 0) || math.IsInf(alpha, 0) {
		panic(fmt.Sprintf("vision: SoftThreshold: alpha is %v, must be finite and not negative", alpha))
	}
	dim, atoms := d.Dims()
	return &thresholdEncoder{dim: dim, atoms: atoms, alpha: float32(alpha), D: single(d.D),
		name: fmt.Sprintf("soft threshold %v with both signs of %v", alpha, d)}
}

type thresholdEncoder struct {
	dim, atoms int
	alpha      float32
	D          []float32 // D×N
	name       string
	z          []float32 // n×N
}

func (e *thresholdEncoder) Dim() int       { return e.dim }
func (e *thresholdEncoder) Channels() int  { return 2 * e.atoms }
func (e *thresholdEncoder) String() string { return e.name }

func (e *thresholdEncoder) Copy() Encoder {
	c := *e
	c.z = nil
	return &c
}

func (e *thresholdEncoder) Encode(dst, X []float32, n int) {
	checkEncode(e, dst, X, n)
	e.product(X, n)
	N, a := e.atoms, e.alpha
	for i := range n {
		pos, neg := dst[2*i*N:(2*i+1)*N], dst[(2*i+1)*N:2*(i+1)*N]
		for k, v := range e.z[i*N : (i+1)*N] {
			pos[k], neg[k] = max(0, v-a), max(0, -v-a)
		}
	}
}

// product stores z = XD (n×N).
func (e *thresholdEncoder) product(X []float32, n int) {
	e.z = grow(e.z, n*e.atoms)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(X, n, e.dim), general(e.D, e.dim, e.atoms), 0, general(e.z[:n*e.atoms], n, e.atoms)) // (n×D)(D×N)
}

// add implements the interface summer. It adds the features to the sums of the cells without storing the 2N channels of
// each patch.
func (e *thresholdEncoder) add(_ context.Context, sums []float32, cell []int, X []float32, n int) error {
	e.product(X, n)
	N, a := e.atoms, e.alpha
	for i := range n {
		sum := sums[cell[i]*2*N : (cell[i]+1)*2*N]
		addThreshold(sum[:N], sum[N:], e.z[i*N:(i+1)*N], a)
	}
	return nil
}

// addThresholdPortable is addThreshold without assembly. It replaces negative numbers by 0 with masks made from their
// sign bits. Branches would be mispredicted half the time.
func addThresholdPortable(pos, neg, z []float32, a float32) {
	pos, neg = pos[:len(z)], neg[:len(z)]
	for k, v := range z {
		p, n := math.Float32bits(v-a), math.Float32bits(-v-a)
		pos[k] += math.Float32frombits(p &^ uint32(int32(p)>>31))
		neg[k] += math.Float32frombits(n &^ uint32(int32(n)>>31))
	}
}
