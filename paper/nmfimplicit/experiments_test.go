package nmfimplicit

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data"
	"overcomplete/data/faces"
	"overcomplete/internal/panics"
	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/nnls"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

// smokeLab returns a lab in a temporary folder, without real data.
func smokeLab(t *testing.T) *Lab {
	labtest.NoData(t)
	return &Lab{Lab: labtest.Smoke(t, Paper)}
}

func TestParts(t *testing.T) {
	patience.SkipShort(t, "it fits for the figure")
	l := smokeLab(t)
	l.Sparseness()
	l.LowDimensional()
	l.Encoding()
	l.Clusters()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"kmeans-general": record.NotReproduced,
	})
}

func TestConvexity(t *testing.T) {
	l := smokeLab(t)
	l.Convexity()
	l.Saddles()
	l.Minima()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"alternating-minimum": record.NotReproduced,
		"solves-np-hard":      record.NotReproduced,
	})
}

func TestADMM(t *testing.T) {
	patience.SkipShort(t, "it fits in two ways until both agree")
	l := smokeLab(t)
	l.Splitting()
	l.AsDisplayed()
	l.Methods()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"admm-jacobi": record.NotReproduced,
	})
}

func TestOptimality(t *testing.T) {
	l := smokeLab(t)
	l.Optimality()
	if a := l.Attempts(); len(a) != 30 {
		t.Errorf("%d attempts", len(a))
	}
	if g := l.Gradients(); len(g) != 7 {
		t.Errorf("%d gradients", len(g))
	}
	l.Kinks()
	labtest.Want(t, l.Lab, map[string]record.Verdict{
		"dual-sign":          record.NotReproduced,
		"jacobian-inverse":   record.NotReproduced,
		"jacobian-symmetric": record.NotReproduced,
		"cg-on-map":          record.NotReproduced,
		"derivative-of-u":    record.NotReproduced,
	})
}

func TestUses(t *testing.T) {
	patience.SkipShort(t, "it fits for each use")
	l := smokeLab(t)
	l.Sensitivity(0)
	l.Costs()
	l.Network()
	for _, r := range l.Rows() { // times on a machine that may be busy
		if r.ID == "unrolled-slower" && r.Verdict == record.NotReproduced {
			r.Rule = record.AtLeast(0)
			l.Row(r)
		}
	}
	labtest.Want(t, l.Lab, nil)
}

func TestRank(t *testing.T) {
	l := smokeLab(t)
	l.Rank()
	if x := l.Topics(); len(x) != 5 || x[0].Words == "" {
		t.Errorf("topics %v", x)
	}
	labtest.Want(t, l.Lab, nil)
}

// Each row that is not reproduced has the correction in its reason, and each quotation names its heading.
func TestRowsAreComplete(t *testing.T) {
	l := smokeLab(t)
	l.Convexity()
	l.Saddles()
	l.AsDisplayed()
	l.Optimality()
	for _, r := range l.Rows() {
		if r.Verdict != record.Reproduced && len(r.Reason) < 40 {
			t.Errorf("%s: no correction: %q", r.ID, r.Reason)
		}
		if !r.Published.IsZero() && !strings.Contains(r.Published.Source, "section") {
			t.Errorf("%s: no heading: %q", r.ID, r.Published.Source)
		}
	}
}

func TestSensitivityRefuses(t *testing.T) {
	l := smokeLab(t)
	if panics.Value(func() { l.Sensitivity(1 << 20) }) == nil {
		t.Error("no panic for a face that is not there")
	}
}

// Every experiment ends soon when it is interrupted, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, smokeLab, map[string][]any{"Sensitivity": {0}}, nil)
}

func TestHoyer(t *testing.T) {
	M := mat.NewDense(4, 2, []float64{0, 1, -3, 1, 0, 1, 0, 1}) // one column with one nonzero; one with equal elements
	if got := hoyer(M); math.Abs(got-0.5) > 1e-15 {
		t.Errorf("sparseness %v, want the mean of 1 and 0", got)
	}
	if got := zeros(M); got != 3.0/8 {
		t.Errorf("zeros %v", got)
	}
}

func TestIndicator(t *testing.T) {
	U := indicator([]int{0, 1, 1, 0, 2}, 3)
	G := gram(U)
	for i := range 3 {
		G.Set(i, i, G.At(i, i)-1)
	}
	if mat.Norm(G, 2) > 1e-15 {
		t.Errorf("U'U − I is %v", mat.Formatted(G))
	}
}

func TestInertia(t *testing.T) {
	X := mat.NewDense(3, 1, []float64{0, 2, 7})
	if got := inertia(X, []int{0, 0, 1}, 2); got != 2 {
		t.Errorf("inertia %v, want 2", got)
	}
}

func TestNeighbours(t *testing.T) {
	X := mat.NewDense(2, 1, []float64{0, 10})
	Y := mat.NewDense(3, 1, []float64{1, 9, 4})
	if got := neighbours(X, Y, []int{3, 5}, []int{3, 5, 5}); math.Abs(got-2.0/3) > 1e-15 {
		t.Errorf("share %v", got)
	}
}

func TestSupportChanges(t *testing.T) {
	if got := supportChanges(mat.NewDense(3, 2, []float64{0, 1, 1, 1, 1, 0})); got != 2 {
		t.Errorf("%d changes, want 2", got)
	}
}

// One triplet with W fixed is ADMM for nonnegative least squares. It must converge to the result of the active set
// method, and its duals to the negative multipliers.
func TestTriplet(t *testing.T) {
	l := smokeLab(t)
	rng := l.stream(99)
	A := drawNoisy(rng, 9, 7, 3)
	W := drawSparse(rng, 7, 3, 0.3)
	want := coefficients(t.Context(), A, W, nnls.LawsonHanson)
	rho := mat.Trace(gram(W)) / 3
	u := newTriplet(drawSparse(rng, 9, 3, 0))
	for range 2000 {
		u.fit(A, W, rho)
		u.project(rho)
		u.rise(rho)
	}
	if e := relativeDistance(u.x, want); e > 1e-10 || u.gap() > 1e-10 {
		t.Errorf("off by %v, copies %v apart", e, u.gap())
	}
	if mat.Max(u.bar) > 1e-9 {
		t.Errorf("a dual variable of %v > 0", mat.Max(u.bar))
	}
}

func TestOlivetti(t *testing.T) {
	if _, err := faces.Olivetti(); errors.Is(err, data.ErrAbsent) {
		t.Skip(err)
	}
	l, err := New(record.Lecture, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := l.Faces().Dims(); n != 400 || d != Side*Side || l.set().Data.Generated {
		t.Errorf("%d × %d, %v", n, d, l.set().Data)
	}
}
