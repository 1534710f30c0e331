package sparseapprox

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
)

// rowsOf returns the columns of X (D×N) as rows in float32, and X itself rounded to float32.
func rowsOf(X *mat.Dense) ([]float32, *mat.Dense) {
	d, n := X.Dims()
	rows, Y := make([]float32, 0, n*d), mat.NewDense(d, n, nil)
	for i := range n {
		for j := range d {
			v := float32(X.At(j, i))
			rows = append(rows, v)
			Y.Set(j, i, float64(v))
		}
	}
	return rows, Y
}

// TestFeatures checks the float32 codes by their duality gap in float64, and against the result of Code with
// a tight tolerance.
func TestFeatures(t *testing.T) {
	for _, opt := range []Options{
		{Lambda: 0.1, Tolerance: 1e-3},
		{Lambda: 0.02, Tolerance: 1e-4},
		{Lambda: 0.1, Tolerance: 1e-3, Prior: L1NonNegative},
		{Lambda: 100, Tolerance: 1e-3},               // all codes are 0
		{Lambda: 0.1, Tolerance: 1e-7},               // left to Code
		{Lambda: 0.1, Tolerance: 1e-3, Method: LARS}, // likewise
	} {
		B, X := problem(24, 60, 530, 41) // more than a block
		for _, scale := range []float64{1, 1e-6, 1e6} {
			opt := opt
			opt.Lambda *= scale * scale // because both B and X are scaled
			Bs, Xs := mat.DenseCopyOf(B), mat.DenseCopyOf(X)
			Bs.Scale(scale, Bs)
			Xs.Scale(scale, Xs)
			rows, Y := rowsOf(Xs)
			c, err := NewCoder(Bs, &opt)
			if err != nil {
				t.Fatal(err)
			}
			dst := slices.Repeat([]float32{float32(math.NaN())}, 530*60)
			missed, err := c.Features(t.Context(), dst, rows, 530)
			if err != nil || missed > 0 {
				t.Fatalf("%v: %d missed, %v", opt, missed, err)
			}
			exact := opt
			exact.Tolerance = 1e-10
			e, err := c.With(&exact)
			if err != nil {
				t.Fatal(err)
			}
			want, err := e.Code(t.Context(), Y)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 530 {
				var r mat.VecDense
				w := mat.NewVecDense(60, nil)
				l1, far, size := 0.0, 0.0, 0.0
				for j, v := range dst[i*60 : (i+1)*60] {
					w.SetVec(j, float64(v))
					l1 += math.Abs(float64(v))
					far = math.Hypot(far, float64(v)-want.W.At(j, i))
					size = math.Hypot(size, want.W.At(j, i))
					if opt.Prior == L1NonNegative && v < 0 {
						t.Fatalf("w is %v", v)
					}
				}
				r.MulVec(Bs, w)
				r.SubVec(Y.ColView(i), &r)
				obj := 0.5*mat.Dot(&r, &r) + opt.Lambda*l1
				if least := want.Objective[i]; !(obj <= least*(1+opt.Tolerance+1e-5)) {
					t.Fatalf("%v, scale %v: objective %v of signal %d, the least is %v", opt, scale, obj, i, least)
				}
				// The gap bounds ½‖B(w − w*)‖². In B's null space w could still be far off; here it is not.
				if far > 0.1*size {
					t.Errorf("%v, scale %v: w of signal %d is %v from the minimum, which has norm %v", opt, scale, i, far, size)
				}
			}
		}
	}
}

// TestFeaturesAlone: a signal's code does not depend on the other signals, even in the last bit.
func TestFeaturesAlone(t *testing.T) {
	B, X := problem(24, 60, 40, 42)
	rows, _ := rowsOf(X)
	c, err := NewCoder(B, &Options{Lambda: 0.03, Tolerance: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	all, one := make([]float32, 40*60), make([]float32, 60)
	if _, err := c.Features(t.Context(), all, rows, 40); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if _, err := c.Features(t.Context(), one, rows[i*24:(i+1)*24], 1); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one, all[i*60:(i+1)*60]) {
			t.Fatalf("signal %d alone has another code", i)
		}
	}
}

func TestFeaturesRefuses(t *testing.T) {
	B, _ := problem(4, 6, 1, 43)
	c, err := NewCoder(B, &Options{Lambda: 0.1, Tolerance: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	X := []float32{1, 2, 3, 4, 5, float32(math.NaN()), 7, 8}
	if _, err := c.Features(t.Context(), make([]float32, 12), X, 2); err == nil || !strings.Contains(err.Error(), "row 1, column 1") {
		t.Errorf("NaN: %v", err)
	}
	if missed, err := c.Features(t.Context(), nil, nil, 0); missed != 0 || err != nil {
		t.Errorf("no signals: %d, %v", missed, err)
	}
	// A signal out of float32's range is still coded.
	dst := make([]float32, 6)
	if missed, err := c.Features(t.Context(), dst, []float32{1e9, 2e9, -1e9, 5e8}, 1); missed != 0 || err != nil || dst[0] == 0 && dst[1] == 0 && dst[2] == 0 {
		t.Errorf("a large signal: %v, %d missed, %v", dst, missed, err)
	}
	if s, _ := panics.Value(func() { _, _ = c.Features(t.Context(), make([]float32, 11), X, 2) }).(string); !strings.HasPrefix(s, "sparseapprox: Features: ") {
		t.Errorf("a panic %q", s)
	}
}
