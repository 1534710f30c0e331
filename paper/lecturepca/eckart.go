package lecturepca

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/pca"
)

// A Contest compares the truncated SVD of a matrix M with other matrices of the same rank k. The error of a matrix M'
// is its distance ‖M − M'‖_F from M. By the theorem of Eckart and Young no competitor has an error below Best (C.
// Eckart and G. Young, The approximation of one matrix by another of lower rank, Psychometrika 1 (1936); E. Schmidt
// 1907).
type Contest struct {
	Rank int
	// Best is the error of the truncated SVD, computed from the product UΣVᵀ.
	Best float64
	// Tail is the value of Best by the theorem: √(σ²_{k+1} + .. + σ²_p), where σ_1 to σ_p are the singular values of M.
	Tail float64
	// Random holds the errors of projections of M on random subspaces of dimension k.
	Random []float64
	// Perturbed holds the errors of projections of M on the spans of V_k + δ·noise, with δ from 1e-3 to 1. The columns
	// of V_k are the first k right singular vectors of M.
	Perturbed []float64
	// Optimized holds the errors of random factors AB after Steps rounds of alternating least squares. Each
	// round finds the best A for B, then the best B for A.
	Optimized []float64
	Steps     int
}

// EckartYoung compares the truncated SVD of rank k of M (m×n) with competitors of three kinds (see Contest). The
// argument competitors is their number of each kind. EckartYoung returns an error unless it is at least 1 and k is
// between 1 and min(m, n).
func EckartYoung(M mat.Matrix, k, competitors int, seed uint64) (*Contest, error) {
	all, err := pca.ThinSVD(M)
	if err != nil {
		return nil, fmt.Errorf("lecturepca: EckartYoung: %w", err)
	}
	best, err := pca.TruncatedSVD(M, k)
	if err != nil {
		return nil, fmt.Errorf("lecturepca: EckartYoung: %w", err)
	}
	if competitors < 1 {
		return nil, fmt.Errorf("lecturepca: EckartYoung: competitors is %d, must be at least 1", competitors)
	}
	data := mat.DenseCopyOf(M)
	_, n := data.Dims()
	c := &Contest{Rank: k, Steps: 30}
	c.Best = distance(data, best.Matrix())
	for i := len(all.S) - 1; i >= k; i-- {
		c.Tail += all.S[i] * all.S[i]
	}
	c.Tail = math.Sqrt(c.Tail)

	rng := rand.New(rand.NewPCG(seed, 0xec))
	noise := func() *mat.Dense { // n×k
		g := mat.NewDense(n, k, nil)
		g.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, g)
		return g
	}
	for i := range competitors {
		c.Random = append(c.Random, projectionError(data, noise()))

		delta := math.Pow(10, -3*float64(i)/float64(max(1, competitors-1)))
		g := noise()
		g.Scale(delta/math.Sqrt(float64(n)), g)
		g.Add(g, best.V)
		c.Perturbed = append(c.Perturbed, projectionError(data, g))

		V := noise()
		for range c.Steps {
			// The best A for an orthonormal V is MV; the best V for that A spans MᵀA.
			V = orthonormalColumns(V)
			var A, B mat.Dense
			A.Mul(data, V)
			B.Mul(data.T(), &A)
			V = &B
		}
		c.Optimized = append(c.Optimized, projectionError(data, V))
	}
	return c, nil
}

// projectionError returns ‖M − M QQᵀ‖_F, where Q is an orthonormal basis of the columns of V.
func projectionError(M, V *mat.Dense) float64 {
	Q := orthonormalColumns(V)
	var z, back mat.Dense
	z.Mul(M, Q)
	back.Mul(&z, Q.T())
	return distance(M, &back)
}

// distance returns ‖A − B‖_F.
func distance(A, B *mat.Dense) float64 {
	var d mat.Dense
	d.Sub(A, B)
	return mat.Norm(&d, 2)
}

// orthonormalColumns returns an orthonormal basis of the columns of V (n×k), which must be independent. It applies
// Gram-Schmidt twice.
func orthonormalColumns(V *mat.Dense) *mat.Dense {
	Q := mat.DenseCopyOf(V.T()) // k×n
	k, _ := Q.Dims()
	for range 2 {
		for i := range k {
			v := Q.RawRowView(i)
			for j := range i {
				u := Q.RawRowView(j)
				floats.AddScaled(v, -floats.Dot(u, v), u)
			}
			floats.Scale(1/math.Sqrt(floats.Dot(v, v)), v)
		}
	}
	return mat.DenseCopyOf(Q.T())
}
