package render

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

func textOf(t *testing.T, v any) string {
	t.Helper()
	d := Value(v)
	s, ok := d.Data[display.MIMETypeText].(string)
	if !ok {
		t.Fatalf("%T has no text/plain: %v", v, d.Data)
	}
	return s
}

type point struct{ X, Y int }

type page struct{ body string }

func (p page) HTML() template.HTML  { return template.HTML("<p>" + p.body) }
func (p page) SVG() ([]byte, error) { return []byte("<svg/>"), nil }
func (p page) LaTeX() string        { return `\alpha` }
func (p page) JSON() map[string]any { return map[string]any{"a": 1} }
func (p page) PNG() (string, error) { return "", errors.New("no paint") }

type onPointer struct{ n int }

func (p *onPointer) Markdown() string { return fmt.Sprint("*", p.n, "*") }

type bad struct{}

func (bad) HTML() string   { panic("boom") }
func (bad) String() string { panic("bang") }

type badError struct{}

func (*badError) Error() string { panic("bang") }

type otherData struct{ Data, Metadata, Transient map[string]any }

type renderer struct{}

func (renderer) Render() otherData {
	return otherData{Data: map[string]any{"text/html": "<r>"}, Metadata: map[string]any{"a": 1}}
}

type simple2 struct{}

func (simple2) SimpleRender() map[string]any { return map[string]any{"text/latex": "$x$"} }

func TestText(t *testing.T) {
	var nilPoint *point
	var nilErr *badError
	five := 5
	pp := &struct{ P *point }{&point{1, 2}}
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "<nil>"},
		{1, "1"},
		{1.5, "1.5"},
		{1e21, "1e+21"},
		{"a\nb", "a\nb"},
		{true, "true"},
		{'a', "97"},
		{2 + 3i, "(2+3i)"},
		{[]int{1, 2}, "[1 2]"},
		{[]string(nil), "[]"},
		{[]byte("hé"), "hé"},
		{[]byte{0xff, 0}, "ff00"},
		{[]byte{}, "[]"},
		{point{1, 2}, "render.point{X: 1, Y: 2}"},
		{&point{1, 2}, "&render.point{X: 1, Y: 2}"},
		{nilPoint, "<nil>"},
		{nilErr, "<nil>"},
		{&five, "&5"},
		{pp, "&{P: &render.point{X: 1, Y: 2}}"},
		{[]any{&five}, "[&5]"},
		{[]string{"0xc000123456"}, "[0xc000123456]"},
		{map[string][]int{"b": {1}, "a": nil}, "map[a:[] b:[1]]"},
		{map[string]int(nil), "map[]"},
		{errors.New("no"), "no"},
		{2 * time.Second, "2s"},
		{func(int) string { return "" }, "func(int) string"},
		{(func())(nil), "<nil>"},
		{make(chan int, 3), "chan int (0 of 3)"},
		{math.NaN(), "NaN"},
		{reflect.TypeFor[point](), "render.point"},
		{struct{}{}, "{}"},
	} {
		if got := textOf(t, c.v); got != c.want {
			t.Errorf("%T: %q, want %q", c.v, got, c.want)
		}
	}
}

func TestShortening(t *testing.T) {
	long := make([]int, 1_000_000)
	for i := range long {
		long[i] = i
	}
	if got, want := textOf(t, long), "[0 1 2 3 4 5 6 7 8 9 … 999990 999991 999992 999993 999994 999995 999996 999997 999998 999999] (1000000 elements)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	lines := strings.Repeat("x\n", 500)
	if got := textOf(t, lines); strings.Count(got, "\n") > maxLines || !strings.Contains(got, "(465 of 500 lines left out)") {
		t.Errorf("500 lines became %q", got)
	}
	few := strings.Repeat("x\n", maxLines)
	if got := textOf(t, few); got != few {
		t.Errorf("%d lines became %q", maxLines, got)
	}
	if got := textOf(t, strings.Repeat("é", 100000)); len(got) > maxBytes+100 || !strings.Contains(got, "bytes left out") {
		t.Errorf("a long line became %d bytes", len(got))
	}
	m := map[int]int{}
	for i := range 2000 {
		m[i] = i
	}
	if got := textOf(t, m); !strings.HasPrefix(got, "map[0:0 1:1 2:2 ") || !strings.HasSuffix(got, "(2000 entries)") {
		t.Errorf("a large map became %q", got)
	}
}

func TestMethods(t *testing.T) {
	d := Value(page{"a"})
	for mime, want := range map[string]any{
		display.MIMETypeHTML:  "<p>a",
		display.MIMETypeSVG:   "<svg/>",
		display.MIMETypeLatex: `$$\alpha$$`,
		display.MIMETypeJSON:  map[string]any{"a": 1},
		display.MIMETypeText:  "method PNG: no paint",
	} {
		if !reflect.DeepEqual(d.Data[mime], want) {
			t.Errorf("%s is %v, want %v", mime, d.Data[mime], want)
		}
	}
	if got := Value(onPointer{3}).Data[display.MIMETypeMarkdown]; got != "*3*" {
		t.Errorf("method of the pointer: %v", got)
	}
	if d := Value(renderer{}); d.Data[display.MIMETypeHTML] != "<r>" || d.Metadata["a"] != 1 {
		t.Errorf("Render of a struct alike: %v", d)
	}
	if d := Value(simple2{}); d.Data[display.MIMETypeLatex] != "$x$" {
		t.Errorf("SimpleRender: %v", d)
	}
	if d := Value(display.HTML("<b>")); d.Data[display.MIMETypeHTML] != "<b>" {
		t.Errorf("Data: %v", d)
	}
	if d := Value(display.Data{Data: map[string]any{"image/png": []byte{1}}}); d.Data["text/plain"] != "<image/png>" {
		t.Errorf("Data without text: %v", d)
	}
}

// stranger has no method by which it renders itself.
type stranger struct{ broken bool }

// TestRegistered: a function registered for a type may show values of the type; if the function panics, the
// panic becomes text.
func TestRegistered(t *testing.T) {
	display.Register(&stranger{}, func(v any) display.Data {
		if v.(*stranger).broken {
			panic("no ink")
		}
		return display.HTML("<b>drawn</b>")
	})
	if d := Value(&stranger{}); d.Data[display.MIMETypeHTML] != "<b>drawn</b>" {
		t.Errorf("%v", d.Data)
	}
	if d := Value(&stranger{broken: true}); !strings.Contains(fmt.Sprint(d.Data[display.MIMETypeText]), "no ink") || len(d.Data) != 1 {
		t.Errorf("%v", d.Data)
	}
}

// TestUndrawn: a picture that cannot be drawn is a fault, which is reported once. If another method fails, the
// error becomes text.
func TestUndrawn(t *testing.T) {
	axis := figure.New("", "", "").Lines("", []float64{0, 1}, []float64{1, 2}).LogX()
	p := plot.New()
	p.Add(panicPlotter{})
	for want, v := range map[string]any{
		"a *figure.Figure cannot be drawn: figure: the horizontal axis is logarithmic and the data begin at 0": axis,
		"a *figure.Grid cannot be drawn: figure: the horizontal axis is logarithmic and the data begin at 0":   figure.NewGrid("", 1, axis),
		"a *plot.Plot cannot be drawn: out of paint":                                                           p,
		"": bad{},
	} {
		if _, fault := Results([]engine.Value{{Value: v}}); fault != want {
			t.Errorf("%T: %q, want %q", v, fault, want)
		}
	}
	if _, fault := Results([]engine.Value{{Value: figure.New("", "", "")}}); fault != "" {
		t.Error(fault)
	}
}

func TestPanics(t *testing.T) {
	if got, want := textOf(t, bad{}), "method HTML panicked: boom"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := textOf(t, &badError{}), "method Error panicked: bang"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := textOf(t, []any{bad{}}); !strings.Contains(got, "bang") {
		t.Errorf("nested: %q", got)
	}
	p := plot.New()
	p.Add(panicPlotter{})
	if got := textOf(t, p); !strings.Contains(got, "out of paint") {
		t.Errorf("plot: %q", got)
	}
	if got := textOf(t, &mat.Dense{}); !strings.Contains(got, "0×0") {
		t.Errorf("empty matrix: %q", got)
	}
	if got := textOf(t, image.NewUniform(color.Black)); !strings.Contains(got, "too large") {
		t.Errorf("endless picture: %q", got)
	}
	if got := textOf(t, image.NewGray(image.Rect(0, 0, 0, 0))); !strings.Contains(got, "no pixels") {
		t.Errorf("empty picture: %q", got)
	}
	textOf(t, dataframe.DataFrame{})
	textOf(t, series.Series{})
	textOf(t, &mat.VecDense{})
	textOf(t, (*mat.Dense)(nil))
}

func TestPlot(t *testing.T) {
	shown := func() display.Data {
		p := plot.New()
		p.Title.Text = "A <title>"
		p.X.Label.Text = "x"
		l, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}, {X: 2, Y: 1}})
		if err != nil {
			t.Fatal(err)
		}
		p.Add(l, plotter.NewGrid())
		p.Legend.Add("line", l)
		return Value(p)
	}
	a, b := shown(), shown()
	if !reflect.DeepEqual(a, b) {
		t.Error("the same plot gives different bytes")
	}
	if svg := a.Data[display.MIMETypeSVG].(string); !strings.Contains(svg, "<svg") {
		t.Error("no SVG")
	}
	if runtime.GOOS == "js" {
		t.Skip("in a browser a picture is SVG alone: the rest is not tried")
	}
	c, err := decode(a.Data[display.MIMETypePNG])
	if err != nil || c.Width != 1152 || c.Height != 768 {
		t.Errorf("PNG of %d×%d (%v), want 1152×768", c.Width, c.Height, err)
	}
	if want := map[string]any{display.MIMETypePNG: map[string]any{"width": 576, "height": 384}}; !reflect.DeepEqual(a.Metadata, want) {
		t.Errorf("metadata %v", a.Metadata)
	}
	if got := a.Data[display.MIMETypeText]; got != "plot: A <title>" {
		t.Errorf("text %q", got)
	}
	if _, ok := Value(vgimg.PngCanvas{Canvas: vgimg.New(10, 10)}).Data[display.MIMETypePNG]; !ok {
		t.Error("a canvas is not shown")
	}
}

func decode(v any) (image.Config, error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(v.([]byte)))
	return c, err
}

func TestMatrix(t *testing.T) {
	m := mat.NewDense(2, 2, []float64{1, 0.5, -3, math.Pi})
	if got, want := textOf(t, m), " 1      0.5\n-3  3.14159\nmat.Dense, 2×2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	big := mat.NewDense(100, 200, nil)
	d := Value(big)
	h := d.Data[display.MIMETypeHTML].(string)
	if got := strings.Count(h, "<tr>"); got != maxRows+1 {
		t.Errorf("%d rows, want %d", got, maxRows+1)
	}
	if !strings.Contains(h, "mat.Dense, 100×200") {
		t.Errorf("no size in %q", h)
	}
	if got := textOf(t, mat.NewVecDense(3, []float64{1, 2, math.Copysign(0, -1)})); got != "1\n2\n0\nmat.VecDense, length 3" {
		t.Errorf("vector: %q", got)
	}
	if got := textOf(t, mat.NewCDense(1, 2, []complex128{1 + 2i, -1i})); got != "1+2i  0-1i\nmat.CDense, 1×2" {
		t.Errorf("complex: %q", got)
	}
	if got := textOf(t, m.T()); !strings.Contains(got, "mat.Transpose, 2×2") {
		t.Errorf("transpose: %q", got)
	}
}

func TestFrames(t *testing.T) {
	f := dataframe.New(
		series.New([]string{"<a>", "b"}, series.String, "na&me"),
		series.New([]float64{1.5, math.NaN()}, series.Float, "x"),
		series.New([]int{1, 2}, series.Int, "n"),
	)
	want := "   na&me       x    n\n   string  float  int\n0  <a>       1.5    1\n1  b         NaN    2\n2 rows, 3 columns"
	if got := textOf(t, f); got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	h := Value(&f).Data[display.MIMETypeHTML].(string)
	if !strings.Contains(h, "na&amp;me") || !strings.Contains(h, "&lt;a&gt;") || strings.Contains(h, "<a>") {
		t.Errorf("not escaped: %s", h)
	}
	if got := textOf(t, f.Select([]string{"nowhere"})); !strings.HasPrefix(got, "DataFrame error: ") {
		t.Errorf("faulty frame: %q", got)
	}
	s := series.New(make([]int, 100), series.Int, "s")
	if got := textOf(t, s); !strings.Contains(got, "length 100") || strings.Count(got, "\n") != 13 {
		t.Errorf("series: %q", got)
	}
}

type hidden struct{ a, b int }

func TestStructs(t *testing.T) {
	ps := []point{{1, 2}, {3, 4}}
	d := Value(ps)
	if got := d.Data[display.MIMETypeText]; got != "X  Y\n1  2\n3  4" {
		t.Errorf("text %q", got)
	}
	h := d.Data[display.MIMETypeHTML].(string)
	if want := "<table class=\"dataframe\">\n<thead>\n<tr><th>X</th><th>Y</th></tr>\n</thead>\n<tbody>\n<tr><td>1</td><td>2</td></tr>\n<tr><td>3</td><td>4</td></tr>\n</tbody>\n</table>\n"; h != want {
		t.Errorf("%s\nis not\n%s", h, want)
	}
	// Text shows all rows of a page, and of a longer slice the first and last rows with its length and its type.
	if got := textOf(t, make([]point, pageRows)); got != "X  Y"+strings.Repeat("\n0  0", pageRows) {
		t.Errorf("a page is %q", got)
	}
	if got := textOf(t, make([]point, pageRows+1)); strings.Count(got, "\n") != 2+maxRows+1 || !strings.HasSuffix(got, "\n20    0    0\n21 × render.point") {
		t.Errorf("more than a page is %q", got)
	}
	if got, want := textOf(t, map[string]point{"b": {1, 2}, "a": {3, 4}}), "   X  Y\na  3  4\nb  1  2"; got != want {
		t.Errorf("a map of structs is %q, want %q", got, want)
	}
	// A longer slice shows a page, its length and its type.
	for _, want := range []string{"<td>int</td>", "<th>1</th><td>0</td><td>0</td>", "first 20 of 21 × render.point"} {
		if h := Value(make([]point, pageRows+1)).Data[display.MIMETypeHTML].(string); !strings.Contains(h, want) {
			t.Errorf("no %s in %s", want, h)
		}
	}
	if isRich(Value([]hidden{{1, 2}})) {
		t.Error("hidden fields of a compiled type are shown")
	}
	if !isRich(Value([]struct{ a string }{{"<"}})) {
		t.Error("fields of a nameless struct are not shown")
	}
	if !isRich(Value([]*point{{1, 2}, nil})) {
		t.Error("pointers to structs are not shown as a table")
	}
	if isRich(Value([]time.Time{time.Unix(0, 0)})) || isRich(Value([]point{})) {
		t.Error("table of what writes itself, or of nothing")
	}
	h, _ = Value(map[string]float64{"b": 1, "a<": 0.5}).Data[display.MIMETypeHTML].(string)
	if a, b := strings.Index(h, "a&lt;"), strings.Index(h, "<th>b"); a < 0 || b < a {
		t.Errorf("map: %s", h)
	}
	if !isRich(Value(map[int]point{1: {1, 2}})) {
		t.Error("map to structs is not a table")
	}
}

func TestResults(t *testing.T) {
	html := engine.Value{Value: display.HTML("<b>"), Type: "display.Data"}
	noErr := engine.Value{Type: "error"}
	an := engine.Value{Value: errors.New("no"), Type: "error"}
	two, one := engine.Value{Value: 2, Type: "int"}, engine.Value{Value: 1, Type: "int"}
	for _, c := range []struct {
		name string
		in   []engine.Value
		want []string
	}{
		{"none", nil, nil},
		{"nil error", []engine.Value{noErr}, nil},
		{"error", []engine.Value{an}, []string{"no"}},
		{"nil", []engine.Value{{Type: "untyped nil"}}, []string{"<nil>"}},
		{"two", []engine.Value{two, one}, []string{"2 1"}},
		{"value and nil error", []engine.Value{two, noErr}, []string{"2"}},
		{"value and error", []engine.Value{two, an}, []string{"2 no"}},
		{"rich", []engine.Value{html}, []string{"<b>"}},
		{"rich and nil error", []engine.Value{html, noErr}, []string{"<b>"}},
		{"rich and error", []engine.Value{html, an}, []string{"<b>", "no"}},
		{"rich and text", []engine.Value{two, html}, []string{"2", "<b>"}},
	} {
		var got []string
		shown, _ := Results(c.in)
		for _, d := range shown {
			got = append(got, d.Data[display.MIMETypeText].(string))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

type panicPlotter struct{}

func (panicPlotter) Plot(draw.Canvas, *plot.Plot) { panic("out of paint") }

func FuzzShorten(f *testing.F) {
	f.Add("a\nb", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		s = strings.Repeat(s, 1+(n&0xff))
		if got := shorten(s); len(got) > max(maxBytes+200, 0) {
			t.Errorf("%d bytes", len(got))
		}
	})
}

func ExampleValue() {
	d := Value([]point{{1, 2}, {3, 4}})
	fmt.Println(d.Data["text/plain"])
	fmt.Println(len(d.Data))
	// Output:
	// X  Y
	// 1  2
	// 3  4
	// 2
}

// TestPlotTexts: the texts of a plot keep their given width with other fonts; otherwise the last tick's label
// would be cut off.
func TestPlotTexts(t *testing.T) {
	svg, _ := Plot(plot.New(), PlotWidth, PlotHeight).Data[display.MIMETypeSVG].(string)
	texts := strings.Split(svg, "<text ")[1:]
	if len(texts) == 0 || !strings.Contains(svg, `font-family="'Liberation Serif','Times New Roman',`) {
		t.Fatalf("no texts in %s, or without fonts of the same width", svg)
	}
	for _, s := range texts {
		tag, _, _ := strings.Cut(s, ">")
		if !strings.Contains(tag, `textLength="`) {
			t.Errorf("a text of its font's width: <text %s>", tag)
		}
	}
}

// TestPictureLists: a list of pictures is shown as pictures. A list that has other values or missing pictures
// is shown like any other list.
func TestPictureLists(t *testing.T) {
	a, b := plot.New(), plot.New()
	small := image.NewGray(image.Rect(0, 0, 2, 2))
	for _, c := range []struct {
		name     string
		v        any
		pictures int
	}{
		{"plots", []*plot.Plot{a, b}, 2},
		{"an array", [1]*plot.Plot{a}, 1},
		{"as any", []any{a, small}, 2},
		{"images", []image.Image{small, small, small}, 3},
		{"one is nil", []*plot.Plot{a, nil}, 0},
		{"one is none", []any{a, 1}, 0},
		{"too many", make([]*plot.Plot, 1000), 0},
		{"none", []*plot.Plot{}, 0},
		{"a picture whose type is no list", small, 1},
		{"a place in a picture", image.Rect(0, 0, 2, 2), 0},
		{"places in a picture", []image.Rectangle{image.Rect(0, 0, 2, 2)}, 0},
	} {
		pictures := 0
		shown, _ := Results([]engine.Value{{Value: c.v}})
		for _, d := range shown {
			if d.Data[display.MIMETypeSVG] != nil || d.Data[display.MIMETypePNG] != nil {
				pictures++
			}
		}
		if pictures != c.pictures || pictures == 0 && len(shown) != 1 {
			t.Errorf("%s: %d pictures in %d outputs, want %d", c.name, pictures, len(shown), c.pictures)
		}
	}
}
