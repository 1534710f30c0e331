package figure_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/figure"
)

// kinds returns a figure of each kind that a paper needs.
func kinds() map[string]shown {
	rng := rand.New(rand.NewPCG(7, 0))
	normal := func(n int, mean, sd float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = mean + sd*rng.NormFloat64()
		}
		return v
	}
	names := []string{"Harbour", "North", "School", "Motorway"}
	groups := [][]float64{normal(200, 10, 2), normal(150, 12, 3), normal(180, 9, 1.5), append(normal(120, 15, 2.5), 28, 30)}
	X := mat.NewDense(240, 4, nil)
	labels := make([]int, 240)
	for i := range 240 {
		labels[i] = i % 3
		a, b := rng.NormFloat64(), rng.NormFloat64()
		X.SetRow(i, []float64{a + float64(labels[i])*2, a + 0.5*b, b - float64(labels[i]), rng.ExpFloat64()})
	}
	variables := []string{"temp", "no2", "pm25", "wind"}
	R := mat.NewDense(4, 4, nil)
	for i := range 4 {
		for j := range 4 {
			R.Set(i, j, correlation(mat.Col(nil, i, X), mat.Col(nil, j, X)))
		}
	}
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	y := []float64{12, 14, 18, 25, 33, 41, 47, 45, 36, 27, 18, 13}
	rain := []float64{60, 55, 40, 35, 20, 10, 5, 12, 30, 45, 58, 64}
	twin := figure.New("Temperature and rain", "month", "temperature (°C)").Marked("temperature", x, y)
	twin.Right("rain (mm)").Lines("rain", x, rain)
	e := []float64{2, 2, 2, 3, 3, 4, 4, 4, 3, 3, 2, 2}
	many := figure.New("Eleven series", "step", "value").LegendAt(figure.Beside)
	for k := range 11 {
		many.Lines(fmt.Sprint("series ", k+1), []float64{0, 1, 2}, []float64{float64(k), float64(k) + 1, float64(k) + 0.5})
	}
	units := figure.New("NO₂ at the harbour: $\\sigma^2 = 4$", "distance, km", "NO₂, µg m⁻³").ErrorBars("measured", x, y, e).LogY()
	return map[string]shown{
		"box":       figure.Box("PM2.5 by site", names, groups),
		"violin":    figure.Violin("PM2.5 by site", names, groups),
		"histby":    figure.HistogramBy("Temperature by class", mat.Col(nil, 0, X), labels, []string{"low", "middle", "high"}, 0),
		"pairs":     figure.Pairs("Air", X, variables, labels, []string{"low", "middle", "high"}),
		"annotated": figure.Annotated("Correlations", R, variables, variables),
		"barserr": figure.BarsWithErrors("Held-out R²", []string{"group lasso", "lasso", "ridge"}, []string{"small", "large"},
			[][]float64{{0.72, 0.68, 0.48}, {0.81, 0.76, 0.66}}, [][]float64{{0.05, 0.07, 0.08}, {0.03, 0.04, 0.06}}),
		"longnames": figure.Bars("Long names", []string{"the first of the names", "a second one, longer", "and a third of them", "the fourth"}, []string{"n"}, [][]float64{{3, 1, 4, 1.5}}),
		"tilted":    figure.Bars("Many names", []string{"Friedrichshain", "Charlottenburg", "Prenzlauer Berg", "Wilmersdorf", "Neukölln", "Tempelhof", "Reinickendorf"}, []string{"n"}, [][]float64{{3, 1, 4, 1, 5, 9, 2}}),
		"twin":      twin,
		"many":      many,
		"units":     units,
		"notes": figure.New("A peak", "x", "y").Curve("bell", func(x float64) float64 { return math.Exp(-x * x) }, -3, 3).LegendAt(figure.UpperRight).
			Text(1.2, 0.8, "the peak is here").Arrow(1.2, 0.8, 0.1, 0.98),
		"classes": figure.Classes("Three classes that overlap", mat.Col(nil, 1, X), mat.Col(nil, 2, X), labels, []string{"Harbour", "North", "School"}).LegendAt(figure.Beside),
		"scatter": figure.New("Scatter", "$x_1$", "$x_2$ (m s$^{-1}$)").Scatter("a", mat.Col(nil, 0, X), mat.Col(nil, 1, X)).SizeCM(8.5, 6),
	}
}

func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// TestKinds writes these figures to the folder in GALLERY, if it is set. They are the same each time, and drawing them
// leaves their axes unchanged.
func TestKinds(t *testing.T) {
	dir := os.Getenv("GALLERY")
	again := kinds()
	for name, f := range kinds() {
		if dir != "" {
			for _, end := range []string{"", ".pdf", ".eps"} {
				if err := f.Save(filepath.Join(dir, name+end)); err != nil {
					t.Error(err)
				}
			}
		}
		if s := f.SVG(); s != again[name].SVG() || s != f.SVG() || strings.Contains(s, "NaN") {
			t.Errorf("%s differs from itself", name)
		}
	}
}

// TestPlotSave saves plots by gonum/plot's own method as PDF: a figure's, and one with a theme.
func TestPlotSave(t *testing.T) {
	p := plot.New()
	figure.Theme(p)
	p.Title.Text = "Titel: λ ≥ ½"
	p.X.Min, p.X.Max = -1, 1
	f := figure.New(p.Title.Text, "", "").Lines("first", []float64{-1, 1}, []float64{4, 5})
	for name, p := range map[string]*plot.Plot{"bare": p, "figure": f.Plot} {
		pdf := filepath.Join(t.TempDir(), name+".pdf")
		if err := p.Save(8*vg.Centimeter, 6*vg.Centimeter, pdf); err != nil {
			t.Fatal(err)
		}
		texts := tool(t, "pdftotext", "-layout", pdf, "-")
		for _, want := range []string{"Titel: λ ≥ ½", "−1.0"} {
			if !strings.Contains(texts, want) {
				t.Errorf("%s: no %q in the PDF:\n%s", name, want, texts)
			}
		}
	}
}

// TestFormats saves a figure with a bold title, Greek letters and signs outside Latin-1 in each format, and reads the
// texts of the PDF with poppler.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	f := figure.New("Titel: λ ≥ ½, NO2", "time, µs", "flux, m s⁻¹").Lines("first", []float64{1, 2, 3}, []float64{-4, 5, 6}).Lines("second", []float64{1, 2, 3}, []float64{6, 5, 4}).Note("What is seen.").SizeCM(8.5, 6)
	for _, end := range []string{".pdf", ".eps", ".svg", ".png", ".csv", ".PDF"} {
		path := filepath.Join(dir, "new"+end, "fig1"+end)
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		first, err := os.ReadFile(path)
		if err != nil || len(first) < 100 {
			t.Fatalf("%s: %d bytes, %v", end, len(first), err)
		}
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
			t.Errorf("%s: %d files: the name was not taken at its word", end, len(files))
		}
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
			t.Errorf("%s: the same figure gives other bytes", end)
		}
	}
	if err := f.Save(filepath.Join(dir, "fig1.jpg")); err == nil || !strings.Contains(err.Error(), "saved as .pdf, .eps, .svg or .png") {
		t.Error(err)
	}
	if err := f.Save(filepath.Join(dir, "plain")); err != nil {
		t.Error(err)
	} else if files, _ := filepath.Glob(filepath.Join(dir, "plain.*")); len(files) != 3 {
		t.Error(files)
	}
	b, err := os.ReadFile(filepath.Join(dir, "new.png", "fig1.png"))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || math.Abs(float64(c.Width)-8.5/2.54*300) > 1 {
		t.Errorf("%d pixels, %v", c.Width, err)
	}
	eps, _ := os.ReadFile(filepath.Join(dir, "new.eps", "fig1.eps"))
	if !bytes.HasPrefix(eps, []byte("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 241 ")) || bytes.Contains(eps, []byte("findfont")) || !bytes.HasSuffix(eps, []byte("%%EOF\n")) {
		t.Errorf("%.200s", eps)
	}
	pdf := filepath.Join(dir, "new.pdf", "fig1.pdf")
	texts := tool(t, "pdftotext", "-layout", pdf, "-")
	for _, want := range []string{"Titel: λ ≥ ½, NO2", "first", "second", "time, µs", "flux, m s", "−1", "What is seen."} {
		if !strings.Contains(texts, want) {
			t.Errorf("no %q in the PDF:\n%s", want, texts)
		}
	}
	if strings.Contains(texts, "Made by") {
		t.Errorf("a paper need not know who made it:\n%s", texts)
	}
	lines := strings.Split(strings.TrimSpace(tool(t, "pdffonts", pdf)), "\n")
	if len(lines) < 4 { // two of heading, regular and bold
		t.Fatalf("%q", lines)
	}
	for _, l := range lines[2:] {
		if fields := strings.Fields(l); len(fields) < 6 || fields[len(fields)-5] != "yes" {
			t.Errorf("not embedded: %s", l)
		}
	}
	if info := tool(t, "pdfinfo", pdf); !strings.Contains(info, "240.94") && !strings.Contains(info, "240.945") && !strings.Contains(info, "240.9 ") {
		t.Errorf("8.5 cm are 240.9 points: %s", info)
	}
}

// tool runs a program of poppler.
func tool(t *testing.T, name string, arg ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("no " + name + ": install poppler-utils")
	}
	out, err := exec.Command(path, arg...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return string(out)
}

// axes returns the ranges that a figure is drawn with.
func axes(t *testing.T, f *figure.Figure) (x, y [2]float64) {
	t.Helper()
	p := about(t, f.SVG()).Panels[0]
	return [2]float64{p.X.Min, p.X.Max}, [2]float64{p.Y.Min, p.Y.Max}
}

func TestMargins(t *testing.T) {
	v := []float64{0, 10, 20}
	near := func(got, want [2]float64) bool {
		return math.Abs(got[0]-want[0]) < 1e-9*(1+math.Abs(want[0])) && math.Abs(got[1]-want[1]) < 1e-9*(1+math.Abs(want[1]))
	}
	limited := figure.Scatter("", v, v)
	limited.Y.Min = -5
	bars := figure.Bars("", []string{"a", "b"}, []string{"n"}, [][]float64{{1, 2}})
	tight := figure.Scatter("", v, v)
	tight.Margin = -1
	for name, c := range map[string]struct {
		f    *figure.Figure
		x, y [2]float64
	}{
		"points":      {figure.Scatter("", v, v), [2]float64{-1, 21}, [2]float64{-1, 21}},
		"a limit":     {limited, [2]float64{-1, 21}, [2]float64{-5, 21.25}},
		"a range":     {figure.Scatter("", v, v).Range(0, 20, 0, 20), [2]float64{0, 20}, [2]float64{0, 20}},
		"none":        {tight, [2]float64{0, 20}, [2]float64{0, 20}},
		"logarithmic": {figure.Scatter("", v, []float64{1, 10, 100}).LogY(), [2]float64{-1, 21}, [2]float64{math.Pow(10, -0.1), math.Pow(10, 2.1)}},
		"bars":        {bars, [2]float64{-0.5, 1.5}, [2]float64{0, 2.1}},
		"histogram":   {figure.Histogram("", v, 2), [2]float64{-1, 21}, [2]float64{0, 0.0666666666666666 * 1.05}},
		"a picture":   {figure.Heatmap("", mat.NewDense(2, 2, nil)), [2]float64{-0.5, 1.5}, [2]float64{1.5, -0.5}},
		"a line":      {figure.Scatter("", v, v).HLine("", 40), [2]float64{-1, 21}, [2]float64{-2, 42}},
	} {
		if x, y := axes(t, c.f); !near(x, c.x) || !near(y, c.y) {
			t.Errorf("%s: %v, %v, want %v, %v", name, x, y, c.x, c.y)
		}
	}
	// Panels with the same range have the same margins.
	g := figure.NewGrid("", 2, figure.Scatter("", v, v), figure.Scatter("", v, []float64{5, 6, 7})).SameRange()
	for _, p := range about(t, g.SVG()).Panels {
		if p.Y.Min != -1 || p.Y.Max != 21 {
			t.Errorf("%v to %v", p.Y.Min, p.Y.Max)
		}
	}
}

// TestThemeKeepsLogTicks: Theme leaves the ticks of an axis that is not linear.
func TestThemeKeepsLogTicks(t *testing.T) {
	p := plot.New()
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{}
	figure.Theme(p)
	if _, ok := p.Y.Tick.Marker.(plot.LogTicks); !ok {
		t.Errorf("%T", p.Y.Tick.Marker)
	}
	if _, ok := p.X.Tick.Marker.(figure.Ticks); !ok {
		t.Errorf("%T", p.X.Tick.Marker)
	}
}

// TestSharp: from a cell of a heat map to the next there are at most two pixels of mixed colors.
func TestSharp(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(figure.Heatmap("", mat.NewDense(2, 2, []float64{-1, 1, 1, -1})).PNG()))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	edges := 0
	for x := range b.Dx() {
		last, at := 0, 0 // the last color of a cell in this column of pixels, and where it was
		for y := range b.Dy() {
			now := cellColor(img, x, y)
			if now == 0 {
				continue
			}
			if last != 0 && now != last && y-at < 40 {
				edges++
				if y-at > 3 {
					t.Fatalf("%d pixels between two cells, at (%d, %d)", y-at-1, x, y)
				}
			}
			last, at = now, y
		}
	}
	if edges < 100 {
		t.Errorf("%d columns of pixels with an edge", edges)
	}
}

// cellColor returns 1 or 2 if a pixel has the color of −1 or of 1, and 0 otherwise.
func cellColor(img image.Image, x, y int) int {
	r, g, b, _ := img.At(x, y).RGBA()
	for k, c := range [][3]int{{0x08, 0x30, 0x6B}, {0x7A, 0x2B, 0x04}} {
		if math.Abs(float64(int(r>>8)-c[0]))+math.Abs(float64(int(g>>8)-c[1]))+math.Abs(float64(int(b>>8)-c[2])) < 12 {
			return k + 1
		}
	}
	return 0
}

func TestFormulas(t *testing.T) {
	for label, want := range map[string][]string{
		"µg m⁻³":                 {"µg m", "−3"},
		`$\mu$g m$^{-3}$`:        {"μ", "g m", "−3"},
		`$x_i^2 \leq 3$`:         {"x", "i", "2", "≤ 3"},
		`a $\frac{1}{n+1}$ b`:    {"/"},
		`cost in $`:              {"cost in $"},
		`\$5 and \$6`:            {"$5 and $6"},
		`$\mathrm{SO}_4$ in air`: {"SO", "4", "in air"},
	} {
		f := figure.New(label, label, label).Lines(label, []float64{1, 2}, []float64{3, 4}).Lines("other", []float64{1, 2}, []float64{3, 4})
		s := f.SVG()
		for _, w := range want {
			if !strings.Contains(s, w+"</text>") && !strings.Contains(s, w) {
				t.Errorf("%s: no %q", label, w)
			}
		}
		if i := strings.Index(s, "<text"); strings.Contains(label, "$") && !strings.Contains(strings.Join(want, ""), "$") && strings.Contains(s[i:], "$") {
			t.Errorf("%s is drawn raw", label)
		}
	}
	for _, end := range []string{"", ".pdf", ".png"} { // a file is an error, not a panic
		if err := figure.New(`$\unknown$`, "", "").Save(filepath.Join(t.TempDir(), "f"+end)); err == nil || !strings.HasPrefix(err.Error(), `figure: the formula $\unknown$`) {
			t.Errorf("%q: %v", end, err)
		}
	}
	if s := fmt.Sprint(panics.Value(func() { figure.New(`$\unknown$`, "", "").SVG() })); !strings.HasPrefix(s, `figure: the formula $\unknown$: \unknown is not known`) {
		t.Error(s)
	}
}

// TestNoBar checks that a heat map without its bar has none of the bar's numbers.
func TestNoBar(t *testing.T) {
	M := mat.NewDense(2, 2, []float64{0, 30, 15, 30})
	const top = ">30</text>" // of the bar: the ticks of rows and columns are 0 and 1
	if s := figure.Heatmap("", M).SVG(); !strings.Contains(s, top) {
		t.Fatalf("the bar has no %s", top)
	}
	if s := figure.Heatmap("", M).NoBar().SVG(); strings.Contains(s, top) || !strings.Contains(s, ">1</text>") {
		t.Error("the bar is drawn, or the ticks are not")
	}
	if s := fmt.Sprint(panics.Value(func() { figure.New("", "", "").NoBar() })); !strings.HasPrefix(s, "figure: NoBar: ") {
		t.Errorf("without a heat map: %s", s)
	}
}

func TestNames(t *testing.T) {
	M := mat.NewDense(2, 3, []float64{1.5, 2, 3, 4, 5, 6})
	s := figure.Annotated("", M, []string{"top", "bottom"}, []string{"a", "b", "c"}).SVG()
	for _, w := range []string{"top", "bottom", ">a<", "1.50", "6.00"} {
		if !strings.Contains(s, w) {
			t.Errorf("no %s", w)
		}
	}
	// The name of row 0 is above that of row 1.
	y := func(text string) float64 {
		var x, y float64
		head := s[:strings.Index(s, ">"+text+"<")]
		fmt.Sscanf(head[strings.LastIndex(head, " x="):], ` x="%g" y="%g"`, &x, &y)
		return y
	}
	if top, bottom := y("top"), y("bottom"); !(top > 0 && top < bottom) {
		t.Errorf("row 0 at %v, row 1 at %v from the top", top, bottom)
	}
}

// TestTilted: names that would overlap are turned, and others are not.
func TestTilted(t *testing.T) {
	for name, turned := range map[string]bool{"tilted": true, "box": false} {
		if s := kinds()[name].SVG(); strings.Contains(s, "matrix(0.707107") != turned {
			t.Errorf("%s: turned %v", name, !turned)
		}
	}
}

// TestTiltedFits: a turned name is not cut off at the left, in a figure and in a grid.
func TestTiltedFits(t *testing.T) {
	names := []string{"a very long name here", "another very long name", "the third of the names", "and the last of them"}
	long := figure.Bars("", names, []string{""}, [][]float64{{1, 2, 3, 4}}).SizeCM(8.5, 6)
	for what, d := range map[string]interface{ PNG() []byte }{"figure": long, "grid": figure.NewGrid("", 2, long, long)} {
		img, err := png.Decode(bytes.NewReader(d.PNG()))
		if err != nil {
			t.Fatal(err)
		}
		for y := range img.Bounds().Dy() {
			if r, g, b, _ := img.At(0, y).RGBA(); r+g+b < 3*0xFFFF {
				t.Errorf("%s: there is ink at the left edge, %d pixels below the top", what, y)
				break
			}
		}
	}
}

// TestTwinColors: layers on both axes take their colors in turn, whichever axis comes first.
func TestTwinColors(t *testing.T) {
	x := []float64{1, 2}
	f := figure.Lines("", x, x)
	right := f.Right("")
	right.Lines("a", x, x)
	f.Lines("b", x, x)
	right.Lines("c", x, x)
	s := f.SVG()
	for i := range 4 {
		r, g, b, _ := figure.Color(i).RGBA()
		if color := fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8); !strings.Contains(strings.ToUpper(s), color) {
			t.Errorf("color %d, %s, is not used", i, color)
		}
	}
}

// TestRightChain: a chain of calls that ends at the right axis makes the same figure as separate calls.
func TestRightChain(t *testing.T) {
	x, y := []float64{1, 10, 100}, []float64{3, 2, 1}
	f := figure.New("both", "x", "left").Lines("a", x, x)
	f.Right("right").Lines("b", x, y)
	f.LogX().Note("note").By("test").SizeCM(9, 7).LegendAt(figure.UpperLeft)
	chained := figure.New("both", "x", "left").Lines("a", x, x).Right("right").Lines("b", x, y).
		LogX().Note("note").By("test").SizeCM(9, 7).LegendAt(figure.UpperLeft)
	path := filepath.Join(t.TempDir(), "twin.svg")
	if err := chained.Save(path); err != nil {
		t.Fatal(err)
	}
	if saved, err := os.ReadFile(path); err != nil || !bytes.Contains(saved, []byte("both")) || !bytes.Contains(saved, []byte(">left</text>")) {
		t.Errorf("half of a figure is saved: %v", err)
	}
	if f.SVG() != chained.SVG() || f.String() != chained.String() || !bytes.Equal(f.CSV(), chained.CSV()) || !bytes.Equal(f.PNG(), chained.PNG()) {
		t.Error("the figures differ")
	}
	if g := figure.NewGrid("", 1, chained); g.SVG() != figure.NewGrid("", 1, f).SVG() {
		t.Error("the grids differ")
	}
}

func TestKindsData(t *testing.T) {
	for name, want := range map[string][]string{
		"twin":    {"y right", "1,rain,line"},
		"box":     {"label", "Harbour,box"},
		"barserr": {"small,bar", `"small, errors",errorbars`},
		"notes":   {"text", "x to"},
	} {
		csv := string(kinds()[name].(interface{ CSV() []byte }).CSV())
		for _, w := range want {
			if !strings.Contains(csv, w) {
				t.Errorf("%s has no %q:\n%.400s", name, w, csv)
			}
		}
	}
	if n := strings.Count(string(figure.Pairs("", mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7}), []string{"a", "b"}, nil, nil).CSV()), ",points,"); n != 6 {
		t.Errorf("%d points", n)
	}
	ok, two := [][]float64{{1, 2}}, []float64{1, 2}
	X := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for want, f := range map[string]func(){
		"Box: 2 names of 1 groups":               func() { figure.Box("", []string{"a", "b"}, ok) },
		"Violin: values[0] is empty":             func() { figure.Violin("", []string{"a"}, [][]float64{{}}) },
		"HistogramBy: 1 labels for 2 points":     func() { figure.HistogramBy("", two, []int{0}, []string{"a"}, 0) },
		"Pairs: 1 names of 2 columns":            func() { figure.Pairs("", X, []string{"a"}, nil, nil) },
		"Pairs: label 3 of point 1":              func() { figure.Pairs("", X, []string{"a", "b"}, []int{0, 3}, []string{"c"}) },
		"Names: 3 names of 2 rows":               func() { figure.Heatmap("", X).Names([]string{"a", "b", "c"}, nil) },
		"Names: this is not a heat map":          func() { figure.New("", "", "").Names(nil, nil) },
		"BarsWithErrors: errors[0][0] is -1":     func() { figure.BarsWithErrors("", []string{"a", "b"}, []string{"n"}, ok, [][]float64{{-1, 1}}) },
		"Vectors: 1 names of 2 vectors":          func() { figure.New("", "", "").Vectors("", X, []string{"a"}) },
		"Text: x[0] is NaN":                      func() { figure.New("", "", "").Text(math.NaN(), 1, "") },
		"BarsWithErrors: 0 rows of errors, 1 of": func() { figure.BarsWithErrors("", []string{"a", "b"}, []string{"n"}, ok, nil) },
	} {
		if s := fmt.Sprint(panics.Value(f)); !strings.HasPrefix(s, "figure: ") || !strings.Contains(s, want) {
			t.Errorf("%q, not %q", s, want)
		}
	}
	if !slices.IsSorted(two) {
		t.Error("an argument was changed")
	}
}

// about returns the metadata of an SVG.
func about(t *testing.T, svg string) *figuremeta.Figure {
	t.Helper()
	f, err := figuremeta.Read([]byte(svg))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
