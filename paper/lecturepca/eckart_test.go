package lecturepca

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestEckartYoung(t *testing.T) {
	M := cloud(40, 25)
	for _, k := range []int{1, 5, 25} {
		c, err := EckartYoung(M, k, 20, 1)
		if err != nil {
			t.Fatal(err)
		}
		scale := mat.Norm(M, 2)
		if math.Abs(c.Best-c.Tail) > 1e-12*scale {
			t.Errorf("k=%d: error %v, tail %v", k, c.Best, c.Tail)
		}
		for _, list := range [][]float64{c.Random, c.Perturbed, c.Optimized} {
			for _, e := range list {
				if e < c.Best-1e-12*scale {
					t.Errorf("k=%d: a competitor has %v, the SVD %v", k, e, c.Best)
				}
			}
		}
		if k == 5 {
			if c.Random[0] < 1.05*c.Best {
				t.Errorf("a random subspace is as good: %v against %v", c.Random[0], c.Best)
			}
			if c.Optimized[0] > 1.05*c.Best {
				t.Errorf("the optimised one is far: %v against %v", c.Optimized[0], c.Best)
			}
		}
	}
}

func TestEckartYoungRefuses(t *testing.T) {
	X := cloud(10, 3)
	for _, f := range []func() (*Contest, error){
		func() (*Contest, error) { return EckartYoung(X, 4, 1, 1) },
		func() (*Contest, error) { return EckartYoung(X, 1, 0, 1) },
		func() (*Contest, error) { return EckartYoung(nil, 1, 1, 1) },
	} {
		if _, err := f(); err == nil {
			t.Error("no error")
		}
	}
}
