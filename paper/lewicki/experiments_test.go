package lewicki

import (
	"testing"

	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

func TestE1(t *testing.T) {
	l := smokeLab(t)
	l.DataClouds()
	l.Densities()
	labtest.Verdicts(t, l.Lab, map[string]record.Verdict{
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
	labtest.Verdicts(t, l.Lab, map[string]record.Verdict{
		"e2-interior-point": record.Reproduced,
		"e2-sparse":         record.Reproduced,
		"e2-lp-limit":       record.Reproduced,
	})
}

func TestEvidence(t *testing.T) {
	l := smokeLab(t)
	l.GaussianApproximation()
	labtest.Verdicts(t, l.Lab, map[string]record.Verdict{
		"evidence-determinant":    record.Reproduced,
		"evidence-gradient-terms": record.NotReproduced, // the envelope theorem
	})
}

func TestE3(t *testing.T) {
	l := smokeLab(t)
	l.LearningPerturbed()
	l.LearningRandom()
	labtest.Verdicts(t, l.Lab, map[string]record.Verdict{
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
	labtest.Verdicts(t, l.Lab, map[string]record.Verdict{
		"e4-sign":               record.Reproduced,
		"e4-relu-symmetry":      record.Reproduced,
		"e4-laplacian-symmetry": record.Reproduced,
		"e4-scale":              record.Reproduced,
		"e41-no-rotation":       record.Reproduced,
		"e41-right-sign-sparse": record.Reproduced,
	})
}
