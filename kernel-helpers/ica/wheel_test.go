package ica

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/pursuit"
)

// TestWheel compares the sums from a wheel with the sums from a loop over the samples, for all kinds of
// column positions.
func TestWheel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bases := map[string]*mat.Dense{
		"right angle":     mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
		"the same line":   mat.NewDense(2, 3, []float64{1, -2, 0, 0, 0, 1}),
		"down and left":   mat.NewDense(2, 3, []float64{-1, -0.2, 0.3, 0, -1, -0.8}),
		"one inside":      mat.NewDense(2, 3, []float64{1, 0, 0.1, 0, 1, 0.1}),
		"a zero column":   mat.NewDense(2, 3, []float64{1, 0, 0, 0, 0, 1}),
		"on one edge":     mat.NewDense(2, 3, []float64{1, 0, 0.5, 0, 1, 0.5}),
		"nearly parallel": mat.NewDense(2, 3, []float64{1, 1, 0, 0, 1e-9, 1}),
		"nearly opposite": mat.NewDense(2, 2, []float64{1, -1, 1e-9, 1e-9}),
	}
	for n := 2; n <= 7; n++ {
		for seed := range uint64(20) {
			bases[fmt.Sprintf("%d columns, seed %d", n, seed)] = RandomBasis(2, n, seed)
		}
	}
	xs := []float64{0, 0, 1, 0, -1, 0, 0, 1, 0, -3, 2, 2, -2, -2, 1e-200, 1e-200}
	for range 500 {
		xs = append(xs, rng.NormFloat64(), rng.NormFloat64())
	}
	w := newWheel(xs)
	for name, a := range bases {
		sec, err := pursuit.NewSectors(a, nil, false)
		if err != nil {
			t.Fatal(name, err)
		}
		fast, slow := w.piles(a, sec.List), pilesOf(xs, sec.List)
		// A sample on a column may count in either of the two sectors that share the column. So compare only
		// the objective and the total count.
		var count, l1, want float64
		for k := range sec.List {
			s := &sec.List[k]
			count += fast[k].count
			l1 += s.Y[0]*fast[k].x0 + s.Y[1]*fast[k].x1
			want += s.Y[0]*slow[k].x0 + s.Y[1]*slow[k].x1
		}
		if math.Abs(l1-want) > 1e-9*want {
			t.Errorf("%s: sum of ‖s‖₁ %.15g, want %.15g", name, l1, want)
		}
		if all := float64(len(xs)/2 - 1); count != all {
			t.Errorf("%s: %v samples of %v", name, count, all)
		}
	}
	// If no sample lies on a column, compare sector by sector. The basis "on one edge" is excluded, because
	// either sector may count the samples on the edge.
	delete(bases, "on one edge")
	xs = xs[16:]
	w = newWheel(xs)
	for name, a := range bases {
		sec, err := pursuit.NewSectors(a, nil, false)
		if err != nil {
			t.Fatal(name, err)
		}
		for k, p := range w.piles(a, sec.List) {
			q := pilesOf(xs, sec.List)[k]
			if p.count != q.count || math.Abs(p.x0-q.x0) > 1e-10 || math.Abs(p.x1-q.x1) > 1e-10 {
				t.Errorf("%s, sector %d: %+v, want %+v", name, k, p, q)
			}
		}
	}
}

// TestLearnByWheel checks that learning gives the same history with and without a wheel.
func TestLearnByWheel(t *testing.T) {
	for n := 2; n <= 4; n++ {
		truth, err := RandomBasisApart(2, n, 60/float64(n), 3)
		if err != nil {
			t.Fatal(err)
		}
		x := NewMixture(truth, Laplacian{}, 300, 0, 3).X
		for _, rule := range []Rule{Natural, ActiveSet, Certificate} {
			set := &FitOptions{Rule: rule, Steps: 60, Rate: 0.05, FinalRate: 0.05}
			fast, err := Fit(t.Context(), PerturbBasis(truth, 5, 3), x, set)
			if err != nil {
				t.Fatal(err)
			}
			a := PerturbBasis(truth, 5, 3)
			xs, inf := columns(x), &InferOptions{Scale: 1}
			for range set.Steps {
				mo, err := average(t.Context(), a, xs, nil, set, inf)
				if err != nil {
					t.Fatal(err)
				}
				a = stepped(a, mo, set)
			}
			var d mat.Dense
			d.Sub(fast.A, a)
			if e := mat.Norm(&d, 2); e > 1e-9 {
				t.Errorf("%d columns, %v: %g apart", n, rule, e)
			}
		}
	}
}

// stepped returns A + η A M, computed by definition.
func stepped(a *mat.Dense, mo *moments, set *FitOptions) *mat.Dense {
	_, n := a.Dims()
	M := mat.NewDense(n, n, mo.c)
	for j := range n {
		d := 1.0
		if set.Rule == ActiveSet {
			d = mo.active[j]
		}
		M.Set(j, j, M.At(j, j)-d)
	}
	eta := set.Rate
	if size := eta * mat.Norm(M, 2); size > 0.3 {
		eta *= 0.3 / size
	}
	var out mat.Dense
	out.Mul(a, M)
	out.Scale(eta, &out)
	out.Add(a, &out)
	return &out
}

func BenchmarkStepPlanar(b *testing.B) {
	for _, n := range []int{3, 5} {
		a := RandomBasis(2, n, 1)
		xs := columns(NewMixture(a, Laplacian{}, 1000, 0, 1).X)
		for name, w := range map[string]*wheel{"wheel": newWheel(xs), "samples": nil} {
			b.Run(fmt.Sprintf("%d columns by %s", n, name), func(b *testing.B) {
				for b.Loop() {
					if _, err := planarMoments(b.Context(), a, xs, w, false); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
