package drawing

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/patience"
	"overcomplete/internal/svgpath"
	"overcomplete/internal/testfile"
	"overcomplete/kernel-helpers/figure"
)

// recorded returns the paths of the figures in the record.
func recorded(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../../../figures/*/*.svg")
	if err != nil || len(list) < 50 {
		t.Fatal("no figures", err)
	}
	return list
}

// written has the elements and attributes that a drawing may contain.
var written = map[string]string{
	"div": "class style", "p": "class", "span": "", "figure": "", "figcaption": "", "b": "",
	"svg":   "class viewBox width height role aria-label aria-hidden data-values",
	"path":  "d fill stroke fill-opacity stroke-opacity stroke-width stroke-dasharray stroke-linecap style",
	"text":  "x y transform font-size font-weight fill fill-opacity style textLength lengthAdjust",
	"image": "x y width height preserveAspectRatio href",
}

// TestRecordedFigures parses each figure of the record. No panel and no word may be lost, and the output may
// contain nothing that a page should not contain.
func TestRecordedFigures(t *testing.T) {
	patience.SkipShort(t, "takes all figures apart")
	withValues := 0
	for _, path := range recorded(t) {
		svg := testfile.Read(t, path)
		d, err := Parse(svg)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if want := grounds(t, svg) - 1; len(d.panels) != want || d.Title == "" || d.Caption == "" {
			t.Errorf("%s: %d panels of %d, %q, %q", path, len(d.panels), want, d.Title, d.Caption)
		}
		for _, p := range d.panels {
			for _, s := range p.shapes {
				if s.font == 8 && s.fill == "#5F5F5F" || s.bold && s.font > 10 && s.font < 13 {
					t.Errorf("%s: %q is still a part of the picture", path, s.text)
				}
			}
			if p.values != nil {
				withValues++
			}
		}
		page := d.HTML()
		for _, s := range d.document(t, svg) {
			if !strings.Contains(html.UnescapeString(page), s) {
				t.Errorf("%s: %q is lost", path, s)
			}
		}
		if err := harmless(page); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	// Panels of pictures, and panels with words on their axes, have no values.
	if withValues < 90 {
		t.Errorf("%d panels have values", withValues)
	}
}

// grounds counts the white rectangles of a figure: its own ground and those of its panels. White squares of a heat map
// lie, but for their edges, in two of them.
func grounds(t *testing.T, svg []byte) (n int) {
	t.Helper()
	doc, err := parse(svg)
	if err != nil {
		t.Fatal(err)
	}
	var white []box
	for _, s := range doc.shapes {
		if b, ok := rectangle(s.path); ok && s.fill == "#FFFFFF" {
			white = append(white, b)
		}
	}
	for _, b := range white {
		around := 0
		for _, of := range white {
			at := emptyBox.with(b.middle())
			if of.width()*of.height() > b.width()*b.height() && of.union(at) == of {
				around++
			}
		}
		if around < 2 {
			n++
		}
	}
	return n
}

// harmless returns an error for an element or attribute that is not allowed in a drawing, and for HTML that is
// not well-formed.
func harmless(page string) error {
	dec := xml.NewDecoder(strings.NewReader(page))
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		attrs, ok := written[e.Name.Local]
		if !ok {
			return fmt.Errorf("an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if !slices.Contains(strings.Fields(attrs), a.Name.Local) || a.Name.Local == "style" && strings.Contains(a.Value, "url") {
				return fmt.Errorf("%s has %s %q", e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small, "panel,series,kind,x,y\n1,a,line,0,0.5\n")
	f.Add(small, "panel,series,kind,label,x,value\n1,a,bar,x,1,5\n1,b,heatmap,,,1 2\n")
	f.Fuzz(func(t *testing.T, svg, csv string) {
		d, err := Parse([]byte(svg))
		if err != nil {
			return
		}
		d.setValues([]byte(csv))
		if err := harmless(d.HTML()); err != nil {
			t.Error(err)
		}
	})
}

// document returns the words of an SVG, except title and caption.
func (d *Drawing) document(t *testing.T, svg []byte) (words []string) {
	t.Helper()
	doc, err := parse(svg)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range doc.shapes {
		if s.text != "" && s.font != 8 && (!s.bold || s.font > 13) { // leave out the lines of title and caption
			words = append(words, s.text)
		}
	}
	return words
}

const small = `<?xml version="1.0"?>
<svg width="100pt" height="50pt" viewBox="0 0 100 50" font-family="'Liberation Sans',Arial,Helvetica,sans-serif" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<title>A &lt;title&gt;</title>
<desc>One &amp; two.</desc>
<metadata>{"version":1,"title":"A \u003ctitle\u003e","caption":"One \u0026 two.","colors":{"ground":"#FFFFFF","ink":"#262626","quiet":"#5F5F5F","axis":"#707070","grid":"#E4E4E4"},"panels":[{"data":"1","box":[10,10,90,40],"area":[10,10,90,40],"x":{"min":0,"max":8,"scale":"linear"},"y":{"min":0,"max":3,"scale":"linear"},"shapes":[3,6],"heading":[0,0]}]}</metadata>
<path d="M0 50h100V0H0z" style="fill:#FFFFFF"/>
<text x="6" y="45" style="font-size:8px;fill:#5F5F5F">One &amp; two.</text>
<path d="M10 40h80V10H10z" style="fill:#FFFFFF"/>
<g style="fill:none;stroke:#262626;stroke-width:1.6">
<path d="M10 30l80-10"/>
</g>
<path d="M30 30h0" style="fill:none;stroke:#D55E00;stroke-opacity:0.5;stroke-width:4;stroke-linecap:round"/>
<text x="12" y="14" transform="matrix(0 -1 1 0 0 50)" style="font-size:10px;fill:#262626">up</text>
</svg>
`

func TestPlaces(t *testing.T) {
	d, err := Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	page := d.HTML()
	for _, want := range []string{
		`<path d="M10 30l80-10" fill="none" stroke="currentColor" stroke-width="1.6"/>`,
		`<path d="M30 30h0" fill="none" stroke-linecap="round" stroke-width="4" stroke="#D55E00" stroke-opacity=".5"/>`,
		`<text x="-38" y="14" transform="rotate(-90)" font-size="10" fill="currentColor" textLength="11.12" lengthAdjust="spacingAndGlyphs">up</text>`,
		`viewBox="5.5 9 `, `aria-label="A &lt;title&gt;"`, `<figcaption><b>A &lt;title&gt;</b> One &amp; two.</figcaption>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
}

// TestLengths: a text's length given in the SVG takes precedence.
func TestLengths(t *testing.T) {
	fitted := strings.Replace(small, `<text x="12"`, `<text textLength="17.5" lengthAdjust="spacingAndGlyphs" x="12"`, 1)
	d, err := Parse([]byte(fitted))
	if err != nil || !strings.Contains(d.HTML(), `textLength="17.5" lengthAdjust="spacingAndGlyphs">up`) {
		t.Error(err)
	}
}

// TestRefused: an SVG with foreign additions is shown as a picture.
func TestRefused(t *testing.T) {
	for _, c := range [][2]string{
		{"<title>", "<script>alert(1)</script><title>"},
		{"<svg ", `<svg onload="alert(1)" `}, // unknown attribute names
		{`<text x="12"`, `<text onclick="alert(1)" x="12"`},
		{`<text x="12"`, `<a href="x"/><text x="12"`},
		{`<g style="fill`, `<g onclick="alert(1)" style="fill`},
		{`<path d="M10 30l80-10"`, `<path style="fill:none" d="M10 30l80-10"`},
		{`<path d="M10 30l80-10"`, `<path onclick="alert(1)" d="M10 30l80-10"`},
		{"stroke:#262626", "stroke:url(http://x/y)"},
		{"stroke:#262626", "stroke:#262626;background:url(x)"},
		{"stroke:#262626", "stroke:#2626 6"},
		{"stroke-width:1.6", "stroke-width:NaN"},
		{"M10 30l80-10", "M10 30L1e999 30"},
		{"M10 30l80-10", "M10 30C90 30 1 1 1 1"},
		{"M30 30h0", "M30 30h1"},
		{"fill:none;stroke:#D55E00", "fill:#D55E00;stroke:#D55E00"},
		{"</svg>", "<foreignObject><b>x</b></foreignObject></svg>"},
		{"</svg>", `<style>*{display:none}</style></svg>`},
		{"<path d=\"M30", `<image x="0" y="0" width="9" height="9" xlink:href="https://x/y.png"/><path d="M30`},
		{"<path d=\"M30", `<image x="0" y="0" width="9" height="9" xlink:href="data:image/svg+xml;base64,AAAA"/><path d="M30`},
		{"matrix(0 -1 1 0 0 50)", "rotate(45)"},
		{"matrix(0 -1 1 0 0 50)", "matrix(0 -1 1 0 0 51)"},
		{"</text>\n</svg>", "</svg>"},
		{`<?xml version="1.0"?>`, `<!DOCTYPE svg [<!ENTITY x "y">]>`},
		{`viewBox="0 0 100 50"`, `viewBox="0 0 1e9 50"`},
		{`"panels":[{`, `"panels":[],"none":[{`},
		{`"version":1`, `"version":0`},
		{"metadata>", "desc>"},
	} {
		changed := strings.Replace(small, c[0], c[1], 1)
		if changed == small {
			t.Fatalf("%q is not there", c[0])
		}
		if d, err := Parse([]byte(changed)); err == nil {
			if page := d.HTML(); c[0] == "<svg " && !strings.Contains(page, "alert") {
				continue
			}
			t.Errorf("%q is taken", c[1])
		} else if !errors.Is(err, errUnknown) {
			t.Errorf("%q: %v", c[1], err)
		}
	}
}

func TestColours(t *testing.T) {
	own := figuremeta.Colors{Ground: "#FFFFFF", Ink: "#262626", Quiet: "#5F5F5F", Axis: "#707070", Grid: "#E4E4E4"}
	for colour, want := range map[string]string{
		"#262626": ` fill="currentColor"`, "#111111": ` fill="currentColor"`, "#707070": ` fill="currentColor" fill-opacity=".72"`, "#E4E4E4": ` fill="currentColor" fill-opacity=".13"`,
		"#FFFFFF": ` style="fill:var(--paper)"`, "#D55E00": ` fill="#D55E00"`, "#0072B2": ` fill="#0072B2" style="fill:color-mix(in srgb,#0072B2,currentColor calc(var(--lift,0%)*.6))"`, "#8C8C8C": ` fill="#8C8C8C"`,
		"#2F1E54": ` fill="#2F1E54" style="fill:color-mix(in srgb,#2F1E54,currentColor var(--lift,0%))"`,
	} {
		if got := paint(&own, "fill", colour, 1); got != want {
			t.Errorf("%s: %s, want %s", colour, got, want)
		}
	}
}

// TestCellsKeepTheirColors: on a dark page the cells of a matrix are as light as on a light one, whatever the page
// does with white and black. Its words have the page's color.
func TestCellsKeepTheirColors(t *testing.T) {
	svg := testfile.Read(t, "../../../figures/lecture-attention/heads.svg")
	d, err := Parse(svg)
	if err != nil {
		t.Fatal(err)
	}
	page := d.HTML()
	cell := regexp.MustCompile(`<path d="[^"]*h[0-9.]+v[0-9.]+h-[0-9.]+z" fill="#([0-9A-F]{6})"/>`)
	seen := map[string]bool{}
	for _, m := range cell.FindAllStringSubmatch(page, -1) {
		seen[m[1]] = true
	}
	if !seen["FFFFFF"] || !seen["131313"] || !seen["464646"] {
		t.Errorf("the cells have the colors %v", seen)
	}
	if n := strings.Count(page, `fill="currentColor"`); n < 36 {
		t.Errorf("%d words have the page's color", n)
	}
}

// TestBarsAndCells: bars have their heights as values above them, and the cells of a matrix have the matrix's
// values.
func TestBarsAndCells(t *testing.T) {
	for name, n := range map[string]int{"differentiable-sparse-coding/table3": 16, "lewicki-sejnowski/e4-equilibrium": 9, "lecture-attention/heads": 36} {
		svg := testfile.Read(t, filepath.Join("../../../figures", filepath.FromSlash(name)+".svg"))
		d, err := Parse(svg)
		if err != nil {
			t.Fatal(err)
		}
		about, err := figuremeta.Read(svg)
		if err != nil {
			t.Fatal(err)
		}
		table, err := about.Data()
		if err != nil {
			t.Fatal(err)
		}
		p := d.panels[0]
		if p.values == nil {
			t.Fatalf("%s: no values", name)
		}
		// The expected texts, made from the rows of the first panel.
		var wanted []string
		rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at := func(row []string, name string) string {
			if i := slices.Index(rows[0], name); i >= 0 {
				return row[i]
			}
			return ""
		}
		for _, row := range rows[1:] {
			switch v := at(row, "value"); {
			case row[0] != rows[1][0]:
			case at(row, "kind") == "bar":
				wanted = append(wanted, at(row, "label")+": "+v)
			case at(row, "kind") == "heatmap":
				for j, x := range strings.Fields(v) {
					wanted = append(wanted, fmt.Sprintf("row %s, column %d: %s", at(row, "row"), j, x))
				}
			}
		}
		var said []string
		for _, s := range p.values.Series {
			said = append(said, s.Said...)
			for k := 0; k < len(s.At); k += 2 {
				at := point{X: float64(s.At[k]) / 10, Y: float64(s.At[k+1]) / 10}
				inside := slices.ContainsFunc(p.shapes, func(s shape) bool {
					b, filled := rectangle(s.path)
					filled = filled && s.stroke == ""
					if s.image != "" {
						b, filled = s.bounds(), true
					}
					b.min.Y -= .6
					return filled && at.X >= b.min.X && at.X <= b.max.X && at.Y >= b.min.Y && at.Y <= b.max.Y
				})
				if !inside {
					t.Errorf("%s: nothing is at %v", name, at)
				}
			}
		}
		if len(said) != n || !slices.Equal(said, wanted) {
			t.Errorf("%s: %q, want %q", name, said, wanted)
		}
	}
}

// TestValuesAreOnTheirLines compares the positions of values with the lines in the picture, in panels with
// linear and logarithmic axes.
func TestValuesAreOnTheirLines(t *testing.T) {
	for _, name := range []string{"differentiable-sparse-coding/table2", "lewicki-sejnowski/e2-paths", "lecture-pca/eckart-young", "nmf-implicit/singular-values"} {
		d, err := Parse(testfile.Read(t, filepath.Join("../../../figures", filepath.FromSlash(name)+".svg")))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range d.panels {
			if p.values == nil {
				t.Fatalf("%s, panel %d: no values", name, i)
			}
			var v values
			if err := json.Unmarshal([]byte(p.values.json()), &v); err != nil || len(v.Series) == 0 {
				t.Fatal(name, err)
			}
			drawn := p.drawn()
			n, found := 0, 0
			for _, s := range v.Series {
				if len(s.At) != max(len(s.V), 2*len(s.Said)) {
					t.Fatalf("%s: %d places of %d numbers", name, len(s.At), max(len(s.V), 2*len(s.Said)))
				}
				for k := 0; k < len(s.At); k += 2 {
					n++
					if drawn.has(point{X: float64(s.At[k]) / 10, Y: float64(s.At[k+1]) / 10}) {
						found++
					}
				}
			}
			if n < 10 || found < n*9/10 {
				t.Errorf("%s, panel %d: %d of %d places have something drawn at them", name, i, found, n)
			}
		}
	}
}

// TestNarrow: a large panel with axes is also drawn for a phone. Its letters keep their size, words below the
// axis do not overlap, and values are on their lines.
func TestNarrow(t *testing.T) {
	n := 0
	for _, path := range recorded(t) {
		d, err := Parse(testfile.Read(t, path))
		if err != nil {
			t.Fatal(err)
		}
		if len(d.panels) != 1 {
			continue
		}
		p := d.panels[0]
		small := p.narrow()
		if small == nil {
			continue
		}
		n++
		if w := small.bounds.width(); w > 1.15*phone || small.bounds.height() > p.bounds.height() {
			t.Errorf("%s: %v wide, %v high", path, w, small.bounds.height())
		}
		if page := d.HTML(); strings.Count(page, `<svg class="narrow"`) != 1 || strings.Count(page, `<svg class="large"`) != 1 {
			t.Errorf("%s: it is not on the page", path)
		}
		below := p.Area[3]
		for i, s := range small.shapes {
			if s.text == "" || s.turned || s.bounds().middle().Y < below {
				continue
			}
			if !number(s.text) {
				continue
			}
			for _, o := range small.shapes[:i] {
				if number(o.text) && !o.turned && o.at.Y == s.at.Y && overlaps(s.bounds(), []box{o.bounds()}) {
					t.Errorf("%s: %s and %s overlap", path, s.text, o.text)
				}
			}
		}
		if p.values == nil {
			continue
		}
		drawn, all, found := small.drawn(), 0, 0
		for _, s := range small.values.Series {
			for k := 0; k < len(s.At) && s.Said == nil; k += 2 {
				all++
				if drawn.has(point{X: float64(s.At[k]) / 10, Y: float64(s.At[k+1]) / 10}) {
					found++
				}
			}
		}
		if found < all*9/10 {
			t.Errorf("%s: %d of %d values are where something is drawn", path, found, all)
		}
	}
	if n < 20 {
		t.Errorf("%d figures are drawn for a phone", n)
	}
}

// TestWrongValues sets CSV data that cannot be shown in a figure. The figure then has no values.
func TestWrongValues(t *testing.T) {
	for name, csv := range map[string]string{
		"not in the area": "panel,series,kind,x,y\n1,a,line,-1,0.5\n",
		"no numbers":      "panel,series,kind,x,y\n1,a,line,x,y\n",
		"another panel":   "panel,series,kind,x,y\n2,a,line,1,1\n",
		"another table":   "a,b\n1,2\n",
		"nothing":         "",
	} {
		d, err := Parse([]byte(small))
		if err != nil {
			t.Fatal(err)
		}
		d.setValues([]byte(csv))
		if p := d.panels[0]; p.values != nil {
			t.Errorf("%s: %s", name, p.values.json())
		}
	}
}

// TestOtherLooks draws figures with other fonts and colors. Pages still have the same panels, legends and
// values, and the figures' own colors are recognized.
func TestOtherLooks(t *testing.T) {
	other := strings.NewReplacer("font-size:12px", "font-size:14px", "font-size:10.5px", "font-size:8px", "font-size:9.5px", "font-size:12px", "font-size:8px", "font-size:9.5px",
		"#FFFFFF", "#FFFFF0", "#262626", "#1A2B6C", "#5F5F5F", "#4477AA", "#707070", "#995500", "#E4E4E4", "#CCDDEE")
	drawn := regexp.MustCompile(`<(text|path|image) `)
	for _, name := range []string{"lecture-pca/ppca", "s3c/pooling", "lewicki-sejnowski/recovery", "nmf-implicit/singular-values", "i-con/matrices"} {
		svg := string(testfile.Read(t, "../../../figures/"+name+".svg"))
		changed := other.Replace(svg)
		a, err := Parse([]byte(svg))
		if err != nil {
			t.Fatal(err)
		}
		b, err := Parse([]byte(changed))
		if err != nil {
			t.Fatal(err)
		}
		if x, y := a.HTML(), b.HTML(); len(drawn.FindAllString(x, -1)) != len(drawn.FindAllString(y, -1)) ||
			strings.Count(x, "currentColor") > strings.Count(y, "currentColor") || strings.Count(x, "var(--paper)") != strings.Count(y, "var(--paper)") {
			t.Errorf("%s: the page has other shapes or colours", name)
		}
		if len(a.panels) != len(b.panels) || len(a.keys) != len(b.keys) {
			t.Fatalf("%s: %d panels, %d", name, len(a.panels), len(b.panels))
		}
		for i, p := range a.panels {
			q := b.panels[i]
			if p.Title != q.Title || len(p.keys) != len(q.keys) || len(p.shapes) != len(q.shapes) || (p.values == nil) != (q.values == nil) || p.values != nil && p.values.json() != q.values.json() {
				t.Errorf("%s: panel %d is another one", name, i)
			}
		}
	}
}

// TestGaps: exactly the pixels in the gaps become transparent, even if pixels of tiles are white.
func TestGaps(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 7, 4))
	for i := range img.Pix {
		img.Pix[i] = uint8(255 - 40*(i%3))
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(b.Bytes())
	at := box{point{X: 10, Y: 20}, point{X: 10 + 7*1.3, Y: 20 + 4*1.3}}
	pixel := func(x0, y0, x1, y1 float64) figuremeta.Box {
		return figuremeta.Box{10 + 1.3*x0 + 1e-4, 20 + 1.3*y0 - 1e-4, 10 + 1.3*x1, 20 + 1.3*y1}
	}
	gaps := []figuremeta.Box{pixel(0, -9, 1, 9), pixel(3, -9, 4, 9), pixel(-5, 1, 2, 2), pixel(5, 3, 99, 99), pixel(20, 20, 30, 30)}
	c, err := base64.StdEncoding.DecodeString(clearGaps(data, at, gaps))
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(c))
	if err != nil {
		t.Fatal(err)
	}
	for y := range 4 {
		for x := range 7 {
			gap := x == 0 || x == 3 || y == 1 && x < 2 || y == 3 && x >= 5
			c := color.NRGBAModel.Convert(got.At(x, y)).(color.NRGBA)
			if want := img.GrayAt(x, y).Y; !gap && (c.A != 255 || c.R != want) || gap && c.A != 0 {
				t.Errorf("(%d, %d): %v", x, y, c)
			}
		}
	}
	for _, bad := range []string{"", "?", data[:20]} {
		if got := clearGaps(bad, at, gaps); got != bad {
			t.Errorf("%q has become %q", bad, got)
		}
	}
}

// A compact figure has no metadata, and its texts have the widths that they were laid out for. An SVG that is not
// from package figure stays unchanged.
func TestCompact(t *testing.T) {
	got := string(Compact([]byte(small)))
	if strings.Contains(got, "<metadata") || strings.Count(got, "textLength=") != 2 || Fitted(got) != got {
		t.Error(got)
	}
	if other := []byte(strings.Replace(small, "<text ", "<script/><text ", 1)); !bytes.Equal(Compact(other), other) {
		t.Error("a foreign SVG has changed")
	}
}

// TestEvenRows: if panels do not fit into one row, every row has nearly the same number of panels. This is
// tested on a page of normal width and on wider pages.
func TestEvenRows(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for _, width := range []float64{100, 160, 200, 270} {
			d := &Drawing{}
			for i := range n {
				d.panels = append(d.panels, &panel{Panel: figuremeta.Panel{Title: fmt.Sprint(i)}, bounds: box{point{X: 0, Y: 0}, point{X: width, Y: 100}}})
			}
			d.panels = append(d.panels, &panel{Panel: figuremeta.Panel{Row: 1}, bounds: box{point{X: 0, Y: 0}, point{X: 900, Y: 100}}}) // in another row
			whole, share := d.rowWidth(0)
			least := leastPanel * (width + 2*air) * pixels
			if want := float64(n)*least + float64(n-1)*gap; math.Abs(whole-want) > 1e-9 {
				t.Errorf("%d panels of %v: %v wide in all, not %v", n, width, whole, want)
			}
			if fits := whole <= aPage; fits != (share == 0) && n > 3 {
				t.Errorf("%d panels of %v, %v wide in all: share %v", n, width, whole, share)
			}
			if share == 0 {
				continue
			}
			// Compute the layout as a browser does: the basis is the share if the page is narrower than all
			// panels together, and at least the readable width.
			for page := float64(aPage); page < whole; page += 10 {
				basis := math.Max(least, share/100*page)
				each := math.Min(float64(n), math.Floor((page+gap)/(basis+gap)))
				rows := math.Ceil(float64(n) / each)
				if last := float64(n) - (rows-1)*each; each-last > rows-1 {
					t.Errorf("%d panels of %v on %v: rows of %v, and one of %v", n, width, page, each, last)
				}
			}
		}
	}
	d, err := Parse(testfile.Read(t, "../../../figures/s3c/pooling.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if page := d.HTML(); strings.Count(page, ",28.6%);") != 5 || strings.Count(page, ",40.0%);") != 0 { // the four are in columns
		t.Errorf("the panels of a figure of five, four of them with one below: %q", regexp.MustCompile(`style="flex:[^"]*"`).FindAllString(page, -1))
	}
}

// TestNarrowNames: panels with an axis of names instead of numbers (bars, or rows with names) are also drawn
// for a phone.
func TestNarrowNames(t *testing.T) {
	for name, high := range map[string]bool{"s3c/all-labels": false, "lewicki-sejnowski/recovery": true} {
		d, err := Parse(testfile.Read(t, "../../../figures/"+name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		p := d.panels[0]
		small := p.narrow()
		if small == nil {
			t.Errorf("%s is not drawn for a phone", name)
			continue
		}
		if same := math.Abs(small.bounds.height()-p.bounds.height()) < 1; same != high || len(small.shapes) < len(p.shapes)-10 {
			t.Errorf("%s: %v high, not %v; %d of %d shapes", name, small.bounds.height(), p.bounds.height(), len(small.shapes), len(p.shapes))
		}
		var seen []box
		for _, s := range small.shapes {
			if s.text == "" {
				continue
			}
			others := seen
			if n := len(seen); n > 0 && math.Abs(seen[n-1].max.X-s.bounds().min.X) < 1 { // the exponent of a power of ten
				others = seen[:n-1]
			}
			if overlaps(s.bounds(), others) && !s.turned {
				t.Errorf("%s: %s overlaps another word", name, s.text)
			}
			seen = append(seen, s.bounds())
		}
	}
}

// manyTicks holds more ticks than fit on a phone.
type manyTicks []plot.Tick

func (t manyTicks) Ticks(lo, hi float64) []plot.Tick { return t }

// TestNarrowPowers: where labels such as 10⁻⁴ are omitted on a phone, no exponent is left without its 10, and no 10
// without its exponent.
func TestNarrowPowers(t *testing.T) {
	f := figure.New("Powers", "x", "y").LogX().Lines("a", []float64{1e-12, 1}, []float64{1, 2}).Size(9, 3)
	var ticks manyTicks
	for _, r := range "⁹⁸⁷⁶⁵⁴³²¹" {
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, -float64(9-len(ticks))), Label: "2×10⁻" + string(r)})
	}
	f.X.Tick.Marker = ticks
	d, err := Parse([]byte(f.SVG()))
	if err != nil {
		t.Fatal(err)
	}
	p := d.panels[0]
	small := p.narrow()
	if small == nil {
		t.Fatal("it is not drawn for a phone")
	}
	tens := func(p *panel) (n int) {
		for i, s := range p.shapes {
			if !strings.HasSuffix(s.text, "10") {
				continue
			}
			n++
			if i+1 == len(p.shapes) || p.shapes[i+1].text == "" || math.Abs(p.shapes[i+1].bounds().min.X-s.bounds().max.X) > 1 {
				t.Errorf("a 10 has lost its exponent")
			}
		}
		return n
	}
	if all, left := tens(p), tens(small); all != 9 || left >= all || left < 4 {
		t.Errorf("%d of %d labels", left, all)
	}
}

// rectangle returns the box with this path as its outline, if there is one.
func rectangle(path svgpath.Path) (box, bool) {
	if len(path) != 5 || path[4].Op != 'Z' {
		return box{}, false
	}
	b := emptyBox
	for _, g := range path[:4] {
		if g.Op == 'A' {
			return box{}, false
		}
		b = b.with(g.To)
	}
	const near = 1e-9
	for _, g := range path[:4] {
		if min(g.To.X-b.min.X, b.max.X-g.To.X) > near || min(g.To.Y-b.min.Y, b.max.Y-g.To.Y) > near {
			return box{}, false
		}
	}
	return b, b.width() > 0 && b.height() > 0
}

// drawn holds dots, and points of lines, by their cell in a grid.
type drawn map[[2]int][]point

func (p *panel) drawn() drawn {
	c := drawn{}
	add := func(at point) {
		k := [2]int{int(math.Floor(at.X)), int(math.Floor(at.Y))}
		c[k] = append(c[k], at)
	}
	for i := range p.shapes {
		for _, at := range p.shapes[i].dots {
			add(at)
		}
		var from point
		for _, g := range p.shapes[i].path {
			if g.Op == 'Z' {
				continue
			}
			add(g.To)
			if g.Op == 'L' {
				n := math.Ceil(4 * math.Hypot(g.To.X-from.X, g.To.Y-from.Y))
				for k := 1.; k < n; k++ {
					add(point{X: from.X + k/n*(g.To.X-from.X), Y: from.Y + k/n*(g.To.Y-from.Y)})
				}
			}
			from = g.To
		}
	}
	return c
}

// has reports whether something is drawn within half a point of a position.
func (c drawn) has(at point) bool {
	x, y := int(math.Floor(at.X)), int(math.Floor(at.Y))
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for _, q := range c[[2]int{x + dx, y + dy}] {
				if math.Hypot(q.X-at.X, q.Y-at.Y) < .5 {
					return true
				}
			}
		}
	}
	return false
}

// TestUnder: panels of one title stay with the panel above them.
func TestUnder(t *testing.T) {
	d, err := Parse(testfile.Read(t, "../../../figures/s3c/pooling.svg"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`<div class="column"|<p class="name">([^<]*)`)
	var got []string
	for _, m := range names.FindAllStringSubmatch(d.Panels(), -1) {
		got = append(got, strings.Fields(m[1] + " column")[0])
	}
	if want := "image column channel mean column channel mean column channel mean column channel mean"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	for _, other := range []string{"i-con/embeddings", "differentiable-sparse-coding/figure2", "s3c/denoising"} {
		d, err := Parse(testfile.Read(t, "../../../figures/"+other+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		if len(d.under()) > 0 {
			t.Errorf("%s has columns", other)
		}
	}
}
