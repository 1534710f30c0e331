package unrolled

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
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
