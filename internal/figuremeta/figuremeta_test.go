package figuremeta

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"overcomplete/internal/panics"
)

const plain = "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 9 9\">\n<title>t</title>\n<desc>d</desc>\n<g></g>\n</svg>\n"

func small() *Figure {
	f := &Figure{Version: Version, Title: "A <title> & ]]>", Panels: []Panel{{Data: "1", Box: Box{0, 0, 9, 9}, Area: Box{1, 1, 8, 8},
		X: Axis{Min: 1, Max: 100, Scale: Log}, Y: Axis{Min: 3, Max: 0, Scale: Linear}, Shapes: Range{1, 4}}}}
	f.SetData([]byte("panel,series,kind\n"))
	return f
}

// TestWriteRead checks that written metadata can be read, that a second Write replaces them, and that the
// drawing's checksum does not change.
func TestWriteRead(t *testing.T) {
	svg := Write([]byte(plain), small())
	if again := Write(svg, small()); !bytes.Equal(again, svg) {
		t.Errorf("%s", again)
	}
	if i := bytes.Index(svg, []byte("</desc>\n<metadata>")); i < 0 || bytes.Count(svg, []byte("</")) != strings.Count(plain, "</")+1 {
		t.Errorf("%s", svg)
	}
	if Sum(svg) != Sum([]byte(plain)) || Sum(svg) == Sum([]byte(plain+" ")) {
		t.Error("the sum is not that of the drawing")
	}
	f, err := Read(svg)
	if err != nil || f.Title != small().Title {
		t.Fatal(f, err)
	}
	if b, err := f.Data(); err != nil || string(b) != "panel,series,kind\n" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := Read([]byte(plain)); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// TestData checks that stored data are read back unchanged, and that records of different lengths are refused.
func TestData(t *testing.T) {
	for _, table := range []string{"a\n", "a,b\n", "a,b\n1,2\n,\n3,\n", "a,b\n\"x, \"\"y\"\"\n\",2\n", "panel,x\n" + strings.Repeat("1,0.5\n", 1000)} {
		f := small()
		f.SetData([]byte(table))
		if b, err := f.Data(); err != nil || string(b) != table {
			t.Errorf("%q: %q, %v", table, b, err)
		}
	}
	if s, _ := panics.Value(func() { small().SetData([]byte("a,b\n1\n")) }).(string); !strings.HasPrefix(s, "figuremeta: SetData: ") {
		t.Errorf("records of different lengths: %q", s)
	}
}

// TestOlderData checks that the data of an older figure can be read.
func TestOlderData(t *testing.T) {
	const csv = "a,b\n1,2\n"
	var deflated bytes.Buffer
	z, err := flate.NewWriter(&deflated, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	z.Write([]byte("a,1\nb,2\n"))
	z.Close()
	f := small()
	f.Table, f.Deflated = "", base64.StdEncoding.EncodeToString(deflated.Bytes())
	svg := Write([]byte(plain), f)
	for name, svg := range map[string][]byte{"old": svg, "recompressed": Recompress(svg)} {
		f, err := Read(svg)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := f.Data(); err != nil || string(b) != csv || (f.Table == "") != (name == "old") {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
}

// TestRecompress checks that a figure becomes smaller, and that its data and drawing stay.
func TestRecompress(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("panel,x\n")
	for i := range 3000 {
		fmt.Fprintf(&csv, "1,%v\n", math.Sin(float64(i/3)))
	}
	f := small()
	f.SetData([]byte(csv.String()))
	svg := Write([]byte(plain), f)
	best := Recompress(svg)
	if len(best) > len(svg)*19/20 || Sum(best) != Sum(svg) || !bytes.Equal(Recompress(best), best) {
		t.Errorf("%d bytes from %d", len(best), len(svg))
	}
	if f, err := Read(best); err != nil {
		t.Error(err)
	} else if b, err := f.Data(); err != nil || string(b) != csv.String() {
		t.Errorf("%d bytes of data, %v", len(b), err)
	}
	if b := Recompress([]byte(plain)); string(b) != plain {
		t.Errorf("an SVG without metadata: %s", b)
	}
}

func TestPlace(t *testing.T) {
	p := &small().Panels[0]
	for _, c := range []struct {
		x, y, left, top float64
		ok              bool
	}{{1, 3, 1, 8, true}, {100, 0, 8, 1, true}, {10, 1.5, 4.5, 4.5, true}, {1000, 1, 0, 0, false}, {-1, 1, 0, 0, false}} {
		left, top, ok := p.Place(c.x, c.y)
		if ok != c.ok || ok && math.Hypot(left-c.left, top-c.top) > 1e-9 {
			t.Errorf("%v: %v %v %v", c, left, top, ok)
		}
	}
	p.X.Scale = None
	if _, _, ok := p.Place(1, 3); ok {
		t.Error("a place without a scale")
	}
}

// TestRefused checks that Read refuses invalid metadata.
func TestRefused(t *testing.T) {
	svg := string(Write([]byte(plain), small()))
	for _, c := range [][2]string{
		{`"version":1`, `"version":2`}, {`[0,0,9,9]`, `[0,0,1e999,9]`}, {`[0,0,9,9]`, `[0,0,1e7,9]`}, {`[1,1,8,8]`, `[8,1,1,8]`},
		{`"min":1`, `"min":0`}, {`"min":3`, `"min":0`}, {`"linear"`, `"cubic"`}, {`[1,4]`, `[4,1]`}, {`[1,4]`, `[-1,4]`}, {`{"version"`, `{{`},
	} {
		if _, err := Read([]byte(strings.Replace(svg, c[0], c[1], 1))); err == nil || !strings.Contains(svg, c[0]) {
			t.Errorf("%s: read", c[1])
		}
	}
	endless := small()
	endless.Panels[0].Area[0] = math.Inf(-1)
	endless.Panels[0].X = Axis{Max: math.NaN(), Scale: None}
	if got := Write([]byte(svg), endless); string(got) != plain {
		t.Errorf("%s", got)
	}
	bomb := small()
	bomb.SetData(bytes.Repeat([]byte("0"), mostData+1))
	if _, err := bomb.Data(); err == nil {
		t.Error("unpacked without a bound")
	}
	for _, s := range []string{"?", "AAAA", small().Table[:6]} {
		bomb.Table = s
		if _, err := bomb.Data(); err == nil {
			t.Errorf("%q: unpacked", s)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(Write([]byte(plain), small()))
	f.Fuzz(func(t *testing.T, svg []byte) {
		fig, err := Read(svg)
		if err != nil {
			return
		}
		_, _ = fig.Data()
		for i := range fig.Panels {
			p := &fig.Panels[i]
			if x, y, ok := p.Place(1, 2); ok && (math.IsNaN(x-x) || math.IsNaN(y-y)) {
				t.Error(x, y)
			}
		}
		if back, err := Read(Write(svg, fig)); err != nil || len(back.Panels) != len(fig.Panels) {
			t.Error(err)
		}
	})
}

// TestName checks that a name in metadata can be read, and that no name leads outside the folder.
func TestName(t *testing.T) {
	for name, want := range map[string]bool{"lecture-pca/ppca": true, "run/a/b": false, "../x": false, "a/..": false, "a": false, "a/b\n": false} {
		m := map[string]any{}
		Name{name, "1"}.Put(m)
		if n, ok := NameIn(m); ok != want || ok && n.Figure != name {
			t.Errorf("%q: %v %v", name, n, ok)
		}
	}
	if _, ok := NameIn(nil); ok {
		t.Error("a name of nothing")
	}
}
