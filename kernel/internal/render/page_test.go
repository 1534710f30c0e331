package render

import (
	"errors"
	"html"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/ui/display"
)

// A chart writes itself like the charts of go-echarts. bar.html and twobars.html were written by go-echarts
// v2.6.7 for a charts.Bar and for a components.Page of two charts.
type chart struct {
	text  string
	fault error
}

func (c *chart) Render(w io.Writer) error {
	if c.fault != nil {
		return c.fault
	}
	_, err := io.WriteString(w, c.text)
	return err
}

// embedded gets its method from an interface, like a charts.Bar.
type embedded struct{ writer }

type writer interface{ Render(io.Writer) error }

// withJSON also has a method JSON, like a charts.Bar; withHTML also has a method HTML.
type withJSON struct{ chart }

func (*withJSON) JSON() map[string]any { return map[string]any{"a": 1} }

type withHTML struct{ chart }

func (*withHTML) HTML() string { return "<b>two</b>" }

func pageOf(t *testing.T, name string) string {
	t.Helper()
	return string(testfile.Read(t, filepath.Join("testdata", name)))
}

var srcdoc = regexp.MustCompile(`^<iframe title="\*render\.(?:chart|embedded)" sandbox="allow-scripts [^"]*" style="[^"]*height: (\d+)px[^"]*" srcdoc="([^"]*)"></iframe>$`)

// framedPage returns the height and the page of a frame.
func framedPage(t *testing.T, d display.Data) (height, page string) {
	t.Helper()
	m := srcdoc.FindStringSubmatch(d.Data[display.MIMETypeHTML].(string))
	if m == nil {
		t.Fatalf("no frame: %v", d.Data)
	}
	return m[1], html.UnescapeString(m[2])
}

func TestChart(t *testing.T) {
	t.Setenv(AssetsVariable, "")
	for name, want := range map[string]string{"bar.html": "560", "twobars.html": "1120"} {
		text := pageOf(t, name)
		for _, v := range []any{&chart{text: text}, &embedded{&chart{text: text}}} {
			d := Value(v)
			height, page := framedPage(t, d)
			if height != want {
				t.Errorf("%s is %s pixels high", name, height)
			}
			// The page in the frame is the original page, except for the names of charts and the notice.
			plain := strings.Replace(page, notice, "", 1)
			if chartID.MatchString(plain) || !strings.Contains(plain, `<div class="item" id="chart1"`) || !strings.Contains(plain, "goecharts_chart1.setOption(option_chart1)") {
				t.Errorf("%s:\n%s", name, plain)
			}
			if len(page)-len(plain) != len(notice) || len(strings.TrimSpace(text)) <= len(plain) {
				t.Errorf("%s has %d bytes, and then %d", name, len(text), len(plain))
			}
			if text := d.Data[display.MIMETypeText].(string); !strings.HasSuffix(text, ", shown as a page>") {
				t.Errorf("as text it is %q", text)
			}
		}
	}
	// go-echarts uses other names in each program.
	other := strings.ReplaceAll(pageOf(t, "bar.html"), chartID.FindStringSubmatch(pageOf(t, "bar.html"))[1], "AbcdefGhijkl")
	if a, b := Value(&chart{text: pageOf(t, "bar.html")}), Value(&chart{text: other}); a.Data[display.MIMETypeHTML] != b.Data[display.MIMETypeHTML] {
		t.Error("the output differs from run to run")
	}
	// A value is shown by the methods of its pointer.
	if d := Value(chart{text: pageOf(t, "bar.html")}); d.Data[display.MIMETypeHTML] == nil {
		t.Errorf("%v", d.Data)
	}
}

// TestWritten: the output of a value is shown according to its type.
func TestWritten(t *testing.T) {
	for text, want := range map[string]string{
		"<p>one</p>":           display.MIMETypeHTML,
		"\n <div\nclass='x'/>": display.MIMETypeHTML,
		"<svg xmlns='http://www.w3.org/2000/svg'/>": display.MIMETypeSVG,
		"<?xml version='1.0'?><svg/>":               display.MIMETypeSVG,
		"<!-- a comment --><b>x</b>":                display.MIMETypeHTML,
		"\x89PNG\x0d\x0a\x1a\x0a rest":              display.MIMETypePNG,
		"GIF89a rest":                               display.MIMETypeGIF,
		"%PDF-1.4":                                  display.MIMETypePDF,
		"plain words":                               "",
		"<?xml version='1.0'?><data/>":              "",
		"< 3 and <= 4":                              "",
		"":                                          "",
	} {
		d := Value(&chart{text: text})
		for _, mime := range []string{display.MIMETypeHTML, display.MIMETypeSVG, display.MIMETypePNG, display.MIMETypeGIF, display.MIMETypePDF} {
			if _, has := d.Data[mime]; has != (mime == want) {
				t.Errorf("%q: %s is there: %v", text, mime, has)
			}
		}
		if d.Data[display.MIMETypeText] == nil {
			t.Errorf("%q has no text", text)
		}
	}
	if d := Value(&chart{fault: errors.New("no data")}); d.Data[display.MIMETypeText] != "method Render of *render.chart: no data" || len(d.Data) != 1 {
		t.Errorf("%v", d.Data)
	}
	if d := Value(&chart{text: "<p>" + strings.Repeat("x", largestPage)}); !strings.Contains(d.Data[display.MIMETypeText].(string), "too large") || len(d.Data) != 1 {
		t.Error("a large page is shown")
	}
	if d := Value(&embedded{}); len(d.Data) != 1 || !strings.Contains(d.Data[display.MIMETypeText].(string), "method Render of *render.embedded panicked") {
		t.Errorf("%v", d.Data)
	}
	if d := Value(&withJSON{chart{text: "<p>one</p>"}}); d.Data[display.MIMETypeHTML] == nil || d.Data[display.MIMETypeJSON] != nil {
		t.Errorf("%v", d.Data)
	}
	if d := Value(&withJSON{chart{text: "words"}}); d.Data[display.MIMETypeJSON] == nil {
		t.Errorf("%v", d.Data)
	}
	if d := Value(&withHTML{chart{text: "<p>one</p>"}}); d.Data[display.MIMETypeHTML] != "<b>two</b>" {
		t.Errorf("%v", d.Data)
	}
}

// TestFrame checks the frame that kernel/internal/browser loads into a browser.
func TestFrame(t *testing.T) {
	t.Setenv(AssetsVariable, filepath.Join("testdata", "assets"))
	got := Value(&chart{text: pageOf(t, "bar.html")}).Data[display.MIMETypeHTML].(string)
	name := filepath.Join("testdata", "chart.html")
	if *update {
		testfile.Write(t, name, got)
	}
	if want := pageOf(t, "chart.html"); got != want {
		t.Errorf("go test -update writes %s anew after you have looked at\n%s", name, got)
	}
}

// TestAssets: the scripts of a page come from the location that AssetsVariable names.
func TestAssets(t *testing.T) {
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, "echarts.min.js"), `var s = "</script>"`)
	text := pageOf(t, "bar.html")
	const usual = `<script src="https://go-echarts.github.io/go-echarts-assets/assets/echarts.min.js"></script>`
	for _, test := range []struct {
		from, want string
		notice     bool
	}{
		{"", usual, true},
		{dir, `<script>var s = "<\/script>"</script>`, false},
		{t.TempDir(), usual, true},
		{"http://localhost:8000/assets/", `<script src="http://localhost:8000/assets/echarts.min.js"></script>`, true},
	} {
		t.Setenv(AssetsVariable, test.from)
		_, page := framedPage(t, Value(&chart{text: text}))
		if !strings.Contains(page, test.want) || strings.Contains(page, notice) != test.notice {
			t.Errorf("%q: no %q in\n%s", test.from, test.want, page)
		}
	}
}
