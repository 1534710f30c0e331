package s3c

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// difference returns the largest |a − b|.
func difference(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return largest(&d)
}

// inUnit returns the same model for patches that are c times as large: means of slabs are multiplied by c, and
// precisions are divided by c².
func (m *Model) inUnit(c float64) *Model {
	u := m.Clone()
	for i := range u.Mu {
		u.Mu[i] *= c
		u.Alpha[i] /= c * c
	}
	for j := range u.Beta {
		u.Beta[j] /= c * c
	}
	return u
}

// TestLaws: if patches and model change to another unit, in which patches are c times as large, the spikes stay the
// same, the slabs become c times as large, and the energies become lower by D log c, as log densities do. Rotating the
// patches and W, or reordering the units, does not change Q and the energies. A dimension where patches and W are 0
// adds ½log(β/2π) to the energies.
func TestLaws(t *testing.T) {
	const d, n, patches = 5, 8, 6
	m, V := aModel(t, d, n, false, 3), gaussian(patches, d, 1, 4)
	rng := rand.New(rand.NewPCG(1, 88))
	for _, method := range []Method{FixedPoint, ConjugateGradient, Coordinate} {
		base := infer(t, m, V, InferOptions{Method: method})
		check := func(what string, r *Inference, c, more, tolerance float64) {
			t.Helper()
			var S mat.Dense
			S.Scale(1/c, r.Q.HS())
			h, hs := difference(r.Q.H(), base.Q.H()), difference(&S, base.Q.HS())
			if h > tolerance || hs > tolerance {
				t.Errorf("%v, %s: the spikes differ by %g, the slabs by %g", method, what, h, hs)
			}
			for k, f := range r.Energy {
				if math.Abs(f-base.Energy[k]-more) > tolerance*(1+math.Abs(f)) {
					t.Errorf("%v, %s: energy %v of patch %d, want %v", method, what, f, k, base.Energy[k]+more)
				}
			}
		}
		for _, e := range []int{-40, -3, 3, 40} {
			c := math.Ldexp(1, e)
			var U mat.Dense
			U.Scale(c, V)
			check(fmt.Sprintf("times 2^%d", e), infer(t, m.inUnit(c), &U, InferOptions{Method: method}), c, -d*math.Log(c), 1e-8)
		}
		var qr mat.QR
		qr.Factorize(gaussian(d, d, 1, 9))
		var Q, T mat.Dense
		qr.QTo(&Q)
		turned := m.Clone()
		turned.W.Mul(&Q, m.W)
		T.Mul(V, Q.T())
		check("turned", infer(t, turned, &T, InferOptions{Method: method}), 1, 0, 1e-8)

		more := m.Clone()
		more.W = mat.NewDense(d+1, n, nil)
		more.W.Slice(0, d, 0, n).(*mat.Dense).Copy(m.W)
		U := mat.NewDense(patches, d+1, nil)
		U.Slice(0, patches, 0, d).(*mat.Dense).Copy(V)
		check("a dimension of zeros", infer(t, more, U, InferOptions{Method: method}), 1, 0.5*math.Log(m.Beta[0]/(2*math.Pi)), 1e-8)

		if method == Coordinate { // Coordinate depends on the order of the units
			continue
		}
		order, moved := rng.Perm(n), m.Clone()
		for i, from := range order {
			moved.W.SetCol(i, mat.Col(nil, from, m.W))
			moved.Bias[i], moved.Mu[i], moved.Alpha[i] = m.Bias[from], m.Mu[from], m.Alpha[from]
		}
		r := infer(t, moved, V, InferOptions{Method: method})
		back := r.Q.Clone()
		for i, from := range order {
			back.Logit.SetCol(from, mat.Col(nil, i, r.Q.Logit))
			back.S.SetCol(from, mat.Col(nil, i, r.Q.S))
		}
		r.Q = back
		check("units in another order", r, 1, 0, 1e-8)
	}
}

// TestEncoderUnits: the float32 path has the same spikes in another unit too.
func TestEncoderUnits(t *testing.T) {
	m, V := aModel(t, 5, 8, true, 3), gaussian(6, 5, 1, 4)
	want := must[*mat.Dense](t)(m.Transform(bg, V, nil))
	for _, e := range []int{-20, -3, 3, 20} {
		var U mat.Dense
		U.Scale(math.Ldexp(1, e), V)
		if got := must[*mat.Dense](t)(m.inUnit(math.Ldexp(1, e)).Transform(bg, &U, nil)); difference(got, want) > 1e-5 {
			t.Errorf("times 2^%d: the spikes differ by %g", e, difference(got, want))
		}
	}
}

// TestEvidenceBound: no Q has an energy above log P(v), which the test computes by enumerating all spikes. In the test,
// units are equal, nearly equal or constant, precisions have very different sizes, and one patch is far from the
// others.
func TestEvidenceBound(t *testing.T) {
	closest, farthest, missed := math.Inf(1), 0.0, 0
	for seed := range uint64(trial.Count(200, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 89))
		d, n := 2+rng.IntN(4), 1+rng.IntN(5)
		W, name := trial.Features(rng, d, n)
		for i := range n { // a column must not be 0
			if mat.Norm(W.ColView(i), 2) == 0 {
				W.Set(0, i, 1)
			}
		}
		m, err := NewModel(W, 2*rng.NormFloat64(), math.Pow(10, 4*rng.Float64()-2), math.Pow(10, 4*rng.Float64()-2))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			m.Mu[i] = rng.NormFloat64()
			m.Alpha[i] *= math.Exp(rng.NormFloat64())
		}
		V := gaussian(3, d, math.Pow(10, 2*rng.Float64()-1), seed)
		V.Set(2, 0, 1e4*V.At(2, 0))
		exact := must[*ExactPosterior](t)(m.Exact(V))
		for _, method := range []Method{FixedPoint, ConjugateGradient, Coordinate} {
			r, err := m.Infer(t.Context(), V, &InferOptions{Method: method})
			if err != nil {
				if ended.Accept(err) != nil {
					t.Fatalf("seed %d, %s, %v: %v", seed, name, method, err)
				}
				missed++
			}
			for k, f := range r.Energy {
				gap := exact.LogEvidence[k] - f
				size := 1 + math.Abs(f) + m.Beta[0]*math.Pow(mat.Norm(V.RowView(k), 2), 2)
				if !(gap >= -1e-10*size) {
					t.Errorf("seed %d, %d×%d, %s, %v: energy %v of patch %d, log P(v) is %v", seed, d, n, name, method, f, k, exact.LogEvidence[k])
				}
				if method == Coordinate && k < 2 {
					closest, farthest = math.Min(closest, gap), math.Max(farthest, gap)
				}
			}
		}
	}
	t.Logf("by coordinates, log P(v) − F is from %g to %g; %d did not converge", closest, farthest, missed)
}
