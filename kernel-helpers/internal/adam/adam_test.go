package adam

import (
	"math"
	"testing"
)

// Three steps equal those of torch.optim.Adam (PyTorch 1.13, float64, lr 0.1, otherwise defaults) for the
// gradients 1, −2, 0.5 of a parameter that starts at 1.
func TestAgainstTorch(t *testing.T) {
	x, a := []float64{1}, New(1)
	for k, want := range []float64{0.900000001, 0.9366103534720749, 0.9502794196738216} {
		Default.At(k+1, 0.1).Take(x, []float64{[]float64{1, -2, 0.5}[k]}, a)
		if math.Abs(x[0]-want) > 1e-14 {
			t.Errorf("step %d: %v, want %v", k+1, x[0], want)
		}
	}
}

// If the gradient is constant, the corrections make m̂ = g and v̂ = g². So every step is α g/(|g| + ε), for any decays.
func TestConstantGradient(t *testing.T) {
	g := []float64{3, -1e-4, 0}
	for _, r := range []Rule{Default, {0.1, 0.01, 1e-12}, {0.5, 0.3, 1e-3}} {
		x, a := make([]float64, 3), New(3)
		for k := range 50 {
			r.At(k+1, 0.01).Take(x, g, a)
			for i, v := range g {
				if want := -float64(k+1) * 0.01 * v / (math.Abs(v) + r.Epsilon); math.Abs(x[i]-want) > 1e-13 {
					t.Fatalf("%v: element %d is %v after step %d, want %v", r, i, x[i], k+1, want)
				}
			}
		}
	}
}

// Default gives the paper's decays to the last bit.
func TestDecays(t *testing.T) {
	if s := Default.At(1, 1); s.b1 != 0.9 || s.b2 != 0.999 {
		t.Errorf("β₁ %v, β₂ %v", s.b1, s.b2)
	}
}
