package synth

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
)

func TestFrames(t *testing.T) {
	X := Frames([]float64{1, 2, 3, 4, 5, 6, 7}, 3, 2, false)
	if want := mat.NewDense(3, 3, []float64{1, 3, 5, 2, 4, 6, 3, 5, 7}); !mat.Equal(X, want) {
		t.Errorf("%v", mat.Formatted(X))
	}
	Y := Frames([]float64{1, 2, 3, 4, 5, 6, 7}, 3, 2, true)
	if want := mat.NewDense(3, 3, []float64{-1, -1, -1, 0, 0, 0, 1, 1, 1}); !mat.EqualApprox(Y, want, 1e-15) {
		t.Errorf("%v", mat.Formatted(Y))
	}
	if s := fmt.Sprint(panics.Value(func() { Frames([]float64{1}, 2, 1, false) })); !strings.HasPrefix(s, "synth: Frames") {
		t.Error(s)
	}
}

func TestWhiten(t *testing.T) {
	s := speech(t, Options{Seconds: 2, Seed: 1})
	for _, c := range []struct {
		mean bool
		rank float64
	}{{false, 8}, {true, 7}} {
		X := Frames(s.Samples, 8, 4, c.mean)
		Y, W, err := Whiten(X)
		if err != nil {
			t.Fatal(err)
		}
		_, n := Y.Dims()
		C := mat.NewSymDense(8, nil)
		C.SymOuterK(1/float64(n), Y)
		var C2, D mat.Dense
		C2.Mul(C, C)
		D.Sub(&C2, C) // C is a projection
		if d := mat.Norm(&D, 2); d > 1e-6 || math.Abs(mat.Trace(C)-c.rank) > 1e-6 {
			t.Errorf("mean removed %t: off by %v, trace %v", c.mean, d, mat.Trace(C))
		}
		if !mat.EqualApprox(W, W.T(), 1e-9*mat.Norm(W, 2)) {
			t.Error("W is not symmetric")
		}
	}
	if _, _, err := Whiten(mat.NewDense(2, 3, nil)); err == nil {
		t.Error("zeros are accepted")
	}
}
