package tsne

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestPerplexity recomputes each point's entropy, only from X and β.
func TestPerplexity(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	X, _ := blobs(rnd, 300, 8, 4, 2)
	for _, o := range []Options{{Perplexity: 5}, {Perplexity: 30}, {Perplexity: 100, Neighbors: 299}} {
		a := mustAffinities(t, X, &o)
		k := o.Neighbors
		if k == 0 {
			k = int(3*o.Perplexity + 1)
		}
		for i := range 300 {
			var d []float64
			for j := range 300 {
				if j != i {
					d = append(d, squaredDistance(X.RawRowView(i), X.RawRowView(j)))
				}
			}
			slices.Sort(d)
			var s, h float64
			for _, v := range d[:k] {
				s += math.Exp(-a.Beta[i] * v)
			}
			for _, v := range d[:k] {
				if p := math.Exp(-a.Beta[i]*v) / s; p > 0 {
					h -= p * math.Log(p)
				}
			}
			if got := math.Exp(h); math.Abs(got-o.Perplexity) > 1e-6*o.Perplexity {
				t.Fatalf("point %d has the perplexity %v, want %v", i, got, o.Perplexity)
			}
		}
	}
}

// TestJoint: sum 1, symmetry, no diagonal, and the same P if X is translated and scaled.
func TestJoint(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	X, _ := blobs(rnd, 400, 8, 4, 2)
	a := mustAffinities(t, X, &Options{Perplexity: 20})
	sum := 0.0
	P := map[[2]int32]float64{}
	for i := range a.N {
		for c := a.Row[i]; c < a.Row[i+1]; c++ {
			j := a.Col[c]
			if int(j) == i || !(a.P[c] > 0) || c > a.Row[i] && a.Col[c-1] >= j {
				t.Fatalf("p(%d, %d) = %v", i, j, a.P[c])
			}
			P[[2]int32{int32(i), j}] = a.P[c]
			sum += a.P[c]
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the sum is %v", sum)
	}
	for ij, p := range P {
		if P[[2]int32{ij[1], ij[0]}] != p {
			t.Fatalf("not symmetric at %v", ij)
		}
	}
	moved := mat.DenseCopyOf(X)
	moved.Apply(func(_, _ int, x float64) float64 { return 1e-6*x + 3 }, X)
	b := mustAffinities(t, moved, &Options{Perplexity: 20})
	if !slices.Equal(a.Col, b.Col) || different(b.P, a.P) > 1e-6 {
		t.Error("the affinities depend on place or scale")
	}
	// Each point has at least 1/2n of P, so that outliers count too.
	for i := range a.N {
		s := 0.0
		for _, p := range a.P[a.Row[i]:a.Row[i+1]] {
			s += p
		}
		if s < 0.5/float64(a.N)-1e-15 {
			t.Errorf("row %d has the sum %v", i, s)
		}
	}
}

// TestNearest compares nearest with sorting all distances, for data that float32 can and cannot distinguish.
func TestNearest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	far := normal(rnd, 700, 6, 1)
	for i := range 300 { // a cluster that float32 cannot resolve
		far.Set(i, 0, far.At(i, 0)+1e6)
	}
	grid := mat.NewDense(600, 3, nil) // ties
	for i := range 600 {
		grid.SetRow(i, []float64{float64(i % 6), float64(i / 6 % 10), float64(i / 60)})
	}
	for name, X := range map[string]*mat.Dense{
		"normal": normal(rnd, 800, 30, 1), "far": far, "grid": grid, "line": normal(rnd, 300, 1, 1),
	} {
		n, _ := X.Dims()
		const k = 40
		got, err := nearest(context.Background(), X, k, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			var want []float64
			for j := range n {
				if j != i {
					want = append(want, squaredDistance(X.RawRowView(i), X.RawRowView(j)))
				}
			}
			slices.Sort(want)
			seen := map[int32]bool{int32(i): true}
			for c, v := range got[i] {
				if seen[v.j] || v.d2 != squaredDistance(X.RawRowView(i), X.RawRowView(int(v.j))) {
					t.Fatalf("%s: neighbor %d of point %d is %v", name, c, i, v)
				}
				seen[v.j] = true
				// In a distant cluster the last neighbors are chosen by float64 products, which have rounding
				// errors.
				if tol := 1e-12 * (1 + want[c]) * 1e2; name != "far" && v.d2 != want[c] || math.Abs(v.d2-want[c]) > tol+1e-3 {
					t.Fatalf("%s: neighbor %d of point %d is at %v, want %v", name, c, i, v.d2, want[c])
				}
			}
		}
	}
	// This case must need float64, or the test would not cover it.
	s := &search{X: far, n: 700, d: 6, k: 40, keep: 64}
	s.center(1)
	p := &scan[float32]{search: s, gemm: sgemm}
	rows := []int{0, 1, 2}
	failed, err := p.run(context.Background(), rows, make([][]neighbor, 700), func(i int) float64 { return 1e-4 * s.norm[i] }, nil)
	if err != nil || len(failed) != 3 {
		t.Errorf("float32 was trusted: %v, %v", failed, err)
	}
}

func TestCalibrate(t *testing.T) {
	p := make([]float64, 6)
	// Two distances: p = 1/(1+e^−β), with the entropy known in closed form.
	beta, missed := calibrate(p[:2], []float64{1, 2}, math.Exp(entropy(0.8)))
	if want := math.Log(0.8 / 0.2); missed || math.Abs(beta-want) > 1e-8 {
		t.Errorf("β is %v, want %v", beta, want)
	}
	if beta, missed = calibrate(p, []float64{3, 3, 3, 3, 4, 5}, 3.5); !missed || !math.IsInf(beta, 1) || !slices.Equal(p, []float64{0.25, 0.25, 0.25, 0.25, 0, 0}) {
		t.Errorf("ties: %v, %v, %v", beta, missed, p)
	}
	// Distances on very different scales.
	for _, d2 := range [][]float64{{0, 1e-9, 1e-9, 1, 1e9, 1e12}, {1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4, 1e9 + 5}, {0, 0, 1e-20, 1e20, 1e20, 1e20}} {
		if _, missed = calibrate(p, d2, 2.5); missed {
			t.Errorf("%v: missed", d2)
		}
		h := 0.0
		for _, q := range p {
			if q > 0 {
				h -= q * math.Log(q)
			}
		}
		if math.Abs(h-math.Log(2.5)) > 1e-9 {
			t.Errorf("%v: the perplexity is %v", d2, math.Exp(h))
		}
	}
}

func entropy(p float64) float64 { return -p*math.Log(p) - (1-p)*math.Log(1-p) }
