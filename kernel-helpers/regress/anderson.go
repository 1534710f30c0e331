package regress

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// kept is K in the paper. There is one extrapolation for every K+1 sweeps.
const kept = 5

// An extrapolation speeds up sweeps over a working set (Q. Bertrand and M. Massias, Anderson acceleration of coordinate
// descent, AISTATS 2021, algorithm 2). Let w_0 to w_K be the coefficients after K+1 consecutive sweeps, where K = kept.
// The extrapolation computes
//
//	w = Σ_k c_k w_k for k = 1 to K,  c minimizes ‖Σ_k c_k (w_k − w_{k−1})‖ with Σ_k c_k = 1
//
// and replaces w_K by this w if the objective F is lower at w. While no coefficient becomes 0 or nonzero, a sweep is
// an affine map, and this is a Krylov method.
type extrapolation struct{ w [][]float64 } // the working set's coefficients after each sweep

// add stores the working set's coefficients after a sweep. Once the coefficients of K+1 sweeps are stored, it
// extrapolates from them, discards them, and returns true. alpha is the weight of ‖w‖₁, and mu is the weight of ½‖w‖².
func (e *extrapolation) add(s state, working []int, alpha, mu float64) bool {
	w, current := make([]float64, len(working)), s.coefficients()
	for k, j := range working {
		w[k] = current[j]
	}
	if e.w = append(e.w, w); len(e.w) <= kept {
		return false
	}
	if w := e.combine(); w != nil {
		before, restore := s.value(working, alpha, mu), s.save()
		set := func(w []float64) {
			for k, j := range working {
				current[j] = w[k]
			}
		}
		set(w)
		s.restart() // instead of using Σ c_k r_k, because with large c that sum is mostly rounding error
		if !(s.value(working, alpha, mu) < before) {
			set(e.w[kept])
			restore()
		}
	}
	e.w = nil
	return true
}

// combine returns Σ_k c_k w_k, or nil if c cannot be computed.
func (e *extrapolation) combine() []float64 {
	G, ones := mat.NewSymDense(kept, nil), mat.NewVecDense(kept, nil)
	differences := make([][]float64, kept)
	for k := range kept {
		ones.SetVec(k, 1)
		differences[k] = floats.SubTo(make([]float64, len(e.w[k])), e.w[k+1], e.w[k])
		for l := range k + 1 {
			G.SetSym(k, l, floats.Dot(differences[k], differences[l]))
		}
	}
	// c is proportional to z with Gz = 1. The ridge is needed because the differences are nearly dependent when few
	// coefficients still change.
	ridge := 1e-12 * mat.Trace(G)
	for k := range kept {
		G.SetSym(k, k, G.At(k, k)+ridge)
	}
	var ch mat.Cholesky
	var z mat.VecDense
	if !ch.Factorize(G) || ch.SolveVecTo(&z, ones) != nil {
		return nil
	}
	w := make([]float64, len(e.w[0]))
	for k := range kept {
		floats.AddScaled(w, z.AtVec(k)/mat.Sum(&z), e.w[k+1])
	}
	return w
}

func (s *descent) coefficients() []float64 { return s.w }

func (s *descent) save() (restore func()) {
	r := *s.r
	r.base = slices.Clone(r.base)
	return func() { *s.r = r }
}

// value returns F. w must be 0 outside features.
func (s *descent) value(features []int, alpha, mu float64) float64 {
	s.X.settle(s.r)
	f := floats.Dot(s.r.base, s.r.base) / (2 * s.n)
	for _, j := range features {
		f += alpha*math.Abs(s.w[j]) + mu/2*s.w[j]*s.w[j]
	}
	return f
}
