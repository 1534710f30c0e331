package topics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/trial"
)

// drawCounts returns the counts of V words in n short documents. Some words occur in no document.
func drawCounts(rng *rand.Rand, n, V int) *mat.Dense {
	X := mat.NewDense(n, V, nil)
	for d := range n {
		for range 1 + rng.IntN(8) {
			w := rng.IntN(1 + rng.IntN(V))
			X.Set(d, w, X.At(d, w)+1)
		}
	}
	return X
}

// TestSupervisedLaws: responses in another unit and from another origin, and a constant response, change no draw of a
// topic: the shares are the same, and the predictions move with the responses.
func TestSupervisedLaws(t *testing.T) {
	for seed := range uint64(trial.Count(100, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 90))
		n, V := 4+rng.IntN(6), 3+rng.IntN(4)
		X := drawCounts(rng, n, V)
		o := &Options{Topics: 2 + rng.IntN(2), Passes: 10, Seed: seed}
		y := make([]float64, n)
		flat := rng.IntN(10) == 0
		for d := range y {
			if y[d] = float64(rng.IntN(64) - 32); flat { // with few digits, so that the shift is exact
				y[d] = y[0]
			}
		}
		base, err := FitSupervised(t.Context(), X, y, o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := base.Predict(t.Context(), X, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, shift := math.Ldexp(1, rng.IntN(800)-400), float64(rng.IntN(1<<27))
		if rng.IntN(3) == 0 {
			shift = 0
		}
		moved := make([]float64, n)
		for d, v := range y {
			moved[d] = s * (v + shift)
		}
		what := fmt.Sprintf("seed %d, %d×%d, y + %g, times %g", seed, n, V, shift, s)
		r, err := FitSupervised(t.Context(), X, moved, o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !mat.Equal(r.Proportions, base.Proportions) || !mat.Equal(r.Topics, base.Topics) {
			t.Errorf("%s: other shares", what)
			continue
		}
		got, err := r.Predict(t.Context(), X, nil)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		noise := 1e-12 * (64 + shift)
		for d := range got {
			if math.Abs(got[d]/s-shift-want[d]) > noise {
				t.Errorf("%s: prediction %d is %v, want %v", what, d, got[d], s*(want[d]+shift))
			}
		}
		if !flat && math.Abs(r.Variance/s/s-base.Variance) > 1e-7*base.Variance+noise*noise {
			t.Errorf("%s: σ² is %v, want %v", what, r.Variance, s*s*base.Variance)
		}
	}
}

// TestVariationalLaws fits documents that include an empty one and one of very many words. The bound never falls by
// more than its rounding, the topics are distributions, and documents in another order give the same topics up to
// rounding.
func TestVariationalLaws(t *testing.T) {
	for seed := range uint64(trial.Count(100, 3000)) {
		rng := rand.New(rand.NewPCG(seed, 91))
		n, V := 3+rng.IntN(6), 3+rng.IntN(4)
		X := drawCounts(rng, n, V)
		s := 1.0
		switch rng.IntN(3) {
		case 0: // weights of documents
			s = math.Pow(10, 12*rng.Float64()-6)
			X.Scale(s, X)
		case 1:
			d := rng.IntN(n)
			s = math.Pow(10, 8*rng.Float64())
			for w := range V {
				X.Set(d, w, s*X.At(d, w))
			}
		}
		o := &VariationalOptions{Topics: 2, Seed: seed, MaxIterations: 5}
		what := fmt.Sprintf("seed %d, %d×%d, times %g", seed, n, V, s)
		a, err := FitVariational(t.Context(), X, o)
		if ended.Accept(err) != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for i := 1; i < len(a.History); i++ {
			if a.History[i] < a.History[i-1]-1e-9*math.Abs(a.History[i-1]) {
				t.Errorf("%s: the bound falls from %v to %v", what, a.History[i-1], a.History[i])
			}
		}
		order := rng.Perm(n)
		Y := mat.NewDense(n+1, V, nil) // and an empty document
		for d, from := range order {
			Y.SetRow(d, X.RawRowView(from))
		}
		b, err := FitVariational(t.Context(), Y, o)
		if ended.Accept(err) != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if math.Abs(a.Bound-b.Bound) > 1e-8*math.Abs(a.Bound) {
			t.Errorf("%s: the bound is %v, in another order %v", what, a.Bound, b.Bound)
		}
		if !mat.EqualApprox(a.Topics, b.Topics, 1e-6) {
			t.Errorf("%s: other topics in another order", what)
		}
		for k := range 2 {
			if sum := mat.Sum(a.Topics.RowView(k)); math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s: topic %d adds up to %v", what, k, sum)
			}
		}
	}
}
