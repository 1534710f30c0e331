package unrolled

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/kernel-helpers/tape"
)

func random(seed uint64, r, c int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 9))
	m := mat.NewDense(r, c, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() / math.Sqrt(float64(r)) }, m)
	return m
}

// ista runs the iteration, written out for one signal.
func ista(B *mat.Dense, x []float64, lambda float64, iterations int) []float64 {
	d, n := B.Dims()
	var svd mat.SVD
	svd.Factorize(B, mat.SVDNone)
	L := math.Pow(svd.Values(nil)[0], 2)
	w := make([]float64, n)
	for range iterations {
		r := append([]float64(nil), x...)
		for i := range d {
			for j := range n {
				r[i] -= B.At(i, j) * w[j]
			}
		}
		for j := range n {
			v := w[j]
			for i := range d {
				v += B.At(i, j) * r[i] / L
			}
			w[j] = math.Copysign(max(0, math.Abs(v)-lambda/L), v)
		}
	}
	return w
}

// Before training, the network is ISTA.
func TestUntrained(t *testing.T) {
	B, X := random(1, 6, 10), random(2, 6, 5)
	for _, layers := range []int{0, 1, 7} {
		Z := New(B, 0.05, layers).Transform(X)
		for j := range 5 {
			for i, want := range ista(B, mat.Col(nil, j, X), 0.05, layers+1) {
				if math.Abs(Z.At(i, j)-want) > 1e-12 {
					t.Fatalf("%d layers, signal %d, unit %d: %v, want %v", layers, j, i, Z.At(i, j), want)
				}
			}
		}
	}
}

// The gradient agrees with finite differences.
func TestGradient(t *testing.T) {
	m := New(random(1, 4, 7), 0.05, 2)
	x, w := random(3, 5, 4), random(4, 5, 7)
	tp := tape.New()
	m.loss(tp, x, w)
	grads := map[*tape.Param]*mat.Dense{}
	for _, p := range m.Params() {
		grads[p] = mat.DenseCopyOf(p.Grad) // a copy, because the calls below add to p.Grad
	}
	for _, p := range m.Params() {
		grad, data := grads[p], p.X.RawMatrix().Data
		for i := range data {
			const h = 1e-6
			old := data[i]
			data[i] = old + h
			up := m.loss(tp, x, w)
			data[i] = old - h
			down := m.loss(tp, x, w)
			data[i] = old
			if want := (up - down) / (2 * h); math.Abs(grad.RawMatrix().Data[i]-want) > 1e-7 {
				t.Errorf("%s[%d]: %v, finite differences %v", p.Name, i, grad.RawMatrix().Data[i], want)
			}
		}
	}
}

// After training, the network is closer to the codes of unseen signals than ISTA with the same number of
// iterations.
func TestTrain(t *testing.T) {
	B, X := random(1, 8, 12), random(2, 8, 600)
	codes, err := sparseapprox.Solve(t.Context(), B, X, &sparseapprox.Options{Lambda: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	m := New(B, 0.1, 2)
	ista := m.Clone()
	train := func(M *mat.Dense, from, to int) mat.Matrix { r, _ := M.Dims(); return M.Slice(0, r, from, to) }
	r, err := Fit(t.Context(), m, train(X, 0, 500), train(codes.W, 0, 500), &Options{Steps: 300, Rate: 0.003})
	if err != nil || r.Status != ended.Done || r.Steps != 300 || len(r.History) != 300 {
		t.Fatal(r, err)
	}
	miss := func(m *Model) float64 {
		var e mat.Dense
		e.Sub(m.Transform(train(X, 500, 600)), train(codes.W, 500, 600))
		return mat.Norm(&e, 2)
	}
	if a, b := miss(m), miss(ista); !(a < 0.7*b) {
		t.Errorf("trained %v, ISTA %v", a, b)
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := New(random(1, 4, 6), 0.1, 1)
	r, err := Fit(ctx, m, random(2, 4, 9), random(3, 6, 9), nil)
	if !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted || r.Steps != 0 {
		t.Error(r, err)
	}
}

// Errors for invalid options name the option.
func TestRefusesOptions(t *testing.T) {
	B, X, W := mat.NewDense(2, 3, []float64{1, 0, 1, 0, 1, 1}), mat.NewDense(2, 4, nil), mat.NewDense(3, 4, nil)
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{Steps: -1}, "unrolled: Fit: Steps is -1"},
		{Options{Batch: -2}, "unrolled: Fit: Batch is -2"},
		{Options{Rate: math.NaN()}, "unrolled: Fit: Rate is NaN"},
		{Options{Rate: math.Inf(1)}, "unrolled: Fit: Rate is +Inf"},
	} {
		if _, err := Fit(t.Context(), New(B, 0.1, 2), X, W, &c.opt); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.opt, err)
		}
	}
}

// TestLaws: before training, if signals and λ are in another unit (a power of two), the codes are in this unit, and if
// atoms and λ are, the codes are in its inverse, both to the last bit. Multiplying one value of all signals and atoms
// by −1 changes no code. Multiplying an atom by −1 changes the sign of its codes. Both also hold in Fit, to the last
// bit. If each signal occurs twice and each update uses all signals, Fit finds the same network up to rounding.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(30, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 96))
		d, n, N, layers := 2+rng.IntN(4), 2+rng.IntN(6), 3+rng.IntN(10), rng.IntN(4)
		B, X, codes := random(3*seed+1, d, n), random(3*seed+2, d, N), random(3*seed+3, n, N)
		lambda := 0.02 + 0.1*rng.Float64()
		what := fmt.Sprintf("seed %d, %d×%d, %d signals, %d layers", seed, d, n, N, layers)
		times := func(A mat.Matrix, e int) *mat.Dense {
			var S mat.Dense
			S.Scale(math.Ldexp(1, e), A)
			return &S
		}
		Z := New(B, lambda, layers).Transform(X)
		for _, e := range []int{-30, 1, 30} {
			l := math.Ldexp(lambda, e)
			if got := New(B, l, layers).Transform(times(X, e)); !mat.Equal(got, times(Z, e)) {
				t.Errorf("%s: signals times 2^%d: other codes", what, e)
			}
			if got := New(times(B, e), l, layers).Transform(X); !mat.Equal(got, times(Z, -e)) {
				t.Errorf("%s: atoms times 2^%d: other codes", what, e)
			}
		}

		// fit returns the codes of X by a trained network.
		fit := func(B, X, codes mat.Matrix, batch int) *mat.Dense {
			m := New(B, lambda, layers)
			if _, err := Fit(t.Context(), m, X, codes, &Options{Steps: 15, Batch: batch, Seed: seed}); err != nil {
				t.Fatal(what, err)
			}
			return m.Transform(X)
		}
		trained := fit(B, X, codes, 2)
		value, atom := rng.IntN(d), rng.IntN(n)
		minus := func(A *mat.Dense, row int) *mat.Dense {
			M := mat.DenseCopyOf(A)
			for j, v := range M.RawRowView(row) {
				M.Set(row, j, -v)
			}
			return M
		}
		if got := fit(minus(B, value), minus(X, value), codes, 2); !mat.Equal(got, trained) {
			t.Errorf("%s: value %d times −1: other codes", what, value)
		}
		mirrored := mat.DenseCopyOf(B)
		for i := range d {
			mirrored.Set(i, atom, -B.At(i, atom))
		}
		if got := fit(mirrored, X, minus(codes, atom), 2); !mat.Equal(got, minus(trained, atom)) {
			t.Errorf("%s: atom %d times −1: other codes", what, atom)
		}
		XX, CC := mat.NewDense(d, 2*N, nil), mat.NewDense(n, 2*N, nil)
		XX.Augment(X, X)
		CC.Augment(codes, codes)
		all := mat.NewDense(n, 2*N, nil)
		one := fit(B, X, codes, 2*N)
		all.Augment(one, one)
		if got := fit(B, XX, CC, 2*N); !mat.EqualApprox(got, all, 1e-7) {
			t.Errorf("%s: signals twice: other codes", what)
		}
	}
}
