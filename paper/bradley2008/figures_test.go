package bradley2008

import (
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

// checkRun finishes the run, and requires the verdict REPRODUCED for the rows whose IDs begin with prefix,
// except for the listed rows.
func checkRun(t *testing.T, l *Lab, prefix string, except map[string]record.Verdict) {
	t.Helper()
	want := map[string]record.Verdict{}
	for _, r := range l.Rows() {
		if strings.HasPrefix(r.ID, prefix) {
			want[r.ID] = record.Reproduced
		}
	}
	maps.Copy(want, except)
	labtest.Verdicts(t, l.Lab, want)
}

func TestFigure3(t *testing.T) {
	l := smokeLab(t)
	l.Figure3()
	l.Jumps()
	checkRun(t, l, "", map[string]record.Verdict{
		"figure3-l2-slope":     record.NotReproduced, // the errors of appendix A
		"figure3-arcsinh-text": record.NotReproduced,
		"jumps-in-x":           record.NotReproduced,
	})
}

// All tests that need digits use one lab, so that they share the basis and the codes.
func TestFiguresOfDigits(t *testing.T) {
	patience.SkipShort(t, "it trains on digits")
	l := smokeLab(t)
	t.Run("Table1", func(t *testing.T) { testTable1(t, l) })
	t.Run("Stages", func(t *testing.T) { testStages(t, l) })
	t.Run("Figure1", func(t *testing.T) { testFigure1(t, l) })
	t.Run("Figure2", func(t *testing.T) { testFigure2(t, l) })
}

// On generated digits the values of table 1 mean nothing, but the priors must have the right order.
func testTable1(t *testing.T, l *Lab) {
	r := l.Table1()
	l.StabilityCurves()
	checkStandIns(t, "table 1", r.Sheet, 12)
	if n := len(l.tabulate("", "table1-").Rows); n != 3*8+2*4+4+1 {
		t.Errorf("%d rows", n)
	}
	for k := range disturbances {
		for i, v := range r.KL.Change[k] {
			if s := r.KL.Signed[k][i]; !(v > 0 && s > 0) {
				t.Fatalf("disturbance %d leaves code %d as it was: %v, %v", k, i, v, s)
			}
			if r.L1.Change[k][i] != r.L1.Signed[k][i] {
				t.Fatal("L1 has two readings")
			}
		}
	}
	checkRun(t, l, "curves-chosen-p-noise", nil)
}

// The results must not depend on how the digits are divided into stages.
func testStages(t *testing.T, l *Lab) {
	s := l.Settings()
	for _, prior := range []string{"L1", "KL"} {
		whole := stabilityMeter{l}.measure(prior, s, 3, 9)
		var parts mat.Dense
		parts.Augment(stabilityMeter{l}.measure(prior, s, 3, 7), stabilityMeter{l}.measure(prior, s, 7, 9))
		if !mat.EqualApprox(whole, &parts, 1e-7) {
			t.Errorf("%s differs in pieces", prior)
		}
	}
}

// The parts of an L1 code change by as much as the code, even where signs change.
func TestChange(t *testing.T) {
	W := mat.NewDense(3, 2, []float64{1, 0, -2, 0, 0, 4})
	V := mat.NewDense(3, 2, []float64{-1, 0, -2, 1, 1, 3})
	want := []float64{1, 0.5}
	for _, got := range [][]float64{change(W, V), change(PartsOf(W), PartsOf(V))} {
		if got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestTranslate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := make([]float64, Side*Side)
	mass := 0.
	var cx, cy float64
	for r := 5; r < 20; r++ {
		for c := 5; c < 20; c++ {
			v := rng.Float64()
			a[r*Side+c] = v
			mass += v
			cy += v * float64(r)
			cx += v * float64(c)
		}
	}
	b := make([]float64, Side*Side)
	for _, by := range [][2]float64{{1, 0}, {0, -1}, {0.1, 0.3}, {-0.7, 0.4}} {
		translate(b, a, by[0], by[1])
		var m, x, y float64
		for i, v := range b {
			m += v
			x += v * float64(i%Side)
			y += v * float64(i/Side)
		}
		// Bilinear weights move the mass and its center exactly.
		if math.Abs(m-mass) > 1e-9 || math.Abs((x-cx)/mass-by[0]) > 1e-9 || math.Abs((y-cy)/mass-by[1]) > 1e-9 {
			t.Errorf("moved by %v, %v, want %v", (x-cx)/mass, (y-cy)/mass, by)
		}
	}
	translate(b, a, 1, 0)
	if b[10*Side+11] != a[10*Side+10] {
		t.Error("one pixel to the right is not one pixel to the right")
	}
}

func TestCurve(t *testing.T) {
	var a, b curve
	for _, e := range []float64{0.4, 0.1, 0.2} { // change = 3/e², a straight line in logarithms
		a.add(e, 3/(e*e))
	}
	for _, e := range []float64{0.3, 0.15} { // half of that at 0.15, a third at 0.3
		b.add(e, 3/(e*e)/math.Round(2+(e-0.15)/0.15))
	}
	if got := a.interpolate(0.3); math.Abs(got-3/0.09) > 1e-9 {
		t.Errorf("at 0.3: %v", got)
	}
	least, largest, ok := advantage(&a, &b)
	if !ok || math.Abs(least-2) > 1e-9 || math.Abs(largest-3) > 1e-9 {
		t.Errorf("%v to %v", least, largest)
	}
	far := curve{[]float64{1, 2}, []float64{1, 1}}
	if _, _, ok := advantage(&a, &far); ok {
		t.Error("curves without a common error were compared")
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]float64{0.1 * 0.25: 0.025, 0.30000000000000004: 0.3, 12345.6: 12350, 0.0123456: 0.01235, 2: 2} {
		if got := short(x); got != want {
			t.Errorf("short(%v) = %v, want %v", x, got, want)
		}
	}
}

func testFigure1(t *testing.T, l *Lab) {
	f := l.Figure1()
	for i, r := range append(f.Equal, f.Chosen...) {
		if r.Sorted[0] < 1-1e-9 || r.Sorted[0] > 1+1e-9 {
			t.Errorf("%d, %s: the largest coefficient is %v", i, r.Name, r.Sorted[0])
		}
		for j := 1; j < len(r.Sorted); j++ {
			if r.Sorted[j] > r.Sorted[j-1] {
				t.Fatalf("%s is not sorted", r.Name)
			}
		}
	}
	for i := range f.Equal {
		if f.Chosen[i].Validation > f.Equal[i].Validation {
			t.Errorf("%s: the choice is worse than what it could choose", f.Equal[i].Name)
		}
	}
	if z := f.Equal[atKL].Zeros; z != 0 {
		t.Errorf("a share of %v of KL's coefficients is 0", z)
	}
	// On generated digits the paper's claims are not examined.
	checkRun(t, l, "figure1-equal-errors", map[string]record.Verdict{"figure1-kl-no-zeros": record.Unknown})
}

func TestShares(t *testing.T) {
	W := mat.NewDense(4, 2, []float64{10, 0, -0.5, 0, 2, -1, 0, 0.2})
	zeros, large := shares(W) // above 1 in column 0, above 0.1 in column 1
	if zeros != 3./8 || large != 4./8 {
		t.Errorf("%v, %v", zeros, large)
	}
	s := sortedMean(W)
	for i, want := range []float64{1, (0.2 + 0.2) / 2, 0.05 / 2, 0} {
		if math.Abs(s[i]-want) > 1e-12 {
			t.Errorf("%d: %v, want %v", i, s[i], want)
		}
	}
}

func TestLambdaFor(t *testing.T) {
	// One atom, the identity: ½(x − w)² + λ|w| leaves λ²/x² of the energy.
	B, X := mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, 1, []float64{2})
	if got := lambdaFor(t.Context(), lasso, B, X, 0.01); math.Abs(got-0.2) > 1e-3 {
		t.Errorf("λ = %v, want 0.2", got)
	}
	ridge := sparseapprox.Options{Prior: sparseapprox.L2} // w = x/(1 + 2λ)
	if got := lambdaFor(t.Context(), ridge, B, X, 0.25); math.Abs(got-0.5) > 1e-3 {
		t.Errorf("λ = %v, want 0.5", got)
	}
}

func testFigure2(t *testing.T, l *Lab) {
	f := l.Figure2()
	if len(f.Classes) != 8 || len(f.Planes) != 4 {
		t.Fatalf("%d classes, %d planes", len(f.Classes), len(f.Planes))
	}
	for _, p := range f.Planes {
		// Chance is 7/8.
		if r, c := p.Z.Dims(); r != len(p.Y) || c != 2 || p.Error > 0.7 {
			t.Errorf("%s: %d×%d, error %v", p.Name, r, c, p.Error)
		}
	}
	if in, l1 := f.Planes[0].Error, f.Planes[1].Error; l1 >= in {
		t.Errorf("error in the plane of L1 codes %v, of the input %v", l1, in)
	}
	checkRun(t, l, "none", map[string]record.Verdict{"figure2-error-l1-input": record.Unknown})
}

func TestMirror(t *testing.T) {
	model := mat.NewDense(4, 2, []float64{5, 0, 7, 0, 6, 1, 6, -1}) // far from 0: only differences matter
	y := []int{0, 1, 2, 3}
	Z := mat.NewDense(4, 2, []float64{3, 1, 1, 1, 2, 2, 2, 0}) // mirrored in the first axis
	mirror(Z, y, model, y, 4)
	if want := mat.NewDense(4, 2, []float64{-3, 1, -1, 1, -2, 2, -2, 0}); !mat.Equal(Z, want) {
		t.Errorf("%v", mat.Formatted(Z))
	}
	mirror(Z, y, model, y, 4)
	if Z.At(0, 0) != -3 {
		t.Error("mirrored twice")
	}
}

func TestWithArticle(t *testing.T) {
	for n, want := range map[int]string{0: "A 0", 1: "A 1", 8: "An 8", 10: "A 10", 11: "An 11", 18: "An 18", 81: "An 81"} {
		if got := withArticle(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestScatterRatio(t *testing.T) {
	Z := mat.NewDense(4, 2, []float64{-3, 1, -3, -1, 3, 1, 3, -1})
	if got := scatterRatio(Z, []int{0, 0, 1, 1}, 2); got != 9 {
		t.Errorf("%v, want 36/4", got)
	}
	if got := scatterRatio(Z, []int{0, 1, 0, 1}, 2); math.Abs(got-1./9) > 1e-12 {
		t.Errorf("%v, want 4/36", got)
	}
}
