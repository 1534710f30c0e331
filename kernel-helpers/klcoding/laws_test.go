package klcoding

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// scaled returns A times 2^e.
func scaled(A *mat.Dense, e int) *mat.Dense {
	var S mat.Dense
	S.Scale(math.Ldexp(1, e), A)
	return &S
}

// within checks that two matrices of codes differ by at most tolerance times their largest element.
func within(t *testing.T, what string, got, want mat.Matrix, tolerance float64) {
	t.Helper()
	if d := difference(got, want); !(d <= tolerance*math.Max(mat.Max(want), -mat.Min(want))) {
		t.Errorf("%s: the codes differ by %g", what, d)
	}
}

// TestUnits: if the signals, p and λ are multiplied by a power of two, so are the codes, to the last bit. If the
// columns and λ are multiplied by a power of two, and p is divided by it, the codes are divided by it too. A row of
// zeros, or another order of rows and columns, changes only the rounding.
func TestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 85))
	B, X := basis(rng, 6, 9), normal(rng, 6, 4, 1)
	for _, doubled := range []bool{false, true} {
		o := Options{Lambda: 0.1, P: 0.01, Doubled: doubled}
		what := fmt.Sprintf("doubled %v", doubled)
		want := code(t, coder(t, B, o), X).W
		for _, e := range []int{-20, -2, 2, 20} {
			u := o
			u.Lambda, u.P = math.Ldexp(o.Lambda, e), math.Ldexp(o.P, e)
			if got := scaled(code(t, coder(t, B, u), scaled(X, e)).W, -e); !mat.Equal(got, want) {
				t.Errorf("%s: signals times 2^%d: the codes differ by %g", what, e, difference(got, want))
			}
		}
		for _, e := range []int{-2, 2} {
			u := o
			u.Lambda, u.P = math.Ldexp(o.Lambda, e), math.Ldexp(o.P, -e)
			within(t, fmt.Sprintf("%s: columns times 2^%d", what, e), scaled(code(t, coder(t, scaled(B, e), u), X).W, e), want, 1e-6)
		}
		rows, columns := rng.Perm(7), rng.Perm(9)
		B2, X2 := mat.NewDense(7, 9, nil), mat.NewDense(7, 4, nil)
		for i, p := range rows {
			if p == 6 {
				continue
			}
			X2.SetRow(i, X.RawRowView(p))
			for j, q := range columns {
				B2.Set(i, j, B.At(p, q))
			}
		}
		W := code(t, coder(t, B2, o), X2).W
		back := mat.NewDense(9, 4, nil)
		for j, q := range columns {
			back.SetRow(q, W.RawRowView(j))
		}
		within(t, what+": other rows and columns", back, want, 1e-6)
	}
}

// TestColumns: a column of zeros has the coefficient p, or 0 if doubled. Two equal columns share the coefficient that
// one such column has with p twice as large. For Softmax, adding a number to all elements of a column, or of the
// offset, changes nothing.
func TestColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 85))
	B, signals, texts := basis(rng, 6, 5), normal(rng, 6, 3, 1), documents(rng, 6, 3)
	p := []float64{0.01, 0.02, 0.03, 0.04, 0.05}
	for _, o := range []Options{
		{Lambda: 0.1, PVec: p}, {Lambda: 0.1, PVec: p, Doubled: true},
		{Lambda: 0.1, PVec: p, Loss: Softmax}, {Lambda: 0.1, PVec: p, Loss: Softmax, Method: NewtonCG, Doubled: true},
	} {
		what := fmt.Sprintf("%v, %v, doubled %v", o.Loss, o.Method, o.Doubled)
		X := signals
		if o.Loss == Softmax {
			X = texts
		}
		twice := o
		twice.PVec = []float64{0.01, 0.02, 0.03, 0.04, 0.10}
		want := code(t, coder(t, B, twice), X).W
		B2 := mat.NewDense(6, 7, nil)
		B2.Slice(0, 6, 0, 5).(*mat.Dense).Copy(B)
		B2.SetCol(5, mat.Col(nil, 4, B))
		o.PVec = append(append([]float64{}, p...), 0.05, 0.3)
		W := code(t, coder(t, B2, o), X).W
		for k := range 3 {
			zero := 0.3
			if o.Doubled {
				zero = 0
			}
			if math.Abs(W.At(6, k)-zero) > 1e-8 {
				t.Errorf("%s: a column of zeros has %v, want %v", what, W.At(6, k), zero)
			}
			if math.Abs(W.At(4, k)-W.At(5, k)) > 1e-8 {
				t.Errorf("%s: equal columns have %v and %v", what, W.At(4, k), W.At(5, k))
			}
			W.Set(4, k, W.At(4, k)+W.At(5, k))
		}
		within(t, what+": a column twice", W.Slice(0, 5, 0, 3), want, 1e-6)
		if o.Loss != Softmax {
			continue
		}
		B3 := mat.DenseCopyOf(B)
		B3.Apply(func(_, j int, v float64) float64 { return v + float64(3*j-5) }, B3)
		twice.Offset = []float64{7, 7, 7, 7, 7, 7}
		within(t, what+": other levels", code(t, coder(t, B3, twice), X).W, want, 1e-6)
	}
}

// TestDualBound: for the squared loss, −g(r) + λΣp is at most the minimum of (2), whatever r is. So if this bound at r
// = x − Bw equals the objective at w, the codes w are optimal. The test requires this of all codes with status
// Converged. The columns have any units and origins; some are equal, nearly equal, constant or 0.
func TestDualBound(t *testing.T) {
	solved, missed, worst := 0, 0, 0.0
	for seed := range uint64(trial.Count(300, 5000)) {
		rng := rand.New(rand.NewPCG(seed, 86))
		d, n := 2+rng.IntN(6), 1+rng.IntN(5)
		B, name := trial.Features(rng, d, n)
		norms := make([]float64, n)
		for j := range n { // of any norm from 1e-2 to 1e2
			norms[j] = math.Pow(10, 4*rng.Float64()-2)
			if size := mat.Norm(B.ColView(j), 2); size > 0 {
				c := B.ColView(j).(*mat.VecDense)
				c.ScaleVec(norms[j]/size, c)
			}
		}
		X := normal(rng, d, 1, math.Pow(10, 4*rng.Float64()-2))
		o := Options{Lambda: math.Pow(10, 3*rng.Float64()-3), P: math.Pow(10, 3*rng.Float64()-4), Doubled: rng.IntN(2) == 0}
		what := fmt.Sprintf("seed %d, %d×%d, %s, %+v", seed, d, n, name, o)
		c := coder(t, B, o)
		r, err := c.Code(t.Context(), X)
		if r == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if r.Status[0] != ended.Converged {
			missed++
			continue
		}
		solved++
		f, err := c.Objective(X, r.W)
		if err != nil {
			t.Fatal(err)
		}
		// −g(r) + λΣp by its definition, at r = x − Bw.
		var rest mat.VecDense
		rest.MulVec(B, r.W.ColView(0))
		rest.SubVec(X.ColView(0), &rest)
		dual := mat.Dot(X.ColView(0), &rest) - mat.Dot(&rest, &rest)/2
		for j := range n {
			v := mat.Dot(B.ColView(j), &rest) / o.Lambda
			if o.Doubled {
				dual += 2 * o.Lambda * o.P * (1 - math.Cosh(v))
			} else {
				dual += o.Lambda * o.P * (1 - math.Exp(v))
			}
		}
		size := f[0] + math.Pow(floats.Norm(mat.Col(nil, 0, X), 2), 2)
		worst = math.Max(worst, (f[0]-dual)/size)
		if gap := f[0] - dual; !(gap >= -1e-12*size && gap <= 1e-6*size) {
			t.Errorf("%s: objective %v, dual bound %v", what, f[0], dual)
		}
	}
	t.Logf("%d converged, %d not; the largest gap is %g of the objective", solved, missed, worst)
	if solved < 200 {
		t.Errorf("%d converged", solved)
	}
}

// Status Converged implies a small gradient (6) at the codes, recomputed here from B, x and w. The bases have
// duplicate, zero, long and short columns; the signals have all sizes.
func TestConvergedImpliesGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 4))
	kinds := []string{"plain", "duplicates", "zeros", "columns", "small", "large", "few columns"}
	missed, solved := map[string]int{}, 0
	for k := range 30 * len(kinds) {
		kind := kinds[k%len(kinds)]
		d, n, N := 2+rng.IntN(8), 1+rng.IntN(20), 1+rng.IntN(3)
		if kind == "few columns" {
			d, n = 10, 1+rng.IntN(3)
		}
		B, X := basis(rng, d, n), normal(rng, d, N, 1)
		opt := Options{Lambda: math.Pow(10, 1-4*rng.Float64()), P: math.Pow(10, -4*rng.Float64()), Doubled: rng.IntN(2) == 0}
		if rng.IntN(3) == 0 {
			opt.Loss, X = Softmax, documents(rng, d, N)
			opt.Method = []Method{Newton, NewtonCG}[rng.IntN(2)]
		}
		switch kind {
		case "duplicates":
			for j := 1; j < n; j += 2 {
				B.SetCol(j, mat.Col(nil, j-1, B))
			}
		case "zeros":
			B.SetCol(rng.IntN(n), make([]float64, d))
			if opt.Loss == Squared {
				X.SetCol(0, make([]float64, d))
			}
		case "columns":
			for j := range n {
				c := B.ColView(j).(*mat.VecDense)
				c.ScaleVec(math.Pow(10, float64(rng.IntN(7)-3)), c)
			}
		case "small":
			B.Scale(1e-8, B)
			if opt.Loss == Squared {
				X.Scale(1e-8, X)
			}
		case "large":
			if opt.Loss == Squared {
				X.Scale(1e4, X)
			}
		}
		c, err := New(B, &opt)
		if err != nil {
			t.Fatal(err)
		}
		//lint:ignore SA1012 a nil context is allowed, and tested here
		r, err := c.Code(nil, X)
		if r == nil || err != nil && !errors.Is(err, ended.ErrNotConverged) {
			t.Fatalf("%d, %s: %v", k, kind, err)
		}
		for i, st := range r.Status {
			name := kind + ", " + opt.Loss.String()
			if st != ended.Converged {
				if err == nil {
					t.Errorf("%d, %s: %v, and no error", k, name, st)
				}
				missed[name]++
				continue
			}
			solved++
			x := mat.Col(nil, i, X)
			g, size := gradient6(B, x, mat.Col(nil, i, r.W), &opt)
			limit := 1e-9*(opt.Lambda+norm(x)+opt.P) + 1e-13*size
			if !(g <= 1.5*limit) {
				t.Errorf("%d, %s, %+v: gradient %g, limit %g, says %g", k, name, opt, g, limit, r.Gradient[i])
			}
		}
	}
	t.Logf("%d signals converged; the others: %v", solved, missed)
	if solved < 300 {
		t.Errorf("%d signals converged", solved)
	}
}

// gradient6 returns the largest element of λ v + B'(f(Bw) − x), with v = log(w/p) or arcsinh(w/2p), and the
// size of its terms. If w has underflowed, v is unknown; such a w is below 1e-300 and does not affect f.
func gradient6(B *mat.Dense, x, w []float64, opt *Options) (g, size float64) {
	d, n := B.Dims()
	f := make([]float64, d)
	mat.NewVecDense(d, f).MulVec(B, mat.NewVecDense(n, w))
	if opt.Loss == Softmax {
		top, sum := math.Inf(-1), 0.0
		for _, z := range f {
			top = max(top, z)
		}
		for i, z := range f {
			f[i] = math.Exp(z - top)
			sum += f[i]
		}
		for i := range f {
			f[i] /= sum
		}
	}
	for j, wj := range w {
		if math.Abs(wj) < 1e-300 {
			continue
		}
		v := math.Log(wj / opt.P)
		if opt.Doubled {
			v = math.Asinh(wj / (2 * opt.P))
		}
		e := opt.Lambda * v
		s := math.Abs(e)
		for i := range d {
			e += B.At(i, j) * (f[i] - x[i])
			t := 0.0
			for l, u := range w {
				t += math.Abs(B.At(i, l) * u)
			}
			s += math.Abs(B.At(i, j)) * (t + math.Abs(x[i]))
		}
		g, size = max(g, math.Abs(e)), max(size, s)
	}
	return g, size
}
