package pcaplot_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/pca"
	"overcomplete/kernel-helpers/pca/pcaplot"
)

func TestFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	X := mat.NewDense(50, 2, nil)
	X.Apply(func(_, j int, _ float64) float64 { return rng.NormFloat64() * float64(j+1) }, X)
	m, err := pca.Fit(t.Context(), X, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]*figure.Figure{
		"% of the variance": pcaplot.Scree(m, "a"), "first k axes": pcaplot.Share(m, "a"), "loss, %": pcaplot.Loss(m, "a"),
		"axis 2 (": pcaplot.Scores(m, "a", X, 0, 1), "two standard deviations": pcaplot.PrincipalAxes(m, "a", X), "loadings times": pcaplot.Biplot(m, "a", X, "height", "width"),
	} {
		if !strings.Contains(f.SVG(), want) {
			t.Errorf("%q is not in its figure", want)
		}
	}
	// The biplot shows the scores of any number of variables, and the arrows along their loadings.
	csv := string(pcaplot.Biplot(m, "a", X, "height", "width").CSV())
	if strings.Count(csv, ",arrow,") != 2 || strings.Count(csv, ",points,") != 50 {
		t.Errorf("the biplot's data are\n%s", csv)
	}
	// Misuse panics with the name of this package, or of pca if pca detects it.
	bad := mat.DenseCopyOf(X)
	bad.Set(3, 1, math.NaN())
	three, err := pca.Fit(t.Context(), mat.NewDense(4, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]func(){
		"pcaplot: Scores: axes 0 and 2":                 func() { pcaplot.Scores(m, "a", X, 0, 2) },
		"pcaplot: PrincipalAxes: points of dimension 3": func() { pcaplot.PrincipalAxes(three, "a", X) },
		"pcaplot: PrincipalAxes: X is 2×50":             func() { pcaplot.PrincipalAxes(m, "a", X.T()) },
		"pcaplot: PrincipalAxes: X(3, 1) is NaN":        func() { pcaplot.PrincipalAxes(m, "a", bad) },
		"pcaplot: PrincipalAxes: X is nil":              func() { pcaplot.PrincipalAxes(m, "a", nil) },
		"pcaplot: Biplot: 1 names of 2 variables":       func() { pcaplot.Biplot(m, "a", X, "height") },
		"pca: Scores: ": func() { pcaplot.Scores(m, "a", X.T(), 0, 1) },
	} {
		if s, _ := panics.Value(f).(string); !strings.HasPrefix(s, want) {
			t.Errorf("panic %q, want %q", s, want)
		}
	}
}
