package clean

import (
	"encoding/json"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/positions"
	"overcomplete/kernel/internal/cleantest"
	"overcomplete/kernel/internal/pagedtable"
	"overcomplete/ui/slider"
)

func TestVectors(t *testing.T) {
	for _, v := range cleantest.Vectors {
		for _, around := range []string{"%", "<table><tr><td>%</td></tr></table>", "<p title=\"a\">x %", "<div style='color: red'>%</div>"} {
			source := strings.Replace(around, "%", v, 1)
			cleaned, _ := HTML(source)
			if found := cleantest.Harm(cleaned); len(found) > 0 {
				t.Errorf("%s\n\tbecame %s\n\twhich has %v", source, cleaned, found)
			}
			if again, left := HTML(cleaned); again != cleaned || len(left) > 0 {
				t.Errorf("%s\n\tbecame %s\n\tand, cleaned again, %s", source, cleaned, again)
			}
		}
	}
}

// TestHarmIsFound verifies that TestVectors would detect harm.
func TestHarmIsFound(t *testing.T) {
	for _, v := range []string{`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<a href="javascript:alert(1)">x</a>`, `<div style="position:fixed">x</div>`, `<base href="x">`} {
		if len(cleantest.Harm(v)) == 0 {
			t.Errorf("%s passes", v)
		}
	}
}

func TestLeft(t *testing.T) {
	for source, want := range map[string]string{
		`<p>fine</p>`:             "",
		`<b>bold <i>both</b></i>`: "",
		`<table class="mine" id="t"><tr><td style="text-align: right">1</table>`: "",
		`<script>alert(1)</script>`:                       "script",
		`<img src="data:image/png;base64,AAAA" onload=x>`: "onload",
		`<p style="color: red; position: fixed">x</p>`:    "style: position",
		`<iframe src="https://x.example"></iframe>`:       "iframe src",
		`<svg onload="alert(1)"><script>1</script></svg>`: "onload script",
	} {
		cleaned, left := HTML(source)
		if got := strings.Join(left, " "); got != want {
			t.Errorf("of %s, which became %s, %q was left out, not %q", source, cleaned, got, want)
		}
	}
}

func TestKept(t *testing.T) {
	for _, s := range []string{
		`<table style="border-collapse: collapse; font-size: 90%"><caption>c</caption><thead><tr><th width="13%">V</th></tr></thead><tbody><tr><td style="border-bottom: 1px solid rgba(128,128,128,.4)"><span style="background: #1a7f37; white-space: nowrap">YES</span></td></tr></tbody></table>`,
		`<a href="https://go.dev/doc?q=1#x">a</a> <a href="#part">b</a> <a href="../other.html#x">c</a> <a href="mailto:a@b.example">d</a>`,
		`<h2 id="café">x</h2><p>E002, a &lt; b</p><details><summary>s</summary>t</details>`,
		`<img alt="p" src="data:image/svg+xml;base64,PHN2Zy8+" width="20" height="10"/>`,
		`<label>k <input type="range" disabled="" min="1" max="3" step="1" value="2"/> <output>2</output></label>`,
	} {
		if cleaned, left := HTML(s); cleaned != s || len(left) > 0 {
			t.Errorf("%s\nbecame\n%s\nwithout %v", s, cleaned, left)
		}
	}
}

func TestOwnScripts(t *testing.T) {
	frame := image.NewGray(image.Rect(0, 0, 4, 4))
	table := `<div class="overcomplete-paged tex2jax_ignore"><table><thead><tr><th></th></tr></thead><tbody></tbody></table><p>x</p>`
	data := `<script type="application/json">{"rows":1,"all":1,"unit":"","cols":[{"v":["a"],"k":1,"i":[0]}]}</script>`
	for name, s := range map[string]string{
		"slider": slider.New("t", []string{"a", "b < c"}, []image.Image{frame, frame}).HTML(),
		"paged":  table + data + "<script>\n" + pagedtable.Script + "</script>\n</div>",
	} {
		cleaned, left := HTML(s)
		if len(left) > 0 || strings.Count(cleaned, "<script") != strings.Count(s, "<script") {
			t.Errorf("%s: without %v it is\n%s", name, left, cleaned)
		}
	}
	for _, s := range []string{
		table + strings.Replace(data, `"i":[0]`, `"i":[9]`, 1),
		table + strings.Replace(data, `"rows":1`, `"rows":1000000000`, 1),
		"<script>" + pagedtable.Script + "alert(1)</script>",
		`<script src="x.js">` + pagedtable.Script + "</script>",
	} {
		if cleaned, _ := HTML(s); strings.Contains(cleaned, "<script") {
			t.Errorf("%s is taken for the project's own", s)
		}
	}
}

// TestPositions: the positions saved by Interact stay, with their HTML cleaned, and the function HTML names
// the removed parts.
func TestPositions(t *testing.T) {
	page := func(frames ...positions.Frame) string {
		d := positions.Data{Controls: []positions.Control{{Values: []string{"1", "2"}}}, At: []int{0, len(frames) - 1}, Frames: positions.Pack(frames)}
		return `<div data-positions="1"><div data-part="controls"><input type="range" data-position="0" disabled=""/></div><div data-part="result">x</div>` + d.Elements() + "</div>"
	}
	framesOf := func(cleaned string) []positions.Frame {
		t.Helper()
		_, rest, _ := strings.Cut(cleaned, `<script type="`+positions.Type+`">`)
		text, _, _ := strings.Cut(rest, "</script>")
		var d positions.Data
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatalf("%v in\n%s", err, cleaned)
		}
		frames, err := positions.Unpack(d.Frames)
		if err != nil {
			t.Fatal(err)
		}
		return frames
	}
	fine := page(positions.Frame{{Text: "a"}}, positions.Frame{{HTML: "<b>b</b>"}, {SVG: "<svg><script>alert(1)</script></svg>"}})
	cleaned, left := HTML(fine)
	if len(left) > 0 || strings.Count(cleaned, "<script") != 2 || !strings.Contains(cleaned, positions.Script) || !strings.Contains(cleaned, ` data-position="0"`) {
		t.Errorf("without %v it is\n%s", left, cleaned)
	}
	// Whatever version of the script the file has, the page has the current version, once.
	for _, s := range []string{"older();", "", "</script><script>alert(1)"} {
		now, left := HTML(strings.Replace(fine, positions.Script, s, 1))
		if now != cleaned || len(left) > 1 || strings.Contains(s, "alert") != (len(left) > 0) {
			t.Errorf("with the script %q, without %v, it is\n%s", s, left, now)
		}
	}
	if a, b := fmt.Sprint(framesOf(cleaned)), fmt.Sprint(framesOf(fine)); a != b {
		t.Errorf("of %s stays %s", b, a)
	}
	for _, v := range cleantest.Vectors {
		cleaned, left := HTML(page(positions.Frame{{HTML: v}}))
		for _, p := range framesOf(cleaned)[0] {
			if found := cleantest.Harm(p.HTML); len(found) > 0 {
				t.Errorf("%s\n\tbecame %s\n\twhich has %v", v, p.HTML, found)
			}
		}
		if _, alone := HTML(v); !slices.Equal(left, slices.Compact(alone)) {
			t.Errorf("%s: %v was left out, alone %v", v, left, alone)
		}
	}
	// Nested data could be unpacked without end; they are removed.
	if cleaned, left := HTML(page(positions.Frame{{HTML: fine}})); strings.Contains(fmt.Sprint(framesOf(cleaned)), `<script type=`) || !slices.Contains(left, "script") {
		t.Errorf("data within data stays, without %v", left)
	}
	// Only data of this type are positions; the data of a table have another type.
	for _, s := range []string{
		strings.Replace(fine, positions.Type, "application/json", 1),
		`<div data-positions="1"><script type="` + positions.Type + `">{"rows":0,"cols":[]}</script></div>`,
		strings.Replace(fine, `<script type="`, `<script src="x.js" type="`, 1),
	} {
		if cleaned, _ := HTML(s); strings.Contains(cleaned, `<script type="`+positions.Type) || strings.Contains(cleaned, "<script src") {
			t.Errorf("%s is taken for positions", s)
		}
	}
}

func TestPictureOfSVG(t *testing.T) {
	cleaned, left := HTML(`<svg width="20" height="10" viewBox="0 0 20 10"><rect width="20" height="10"></rect></svg>`)
	if !strings.HasPrefix(cleaned, `<img width="20" height="10" src="data:image/svg+xml;base64,`) || len(left) > 0 {
		t.Errorf("it became %s without %v", cleaned, left)
	}
}

func FuzzHTML(f *testing.F) {
	for _, v := range cleantest.Vectors {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, source string) {
		cleaned, _ := HTML(source)
		for _, own := range []string{pagedtable.Script, positions.Script} {
			cleaned = strings.ReplaceAll(cleaned, "<script>"+own+"</script>", "")
		}
		if strings.Contains(cleaned, `<script type="application/json">`) || strings.Contains(cleaned, positions.Type) {
			t.Skip() // the script is the data of a table, or of controls
		}
		if found := cleantest.Harm(cleaned); len(found) > 0 {
			t.Errorf("%q became %q, which has %v", source, cleaned, found)
		}
	})
}
