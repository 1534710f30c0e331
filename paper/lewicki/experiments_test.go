package lewicki

import (
	"maps"
	"slices"
	"testing"

	"overcomplete/paper/record"
)

// verdicts ends the run and checks that rows have the verdicts that the science
// demands at any size.
func verdicts(t *testing.T, l *Lab, want map[string]record.Verdict) {
	t.Helper()
	ids := slices.Sorted(maps.Keys(want))
	for _, r := range finished(t, l, ids...) {
		if r.Verdict != want[r.ID] {
			t.Errorf("%s: %s, want %s (measured %v)", r.ID, r.Verdict, want[r.ID], r.Measured)
		}
	}
}

func TestE1(t *testing.T) {
	l := smokeLab(t)
	l.DataClouds()
	l.Densities()
	verdicts(t, l, map[string]record.Verdict{
		"e1-laplacian-symmetric": record.Reproduced,
		"e1-laplacian-spherical": record.Reproduced,
		"e1-laplacian-gaussian":  record.Partial, // excess kurtosis 1.5
		"e1-exponential-cone":    record.Reproduced,
		"e1-half-laplacian":      record.Reproduced,
	})
}

func TestE2(t *testing.T) {
	l := smokeLab(t)
	table := l.Solvers()
	l.SolverPaths()
	if len(table.Cells) != 8 {
		t.Errorf("%d solvers", len(table.Cells))
	}
	verdicts(t, l, map[string]record.Verdict{
		"e2-interior-point": record.Reproduced,
		"e2-sparse":         record.Reproduced,
		"e2-lp-limit":       record.Reproduced,
	})
}

func TestEvidence(t *testing.T) {
	l := smokeLab(t)
	l.GaussianApproximation()
	verdicts(t, l, map[string]record.Verdict{
		"evidence-determinant":    record.Reproduced,
		"evidence-gradient-terms": record.NotReproduced, // the envelope theorem
	})
}

func TestE3(t *testing.T) {
	l := smokeLab(t)
	l.LearningPerturbed()
	l.LearningRandom()
	verdicts(t, l, map[string]record.Verdict{
		"e3-perturbed":            record.NotReproduced,
		"e3-perturbed-right-sign": record.Reproduced,
		"e3-runaway":              record.Reproduced,
		"e3-right-sign":           record.Reproduced,
	})
}

func TestE4(t *testing.T) {
	l := smokeLab(t)
	l.Runaway()
	l.Equilibrium()
	l.Scale()
	l.NoReLU()
	verdicts(t, l, map[string]record.Verdict{
		"e4-sign":               record.Reproduced,
		"e4-relu-symmetry":      record.Reproduced,
		"e4-laplacian-symmetry": record.Reproduced,
		"e4-scale":              record.Reproduced,
		"e41-no-rotation":       record.Reproduced,
		"e41-right-sign-sparse": record.Reproduced,
	})
}
