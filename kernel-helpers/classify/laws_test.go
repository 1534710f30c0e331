package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// twoClasses returns small data of two classes in any units.
func twoClasses(rng *rand.Rand, n, d int) (*mat.Dense, []int, string) {
	X, name := trial.Features(rng, n, d)
	y := make([]int, n)
	for i := range y {
		y[i] = rng.IntN(2)
	}
	y[0], y[1] = 0, 1
	return X, y, name
}

// unit returns a number that brings the largest element of X to about 1.
func unit(X *mat.Dense) float64 {
	if top := largestAbs(X); top > 0 {
		return 1 / top
	}
	return 1
}

// TestLinearSVMBound: the dual value of FitLinearSVM, Objective − Gap, is not above the minimum, which all sets of
// support vectors give in 400 binary digits; Objective is the value of the returned weights, and not above that of w =
// 0.
func TestLinearSVMBound(t *testing.T) {
	ctx := context.Background()
	count, missed, wide := trial.Count(300, 10000), 0, 0
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 78))
		n, d := 2+rng.IntN(4), 1+rng.IntN(3)
		X, y, name := twoClasses(rng, n, d)
		o := &LinearSVMOptions{C: math.Pow(10, 4*rng.Float64()-2), BiasValue: math.Pow(10, 2*rng.Float64()-1)}
		if rng.IntN(2) == 0 { // as large as the data are
			u := unit(X)
			o.C *= u * u
		}
		if rng.IntN(3) == 0 {
			o.Loss = Hinge
		}
		if rng.IntN(3) == 0 {
			o.MaxIterations = 1 + rng.IntN(50)
		}
		var Z mat.Matrix = X
		if rng.IntN(3) == 0 {
			Z = csr.Of(X)
		}
		m, err := FitLinearSVM(ctx, Z, y, o)
		what := fmt.Sprintf("seed %d, %d×%d, %s, %+v", seed, n, d, name, *o)
		if m == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if err != nil {
			missed++
		}
		// The dual: ½α'Q̄α − e'α.
		points := make([][]trial.Number, n)
		for i := range points {
			for j := range d {
				points[i] = append(points[i], trial.Of(X.At(i, j)))
			}
			points[i] = append(points[i], trial.Of(o.BiasValue))
		}
		Q, e, top := trial.Gram(points), make([]trial.Number, n), make([]float64, n)
		for i := range Q {
			for j := range Q {
				if y[i] != y[j] {
					Q[i][j] = trial.Sub(trial.Of(0), Q[i][j])
				}
			}
			e[i], top[i] = trial.Of(1), o.C
			if o.Loss == SquaredHinge {
				Q[i][i] = trial.Add(Q[i][i], trial.Of(0.5/o.C))
				top[i] = math.Inf(1)
			}
		}
		f, _ := trial.Box(Q, e, top, nil)
		least := -trial.Float(f)
		for k := range 2 {
			// P of the returned weights.
			w := make([]trial.Number, d+1)
			for j := range d {
				w[j] = trial.Of(m.W.At(k, j))
			}
			w[d] = trial.Quo(trial.Of(m.B[k]), trial.Of(o.BiasValue))
			own, noise := trial.Mul(trial.Of(0.5), trial.Dot(w, w)), 0.0
			for i := range n {
				s := 1.0
				if y[i] != k {
					s = -1
				}
				xi := trial.Sub(trial.Of(1), trial.Mul(trial.Of(s), trial.Dot(w, points[i])))
				// The rounding of a score.
				size := math.Abs(m.B[k]) + 1
				for j := range d {
					size += math.Abs(m.W.At(k, j) * X.At(i, j))
				}
				size *= float64(d+2) * 0x1p-52
				if xi.Sign() <= 0 {
					if trial.Float(xi) > -size {
						noise += o.C * size
					}
					continue
				}
				v := trial.Float(xi)
				if o.Loss == SquaredHinge {
					noise += o.C * size * (2*v + size)
					xi = trial.Mul(xi, xi)
				} else {
					noise += o.C * size
				}
				own = trial.Add(own, trial.Mul(trial.Of(o.C), xi))
			}
			p, none := trial.Float(own), o.C*float64(n)
			noise += 1e-13 * (p + least)
			if math.Abs(m.Objective[k]-p) > noise {
				t.Errorf("%s: machine %d: Objective is %v, the weights have %v (noise %g)", what, k, m.Objective[k], p, noise)
			}
			if bound := m.Objective[k] - m.Gap[k]; bound > least+1e-12*none+noise {
				t.Errorf("%s: machine %d: %v: bound %v, minimum %v, objective %v", what, k, m.Status, bound, least, m.Objective[k])
			}
			if p > none*(1+1e-9)+noise {
				t.Errorf("%s: machine %d: %v: objective %v, that of w = 0 is %v", what, k, m.Status, p, none)
			}
			if m.Status == ended.Converged && m.Gap[k] > 0.1*m.Objective[k] {
				wide++
			}
		}
	}
	t.Logf("%d of %d not converged, %d machines with a gap above 10 %%", missed, count, wide)
}

// TestRBFSVMBound: Dual is not above the minimum and Objective is not below it, but for float32 kernels. All sets of
// support vectors give the minimum.
func TestRBFSVMBound(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 79))
		n, d := 2+rng.IntN(4), 1+rng.IntN(3)
		X, y, name := twoClasses(rng, n, d)
		o := &RBFSVMOptions{C: math.Pow(10, 4*rng.Float64()-2)}
		switch rng.IntN(3) {
		case 0:
			u := unit(X)
			o.Gamma = u * u
		case 1:
			o.Gamma = math.Pow(10, 4*rng.Float64()-2)
		}
		if rng.IntN(3) == 0 {
			o.MaxIterations = 1 + rng.IntN(5)
		}
		m, err := FitRBFSVM(ctx, X, y, o)
		what := fmt.Sprintf("seed %d, %d×%d, %s, %+v", seed, n, d, name, *o)
		if m == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if m.Gamma == 0 {
			t.Errorf("%s: γ is 0", what)
		}
		Q, e := make([][]trial.Number, n), make([]trial.Number, n)
		top, sign := make([]float64, n), make([]float64, n)
		for i := range n {
			sign[i], e[i], top[i] = 1, trial.Of(1), o.C
			if y[i] == 1 {
				sign[i] = -1
			}
		}
		for i := range n {
			for j := range n {
				dist := 0.0
				for k := range d {
					dist += (X.At(i, k) - X.At(j, k)) * (X.At(i, k) - X.At(j, k))
				}
				Q[i] = append(Q[i], trial.Of(sign[i]*sign[j]*math.Exp(-m.Gamma*dist)))
			}
		}
		f, _ := trial.Box(Q, e, top, sign)
		least := -trial.Float(f)
		noise := 0.0 // Σ|β|² times the error of a kernel
		for j := range m.Index {
			noise += math.Abs(m.Beta.At(0, j))
		}
		noise = 2e-7*noise*noise + 2e-7*noise + 1e-12*o.C*float64(n)
		if m.Dual[0] > least+noise || m.Objective[0] < least-noise {
			t.Errorf("%s: %v: dual %v, minimum %v, objective %v, noise %g", what, m.Status, m.Dual[0], least, m.Objective[0], noise)
		}
		if m.Status == ended.Converged && m.Objective[0]-m.Dual[0] > 1e-3*o.C*float64(n)+noise {
			t.Errorf("%s: a gap of %v, the documentation has %v", what, m.Objective[0]-m.Dual[0], 1e-3*o.C*float64(n))
		}
		if m.Status == ended.NoProgress && m.Objective[0] > o.C*float64(n) {
			t.Errorf("%s: NoProgress at %v, β = 0 has %v", what, m.Objective[0], o.C*float64(n))
		}
	}
}
