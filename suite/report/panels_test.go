package report

import (
	"encoding/json"
	"html"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/svgpath"
	"overcomplete/kernel-helpers/figure"
)

// TestPanels checks that a page shows a figure of this project panel by panel, and any other SVG as a
// picture.
func TestPanels(t *testing.T) {
	heading, page := readPanels("../../figures/lecture-pca/ppca.svg")
	if heading == "" || !strings.HasPrefix(string(page), `<div class="drawing">`) || !strings.Contains(string(page), " data-values='{") {
		t.Errorf("%q %.200s", heading, page)
	}
	dir := t.TempDir()
	svg, err := os.ReadFile("../../figures/lecture-pca/ppca.svg")
	if err != nil {
		t.Fatal(err)
	}
	about, err := figuremeta.Read(svg)
	if err != nil {
		t.Fatal(err)
	}
	about.SetData(nil)
	put(t, dir, "alone.svg", string(figuremeta.Write(svg, about))) // without its data
	if heading, page := readPanels(filepath.Join(dir, "alone.svg")); heading == "" || strings.Contains(string(page), "data-values") {
		t.Errorf("%q %.200s", heading, page)
	}
	put(t, dir, "strange.svg", strings.Replace(string(svg), "<title>", "<script>alert(1)</script><title>", 1))
	for _, name := range []string{"strange", "missing"} {
		if heading, page := readPanels(filepath.Join(dir, name+".svg")); heading != "" || page != "" {
			t.Errorf("%s: %q %.200s", name, heading, page)
		}
	}
}

// TestDrawnAnew saves figures with different letters, colors and scales. Their pages must have all panels,
// legends and names, and the values must be where the dots are.
func TestDrawnAnew(t *testing.T) {
	x, y := []float64{1, 10, 100, 1000}, []float64{.5, .01, 2, 30}
	odd := func(f *figure.Figure) *figure.Figure {
		for _, a := range []*plot.Axis{&f.X, &f.Y} {
			a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size, a.Tick.Length = 15, 6, 9
			a.LineStyle.Color, a.Label.TextStyle.Color, a.Padding = color.NRGBA{0x10, 0x80, 0x20, 0xFF}, color.NRGBA{0x90, 0x10, 0x20, 0xFF}, 7
		}
		return f
	}
	points := func() *figure.Figure { return odd(figure.New("points", "size", "error").Marked("one", x, y)) }
	bars := odd(figure.Bars("bars", []string{"a", "b"}, []string{"m", "n"}, [][]float64{{1, 2}, {3, 4}}))
	heat := odd(figure.Heatmap("heat", mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})))
	grid := figure.NewGrid("All", 2, points(), points().LogX().LogY(), bars, heat)
	for name, c := range map[string]struct {
		f        interface{ Save(string) error }
		panels   int
		dots     int // number of dots that have values
		said     []string
		captions []string
	}{
		"single": {points().LogX(), 1, 4, nil, []string{"</svg>one</span>"}},
		"ranged": {points().Range(0, 200, -1, 3), 1, 3, nil, []string{"</svg>one</span>"}},
		"grid": {grid, 4, 8, []string{"a: 1", "b: 4", "row 0, column 2: 3", "row 1, column 0: 4"},
			[]string{`<p class="name">points</p>`, `<p class="name">heat</p>`, "</svg>one</span>", "</svg>m</span>", "</svg>n</span>"}},
	} {
		path := filepath.Join(t.TempDir(), "figure")
		if err := c.f.Save(path); err != nil {
			t.Fatal(err)
		}
		_, page := readPanels(path + ".svg")
		text := string(page)
		if n := strings.Count(text, `<div class="panel"`); n != c.panels {
			t.Errorf("%s: %d panels", name, n)
		}
		for _, want := range c.captions {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
		dots := map[[2]int]bool{}
		for _, m := range regexp.MustCompile(`<path d="([^"]*)" fill="none" stroke-linecap="round"`).FindAllStringSubmatch(text, -1) {
			path, err := svgpath.Parse(m[1])
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range path.Centers() {
				for i := range 9 { // both are rounded
					dots[[2]int{int(math.Round(10*at.X)) + i%3 - 1, int(math.Round(10*at.Y)) + i/3 - 1}] = true
				}
			}
		}
		found, all := 0, 0
		for _, m := range regexp.MustCompile(`data-values='([^']*)'`).FindAllStringSubmatch(text, -1) {
			var v struct {
				S []struct {
					P []int
					V []float64
				}
			}
			if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &v); err != nil {
				t.Fatal(err)
			}
			for _, s := range v.S {
				for i := 0; i < len(s.V); i += 2 {
					all++
					if dots[[2]int{s.P[i], s.P[i+1]}] {
						found++
					}
				}
			}
		}
		// A large figure also has a version for phones.
		if all%c.dots != 0 || all == 0 || found != all {
			t.Errorf("%s: %d of %d values are at a dot, of %d", name, found, all, c.dots)
		}
		for _, want := range c.said {
			if !strings.Contains(html.UnescapeString(text), strconv.Quote(want)) {
				t.Errorf("%s: nothing says %q", name, want)
			}
		}
		svg, err := os.ReadFile(path + ".svg")
		if err != nil {
			t.Fatal(err)
		}
		about, err := figuremeta.Read(svg)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(regexp.MustCompile(`<(?:path|text|image) `).FindAll(svg, -1)); about.Panels[len(about.Panels)-1].Shapes[1] != n {
			t.Errorf("%s: %d shapes, %v", name, n, about.Panels)
		}
	}
}
