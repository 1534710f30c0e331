package widget

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/patience"
	"overcomplete/internal/positions"
	"overcomplete/ui/display"
)

var plenty = limits{most: 200, bytes: 1_000_000, time: time.Minute}

// frames returns the frame of c for each combination, as text.
func frames(t *testing.T, c *computed) []string {
	t.Helper()
	list, err := positions.Unpack(c.data.Frames)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, at := range c.data.At {
		var parts []string
		for _, p := range list[at] {
			parts = append(parts, p.Text+p.HTML+p.SVG+p.Image)
		}
		all = append(all, strings.Join(parts, "|"))
	}
	return all
}

// computedOf is like compute, but takes a function with the controls' values as parameters.
func computedOf(t *testing.T, f any, l limits, controls ...Control) *computed {
	t.Helper()
	call, err := bind(f, controls)
	if err != nil {
		t.Fatal(err)
	}
	return compute(call, controls, l)
}

// TestPositions checks that each combination has the function's result. It includes equal results, failures,
// and a function that reads the controls itself.
func TestPositions(t *testing.T) {
	k, m, b := IntSlider("k", 0, 3, 2), Dropdown("m", []string{"a", "b"}, "b"), Checkbox("twice", false)
	told := 0
	k.OnChange(func(int) { told++ })
	c := computedOf(t, func(k2 int, m string, twice bool) (string, error) {
		switch {
		case k2 != k.Value():
			return "", errors.New("the control stands elsewhere")
		case k2 == 3 && twice:
			panic("too many")
		case k2 == 1 && m == "b":
			return "", errors.New("no")
		case twice:
			return strings.Repeat(m, 2*k2), nil
		}
		return strings.Repeat(m, k2), nil
	}, plenty, k, Button("x"), m, HTML("<hr>"), b)
	want(t, "frames", strings.Join(frames(t, c), ","), ",,,,a,aa,error: no,error: no,aa,aaaa,bb,bbbb,aaa,"+
		"the function panicked for k = 3, m = a, twice = true: too many,bbb,the function panicked for k = 3, m = b, twice = true: too many")
	list, _ := positions.Unpack(c.data.Frames)
	want(t, "different ones", len(list), 11) // aa and "error: no" occur twice, the empty result four times
	want(t, "names", c.data.Controls, "[{[0 1 2 3] 0} {[a b] 0} {[false true] 0}]")
	want(t, "after it", []any{k.Value(), m.Value(), b.Value(), told}, "[2 b false 0]")
	want(t, "note", c.note()+c.hint(), "")
	start := func() string {
		_, rest, _ := strings.Cut(c.elements(), `"controls":`)
		rest, _, _ = strings.Cut(rest, `,"at"`)
		return rest
	}
	want(t, "the start", start(), `[{"values":["0","1","2","3"],"start":2},{"values":["a","b"],"start":1},{"values":["false","true"],"start":0}]`)
	k.Set(1)
	if !strings.Contains(start(), `"3"],"start":1}`) {
		t.Errorf("after a move it starts with %s", start())
	}
}

// TestPositionsOfSliders checks that the positions are values of the slider, including its current value.
func TestPositionsOfSliders(t *testing.T) {
	var got []string
	see := func(v float64) string { got = append(got, fmt.Sprint(v)); return "" }
	computedOf(t, see, plenty, FloatSlider("x", 0, 1, 0.36).Step(0.1))
	slices.Sort(got)
	want(t, "steps", strings.Join(got, " "), "0 0.1 0.2 0.3 0.36 0.5 0.6 0.7 0.8 0.9 1") // 0.36 replaces 0.4
	got = nil
	computedOf(t, func(v int) string { got = append(got, fmt.Sprint(v)); return "" }, plenty, IntSlider("k", 1, 12, 4).Step(3))
	slices.Sort(got)
	want(t, "steps of 3", strings.Join(got, " "), "1 10 4 7")
	for _, c := range []Control{IntSlider("k", 5, 5, 5), Text("t", "x"), FloatSlider("x", 1, 1, 1)} {
		var f any = func(int) {}
		switch c.(type) {
		case *TextControl:
			f = func(string) {}
		case *FloatControl:
			f = func(float64) {}
		}
		if c := computedOf(t, f, plenty, c); c != nil {
			t.Errorf("a control that cannot move: %+v", c.data)
		}
	}
	if c := computedOf(t, func(int) {}, limits{most: 0, bytes: 1e6, time: time.Second}, IntSlider("k", 1, 9, 1)); c != nil {
		t.Error("nobody has asked for positions")
	}
}

// even reports whether the positions, out of 0 to n-1, include both ends and are evenly spaced: no gap is
// more than twice as wide as another. It ignores the slider's current position, standing.
func even(list []int, n, standing int) bool {
	if list[0] != 0 || list[len(list)-1] != n-1 || !slices.Contains(list, standing) {
		return false
	}
	rest := slices.DeleteFunc(slices.Clone(list), func(j int) bool { return j == standing && j != 0 && j != n-1 })
	least, most := n, 0
	for i := range len(rest) - 1 {
		gap := rest[i+1] - rest[i]
		least, most = min(least, gap), max(most, gap)
	}
	return most <= 2*least+1
}

// TestFewerPositions tests each limit. The remaining positions must be evenly spaced, and the page must say
// so.
func TestFewerPositions(t *testing.T) {
	text := func(k, size int) string { // text that compresses to no less than half its size
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", k, i))
			b.WriteString(hex.EncodeToString(sum[:]))
		}
		return b.String()
	}
	for _, c := range []struct {
		name string
		l    limits
		f    func(k int) string
		n    int // number of the slider's positions
		note string
	}{
		{"number", limits{200, 1e6, time.Minute}, func(k int) string { return fmt.Sprint(k) }, 1001, "Saved: k has 129 of its 1001 positions (limit: 200 positions in all). A running notebook has them all."},
		{"size", limits{200, 100_000, time.Minute}, func(k int) string { return text(k, 6000) }, 101, "Saved: k has 18 of its 101 positions (limit: 0.1 MB). A running notebook has them all."},
		{"time", limits{200, 1e6, 400 * time.Millisecond}, func(k int) string { time.Sleep(20 * time.Millisecond); return fmt.Sprint(k) }, 101, "(limit: 400ms of computing). A running notebook has them all."},
	} {
		k := IntSlider("k", 0, c.n-1, 7)
		var got *computed
		patience.Try(t, func() string { // a machine that pauses leaves no time for positions
			if got = computedOf(t, c.f, c.l, k); got == nil || got.grid == nil {
				return fmt.Sprintf("%s: there are no positions: %+v", c.name, got)
			}
			return ""
		})
		if got == nil || got.grid == nil {
			continue
		}
		list := got.grid[0]
		if !even(list, c.n, 7) || len(list) > c.l.most || len(list) == c.n {
			t.Errorf("%s: positions %v", c.name, list)
		}
		if !strings.HasSuffix(got.note(), c.note) {
			t.Errorf("%s: it says %q", c.name, got.note())
		}
		if n := len(got.elements()) - len(positions.Script); n > c.l.bytes+20_000 {
			t.Errorf("%s: it has %d bytes", c.name, n)
		}
		for i, s := range frames(t, got) {
			if s != c.f(list[i]) {
				t.Errorf("%s: position %d shows %.40s", c.name, list[i], s)
			}
		}
	}
	// Two sliders share the limit, and a choice is complete.
	c := computedOf(t, func(a, b int, m string) string { return fmt.Sprint(a, b, m) }, plenty,
		IntSlider("a", 0, 100, 0), IntSlider("b", 0, 100, 0), Dropdown("m", []string{"x", "y", "z"}, "y"))
	want(t, "sizes", []int{len(c.grid[0]), len(c.grid[1]), len(c.grid[2])}, "[9 5 3]")
	want(t, "the last", frames(t, c)[c.grid.size()-1], "100 100z")
	// If a single position exceeds the limit, no positions are saved, and the page says why.
	huge := computedOf(t, func(k int) string { return text(k, 6000) }, limits{200, 5000, time.Minute}, IntSlider("k", 0, 100, 7))
	want(t, "too large", huge.elements()+huge.hint(), " Other positions are not saved (limit: 0.005 MB).")
}

// TestPositionsEnd checks that a position that does not end takes the remaining time, but no more.
func TestPositionsEnd(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	c := computedOf(t, func(k int) string {
		if k == 25 {
			<-release
		}
		return fmt.Sprint(k)
	}, limits{200, 1e6, 300 * time.Millisecond}, IntSlider("k", 0, 100, 0))
	want(t, "positions", c.grid, "[[0 50 100]]")
	want(t, "frames", strings.Join(frames(t, c), " "), "0 50 100")
	c = computedOf(t, func(k int) string { runtime.Goexit(); return "" }, plenty, IntSlider("k", 0, 1, 0))
	want(t, "Goexit", frames(t, c)[0], "the function ended its goroutine for k = 0")
}

// drawing is a value with SVG and another picture.
type drawing struct{ text string }

func (d drawing) SVG() string    { return "<?xml version='1.0'?>\n<svg>" + d.text + "</svg>" }
func (d drawing) String() string { return "drawing " + d.text }

// cloud is a drawing that is shown as a PNG picture.
type cloud struct{ drawing }

func (c cloud) Render() display.Data {
	return display.Data{Data: map[string]any{"image/png": []byte("abc")}}
}

// TestPartsOfPositions checks that frames contain the richest form of each output.
func TestPartsOfPositions(t *testing.T) {
	for name, c := range map[string]struct {
		v    any
		want positions.Part
	}{
		"svg":      {drawing{"x"}, positions.Part{SVG: "<svg>x</svg>", Alt: "drawing x"}},
		"plot":     {cloud{drawing{"x"}}, positions.Part{SVG: "<svg>x</svg>", Alt: "drawing x"}},
		"cloud":    {cloud{drawing{strings.Repeat("x", largestDrawing)}}, positions.Part{Image: "data:image/png;base64,YWJj", Alt: "drawing " + strings.Repeat("x", largestDrawing)}},
		"html":     {display.HTML("<b>x</b>"), positions.Part{HTML: "<b>x</b>"}},
		"text":     {7, positions.Part{Text: "7"}},
		"png":      {display.Data{Data: map[string]any{"image/png": []byte("abc"), "text/plain": "p"}, Metadata: map[string]any{"image/png": map[string]any{"width": 20}}}, positions.Part{Image: "data:image/png;base64,YWJj", Alt: "p", Width: 20}},
		"svg data": {display.SVG("<svg/>"), positions.Part{SVG: "<svg/>"}},
	} {
		got := result(c.v)
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %+.200v, want %+.200v", name, got, c.want)
		}
	}
	const plain = "<svg>\n<g></g></svg>"
	described := func(pixels bool) string {
		return string(figuremeta.Write([]byte(plain), &figuremeta.Figure{Version: figuremeta.Version, Panels: []figuremeta.Panel{{
			Box: figuremeta.Box{0, 0, 9, 9}, Area: figuremeta.Box{1, 1, 8, 8}, Pixels: pixels,
			X: figuremeta.Axis{Scale: figuremeta.None}, Y: figuremeta.Axis{Scale: figuremeta.None}}}}))
	}
	for s, plot := range map[string]bool{described(false): true, described(true): false, plain: false} {
		if got := svgPart(s); got.Plot != plot || got.SVG != plain {
			t.Errorf("%s is a plot: %v", s, got.Plot)
		}
	}
	if got := result(display.Text("")); got != nil {
		t.Errorf("nothing is %+v", got)
	}
}

// TestSavedPositions checks that Interact saves positions only if the environment variable requests them.
func TestSavedPositions(t *testing.T) {
	show := func() (html string, calls int) {
		old := display.SetPublisher(func(e display.Event) {
			if s, ok := e.Data.Data[display.MIMETypeHTML].(string); ok {
				html = s
			}
		})
		defer func() { display.SetPublisher(old) }()
		last := 0
		Interact(func(k int, s string) any { calls, last = calls+1, k; return fmt.Sprint(s, k*k) }, IntSlider("k", 1, 5, 3), Text("s", "x"))
		if last != 3 {
			t.Errorf("the last call was for %d", last)
		}
		return html, calls
	}
	t.Setenv(positions.Variable, "")
	html, calls := show()
	if calls != 1 || strings.Contains(html, "position") {
		t.Errorf("%d calls for a front end, and it has\n%s", calls, html)
	}
	t.Setenv(positions.Variable, "200")
	other, calls := show()
	want(t, "calls", calls, 6)
	for _, part := range []string{`data-positions="1"`, `type="range" disabled`, ` data-position="0"`, ` data-position="1"`, `<script type="` + positions.Type + `">{"controls":[{"values":["1","2","3","4","5"],"start":2},{"values":["x"],"start":0}],"at":[`, ">x9"} {
		if !strings.Contains(other, part) {
			t.Errorf("no %s in %s", part, other)
		}
	}
	if positions.Without(other) != html {
		t.Errorf("without its positions it is\n%s\nand not\n%s", positions.Without(other), html)
	}
}
