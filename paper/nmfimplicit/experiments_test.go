package nmfimplicit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/paper/record"
)

// smokeLab is a lab in a folder of its own, without real data.
func smokeLab(t *testing.T) *Lab {
	t.Helper()
	t.Setenv("OVERCOMPLETE_DATA", "")
	l, err := New(record.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if l.Run, err = record.StartIn(root, Paper, record.Smoke, 1); err != nil {
		t.Fatal(err)
	}
	return l
}

// want ends the run and checks that all rows are REPRODUCED but for those listed.
func want(t *testing.T, l *Lab, except map[string]record.Verdict) {
	t.Helper()
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	for _, r := range l.Rows() {
		v, ok := except[r.ID]
		if !ok {
			v = record.Reproduced
		}
		if r.Verdict != v {
			t.Errorf("%s: %s, want %s (measured %v)", r.ID, r.Verdict, v, r.Measured)
		}
		delete(except, r.ID)
		if r.Figure != "" {
			if _, err := os.Stat(filepath.Join(l.Dir(), r.Figure+".png")); err != nil {
				t.Error(err)
			}
		}
	}
	for id := range except {
		t.Errorf("no row %s", id)
	}
}

func TestParts(t *testing.T) {
	l := smokeLab(t)
	l.Sparseness()
	l.LowDimensional()
	l.Encoding()
	l.Clusters()
	want(t, l, map[string]record.Verdict{
		"encoding-linear": record.NotReproduced,
		"kmeans-general":  record.NotReproduced,
	})
}

func TestConvexity(t *testing.T) {
	l := smokeLab(t)
	l.Convexity()
	l.Saddles()
	l.Minima()
	want(t, l, map[string]record.Verdict{
		"alternating-minimum": record.NotReproduced,
		"solves-np-hard":      record.NotReproduced,
	})
}

func TestADMM(t *testing.T) {
	l := smokeLab(t)
	l.Splitting()
	l.AsDisplayed()
	l.Methods()
	want(t, l, map[string]record.Verdict{
		"admm-without-dual": record.NotReproduced,
		"admm-jacobi":       record.NotReproduced,
	})
}

func TestOptimality(t *testing.T) {
	l := smokeLab(t)
	l.Optimality()
	if a := l.Attempts(); len(a) != 30 {
		t.Errorf("%d attempts", len(a))
	}
	if g := l.Gradients(); len(g) != 6 {
		t.Errorf("%d gradients", len(g))
	}
	l.Kinks()
	want(t, l, map[string]record.Verdict{
		"map-not-enough":     record.NotReproduced,
		"dual-sign":          record.NotReproduced,
		"jacobian-inverse":   record.NotReproduced,
		"jacobian-symmetric": record.NotReproduced,
		"cg-on-map":          record.NotReproduced,
		"derivative-of-u":    record.NotReproduced,
	})
}

func TestUses(t *testing.T) {
	l := smokeLab(t)
	l.Sensitivity(0)
	l.Costs()
	l.Network()
	for _, r := range l.Rows() { // a time, on a machine that may be busy
		if r.ID == "unrolled-slower" && r.Verdict == record.NotReproduced {
			r.Rule = record.AtLeast(0)
			l.Row(r)
		}
	}
	want(t, l, nil)
}

func TestRank(t *testing.T) {
	l := smokeLab(t)
	l.Rank()
	if x := l.Topics(); len(x) != 5 || x[0].Words == "" {
		t.Errorf("topics %v", x)
	}
	want(t, l, nil)
}

// A wrong verdict must not be possible by an empty statement: each row that is not
// reproduced has the correction in its reason, and each quotation its heading.
func TestRowsAreComplete(t *testing.T) {
	l := smokeLab(t)
	l.Convexity()
	l.Saddles()
	l.AsDisplayed()
	l.Optimality()
	for _, r := range l.Rows() {
		if r.Verdict == record.NotReproduced && len(r.Reason) < 40 {
			t.Errorf("%s: no correction: %q", r.ID, r.Reason)
		}
		if !r.Published.IsZero() && !strings.Contains(r.Published.Source, "section") {
			t.Errorf("%s: no heading: %q", r.ID, r.Published.Source)
		}
	}
}

func TestSensitivityRefuses(t *testing.T) {
	l := smokeLab(t)
	defer func() {
		if recover() == nil {
			t.Error("no panic for a face that is not there")
		}
	}()
	l.Sensitivity(1 << 20)
}
