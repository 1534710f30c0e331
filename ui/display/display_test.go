package display_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	. "overcomplete/ui/display"
)

func Example() {
	// No kernel is attached here, so Display prints plain text.
	Display(Markdown("**so far so good**"))
	Display(42)
	// Output:
	// **so far so good**
	// 42
}

func collect(t *testing.T) *[]Event {
	var events []Event
	old := SetPublisher(func(e Event) { events = append(events, e) })
	t.Cleanup(func() { SetPublisher(old) })
	return &events
}

func pngFile(t *testing.T) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestConstructors(t *testing.T) {
	p := pngFile(t)
	long := strings.Repeat("<p>", 1000)
	for _, c := range []struct {
		name string
		got  Data
		mime string
		want any
		text string
	}{
		{"HTML", HTML("<b>x</b>"), MIMETypeHTML, "<b>x</b>", "<b>x</b>"},
		{"long HTML", HTML(long), MIMETypeHTML, long, "HTML, 3000 bytes"},
		{"Markdown", Markdown("*x*"), MIMETypeMarkdown, "*x*", "*x*"},
		{"Latex", Latex(`\alpha`), MIMETypeLatex, `$\alpha$`, `\alpha`},
		{"LaTeX", LaTeX(`$\alpha$`), MIMETypeLatex, `$\alpha$`, `$\alpha$`},
		{"Math", Math(`\alpha`), MIMETypeLatex, `$$\alpha$$`, `\alpha`},
		{"JavaScript", JavaScript("f()"), MIMETypeJavaScript, "f()", "f()"},
		{"SVG", SVG("<svg/>"), MIMETypeSVG, "<svg/>", "<svg/>"},
		{"PNG", PNG(p), MIMETypePNG, p, "PNG image, 3×2"},
		{"PDF", PDF([]byte("%PDF")), MIMETypePDF, []byte("%PDF"), "PDF document, 4 bytes"},
		{"JSON", JSON(map[string]any{"a": 1}), MIMETypeJSON, map[string]any{"a": 1}, "map[a:1]"},
		{"sniffed PNG", Auto(p), MIMETypePNG, p, "PNG image, 3×2"},
		{"sniffed SVG", Auto([]byte("<svg xmlns='x'></svg>")), MIMETypeSVG, "<svg xmlns='x'></svg>", "<svg xmlns='x'></svg>"},
		{"reader", Any(MIMETypeHTML, strings.NewReader("<i>")), MIMETypeHTML, "<i>", "<i>"},
	} {
		if got := c.got.Data[c.mime]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %s is %v, want %v", c.name, c.mime, got, c.want)
		}
		if got := c.got.Data[MIMETypeText]; got != c.text {
			t.Errorf("%s: text is %q, want %q", c.name, got, c.text)
		}
	}
	m := Image(image.NewGray(image.Rect(0, 0, 3, 2)))
	if !bytes.Equal(m.Data[MIMETypePNG].([]byte), p) {
		t.Error("Image does not give the PNG of its picture")
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	os.WriteFile(path, pngFile(t), 0o600)
	if _, ok := File("", path).Data[MIMETypePNG].([]byte); !ok {
		t.Error("a PNG file was not recognised")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a missing file")
		}
	}()
	File("", path+"x")
}

type bothForms struct{}

func (bothForms) HTML() string   { return "<b>" }
func (bothForms) String() string { return "both" }

func TestDisplay(t *testing.T) {
	events := collect(t)
	if err := Display(bothForms{}); err != nil {
		t.Fatal(err)
	}
	id := NewID()
	DisplayID(id, Text("one"))
	UpdateDisplay(id, Text("two"))
	Clear(true)
	got := *events
	if len(got) != 4 {
		t.Fatalf("%d events, want 4", len(got))
	}
	if d := got[0].Data.Data; d[MIMETypeHTML] != "<b>" || d[MIMETypeText] != "both" {
		t.Errorf("value with an HTML method became %v", d)
	}
	if got[1].Update || !got[2].Update || got[1].Data.Transient["display_id"] != id || got[2].Data.Transient["display_id"] != id {
		t.Errorf("display and update: %+v, %+v", got[1], got[2])
	}
	if !got[3].Clear || !got[3].Wait {
		t.Errorf("Clear(true) sent %+v", got[3])
	}
	if Display(JSON(make(chan int))) == nil {
		t.Error("a channel was accepted as JSON")
	}
	if UpdateDisplay("", 1) == nil || DisplayID("", 1) == nil {
		t.Error("an empty id was accepted")
	}
}

func TestRendererHook(t *testing.T) {
	events := collect(t)
	old := SetRenderer(func(v any) Data { return HTML("rendered") })
	t.Cleanup(func() { SetRenderer(old) })
	Display(7)
	if got := (*events)[0].Data.Data[MIMETypeHTML]; got != "rendered" {
		t.Errorf("the renderer was not used: %v", got)
	}
	d := Text("as it is")
	Display(d)
	if got := (*events)[1].Data.Data[MIMETypeText]; got != "as it is" {
		t.Errorf("Data went through the renderer: %v", got)
	}
}

type noArea struct{ Area }

func TestRedirect(t *testing.T) {
	Redirect(noArea{})() // without a kernel it does nothing
	var calls []string
	old := SetRedirect(func(a Area) func() {
		if _, ok := a.(noArea); !ok {
			t.Errorf("the area is %T", a)
		}
		calls = append(calls, "there")
		return func() { calls = append(calls, "back") }
	})
	if old != nil {
		t.Error("something was set before")
	}
	back := Redirect(noArea{})
	back()
	if SetRedirect(nil) == nil {
		t.Error("SetRedirect does not give what was set before")
	}
	Redirect(noArea{})()
	if got := strings.Join(calls, " "); got != "there back" {
		t.Errorf("calls: %s", got)
	}
}

func TestRendered(t *testing.T) {
	if got := Rendered(bothForms{}).Data[MIMETypeHTML]; got != "<b>" {
		t.Errorf("an HTML method gives %v", got)
	}
	if got := Rendered(7).Data[MIMETypeText]; got != "7" {
		t.Errorf("a number gives %v", got)
	}
}
