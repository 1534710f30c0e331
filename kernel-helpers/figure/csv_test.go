package figure_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/figure"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// mine is a plotter that implements Tabler; foreign is a plotter that does not.
type mine struct{}

func (mine) Plot(draw.Canvas, *plot.Plot) {}
func (mine) Table() (string, []figure.Column) {
	return "mine", []figure.Column{{Name: "x", Numbers: []float64{1}}, {Name: "mass", Numbers: []float64{2.5}}}
}

type foreign struct{}

func (foreign) Plot(draw.Canvas, *plot.Plot) {}

type lattice struct{}

func (lattice) Dims() (c, r int)              { return 2, 1 }
func (lattice) X(c int) float64               { return float64(c) * 10 }
func (lattice) Y(r int) float64               { return 7 }
func (lattice) Z(c, r int) float64            { return []float64{1, math.NaN()}[c] }
func (lattice) Vector(c, r int) plotter.XY    { return plotter.XY{X: float64(c), Y: -1} }
func (lattice) XYZ(i int) (x, y, z float64)   { return 1, 2, 3 }
func (lattice) XY(i int) (x, y float64)       { return 1, 2 }
func (lattice) Len() int                      { return 1 }
func (lattice) Plot(draw.Canvas, *plot.Plot)  {}
func (lattice) Value(i int) float64           { return 1 }
func (lattice) YError(i int) (lo, hi float64) { return 0.5, 1 }
func (lattice) XError(i int) (lo, hi float64) { return 0.5, 1 }
func (lattice) Label(i int) string            { return "here" }

func TestCSV(t *testing.T) {
	x, y := []float64{1, 2}, []float64{0.1, 1.0 / 3}
	empty := func() *figure.Figure { return figure.New("title", "", "") }
	raw := func(p plot.Plotter) *figure.Figure { f := empty(); f.Add(p); return f }
	pts := plotter.XYs{{X: 1, Y: 2}, {X: 3, Y: 4.5}}
	img := image.NewNRGBA(image.Rect(2, 2, 8, 6)) // blocks of 3 × 2
	for x := 2; x < 8; x++ {
		for y := 2; y < 6; y++ {
			img.Set(x, y, color.NRGBA{uint8(x / 5 * 100), uint8((y - 2) / 2 * 50), 7, 255})
		}
	}
	gray := image.NewGray(image.Rect(0, 0, 2, 1))
	gray.Pix[1] = 200
	tiles := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}) // three tiles of 1 × 2
	for _, c := range []struct {
		name string
		f    *figure.Figure
		want string
	}{
		{"nothing", empty(), "panel,series,kind"},
		{"points", empty().Scatter("a, \"b\"", x, y), `panel,series,kind,x,y/1,"a, ""b""",points,1,0.1/1,"a, ""b""",points,2,0.333333`},
		{"unnamed", empty().Lines("", x, y).Dashed("", x, y).Marked("2", x, y), "panel,series,kind,x,y/1,1,line,1,0.1/1,1,line,2,0.333333/" +
			"1,2,line,1,0.1/1,2,line,2,0.333333/1,2 (2),line,1,0.1/1,2 (2),line,2,0.333333"},
		{"error bars", empty().ErrorBars("e", x, []float64{1, 2}, []float64{0, 0.5}).HLine("h", 5).VLine("", 6),
			"panel,series,kind,x,y,lo,hi/1,e,errorbars,1,1,1,1/1,e,errorbars,2,2,1.5,2.5/1,h,hline,,5,,/1,3,vline,6,,,"},
		{"bands", empty().Band(x, y, x).Lines("m", x, x).Band(x, y, x), "panel,series,kind,x,y,lo,hi/1,m,band,1,,0.1,1/1,m,band,2,,0.333333,2/" +
			"1,m,line,1,1,,/1,m,line,2,2,,/1,3,band,1,,0.1,1/1,3,band,2,,0.333333,2"},
		{"a limited logarithm", empty().Lines("", x, []float64{0.5, 1e12}).LogX().LogY().Range(0.1, 1, 0.1, 1), "panel,series,kind,x,y/1,1,line,1,0.5/1,1,line,2,1e+12"},
		{"histogram", figure.Histogram("", []float64{0, 0, 1, 4}, 2), "panel,series,kind,y,lo,hi,count/1,1,histogram,0.375,0,2,3/1,1,histogram,0.125,2,4,1"},
		{"arrows", figure.Cloud("", mat.NewDense(2, 1, []float64{3, -4})).Basis("A", mat.NewDense(2, 2, []float64{1, 0, 2, 0}), 100),
			"panel,series,kind,column,x,y/1,1,points,,3,-4/1,A,arrow,0,1,2/1,A,arrow,1,0,0"},
		{"bars", figure.Bars("", []string{"p", "q"}, []string{"one"}, [][]float64{{1, 2}}), "panel,series,kind,label,x,value/1,one,bar,p,0,1/1,one,bar,q,1,2"},
		{"heat map", figure.Heatmap("", tiles), "panel,series,kind,row,value/1,1,heatmap,0,1 2 3/1,1,heatmap,1,4 5 6"},
		{"tiles", figure.Tiles("", tiles, 1, 2, 2), "panel,series,kind,tile,row,value/1,1,tiles,0,0,1 4/1,1,tiles,1,0,2 5/1,1,tiles,2,0,3 6"},
		{"classes", figure.Classes("", []float64{1, 2, 3}, []float64{4, 5, 6}, []int{1, -1, 0}, []string{"zero", "one"}),
			"panel,series,kind,x,y/1,without a class,points,2,5/1,zero,points,3,6/1,one,points,1,4"},
		{"line", raw(must(plotter.NewLine(pts))), "panel,series,kind,x,y/1,1,line,1,2/1,1,line,3,4.5"},
		{"scatter", raw(must(plotter.NewScatter(pts))), "panel,series,kind,x,y/1,1,points,1,2/1,1,points,3,4.5"},
		{"labels", raw(must(plotter.NewLabels(plotter.XYLabels{XYs: pts, Labels: []string{"a", "b"}}))), "panel,series,kind,label,x,y/1,1,points,a,1,2/1,1,points,b,3,4.5"},
		{"polygon", raw(must(plotter.NewPolygon(pts))), "panel,series,kind,x,y,ring/1,1,polygon,1,2,0/1,1,polygon,3,4.5,0"},
		{"y error bars", raw(must(plotter.NewYErrorBars(lattice{}))), "panel,series,kind,x,y,lo,hi/1,1,errorbars,1,2,1.5,3"},
		{"x error bars", raw(must(plotter.NewXErrorBars(lattice{}))), "panel,series,kind,x,y,lo,hi/1,1,xerrorbars,1,2,0.5,2"},
		{"bar chart", raw(must(plotter.NewBarChart(plotter.Values{3, 4}, vg.Points(3)))), "panel,series,kind,x,value/1,1,bar,0,3/1,1,bar,1,4"},
		{"gonum's histogram", raw(must(plotter.NewHist(plotter.Values{0, 0, 4}, 2))), "panel,series,kind,y,lo,hi/1,1,histogram,2,0,2/1,1,histogram,1,2,4"},
		{"box", raw(must(plotter.NewBoxPlot(vg.Points(3), 5, plotter.Values{1, 2}))), "panel,series,kind,x,value/1,1,box,5,1/1,1,box,5,2"},
		{"quartiles", raw(must(plotter.NewQuartPlot(5, plotter.Values{1, 2}))), "panel,series,kind,x,value/1,1,box,5,1/1,1,box,5,2"},
		{"gonum's heat map", raw(&plotter.HeatMap{GridXYZ: lattice{}}), "panel,series,kind,row,column,x,y,value/1,1,heatmap,0,0,0,7,1/1,1,heatmap,0,1,10,7,"},
		{"contour", raw(&plotter.Contour{GridXYZ: lattice{}}), "panel,series,kind,row,column,x,y,value/1,1,contour,0,0,0,7,1/1,1,contour,0,1,10,7,"},
		{"field", raw(plotter.NewField(lattice{})), "panel,series,kind,row,column,x,y,dx,dy/1,1,field,0,0,0,7,0,-1/1,1,field,0,1,10,7,1,-1"},
		{"function", raw(&plotter.Function{F: math.Sqrt, XMin: -1, XMax: 1, Samples: 3}), "panel,series,kind,x,y/1,1,line,-1,/1,1,line,0,0/1,1,line,1,1"},
		{"colours", raw(plotter.NewImage(img, 0, 0, 6, 4)), "panel,series,kind,row,red,green,blue/1,1,image,0,0 100,0 0,7 7/1,1,image,1,0 100,50 50,7 7"},
		{"greys", raw(plotter.NewImage(gray, 0, 0, 2, 1)), "panel,series,kind,row,value/1,1,image,0,0 200"},
		{"XYZer", raw(lattice{}), "panel,series,kind,x,y,value/1,1,points,1,2,3"},
		{"Tabled", raw(mine{}), "panel,series,kind,x,mass/1,1,mine,1,2.5"},
		{"neither", raw(foreign{}), "panel,series,kind,label/1,1,unread,figure_test.foreign"},
		{"no data", raw(plotter.NewGrid()), "panel,series,kind"},
	} {
		want := strings.ReplaceAll(c.want, "/", "\n") + "\n"
		if got := string(c.f.CSV()); got != want {
			t.Errorf("%s:\n%s\nnot\n%s", c.name, got, want)
		}
		read(t, c.f.CSV())
	}
}

// TestCSVOwnsData checks that later changes to the caller's data have no effect.
func TestCSVOwnsData(t *testing.T) {
	x, labels := []float64{1, 2}, []string{"a", "b"}
	M := mat.NewDense(2, 1, []float64{1, 2})
	all := func() *figure.Grid {
		return figure.NewGrid("", 2, figure.Scatter("", x, x).Lines("", x, x).Marked("", x, x).ErrorBars("", x, x, x).Band(x, x, x).Basis("", M, 2),
			figure.Bars("", labels, labels[:1], [][]float64{x}), figure.Heatmap("", M), figure.Tiles("", M, 2, 1, 1), figure.Cloud("", M))
	}
	g := all()
	before := g.CSV()
	svg := g.SVG()
	x[0], labels[1] = 7, "c"
	M.Set(0, 0, 9)
	if after := g.CSV(); !bytes.Equal(before, after) || g.SVG() != svg {
		t.Errorf("%s became %s", before, after)
	}
	if bytes.Equal(all().CSV(), before) {
		t.Error("other data, the same file")
	}
}

func TestCSVGrid(t *testing.T) {
	x := []float64{1, 2}
	panel := func(title string) *figure.Figure { return figure.New(title, "", "").Lines("l", x, x) }
	g := figure.NewGrid("all", 2, panel("a"), nil, panel("a"), panel(""), panel("two\nlines"))
	want := "panel,series,kind,x,y\n"
	for _, name := range []string{"a", "a (2)", "3", "two lines"} {
		want += name + ",l,line,1,1\n" + name + ",l,line,2,2\n"
	}
	if got := string(g.CSV()); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

// read parses a CSV file, and fails the test unless all numeric columns hold numbers.
func read(t *testing.T, b []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, name := range rows[0] {
		if seen[name] {
			t.Errorf("two columns %q", name)
		}
		seen[name] = true
	}
	for _, row := range rows[1:] {
		if row[0] == "" || row[1] == "" || row[2] == "" {
			t.Fatalf("row %q", row)
		}
		for j, s := range row {
			if j < 3 || s == "" || rows[0][j] == "label" {
				continue
			}
			for _, one := range strings.Fields(s) { // a picture row holds several values
				if _, err := strconv.ParseFloat(one, 64); err != nil {
					t.Fatalf("%s = %q", rows[0][j], s)
				}
			}
		}
	}
	return rows
}

// TestCSVOfGallery saves and reads one figure of each kind.
func TestCSVOfGallery(t *testing.T) {
	dir := t.TempDir()
	lines := map[string]int{"cloud": 2006, "loss": 600, "hist": 120, "bars": 9, "heat": 12, "tiles": 160, "grouped": 6, "band": 8, "curve": 401,
		"grid": 4 * 2006, "mixed": 2006 + 300 + 12 + 63 + 3}
	for name, f := range gallery() {
		path := filepath.Join(dir, name)
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		if n := len(read(t, must(os.ReadFile(path+".csv")))) - 1; n != lines[name] {
			t.Errorf("%s: %d lines, not %d", name, n, lines[name])
		}
	}
}

// TestCSVWide checks that a picture row is one line, even if the line is long.
func TestCSVWide(t *testing.T) {
	M := mat.NewDense(300, 300, nil)
	for i := range 300 {
		for j := range 300 {
			M.Set(i, j, math.Pi*float64(i*300+j+1))
		}
	}
	rows := read(t, figure.Heatmap("", M).CSV())
	if len(rows) != 301 {
		t.Fatalf("%d lines", len(rows))
	}
	first, last := strings.Fields(rows[1][4]), strings.Fields(rows[300][4])
	if len(first) != 300 || first[0] != "0" || last[299] != "283000" {
		t.Errorf("from %s to %s", first[0], last[299])
	}
}

// TestCSVLarge checks that a large file has numbers with fewer digits, and still contains all numbers.
func TestCSVLarge(t *testing.T) {
	x := make([]float64, 9_000)
	for i := range x {
		x[i] = math.Pi * float64(i+1)
	}
	rows := read(t, figure.Scatter("", x, x).CSV())
	if len(rows) != 1+9_000 || rows[1][3] != "3.142" || rows[9_000][3] != "2.827e+04" {
		t.Errorf("%d lines, from %s to %s", len(rows), rows[1][3], rows[len(rows)-1][3])
	}
}

func TestCSVMistakes(t *testing.T) {
	for want, cols := range map[string][]figure.Column{
		"two columns \"x\"":       {{Name: "x", Numbers: []float64{1}}, {Name: "x", Numbers: []float64{1}}},
		"two columns \"panel\"":   {{Name: "panel", Numbers: []float64{1}}},
		"column \"y\" of a wrong": {{Name: "x", Numbers: []float64{1}}, {Name: "y", Numbers: []float64{1, 2}}},
	} {
		f := figure.New("", "", "")
		f.Add(wrong{cols: cols})
		if s := fmt.Sprint(panics.Value(func() { f.CSV() })); !strings.HasPrefix(s, "figure: CSV: ") || !strings.Contains(s, want) {
			t.Errorf("%q, not %q", s, want)
		}
	}
}

type wrong struct {
	foreign
	cols []figure.Column
}

func (w wrong) Table() (string, []figure.Column) { return "wrong", w.cols }

func ExampleFigure_CSV() {
	f := figure.New("Loss", "step", "nats").Lines("training", []float64{0, 1, 2}, []float64{1.5, 0.75, 0.5}).HLine("chance", 1.4)
	fmt.Print(string(f.CSV()))
	// Output:
	// panel,series,kind,x,y
	// 1,training,line,0,1.5
	// 1,training,line,1,0.75
	// 1,training,line,2,0.5
	// 1,chance,hline,,1.4
}
