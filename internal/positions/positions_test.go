package positions

import (
	"encoding/json"
	"strings"
	"testing"
)

// someData returns data that Clean accepts.
func someData() (Data, []Frame) {
	frames := []Frame{
		{{Text: "a </script><b>"}, {HTML: "<b>x</b><i onclick=f()>y</i>"}},
		{{SVG: "<svg onload='f()'/>", Alt: "a"}, {Image: "data:image/png;base64,AAAA", Width: 20}},
	}
	return Data{Controls: []Control{{Values: []string{"1", "2"}}, {Values: []string{"a", "b</script>"}, Start: 1}}, At: []int{0, 1, 1, 0}, Frames: Pack(frames)}, frames
}

// element returns the data in the elements as a browser would read it.
func element(t *testing.T, html string) string {
	t.Helper()
	_, rest, ok := strings.Cut(html, `<script type="`+Type+`">`)
	text, rest, end := strings.Cut(rest, "</script>")
	if !ok || !end || rest != "\n<script>\n"+Script+"</script>\n" {
		t.Fatalf("the elements are\n%s", html)
	}
	return text
}

// noI is a sanitizer that removes attributes of i elements.
func noI(s string) (string, []string) {
	if c := strings.ReplaceAll(s, " onclick=f()", ""); c != s {
		return c, []string{"onclick"}
	}
	return s, nil
}

func TestClean(t *testing.T) {
	d, frames := someData()
	text := element(t, d.Elements())
	cleaned, left, ok := Clean(text, noI)
	if !ok || strings.Join(left, " ") != "onclick" {
		t.Fatalf("ok %v, left %v", ok, left)
	}
	var again Data
	if err := json.Unmarshal([]byte(cleaned), &again); err != nil {
		t.Fatal(err)
	}
	got, err := Unpack(again.Frames)
	if err != nil {
		t.Fatal(err)
	}
	frames[0][1].HTML = "<b>x</b><i>y</i>"
	if a, b := asJSON(t, got), asJSON(t, frames); a != b {
		t.Errorf("the frames are %s, want %s", a, b)
	}
	if twice, left, ok := Clean(cleaned, noI); !ok || twice != cleaned || left != nil {
		t.Error("what is clean is changed")
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRefused checks that Clean refuses data that the script could not use, and data with unknown fields.
func TestRefused(t *testing.T) {
	change := func(f func(d *Data, frames []Frame) []Frame) string {
		d, frames := someData()
		if frames = f(&d, frames); frames != nil {
			d.Frames = Pack(frames)
		}
		return element(t, d.Elements())
	}
	for name, text := range map[string]string{
		"no data":         `{}`,
		"no JSON":         `alert(1)`,
		"more behind":     change(func(*Data, []Frame) []Frame { return nil }) + ";alert(1)",
		"another field":   strings.Replace(change(func(*Data, []Frame) []Frame { return nil }), `{"controls"`, `{"more":1,"controls"`, 1),
		"a tag":           strings.Replace(change(func(*Data, []Frame) []Frame { return nil }), `"1"`, `"<b>"`, 1),
		"too few places":  change(func(d *Data, _ []Frame) []Frame { d.At = d.At[1:]; return nil }),
		"no such frame":   change(func(d *Data, _ []Frame) []Frame { d.At[2] = 2; return nil }),
		"negative":        change(func(d *Data, _ []Frame) []Frame { d.At[2] = -1; return nil }),
		"no such start":   change(func(d *Data, _ []Frame) []Frame { d.Controls[0].Start = 2; return nil }),
		"no values":       change(func(d *Data, _ []Frame) []Frame { d.Controls[0].Values = nil; return nil }),
		"too many":        change(func(d *Data, _ []Frame) []Frame { d.Controls[0].Values = make([]string, Most); return nil }),
		"frames":          change(func(d *Data, _ []Frame) []Frame { d.Frames = "AAAA"; return nil }),
		"script as image": change(func(_ *Data, f []Frame) []Frame { f[1][1].Image = "data:text/html,x"; return f }),
		"svg as image":    change(func(_ *Data, f []Frame) []Frame { f[1][1].Image = "data:image/svg+xml;base64,AAAA"; return f }),
		"from elsewhere":  change(func(_ *Data, f []Frame) []Frame { f[1][1].Image = "https://evil.example/x.png"; return f }),
		"a bomb":          change(func(_ *Data, f []Frame) []Frame { f[0][0].Text = strings.Repeat("x", mostBytes); return f }),
	} {
		if _, _, ok := Clean(text, noI); ok {
			t.Errorf("%s: it is accepted", name)
		}
	}
}

func TestWithout(t *testing.T) {
	d, _ := someData()
	const plain = "<div data-saved=\"x\">\n<p>Run it.</p><input data-part=\"a\" value=\"2\"></div>\n<script>other()</script>\n"
	page := strings.NewReplacer("Run it.", "Run it."+NotSaved("0.3 MB"), `"x"`, `"x" data-positions="1"`, ` value`, ` data-position="0" value`, "</div>\n", d.Elements()+"</div>\n").Replace(plain)
	if got := Without(page); got != plain || strings.Count(page, "position") < 5 {
		t.Errorf("of\n%s\nis left\n%s", page, got)
	}
}
