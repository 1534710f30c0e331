package figure_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/figure"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// A shown thing is a Figure or a Grid.
type shown interface {
	SVG() string
	PNG() []byte
	Save(path string) error
}

func mixture(n int, seed uint64) (X, A *mat.Dense) {
	rnd := rand.New(rand.NewPCG(seed, 0))
	A = mat.NewDense(2, 3, []float64{1, 0.5, -0.5, 0, 0.87, 0.87})
	X = mat.NewDense(2, n, nil)
	for j := range n {
		for k := range 3 {
			if rnd.Float64() < 0.3 {
				s := rnd.ExpFloat64()
				if rnd.IntN(2) == 0 {
					s = -s
				}
				X.Set(0, j, X.At(0, j)+A.At(0, k)*s)
				X.Set(1, j, X.At(1, j)+A.At(1, k)*s)
			}
		}
	}
	return X, A
}

func curve(n int, fn func(float64) float64) (x, y []float64) {
	for i := range n {
		x = append(x, float64(i))
		y = append(y, fn(float64(i)))
	}
	return x, y
}

// gallery returns one figure of each kind.
func gallery() map[string]shown {
	X, A := mixture(2000, 1)
	Ahat := mat.NewDense(2, 3, []float64{0.98, 0.6, -0.4, 0.1, 0.8, 0.9})
	cloud := func(title string) *figure.Figure {
		return figure.Cloud(title, X).Basis("true columns", A, 0).Use(figure.Vermilion).Basis("learned columns", Ahat, 0)
	}
	x, good := curve(300, func(t float64) float64 { return math.Exp(-t/40) + 1e-3 })
	_, bad := curve(300, func(t float64) float64 { return math.Exp(t/30) * 0.5 })
	rnd := rand.New(rand.NewPCG(2, 0))
	var laplace, gauss []float64
	for range 4000 {
		s := rnd.ExpFloat64()
		if rnd.IntN(2) == 0 {
			s = -s
		}
		laplace, gauss = append(laplace, s), append(gauss, rnd.NormFloat64())
	}
	loss := figure.New("Objective while learning", "step", "loss").Lines("right sign", x, good).Lines("the post's sign", x, bad).LogY()
	hist := figure.New("Two densities", "s", "density").Histogram("Laplacian", laplace, 60).Histogram("Gaussian", gauss, 60)
	n := []float64{2, 3, 4, 5}
	bars := figure.New("Recovery from random starts", "number of sources", "median worst angle (°)").
		ErrorBars("active 30 %", n, []float64{0.3, 0.9, 4, 11}, []float64{0.1, 0.3, 1.5, 4}).
		ErrorBars("active 50 %", n, []float64{0.5, 2.5, 9, 19}, []float64{0.2, 0.6, 2, 5}).HLine("5°", 5)
	bars.Y.Min = 0
	M := mat.NewDense(12, 20, nil)
	for i := range 12 {
		for j := range 20 {
			M.Set(i, j, math.Sin(float64(i)/2)*math.Cos(float64(j)/3)*2)
		}
	}
	heat := figure.Heatmap("Gram matrix", M)
	heat.X.Label.Text, heat.Y.Label.Text = "column", "row"
	T := mat.NewDense(64, 20, nil)
	for k := range 20 {
		for i := range 64 {
			y, x := float64(i/8)-3.5, float64(i%8)-3.5
			a := float64(k) * math.Pi / 20
			u := x*math.Cos(a) + y*math.Sin(a)
			T.Set(i, k, math.Exp(-(x*x+y*y)/8)*math.Cos(u*1.5))
		}
	}
	grouped := figure.Bars("Verdicts", []string{"lewicki", "bradley", "goodfellow"}, []string{"reproduced", "not"}, [][]float64{{9, 4, 2}, {1, 2, 0}})
	band := figure.New("Median and quartiles", "step", "angle (°)")
	band.Band([]float64{1, 2, 3, 4}, []float64{1, 2, 2, 1}, []float64{4, 5, 4, 2}).Lines("median", []float64{1, 2, 3, 4}, []float64{2, 3, 3, 1.5})
	out := map[string]shown{
		"cloud":   cloud("Data, true and learned columns").Note("2000 samples of a 2 × 3 mixture of sparse Laplacian sources; each source is active in 30 % of the samples."),
		"loss":    loss,
		"hist":    hist,
		"bars":    bars,
		"heat":    heat,
		"tiles":   figure.Tiles("Basis columns", T, 8, 8, 5),
		"grouped": grouped,
		"band":    band,
		"curve":   figure.New("Small numbers", "λ", "σ²").Curve("1e−6 λ²", func(x float64) float64 { return 1e-6 * x * x }, -3, 3),
	}
	out["grid"] = figure.NewGrid("Four starts", 2, cloud("seed 1"), cloud("seed 2"), cloud("seed 3: a longer title that does not fit into one line of its panel"), cloud("seed 4")).
		Note("The same data from four starting points.").By("paper/lewicki.Starts")
	out["mixed"] = figure.NewGrid("The runaway, and its cure", 3, cloud("a"), figure.New("b", "step", "loss").Lines("right sign", x, good).LogY(), figure.Heatmap("c", M),
		figure.Histogram("d", gauss, 0), nil, figure.New("f", "x", "y").Scatter("", []float64{1, 2, 3}, []float64{1, 4, 9}))
	return out
}

// TestGallery writes the gallery to the folder in GALLERY, for visual inspection.
func TestGallery(t *testing.T) {
	dir := os.Getenv("GALLERY")
	if dir == "" {
		t.Skip("GALLERY is not set")
	}
	for name, f := range gallery() {
		if err := f.Save(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestDeterminism checks that a figure gives the same bytes when it is made again and when it is drawn again.
// It also checks that the SVG is well-formed XML and that the PNG has the right size.
func TestDeterminism(t *testing.T) {
	a, b := gallery(), gallery()
	for name, f := range a {
		s, p := f.SVG(), f.PNG()
		if s != b[name].SVG() || s != f.SVG() {
			t.Errorf("%s: the SVG differs", name)
		}
		if !bytes.Equal(p, b[name].PNG()) {
			t.Errorf("%s: the PNG differs", name)
		}
		d := xml.NewDecoder(strings.NewReader(s))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(s, "NaN") || strings.Contains(s, "Inf,") {
			t.Errorf("%s: a coordinate that is no number", name)
		}
		if !strings.Contains(s, "</desc>") {
			t.Errorf("%s: no description", name)
		}
		if _, err := png.Decode(bytes.NewReader(p)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := figure.Lines("x", []float64{1, 2}, []float64{3, 4}).Size(5, 3)
	f.Maker = ""
	c, err := png.DecodeConfig(bytes.NewReader(f.PNG()))
	if err != nil || c.Width != 5*figure.DPI || c.Height != 3*figure.DPI {
		t.Errorf("%d × %d, %v", c.Width, c.Height, err)
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "fig")
	f := figure.Scatter("points", []float64{1, 2}, []float64{3, 4})
	for range 2 {
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := os.ReadFile(path + ".svg")
	p, _ := os.ReadFile(path + ".png")
	if figuremeta.Sum(s) != figuremeta.Sum([]byte(f.SVG())) || !bytes.Equal(p, f.PNG()) {
		t.Error("the files are not what SVG and PNG give")
	}
	about, err := figuremeta.Read(s)
	if err != nil {
		t.Fatal(err)
	}
	if csv, err := about.Data(); err != nil || !bytes.Equal(csv, f.CSV()) {
		t.Errorf("the SVG has other data than the CSV: %v", err)
	}
	if n, ok := figuremeta.NameIn(f.Render().Metadata); !ok || n.Figure != "new/fig" || n.Sum != figuremeta.Sum(s) {
		t.Errorf("the output says that it is %v", n)
	}
	f.Lines("one more", []float64{1, 2}, []float64{3, 4})
	if n, ok := figuremeta.NameIn(f.Render().Metadata); ok {
		t.Errorf("a changed figure says that it is %v", n)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 3 {
		t.Errorf("%d files", len(left))
	}
	l, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		t.Fatal(err)
	}
	plain := plot.New()
	plain.Title.Text = "anyone's plot"
	plain.Add(l)
	if err := figure.Save(plain, path, 0, 0); err != nil {
		t.Error(err)
	}
	if s, _ := os.ReadFile(path + ".svg"); !bytes.Contains(s, []byte("anyone")) {
		t.Error("no title")
	}
	if err := figure.Save(nil, path, 0, 0); err == nil {
		t.Error("no plot is saved")
	}
	if err := f.Save(filepath.Join(path+".svg", "x")); err == nil {
		t.Error("a folder that is a file")
	}
}

func TestMaker(t *testing.T) {
	f := figure.Lines("", []float64{1, 2}, []float64{3, 4})
	if f.Maker != "kernel-helpers/figure_test.TestMaker" {
		t.Errorf("made by %q", f.Maker)
	}
	if s := f.Note("What is seen").SVG(); !strings.Contains(s, "What is seen. Made by kernel-helpers/figure_test.TestMaker.") {
		t.Error("the caption is not in the SVG")
	}
}

// TestDrawChangesNothing checks that drawing leaves the figure unchanged.
func TestDrawChangesNothing(t *testing.T) {
	f := figure.New("title", "x", "y").Lines("a", []float64{1, 2}, []float64{5, 5})
	f.Equal = true
	before := fmt.Sprint(f.Title.Text, f.X.Min, f.X.Max, f.Y.Min, f.Y.Max)
	f.SVG()
	figure.NewGrid("", 1, f).SVG()
	if after := fmt.Sprint(f.Title.Text, f.X.Min, f.X.Max, f.Y.Min, f.Y.Max); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

func TestMistakes(t *testing.T) {
	ok := []float64{1, 2}
	for want, f := range map[string]func(){
		"y[1] is NaN":               func() { figure.Scatter("", ok, []float64{1, math.NaN()}) },
		"x[0] is +Inf":              func() { figure.Lines("", []float64{math.Inf(1), 1}, ok) },
		"x has 2 values, y has 1":   func() { figure.Lines("", ok, []float64{1}) },
		"x is empty":                func() { figure.Lines("", nil, nil) },
		"values is empty":           func() { figure.Histogram("", nil, 3) },
		"not 2 × n":                 func() { figure.Cloud("", mat.NewDense(3, 2, nil)) },
		"element (0, 1) is NaN":     func() { figure.Heatmap("", mat.NewDense(1, 2, []float64{1, math.NaN()})) },
		"e[0] is -1":                func() { figure.New("", "", "").ErrorBars("", ok, ok, []float64{-1, 1}) },
		"not 3 × 3 images":          func() { figure.Tiles("", mat.NewDense(8, 2, nil), 3, 3, 2) },
		"axis is logarithmic":       func() { figure.Lines("", ok, []float64{0, 1}).LogY().SVG() },
		"is not a range":            func() { figure.New("", "", "").Range(1, 0, 0, 1) },
		"a width or height of -1":   func() { figure.Lines("", ok, ok).Size(-1, 2).SVG() },
		"NewGrid: 0 figures":        func() { figure.NewGrid("", 2) },
		"3 labels, but 2 values":    func() { figure.Bars("", []string{"a", "b", "c"}, []string{"n"}, [][]float64{ok}) },
		"Finite: x has 2 values, y": func() { figure.Finite(ok, nil) },
	} {
		if s := fmt.Sprint(panics.Value(f)); !strings.HasPrefix(s, "figure: ") || !strings.Contains(s, want) {
			t.Errorf("%q, not %q", s, want)
		}
	}
	x, y := figure.Finite([]float64{1, 2, 3, math.Inf(1)}, []float64{1, math.NaN(), 4, 5})
	if fmt.Sprint(x, y) != "[1 3] [1 4]" {
		t.Error(x, y)
	}
}

// TestDegenerate draws data with a range of 0.
func TestDegenerate(t *testing.T) {
	for name, f := range map[string]*figure.Figure{
		"empty":          figure.New("", "", ""),
		"empty log":      figure.New("", "", "").LogX().LogY(),
		"one point":      figure.Scatter("", []float64{1}, []float64{1}),
		"one point, log": figure.Scatter("", []float64{1}, []float64{1}).LogX().LogY(),
		"equal values":   figure.Histogram("", []float64{3, 3, 3}, 0),
		"zero matrix":    figure.Heatmap("", mat.NewDense(2, 2, nil)),
		"zero basis":     figure.Cloud("", mat.NewDense(2, 2, nil)).Basis("", mat.NewDense(2, 1, nil), 0),
		"huge":           figure.Lines("", []float64{-1e200, 1e200}, []float64{-1e-200, 1e-200}),
	} {
		if s := f.SVG(); strings.Contains(s, "NaN") {
			t.Errorf("%s: NaN", name)
		}
	}
}

func TestTicks(t *testing.T) {
	show := func(ts []plot.Tick) string {
		var s []string
		for _, t := range ts {
			if t.Label != "" {
				s = append(s, t.Label)
			}
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		t      plot.Ticker
		lo, hi float64
		want   string
	}{
		{figure.Ticks{}, -5e-6, 1.7e-5, "−5×10⁻⁶ 0 5×10⁻⁶ 10⁻⁵ 1.5×10⁻⁵"}, {figure.Ticks{}, 0, 3e7, "0 5×10⁶ 10⁷ 1.5×10⁷ 2×10⁷ 2.5×10⁷ 3×10⁷"},
		{figure.Ticks{}, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{figure.Ticks{}, -5.3, 9.1, "−5 0 5"},
		{figure.Ticks{}, 0, 300, "0 50 100 150 200 250 300"},
		{figure.Ticks{}, 0.02, 0.07, "0.02 0.03 0.04 0.05 0.06 0.07"},
		{figure.Ticks{}, 1, 1 + 2e-7, "1 1.00000005 1.0000001 1.00000015 1.0000002"},
		{figure.Ticks{}, 1, math.Nextafter(1, 2), "1 1.0000000000000002"}, // an objective that has converged
		{figure.LogTicks{}, 0.001, 1000, "0.001 0.01 0.1 1 10 100 1000"},
		{figure.LogTicks{}, 1, 10, "1 2 5 10"},
		{figure.LogTicks{}, 1e-9, 1e-6, "10⁻⁹ 10⁻⁸ 10⁻⁷ 10⁻⁶"},
	} {
		if got := show(c.t.Ticks(c.lo, c.hi)); got != c.want {
			t.Errorf("%v to %v: %s, not %s", c.lo, c.hi, got, c.want)
		}
	}
}

// TestTicksOfAnyRange: for any range there are at most ten ticks, which ascend and have different labels.
func TestTicksOfAnyRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 20000 {
		lo := rng.NormFloat64() * math.Pow(10, 40*rng.Float64()-20)
		if rng.IntN(4) == 0 {
			lo = math.Round(lo)
		}
		hi := lo + math.Abs(lo)*math.Pow(10, 25*rng.Float64()-17)
		if rng.IntN(4) == 0 {
			hi = math.Nextafter(lo, math.Inf(1))
		}
		ts := figure.Ticks{}.Ticks(lo, hi)
		if hi > lo && (len(ts) < 2 || len(ts) > 10) {
			t.Fatalf("%v to %v: %d ticks", lo, hi, len(ts))
		}
		for k := 1; k < len(ts); k++ {
			if !(ts[k].Value > ts[k-1].Value) || ts[k].Label == ts[k-1].Label {
				t.Fatalf("%v to %v: %v", lo, hi, ts)
			}
		}
	}
}

// TestExtremes: figures of very close, very large or very small numbers are drawn, without NaN, or refused.
func TestExtremes(t *testing.T) {
	for _, v := range [][]float64{{1, math.Nextafter(1, 2), 1}, {0.03125, math.Nextafter(0.03125, 1)}, {3, 3 + 1e-14}, {-0.7, math.Nextafter(-0.7, 0)}, {1e300, -1e300}, {1e-300, 1, 1e300}, {1e-320, 2e-320}, {1e-308, 2e-308}, {5e-324, 1e-323, 1e300}, {0, 5e-324}} {
		for name, f := range map[string]func() *figure.Figure{
			"Lines":     func() *figure.Figure { return figure.Series("t", v) },
			"Histogram": func() *figure.Figure { return figure.Histogram("t", v, 10) },
			"Box":       func() *figure.Figure { return figure.Box("t", []string{"a"}, [][]float64{v}) },
			"Heatmap":   func() *figure.Figure { return figure.Heatmap("t", mat.NewDense(1, len(v), v)) },
			"LogY":      func() *figure.Figure { return figure.Series("t", v).LogY() },
		} {
			if name == "LogY" && slices.Min(v) <= 0 {
				continue
			}
			if svg := f().SVG(); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%s of %v has NaN or Inf", name, v)
			}
			f().PNG() // must end
		}
	}
	for name, f := range map[string]func(){
		"Lines":   func() { figure.Series("t", []float64{0, 1.7e308}) },
		"Box":     func() { figure.Box("t", []string{"a"}, [][]float64{{-1.7e308, 0, 1.7e308}}) },
		"Heatmap": func() { figure.Heatmap("t", mat.NewDense(1, 2, []float64{0, -1.7e308})) },
	} {
		if text := fmt.Sprint(panics.Value(f)); !strings.Contains(text, "too large to be drawn") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func ExampleCloud() {
	X := mat.NewDense(2, 4, []float64{1, 2, -1, 0, 0, 1, 1, -2})
	A := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	f := figure.Cloud("Data and columns", X).Basis("true columns", A, 0).Note("Four samples")
	fmt.Println(strings.HasPrefix(f.SVG(), "<?xml"), len(f.PNG()) > 1000)
	// Output: true true
}

// TestSigns checks that a character missing from the fonts is raised wherever text is drawn.
func TestSigns(t *testing.T) {
	f := figure.Bars("the title's w⁺", []string{"tick ⁺1"}, []string{"legend ⁺2", "another"}, [][]float64{{1}, {2}})
	f.X.Label.Text, f.Y.Label.Text = "across ⁺3", "up ⁺4"
	f.Note("caption ⁺5")
	svg := f.SVG()
	for _, text := range []string{"s w", "tick ", "legend ", "across ", "up ", "caption "} {
		if !strings.Contains(svg, text+"</text>") {
			t.Errorf("no part %q", text)
		}
	}
	if n := strings.Count(svg, ">+<"); n != 6 {
		t.Errorf("%d raised signs", n)
	}
	if i := strings.Index(svg, "<text"); strings.Contains(svg[i:], "⁺") {
		t.Error("a sign without a glyph is drawn")
	}
}
