package s3cplot

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/s3c"
)

// planted returns 300 patches of a model with 12 units in 8 dimensions.
func planted(t *testing.T) *mat.Dense {
	t.Helper()
	rng := rand.New(rand.NewPCG(151, 7))
	W := mat.NewDense(8, 12, nil)
	W.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, W)
	m, err := s3c.NewModel(W, -2.5, 10, 30)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Mu {
		m.Mu[i] = 2
	}
	x, err := m.Sample(300, 3)
	if err != nil {
		t.Fatal(err)
	}
	return x.V
}

func infer(t *testing.T, m *s3c.Model, V mat.Matrix, o s3c.InferOptions) *s3c.Inference {
	t.Helper()
	r, err := m.Infer(t.Context(), V, &o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFigures(t *testing.T) {
	V := planted(t)
	src, err := s3c.Rows(V, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s3c.Fit(context.Background(), src, &s3c.Options{Units: 12, Steps: 3, Batch: 50, Bias: -1})
	if err != nil {
		t.Fatal(err)
	}
	e := infer(t, r.Model, V, s3c.InferOptions{Trace: true})
	samples, err := Samples(r.Model, 6, 1, 2, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := &s3c.Posterior{Logit: mat.DenseCopyOf(e.Q.Logit.Slice(0, 10, 0, 12)), S: mat.DenseCopyOf(e.Q.S.Slice(0, 10, 0, 12))}
	pairs, err := Reconstructions(r.Model, V.Slice(0, 10, 0, 8), first, 2, 4, &TileOptions{Columns: 5})
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]*figure.Figure{
		"mean energy of a patch": Training(r.State), "mean of ĥ": Sparsity(r.State), "update": Inference(e), "log10 ĥ": H(e.Q), "ĥŝ": HS(e.Q),
		"Samples": samples, "Reconstructions": pairs, "Filters": Filters(r.Model, 2, 4, nil), "Mine": Filters(r.Model, 1, 4, &TileOptions{Title: "Mine", Color: true, Map: mat.NewDense(12, 8, nil), Most: 7}),
	} {
		if svg := f.SVG(); !strings.Contains(svg, want) {
			t.Errorf("%s is not in its figure", want)
		}
	}
	bad := mat.DenseCopyOf(V)
	bad.Set(2, 1, math.NaN())
	if _, err := Reconstructions(r.Model, bad, e.Q, 2, 4, nil); err == nil || err.Error() != "s3cplot: Reconstructions: V(2, 1) is NaN" {
		t.Errorf("the error is %v", err)
	}
	// The order by use differs from the order of the columns; an invalid map panics.
	use := make([]float64, 12)
	use[7] = 1
	a := Filters(r.Model, 2, 4, &TileOptions{Use: use, Most: 1}).By("x").Note("")
	b := Tiles(mat.DenseCopyOf(r.Model.W.ColView(7).T()), 2, 4, &TileOptions{Title: "Filters"}, "").By("x").Note("")
	if a.SVG() != b.SVG() {
		t.Error("the first filter is not the most used")
	}
	for name, f := range map[string]func(){
		"pixels":    func() { Filters(r.Model, 3, 3, nil) },
		"map":       func() { Filters(r.Model, 3, 3, &TileOptions{Map: mat.NewDense(2, 2, nil)}) },
		"trace":     func() { Inference(infer(t, r.Model, V, s3c.InferOptions{})) },
		"patches":   func() { Reconstructions(r.Model, V.T(), e.Q, 2, 4, nil) },
		"posterior": func() { Reconstructions(r.Model, V, first, 2, 4, nil) },
		"history":   func() { Training(&s3c.State{}) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "s3cplot: ") {
			t.Errorf("%s: no panic of this package: %v", name, s)
		}
	}
}

// In color the planes are in the right places, and 0 is gray.
func TestColours(t *testing.T) {
	X := mat.NewDense(1, 12, []float64{
		2, 0, 0, 0, // red at the top left
		0, 2, 0, 0, // green at the top right
		0, 0, -2, 0, // less blue at the bottom left
	})
	img := paintColors(X, 2, 2, 4)
	zoom := img.Bounds().Dx() / 4
	for _, c := range []struct{ x, y, r, g, b int }{{1, 1, 255, 128, 128}, {2, 1, 128, 255, 128}, {1, 2, 128, 128, 0}, {2, 2, 128, 128, 128}, {0, 0, 255, 255, 255}} {
		if p := img.NRGBAAt(c.x*zoom, c.y*zoom); int(p.R) != c.r || int(p.G) != c.g || int(p.B) != c.b {
			t.Errorf("at %d, %d: %v", c.x, c.y, p)
		}
	}
}
