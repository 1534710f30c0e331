package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"overcomplete/internal/panics"
)

// TestFive compares with numbers of matplotlib.cbook.boxplot_stats (matplotlib 3.11.2).
func TestFive(t *testing.T) {
	b := fiveOf([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 30, -20, 2.5})
	if got := fmt.Sprint(b); got != "{1 2.375 4.5 7.25 9 [-20 30]}" {
		t.Error(got)
	}
	if b := fiveOf([]float64{4}); b.low != 4 || b.high != 4 || b.whiskerHigh != 4 {
		t.Error(b)
	}
}

// TestDensity compares with scipy.stats.gaussian_kde (scipy 1.17.1), and with the fact that a density has the area 1.
func TestDensity(t *testing.T) {
	v := []float64{1, 2, 2.5, 4, 7}
	y, d := densityOf(v)
	for i, want := range map[int]float64{0: 0.12846851607616513, 64: 0.12124300648220683, 127: 0.059007912228337046} {
		if math.Abs(d[i]-want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", y[i], d[i], want)
		}
	}
	if y, d := densityOf([]float64{3, 3}); !(y[0] < 3 && y[127] > 3) || math.IsNaN(d[0]) {
		t.Error(y[0], d[0])
	}
}

func TestShortLogAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{{11, 48, "20 30 40"}, {10, 20, "10 12 14 16 18 20"}, {0.021, 0.029, "0.022 0.024 0.026 0.028"}, {1, 10, "1 2 5 10"}, {3e-6, 8e-6, "3×10⁻⁶ 4×10⁻⁶ 6×10⁻⁶ 8×10⁻⁶"}, {0.049, 0.081, "0.05 0.06 0.07 0.08"}} {
		var got []string
		for _, t := range (LogTicks{}).Ticks(c.lo, c.hi) {
			if !t.IsMinor() {
				got = append(got, t.Label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

var svgText = regexp.MustCompile(`<text[^>]* x="([-0-9.]+)" y="([-0-9.]+)"[^>]*>([^<]*)</text>`)

// placesOf returns where the given texts stand in a figure's SVG, in points.
func placesOf(t *testing.T, svg string, texts ...string) (x, y []float64) {
	t.Helper()
	at := map[string][2]float64{}
	for _, m := range svgText.FindAllStringSubmatch(svg, -1) {
		px, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		py, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		at[m[3]] = [2]float64{px, py} // the last one, above its white rim
	}
	for _, s := range texts {
		p, ok := at[s]
		if !ok {
			t.Fatalf("no text %q", s)
		}
		x, y = append(x, p[0]), append(y, p[1])
	}
	return x, y
}

// Names of arrows that end close together do not cover one another.
func TestVectorNames(t *testing.T) {
	names := []string{"first", "second", "third"}
	f := New("", "", "").Vectors("", mat.NewDense(2, 3, []float64{5, 5.1, 5.2, 1, 1.1, 1.05}), names).Limit(10).SizeCM(8.5, 6)
	_, y := placesOf(t, f.SVG(), names...)
	slices.Sort(y)
	for i := range len(y) - 1 {
		if y[i+1]-y[i] < 9 {
			t.Errorf("baselines %v: texts of 9.5 points overlap", y)
		}
	}
}

// A legend of four names has one row in a figure for a journal's column.
func TestNarrowLegend(t *testing.T) {
	names := []string{"Harbour", "Motorway", "North", "School"}
	f := New("", "", "")
	for _, s := range names {
		f.Lines(s, []float64{0, 1}, []float64{0, 1})
	}
	x, y := placesOf(t, f.SizeCM(8.5, 6).SVG(), names...)
	if slices.Max(y) != slices.Min(y) || !slices.IsSorted(x) {
		t.Errorf("%v %v", x, y)
	}
	for i, s := range names[:3] {
		if right := x[i] + float64(legendStyle.Width(s)); right > x[i+1]-12 {
			t.Errorf("%s ends at %v, and the symbol of the next entry is before %v", s, right, x[i+1])
		}
	}
}

func TestScatterBy(t *testing.T) {
	f := ScatterBy("", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, []int{1, 0, -1, 1}, []string{"a", "b"})
	want := "panel,series,kind,x,y\n1,a,points,2,6\n1,b,points,1,5\n1,b,points,4,8\n"
	if got := string(f.CSV()); got != want {
		t.Errorf("%s", got)
	}
}

// The outline of a class ends where its values end, and not at the ends of all classes; the data have all bins.
func TestClassOutlines(t *testing.T) {
	f := HistogramBy("", []float64{0, 1, 2, 10}, []int{0, 0, 0, 1}, []string{"a", "b"}, 10)
	var ends [][2]float64
	for _, p := range f.layers {
		if l, ok := p.(*polyline); ok {
			lo, hi := span(l.xs)
			ends = append(ends, [2]float64{lo, hi})
		}
	}
	if !slices.Equal(ends, [][2]float64{{0, 3}, {9, 10}}) {
		t.Error(ends)
	}
	if n := strings.Count(string(f.CSV()), ",b,histogram,"); n != 10 {
		t.Errorf("%d bins", n)
	}
}

// The axis of the first panel of Pairs has the values of the first column, at the places that they have in the panels
// beside it.
func TestPairsFirstAxis(t *testing.T) {
	ts := valuesOf{Ticks{}, 0, 100}.Ticks(0, 2)
	for _, k := range ts {
		v, err := strconv.ParseFloat(k.Label, 64)
		if err != nil || math.Abs(k.Value-(v+5)/110*2) > 1e-12 {
			t.Errorf("%s at %v", k.Label, k.Value)
		}
	}
	if len(ts) < 4 {
		t.Error(ts)
	}
}

// TestLogLabel checks that a long label of a logarithmic axis takes no space from the data.
func TestLogLabel(t *testing.T) {
	height := func(label string) (w, h vg.Length) {
		f := New("", label, label).Marked("", []float64{1, 10, 1e4}, []float64{1e-9, 1e-3, 1}).LogX().LogY()
		c := f.DataCanvas(draw.NewCanvas(new(recorder.Canvas), 300, 200))
		return c.Max.X - c.Min.X, c.Max.Y - c.Min.Y
	}
	w, h := height("y")
	if lw, lh := height("a label almost as long as the axis"); lw != w || lh != h {
		t.Errorf("a long label: %v × %v points for the data, a short one: %v × %v", lw, lh, w, h)
	}
}

// TestScatterByLooksAlike checks that the points of a small class and of a large one have the same size and opacity.
func TestScatterByLooksAlike(t *testing.T) {
	x, labels := make([]float64, 70), make([]int, 70)
	for i := range x {
		x[i] = float64(i)
		labels[i] = min(i/62, 1) // 62 points and 8
	}
	f := ScatterBy("", x, x, labels, []string{"a", "b"})
	var looks []dots
	for _, p := range f.layers {
		if d, ok := p.(*dots); ok {
			looks = append(looks, *d)
		}
	}
	if len(looks) != 2 || looks[0].radius != looks[1].radius || looks[0].paths != looks[1].paths {
		t.Errorf("%+v", looks)
	}
}

// TestValuesFormat checks that whole numbers have no decimals, and that a second call to Values replaces the first.
func TestValuesFormat(t *testing.T) {
	for _, c := range []struct {
		x      float64
		format string
		want   string
	}{{497, "", ">497<"}, {0.5, "", ">0.50<"}, {497, "%.1f", ">497.0<"}} {
		f := Annotated("", mat.NewDense(1, 2, []float64{c.x, 3}), nil, nil)
		if c.format != "" {
			f.Values(c.format)
		}
		if svg := f.By("").SVG(); strings.Count(svg, c.want) != 1 || c.format != "" && strings.Contains(svg, ">497<") {
			t.Errorf("%v as %q: there is no single %s", c.x, c.format, c.want)
		}
	}
}

// lastImage is a canvas that keeps the image drawn last.
type lastImage struct {
	recorder.Canvas
	img image.Image
}

func (c *lastImage) DrawImage(_ vg.Rectangle, img image.Image) { c.img = img }

// TestGaps reads the SVG of a line and of heat maps with missing values.
func TestGaps(t *testing.T) {
	nan := math.NaN()
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	y := []float64{nan, 1, 3, 2, nan, 4, 5, nan, 3}
	f := New("", "", "").LinesWithGaps("a", x, y)
	if f.Y.Min != 1 || f.Y.Max != 5 || f.X.Min != 0 || f.X.Max != 8 {
		t.Errorf("axes %v to %v, %v to %v", f.X.Min, f.X.Max, f.Y.Min, f.Y.Max)
	}
	// Two lines, of three and of two points, and a dot, which is a line of length 0.
	const point = `-?[\d.]+[ -][\d.]+`
	drawn := regexp.MustCompile(`stroke-width:1\.6">\n<path d="M` + point + `l` + point + ` ?` + point + `"/>\n<path d="M` + point + `l` + point + `"/>\n</g>\n<path d="M` + point + `h0" style="[^"]*stroke-linecap:round"/>\n</svg>`)
	if svg := f.By("").SVG(); !drawn.MatchString(svg) {
		t.Errorf("%s", svg[max(0, len(svg)-400):])
	}
	if svg := f.SVG(); strings.Contains(svg, "NaN") {
		t.Error("the SVG of the line has NaN")
	}
	want := "panel,series,kind,x,y\n1,a,line,0,\n1,a,line,1,1\n"
	if got := string(f.CSV()); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
	f.LogY().SVG()

	M := mat.NewDense(3, 3, []float64{1, 2, nan, 4, 5, 6, nan, 8, 9})
	h := HeatmapWithGaps("", M).Values("").By("")
	svg := h.SVG()
	for _, v := range []string{">1<", ">2<", ">4<", ">5<", ">6<", ">8<", ">9<"} {
		if !strings.Contains(svg, v) {
			t.Errorf("no value %s", v)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, ">1.00<") {
		t.Error("the SVG of the heat map has NaN, or decimals")
	}
	full := Heatmap("", mat.NewDense(3, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9})).Values("").By("")
	if got, none := strings.Count(svg, "fill:#CCCCCC"), strings.Count(full.SVG(), "fill:#CCCCCC"); got != 2 || none != 0 {
		t.Errorf("%d gray areas with gaps, %d without", got, none)
	}
	if got, want := string(h.CSV()), "panel,series,kind,row,value\n1,1,heatmap,0,1 2 NaN\n1,1,heatmap,1,4 5 6\n1,1,heatmap,2,NaN 8 9\n"; got != want {
		t.Errorf("%s", got)
	}
	big := mat.NewDense(20, 20, nil)
	big.Set(3, 5, nan)
	big.Set(4, 4, -1)
	big.Set(9, 9, 2)
	r := HeatmapWithGaps("", big)
	img := r.layers[0].(*raster).img.(*image.NRGBA)
	k := img.Rect.Dx() / 20
	if a, b := img.NRGBAAt(5*k+k/2, 3*k+k/2).A, img.NRGBAAt(4*k+k/2, 3*k+k/2).A; a != 0 || b != 255 {
		t.Errorf("the cells' opacities are %d and %d", a, b)
	}
	r.SVG()
	canvas := &lastImage{}
	r.layers[0].Plot(draw.Canvas{Canvas: canvas, Rectangle: vg.Rectangle{Max: vg.Point{X: 100, Y: 100}}}, r.Plot)
	if c := color.NRGBAModel.Convert(canvas.img.At(5*k+k/2, 3*k+k/2)); c != blank {
		t.Errorf("a cell without a value is drawn in %v", c)
	}
	if c := color.NRGBAModel.Convert(canvas.img.At(6*k+k/2, 3*k+k/2)); c != (color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}) {
		t.Errorf("a cell with 0 is drawn in %v", c)
	}
	for want, f := range map[string]func(){
		"figure: Lines: y[1] is NaN (LinesWithGaps leaves a gap there; or leave out missing values: figure.Finite, frame.Present)": func() { Lines("", []float64{1, 2}, []float64{1, nan}) },
		"figure: Heatmap: element (0, 2) is NaN (HeatmapWithGaps draws such a cell in gray)":                                       func() { Heatmap("", M) },
		"figure: Annotated: element (0, 2) is NaN":                                                                                 func() { Annotated("", M, nil, nil) },
		"figure: Annotated: 2 names of 1 rows":                                                                                     func() { Annotated("", mat.NewDense(1, 1, nil), []string{"a", "b"}, nil) },
		"figure: HeatmapIn: element (0, 2) is NaN":                                                                                 func() { HeatmapIn("", M, 0, 1, Grays) },
		"figure: Series: y[1] is NaN (LinesWithGaps":                                                                               func() { Series("", []float64{1, nan}) },
		"figure: Series: y is empty":                                                                                               func() { Series("", nil) },
		"figure: LinesWithGaps: y[1] is +Inf":                                                                                      func() { New("", "", "").LinesWithGaps("", []float64{1, 2}, []float64{nan, math.Inf(1)}) },
		"figure: LinesWithGaps: all values of y are NaN":                                                                           func() { New("", "", "").LinesWithGaps("", []float64{1}, []float64{nan}) },
		"figure: LinesWithGaps: x has 1 values, y has 2":                                                                           func() { New("", "", "").LinesWithGaps("", []float64{1}, []float64{nan, 1}) },
		"figure: LinesWithGaps: x is empty":                                                                                        func() { New("", "", "").LinesWithGaps("", nil, nil) },
		"figure: HeatmapWithGaps: element (0, 1) is -Inf":                                                                          func() { HeatmapWithGaps("", mat.NewDense(1, 2, []float64{nan, math.Inf(-1)})) },
		"figure: HeatmapWithGaps: all elements are NaN":                                                                            func() { HeatmapWithGaps("", mat.NewDense(1, 1, []float64{nan})) },
	} {
		if p := fmt.Sprint(panics.Value(f)); !strings.HasPrefix(p, want) {
			t.Errorf("%s, want %s", p, want)
		}
	}
}
