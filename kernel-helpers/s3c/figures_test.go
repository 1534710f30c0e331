package s3c

import (
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/figure"
)

func TestFigures(t *testing.T) {
	_, src, V := planted(t, 300)
	r := train(t, src, Options{Units: 12, Steps: 3, Batch: 50, Bias: -1})
	e := infer(t, r.Model, V, InferOptions{Trace: true})
	samples, err := r.Model.Samples(6, 1, 2, 4, TileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := r.Model.Reconstructions(V.Slice(0, 10, 0, 8), &Posterior{mat.DenseCopyOf(e.Q.Logit.Slice(0, 10, 0, 12)), mat.DenseCopyOf(e.Q.S.Slice(0, 10, 0, 12))}, 2, 4, TileOptions{Columns: 5})
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]*figure.Figure{
		"mean energy of a patch": r.Plot(), "mean of ĥ": r.State.PlotSparsity(), "update": e.Plot(), "log10 ĥ": e.Q.PlotH(), "ĥŝ": e.Q.PlotHS(),
		"Samples": samples, "Reconstructions": pairs, "Filters": r.Filters(2, 4, TileOptions{}), "Mine": r.Model.Filters(1, 4, TileOptions{Title: "Mine", Colour: true, Map: mat.NewDense(12, 8, nil), Most: 7}),
	} {
		if svg := f.SVG(); !strings.Contains(svg, want) {
			t.Errorf("%s is not in its figure", want)
		}
	}
	// The order by use is not the order of the columns; a map that is none is a panic.
	use := make([]float64, 12)
	use[7] = 1
	a := r.Model.Filters(2, 4, TileOptions{Use: use, Most: 1}).By("x").Note("")
	b := Tiles(mat.DenseCopyOf(r.Model.W.ColView(7).T()), 2, 4, TileOptions{Title: "Filters"}, "").By("x").Note("")
	if a.SVG() != b.SVG() {
		t.Error("the first filter is not the most used")
	}
	for name, f := range map[string]func(){
		"pixels":  func() { r.Model.Filters(3, 3, TileOptions{}) },
		"map":     func() { r.Model.Filters(3, 3, TileOptions{Map: mat.NewDense(2, 2, nil)}) },
		"trace":   func() { infer(t, r.Model, V, InferOptions{}).Plot() },
		"history": func() { (&State{}).Plot() },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "s3c: ") {
					t.Errorf("%s: no panic of this package: %v", name, s)
				}
			}()
			f()
		}()
	}
}

// In colour the planes are where they should be, and 0 is grey.
func TestColours(t *testing.T) {
	X := mat.NewDense(1, 12, []float64{
		2, 0, 0, 0, // red at the top left
		0, 2, 0, 0, // green at the top right
		0, 0, -2, 0, // less blue at the bottom left
	})
	img := colours(X, 2, 2, 4)
	zoom := img.Bounds().Dx() / 4
	for _, c := range []struct{ x, y, r, g, b int }{{1, 1, 255, 128, 128}, {2, 1, 128, 255, 128}, {1, 2, 128, 128, 0}, {2, 2, 128, 128, 128}, {0, 0, 255, 255, 255}} {
		if p := img.NRGBAAt(c.x*zoom, c.y*zoom); int(p.R) != c.r || int(p.G) != c.g || int(p.B) != c.b {
			t.Errorf("at %d, %d: %v", c.x, c.y, p)
		}
	}
}

// Set S3C_PICTURES to a folder to look at the figures, and S3C_STATE to a file with a state
// of a model for 6×6×3 patches.
func TestPictures(t *testing.T) {
	dir, file := os.Getenv("S3C_PICTURES"), os.Getenv("S3C_STATE")
	if dir == "" || file == "" {
		t.Skip("S3C_PICTURES and S3C_STATE are not set")
	}
	st := must[*State](t)(LoadState(file))
	X, from := whitened(t, 5000)
	V := mat.DenseCopyOf(X.Slice(0, 200, 0, 108))
	r := &Result{Model: st.Model, State: st}
	e := infer(t, st.Model, V, InferOptions{Trace: true})
	opt := TileOptions{Colour: from == "CIFAR-10", Most: 256, Columns: 24}
	h, w := 6, 6
	if !opt.Colour {
		h, w = 12, 9
	}
	// The denoising: patches with noise of the model's own size.
	noisy := mat.DenseCopyOf(V)
	noisy.Add(noisy, gaussian(200, 108, 0.4, 1))
	clean := infer(t, st.Model, noisy, InferOptions{})
	first := mat.DenseCopyOf(noisy.Slice(0, 48, 0, 108))
	q := &Posterior{mat.DenseCopyOf(clean.Q.Logit.Slice(0, 48, 0, len(st.Use))), mat.DenseCopyOf(clean.Q.S.Slice(0, 48, 0, len(st.Use)))}
	pairs := must[*figure.Figure](t)(st.Model.Reconstructions(first, q, h, w, TileOptions{Colour: opt.Colour, Columns: 16, Title: "Denoising"}))
	samples := must[*figure.Figure](t)(st.Model.Samples(96, 1, h, w, opt))
	for name, f := range map[string]*figure.Figure{"plot": r.Plot(), "sparsity": st.PlotSparsity(), "estep": e.Plot(), "h": e.Q.PlotH(), "hs": e.Q.PlotHS(),
		"filters": r.Filters(h, w, opt), "denoising": pairs, "samples": samples} {
		if err := f.Save(dir + "/" + name); err != nil {
			t.Fatal(err)
		}
	}
}
