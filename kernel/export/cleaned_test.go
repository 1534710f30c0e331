package export

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/internal/cleantest"
	"overcomplete/kernel/notebook"
	"overcomplete/ui/slider"
)

// hostile returns a notebook with an attack vector in each place that can contain HTML.
func hostile(vectors ...string) *notebook.Notebook {
	nb := &notebook.Notebook{Metadata: map[string]any{"language_info": map[string]any{"name": "<script>alert(1)</script>"}}}
	text := func(kind, source string) *notebook.Cell {
		return &notebook.Cell{Type: kind, ID: "c", Source: source, Metadata: map[string]any{"raw_mimetype": "text/html"}}
	}
	for _, v := range vectors {
		var outputs []notebook.Output
		for _, mime := range []string{"text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png", "text/plain"} {
			outputs = append(outputs, notebook.Output{"output_type": "display_data", "data": map[string]any{mime: v}})
		}
		outputs = append(outputs,
			notebook.Output{"output_type": "display_data", "data": map[string]any{"application/javascript": "alert(1)"}},
			notebook.NewStream("stdout", v), notebook.NewError(v, v, []string{v}))
		code := text(notebook.Code, v)
		code.Outputs = outputs
		nb.Cells = append(nb.Cells, text(notebook.Markdown, v), text(notebook.Markdown, "## x "+v+"\n\nand $\\text{"+v+"}$ "+v),
			text(notebook.Markdown, "[x](javascript:alert(1)) ![x](javascript:alert(1)) <a title=\"$x$\" style=\"width:$;position:fixed;x:$\">y</a>\n\n- "+v),
			text(notebook.Raw, v), code)
	}
	return nb
}

var mainPart = regexp.MustCompile(`(?s)<main id="main">\n(.*)</main>\n</div>\n</body>`)

// The HTML that pages themselves contain.
var (
	formulas = regexp.MustCompile(`(?s)<math.*?</math>`)
	ours     = strings.NewReplacer(` tabindex="0"`, "")
)

func TestHostileNotebook(t *testing.T) {
	for _, v := range cleantest.Vectors {
		page := HTML(hostile(v), HTMLOptions{Clean: clean.HTML, Sealed: true})
		m := mainPart.FindSubmatch(page.HTML)
		if m == nil {
			t.Fatalf("%s: the page has lost its shape:\n%s", v, page.HTML)
		}
		body := formulas.ReplaceAllString(string(m[1]), "")
		if i := strings.Index(body, "<math"); i >= 0 {
			t.Fatalf("%s: a formula is cut", v)
		}
		if found := cleantest.Harm(ours.Replace(body)); len(found) > 0 {
			t.Errorf("%s: the page has %v:\n%s", v, found, body)
		}
		if !strings.Contains(body, "This page was cleaned") || len(page.Left) == 0 {
			t.Errorf("%s: the page does not say that it was cleaned", v)
		}
		before := strings.Count(string(page.HTML[:len(page.HTML)-len(m[0])]), "<script")
		if before != 1 {
			t.Errorf("%s: %d scripts before the main part", v, before)
		}
	}
}

// TestHostileMarkdown converts cleaned Markdown to HTML, as a program that shows Markdown does, with and
// without support for formulas.
func TestHostileMarkdown(t *testing.T) {
	for _, v := range cleantest.Vectors {
		page := NewMarkdown(hostile(v), MarkdownOptions{Clean: clean.HTML})
		source := string(page.Text)
		rest, _ := setAside(source)
		for _, s := range []string{source, rest} {
			shown := (&converter{}).rendered(s, nil)
			found := slices.DeleteFunc(cleantest.Harm(shown), func(s string) bool { return s == "a comment" }) // comments are harmless
			if len(found) > 0 {
				t.Errorf("%s: the text does %v:\n%s", v, found, source)
			}
		}
		if !strings.HasPrefix(source, "> This text was cleaned") || len(page.Left) == 0 {
			t.Errorf("%s: the text does not say that it was cleaned", v)
		}
		for _, f := range NewMarkdown(hostile(v), MarkdownOptions{Clean: clean.HTML, Files: "f"}).Files {
			if _, left := clean.HTML(string(f.Data)); strings.HasSuffix(f.Name, ".svg") && len(left) > 0 {
				t.Errorf("%s: the file %s has %v", v, f.Name, left)
			}
		}
	}
}

// TestHostileBlock cleans Markdown inside HTML, and picture data that is not a picture.
func TestHostileBlock(t *testing.T) {
	const link = "[x](javascript:alert(1))"
	show := func(mime, s string) notebook.Output {
		return notebook.Output{"output_type": "display_data", "data": map[string]any{mime: s}}
	}
	cell := notebook.NewCode("x")
	cell.Outputs = []notebook.Output{
		show("text/html", "<div>\n\n"+link+"\n\n</div>"),
		show("text/html", "<pre>\n\n"+link+"\n\n</pre><script>x</script>"),
		show("image/png", "AAAA)\n\n"+link+" ("),
		show("text/latex", "$x$ "+link),
	}
	nb := &notebook.Notebook{Cells: []*notebook.Cell{cell, {Type: notebook.Markdown, Source: "`" + link + "` <script>x</script>"}}}
	source := NewMarkdown(nb, MarkdownOptions{Clean: clean.HTML}).Text
	if shown := (&converter{}).rendered(string(source), nil); strings.Contains(shown, `href="javascript`) || strings.Contains(shown, "<script") {
		t.Errorf("%s\nis shown as\n%s", source, shown)
	}
}

// TestCommittedMarkdown: cleaning does not change the text of the project's notebooks.
func TestCommittedMarkdown(t *testing.T) {
	files, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, file := range files {
		nb, err := notebook.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		page := NewMarkdown(nb, MarkdownOptions{Files: "f", Dir: filepath.Dir(file), Clean: clean.HTML})
		if plain, _ := Markdown(nb, MarkdownOptions{Files: "f"}); len(page.Left) > 0 || !bytes.Equal(page.Text, plain) {
			t.Errorf("%s: %v were left out", filepath.Base(file), page.Left)
		}
	}
}

func TestTrustedOutput(t *testing.T) {
	const s = "<b>x</b><script>draw()</script>"
	cell := notebook.NewCode("draw()")
	cell.Outputs = []notebook.Output{{"output_type": "display_data", "data": map[string]any{"text/html": s}}, {"output_type": "display_data", "data": map[string]any{"application/javascript": "more()"}}}
	nb := &notebook.Notebook{Cells: []*notebook.Cell{cell, {Type: notebook.Markdown, Source: "<script>text()</script>"}}}
	page := HTML(nb, HTMLOptions{Clean: clean.HTML, Sealed: true, Trusted: func(notebook.Output) bool { return true }})
	if text := string(page.HTML); !strings.Contains(text, s) || !strings.Contains(text, "<script>more()") || strings.Contains(text, "Content-Security-Policy") {
		t.Errorf("of trusted outputs something was left out:\n%s", text)
	}
	if strings.Contains(string(page.HTML), "text()") {
		t.Error("trust in an output keeps what is in a text")
	}
	page = HTML(nb, HTMLOptions{Clean: clean.HTML, Sealed: true, Trusted: func(o notebook.Output) bool { return false }})
	if text := string(page.HTML); strings.Contains(text, "draw()</script>") || strings.Contains(text, "more()") || !strings.Contains(text, "Content-Security-Policy") {
		t.Errorf("of an output that is not trusted something was kept:\n%s", text)
	}
}

// TestForeignPicture: a cleaned page embeds pictures that are next to the notebook, and no other pictures.
func TestForeignPicture(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "outside.png"), filepath.Join(folder, "inside.png")} {
		testfile.Write(t, name, filepath.Base(name))
	}
	for source, want := range map[string]int{"![](inside.png)": 1, "![](../outside.png)": 0, "![](" + filepath.ToSlash(filepath.Join(dir, "outside.png")) + ")": 0} {
		nb := &notebook.Notebook{Cells: []*notebook.Cell{{Type: notebook.Markdown, Source: source}}}
		page := HTML(nb, HTMLOptions{Dir: folder, Clean: clean.HTML})
		if got := strings.Count(string(page.HTML), `<img src="data:image/png`); got != want {
			t.Errorf("%s: %d pictures, not %d", source, got, want)
		}
	}
}

// TestCommittedNotebooks: cleaning removes nothing from the project's notebooks, so the site needs no trust.
func TestCommittedNotebooks(t *testing.T) {
	patience.SkipShort(t, "cleans all notebooks")
	files, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, file := range files {
		nb, plain := committed(t, file)
		page := HTML(nb, HTMLOptions{Name: "x", Dir: filepath.Dir(file), Clean: clean.HTML})
		if len(page.Left) > 0 {
			t.Errorf("%s: %v were left out", filepath.Base(file), page.Left)
		}
		for _, what := range []string{"<script", "<img", "<table", "<math", "<a ", " id=\""} {
			if with, without := strings.Count(string(page.HTML), what), strings.Count(string(plain.HTML), what); with != without {
				t.Errorf("%s: %d of %s, not %d", filepath.Base(file), with, what, without)
			}
		}
	}
}

// probe is a script that counts dialogs, and imitates a reader's actions.
const probe = `<script>
var dialogs = 0;
function count() { dialogs++; document.documentElement.dataset.dialogs = dialogs; }
alert = confirm = prompt = count;
addEventListener("load", function () {
  document.querySelectorAll("main *").forEach(function (e) {
    ["mouseover", "mousemove", "focus", "toggle", "animationstart"].forEach(function (kind) { e.dispatchEvent(new Event(kind, {bubbles: true})); });
    if (e.click && !/^(https?|mailto|file):/.test(e.href)) { e.click(); } // a formula has no click
  });
  document.documentElement.dataset.probed = "yes";
});
</script>`

// TestHostileInBrowser opens the attack vectors in a browser, with and without cleaning.
func TestHostileInBrowser(t *testing.T) {
	frame := image.NewGray(image.Rect(0, 0, 4, 4))
	nb := hostile(cleantest.Vectors...)
	last := notebook.NewCode("slider")
	last.Outputs = []notebook.Output{{"output_type": "display_data", "data": map[string]any{"text/html": slider.New("t", []string{"a", "b"}, []image.Image{frame, frame}).HTML()}}}
	nb.Cells = append(nb.Cells, last)
	look := func(nb *notebook.Notebook, opt HTMLOptions, before string) string {
		file := filepath.Join(t.TempDir(), "page.html")
		page := strings.Replace(string(HTML(nb, opt).HTML), "<head>", "<head>"+before, 1)
		testfile.Write(t, file, page)
		return chromium(t, file, "--virtual-time-budget=5000", "--dump-dom")
	}
	dialogs := regexp.MustCompile(`data-dialogs="(\d+)"`)
	// Do not open all vectors at once: they would make a browser that runs them leave the page.
	shown := look(hostile(`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<a href="javascript:alert(1)">x</a>`, `<svg onload=alert(1)></svg>`), HTMLOptions{}, probe)
	if m := dialogs.FindStringSubmatch(shown); m == nil || len(m[1]) < 2 {
		t.Errorf("without cleaning the test sees %v dialogs, not a dozen", m)
	}
	shown = look(nb, HTMLOptions{Clean: clean.HTML}, probe)
	if found := dialogs.FindString(shown); found != "" || !strings.Contains(shown, `data-probed="yes"`) {
		t.Errorf("cleaned: %q; the page was probed: %v", found, strings.Contains(shown, `data-probed="yes"`))
	}
	if !strings.Contains(shown, `data-ready="1"`) {
		t.Error("cleaned: the slider does not work")
	}
	if shown := look(nb, HTMLOptions{Clean: clean.HTML, Sealed: true}, ""); !strings.Contains(shown, `data-ready="1"`) {
		t.Error("sealed: the slider does not work")
	}
}
