package tsne

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestGradient compares (5) with central differences of C, with all neighbors and with few.
func TestGradient(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	X := normal(rnd, 40, 6, 1)
	for _, o := range []Options{{Perplexity: 8, Method: Exact}, {Perplexity: 4}} {
		a := mustAffinities(t, X, &o)
		Y := normal(rnd, 40, 2, 1)
		G := a.Gradient(Y)
		for i := range 40 {
			for c := range 2 {
				const h = 1e-5
				y := Y.At(i, c)
				Y.Set(i, c, y+h)
				up := a.KL(Y)
				Y.Set(i, c, y-h)
				down := a.KL(Y)
				Y.Set(i, c, y)
				if want := (up - down) / (2 * h); math.Abs(G.At(i, c)-want) > 1e-8 {
					t.Fatalf("∂C/∂y(%d, %d) is %g, differences say %g", i, c, G.At(i, c), want)
				}
			}
		}
	}
}

// TestKL compares the divergence with its definition.
func TestKL(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	a := mustAffinities(t, normal(rnd, 90, 4, 1), &Options{Perplexity: 9})
	Y := normal(rnd, 90, 2, 3)
	w := func(i, j int) float64 {
		return 1 / (1 + squaredDistance(Y.RawRowView(i), Y.RawRowView(j)))
	}
	var Z, want float64
	for i := range 90 {
		for j := range 90 {
			if i != j {
				Z += w(i, j)
			}
		}
	}
	for i := range 90 {
		for c := a.Row[i]; c < a.Row[i+1]; c++ {
			want += a.P[c] * math.Log(a.P[c]/(w(i, int(a.Col[c]))/Z))
		}
	}
	if got := a.KL(Y); math.Abs(got-want) > 1e-12 {
		t.Errorf("KL is %v, want %v", got, want)
	}
	e := &exactField{Affinities: a, rep: make([]float64, 180), z: make([]float64, 90)}
	if got := e.gradient(coordinates(Y), 12, make([]float64, 180), true); math.Abs(got-want) > 1e-12 {
		t.Errorf("with the gradient it is %v, want %v", got, want)
	}
}

// TestBarnesHut compares gradients: with θ = 0 to the accuracy of float32, otherwise within a bound that
// falls with θ.
func TestBarnesHut(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 2))
	const n = 3001
	X, labels := blobs(rnd, n, 10, 8, 2)
	a := mustAffinities(t, X, nil)
	middle := normal(rnd, 8, 2, 20)
	Y := normal(rnd, n, 2, 4)
	for i, l := range labels {
		Y.Set(i, 0, Y.At(i, 0)+middle.At(l, 0))
		Y.Set(i, 1, Y.At(i, 1)+middle.At(l, 1))
	}
	y := coordinates(Y)
	for _, exaggeration := range []float64{1, 12} {
		e := &exactField{Affinities: a, rep: make([]float64, 2*n), z: make([]float64, n)}
		want := make([]float64, 2*n)
		kl := e.gradient(y, exaggeration, want, true)
		before := math.Inf(1)
		for _, c := range []struct{ theta, bound, klBound float64 }{
			{1, 0.1, 1e-2}, {0.5, 0.02, 2e-3}, {0.25, 0.004, 5e-4}, {0, 2e-6, 1e-6},
		} {
			g := make([]float64, 2*n)
			got := newBarnesHut(a, c.theta, team{}).gradient(y, exaggeration, g, true)
			off := different(g, want)
			if !(off < c.bound) || off >= before || math.Abs(got-kl) > c.klBound {
				t.Errorf("θ = %v: the gradient is off by %.2g, the divergence by %.2g", c.theta, off, got-kl)
			}
			t.Logf("θ = %v: the gradient is off by %.2g, the divergence by %.2g", c.theta, off, got-kl)
			before = off
		}
	}
}

// TestTree: every point is in one leaf, and the cells and ranges of a crowd's list together cover all points.
func TestTree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{1, 15, 64, 65, 2500} {
		pos := make([]float32, 2*n)
		for k := range pos {
			pos[k] = float32(math.Exp(3 * rnd.NormFloat64()))
		}
		tr := tree{theta: 0.5}
		tr.build(pos, 1)
		if s := slices.Sorted(slices.Values(tr.order)); s[0] != 0 || s[n-1] != int32(n-1) || len(slices.Compact(s)) != n {
			t.Fatal("the order is no permutation")
		}
		var l list
		for from := 0; from < n; from += crowd {
			to := min(n, from+crowd)
			l.walk(&tr, from, to)
			var mass float32
			for _, m := range l.mass {
				mass += m
			}
			own := 0
			for _, r := range l.ranges {
				mass += float32(r[1] - r[0])
				own += max(0, min(int(r[1]), to)-max(int(r[0]), from))
			}
			if mass != float32(n) || own != to-from {
				t.Fatalf("%d of %d points, %d of the crowd's %d", int(mass), n, own, to-from)
			}
		}
	}
}

// TestHilbert: the curve goes from each cell to an adjacent one, through all cells.
func TestHilbert(t *testing.T) {
	const side = 64
	at := map[uint32][2]int{}
	for x := range side {
		for y := range side {
			at[place(uint32(x), uint32(y))] = [2]int{x, y}
		}
	}
	if len(at) != side*side {
		t.Fatalf("%d places for %d cells", len(at), side*side)
	}
	for c := range uint32(side*side - 1) {
		a, ok := at[c]
		b := at[c+1]
		if dx, dy := a[0]-b[0], a[1]-b[1]; !ok || dx*dx+dy*dy != 1 {
			t.Fatalf("place %d is %v, the next %v", c, a, b)
		}
	}
}

// TestRepulsionFar: w falls like 1/d², and the repulsion of distant cells of any size is finite.
func TestRepulsionFar(t *testing.T) {
	a := mustAffinities(t, normal(rand.New(rand.NewPCG(5, 2)), 50, 3, 1), &Options{Perplexity: 5})
	Y := normal(rand.New(rand.NewPCG(6, 2)), 50, 2, 1e5)
	g := make([]float64, 100)
	newBarnesHut(a, 0.5, team{}).gradient(coordinates(Y), 1, g, false)
	want := a.Gradient(Y)
	if e := different(g, coordinates(want)); !(e < 1e-3) {
		t.Errorf("off by %.2g", e)
	}
	if mat.Norm(want, 2) == 0 {
		t.Error("there is no gradient")
	}
}
