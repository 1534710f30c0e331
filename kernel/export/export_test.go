package export

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/notebook"
)

// pixel is a picture of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func converterFor() *converter {
	return &converter{anchors: map[string]bool{}, characters: map[rune]bool{}}
}

// committed returns a notebook of the repository and its page. Several tests share the result and must not
// change it.
func committed(t *testing.T, path string) (*notebook.Notebook, Page) {
	t.Helper()
	nb, err := notebook.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	page, ok := pages[path]
	if !ok {
		page = HTML(nb, HTMLOptions{Name: "x", Dir: filepath.Dir(path)})
		pages[path] = page
	}
	return nb, page
}

var pages = map[string]Page{} // by path; tests that use this map are not parallel

// TestSuite exports this project's notebooks. Every formula must be convertible.
func TestSuite(t *testing.T) {
	list, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(list) == 0 {
		t.Fatal("no notebooks", err)
	}
	for i, path := range list {
		nb, page := committed(t, path)
		for _, u := range page.Unknown {
			t.Errorf("%s: %s", path, u)
		}
		for _, sign := range []string{markOpen, markClose} {
			if bytes.Contains(page.HTML, []byte(sign)) {
				t.Errorf("%s: a formula was not put back", path)
			}
		}
		for _, outside := range []string{`src="http`, `<link`, `@import`, `url(http`} {
			if bytes.Contains(page.HTML, []byte(outside)) {
				t.Errorf("%s: %s: the page asks the network", path, outside)
			}
		}
		if i == 0 && !bytes.Equal(page.HTML, HTML(nb, HTMLOptions{Name: "x", Dir: filepath.Dir(path)}).HTML) {
			t.Errorf("%s: two pages differ", path)
		}
		if text, files := Markdown(nb, MarkdownOptions{Files: "f"}); len(text) == 0 || len(files) == 0 {
			t.Errorf("%s: Markdown of %d bytes, %d pictures", path, len(text), len(files))
		}
	}
}

func TestMarkdownCells(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"a *b* `c`", "<p>a <em>b</em> <code>c</code></p>"},
		{"$a_1*b_2*c$ and *x*", "<p>M(a_1*b_2*c) and <em>x</em></p>"},
		{"$$\na_1\n= b_2\n$$", "<p>B(\na_1\n= b_2\n)</p>"},
		{"| $p(j|i)$ | b |\n|---|---|\n| $x$ | 2 |", `<div class="wide"><table>`},
		{"| $p(j|i)$ | b |\n|---|---|\n| $x$ | 2 |", "<th>M(p(j|i))</th>"},
		{"`$x$` and $x$", "<p><code>$x$</code> and M(x)</p>"},
		{"```\n$x$\n```\n$y$", "<pre><code>$x$\n</code></pre>\n<p>M(y)</p>"},
		{"    $x$\n\n$y$", "<pre><code>$x$\n</code></pre>\n<p>M(y)</p>"},
		{"- a\n    - $x$", "<li>M(x)</li>"},
		{"it costs $5 and $6", "<p>it costs $5 and $6</p>"},
		{"$ x $", "<p>$ x $</p>"},
		{`\$x$ y$`, "<p>$x$ y$</p>"},
		{"$x\n\ny$", "<p>$x</p>\n<p>y$</p>"},
		{`\\(x\\) \\[y\\]`, "<p>M(x) B(y)</p>"},
		{"\\begin{align}a&=b\\\\\nc&=d\\end{align}", "B(\\begin{align}a&=b\\\\\nc&=d\\end{align})"},
		{`$\text{if $x$}$`, "M(\\text{if $x$})"},
		{"<b title=\"$x$\">$x$</b>", `<b title="$x$">M(x)</b>`},
		{"![alt](attachment:a.png)", `src="data:image/png;base64,` + pixel},
		{"![alt](pixel.png)", `src="data:image/png;base64,` + pixel},
		{"![alt](missing.png)", `src="missing.png"`},
		{"# A *b* $x^2$", `<h1 id="a-b-x2">A <em>b</em> M(x^2) <a class="anchor" href="#a-b-x2"`},
		{"~~a~~ https://example.org", "<del>a</del> <a href="},
		{"\ue0007\ue001 $x$", "M(x)"},
		{"&#xE000;7&#xE001; $x$", "M(x)"},
	} {
		_, list := setAside(c.source)
		cv := converterFor()
		cv.dir = t.TempDir()
		b, _ := base64.StdEncoding.DecodeString(pixel)
		os.WriteFile(filepath.Join(cv.dir, "pixel.png"), b, 0o644)
		cell := &notebook.Cell{Extra: map[string]any{"attachments": map[string]any{"a.png": map[string]any{"image/png": pixel}}}}
		got := cv.markdown(c.source, cell, true)
		want := c.want
		for _, f := range list {
			sign := "M"
			if f.block {
				sign = "B"
			}
			want = strings.ReplaceAll(want, sign+"("+f.tex+")", converterFor().formula(f))
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q:\n%s\nhas no\n%s", c.source, got, want)
		}
	}
}

// TestMarkdownTable: a slice of structs is a table in Markdown as it is on a page, and not a line of Go. A data frame,
// whose text is a table, stays text.
func TestMarkdownTable(t *testing.T) {
	table := `<table class="dataframe"><tr><th>Method</th></tr><tr><td>lasso</td></tr></table>`
	for _, c := range []struct{ plain, html, want string }{
		{"Method\nlasso", table, table},
		{`[{Method: "lasso"}]`, table, table}, // as older kernels wrote it
		{"   Method\n0  lasso\n1 row\n", table + "<p>1 row</p>", "```text\n   Method\n0  lasso"},
	} {
		cell := notebook.NewCode("rows")
		cell.Outputs = []notebook.Output{{"output_type": notebook.ExecuteResult, "data": map[string]any{"text/plain": c.plain, "text/html": c.html}}}
		for _, f := range []func(string) (string, []string){nil, clean.HTML} {
			page := NewMarkdown(&notebook.Notebook{Cells: []*notebook.Cell{cell}}, MarkdownOptions{Clean: f})
			if !strings.Contains(string(page.Text), c.want) || len(page.Left) > 0 {
				t.Errorf("%q:\n%s\n%v", c.plain, page.Text, page.Left)
			}
		}
	}
}

func TestUnknownFormula(t *testing.T) {
	c := converterFor()
	got := c.markdown("a $\\nosuch{<b>}$ c", nil, false)
	if !strings.Contains(got, `<code class="tex"`) || !strings.Contains(got, `$\nosuch{&lt;b&gt;}$</code>`) || len(c.page.Unknown) != 1 || !strings.Contains(c.page.Unknown[0], `\nosuch`) {
		t.Errorf("%s, %v", got, c.page.Unknown)
	}
}

func TestHeadings(t *testing.T) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		{Type: notebook.Markdown, Source: "# The title\n\n## Part one\n\n### Detail\n\n#### Deep"},
		{Type: notebook.Markdown, Source: "## Part one\n\n## $x$ & <y>"},
	}}
	page := string(HTML(nb, HTMLOptions{}).HTML)
	for _, want := range []string{
		"<title>The title</title>", `<li class="level1"><a href="#part-one">Part one</a></li>`, `<li class="level2"><a href="#detail">Detail</a></li>`,
		`<a href="#part-one-1">`, `<h2 id="part-one-1">Part one <a class="anchor"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(page, `href="#deep">Deep</a></li>`) || strings.Contains(page, `<a href="#the-title">The`) {
		t.Error("the contents have too much")
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"x := 1", `x := <span class="n">1</span>`},
		{"func f(a int) string { return `x\n<y>` } // c & d", `<span class="k">func</span> <span class="f">f</span>(a <span class="t">int</span>) <span class="t">string</span> { <span class="k">return</span> <span class="s">` + "`x</span>\n<span class=\"s\">&lt;y&gt;`" + `</span> } <span class="c">// c &amp; d</span>`},
		{"%time f()\nlen(nil)", `<span class="m">%time</span> <span class="f">f</span>()
<span class="b">len</span>(<span class="l">nil</span>)`},
		{"x++\n$ ls ü\n!pwd\nx % 2", "<span class=\"m\">$ ls ü</span>\n<span class=\"m\">!pwd</span>\nx %"},
		{"%%bash\necho $x", "<span class=\"m\">%%bash</span>\n<span class=\"m\">echo $x</span>"},
		{"%%time\nvar x", "<span class=\"m\">%%time</span>\n<span class=\"k\">var</span> x"},
		{"a := `\n%d\n`", "<span class=\"s\">`</span>\n<span class=\"s\">%d</span>\n<span class=\"s\">`</span>"},
		{"\"open\n≠ x", "≠ x"},
		{"/* a\r\nb */ 1", "<span class=\"c\">/* a\r</span>\n<span class=\"c\">b */</span> <span class=\"n\">1</span>"},
	} {
		if got := codeHTML(c.source); !strings.Contains(got, html.UnescapeString(c.want)) && !strings.Contains(got, c.want) {
			t.Errorf("%q:\n%s\nwant\n%s", c.source, got, c.want)
		}
	}
}

// TestGoLines uses colored source line by line, as a listing does.
func TestGoLines(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no source", err)
	}
	sources := []string{"var s = `a\n\tb` /* <c>\nd */", "%x\n!f()", "", "\n"}
	for _, f := range files {
		sources = append(sources, string(testfile.Read(t, f)))
	}
	for _, source := range sources {
		got, want := strings.Split(GoHTML(source), "\n"), strings.Split(source, "\n")
		if len(got) != len(want) {
			t.Fatalf("%.40q: %d lines of %d", source, len(got), len(want))
		}
		for i, line := range got {
			if strings.Count(line, "<span") != strings.Count(line, "</span>") || plainHTML(line) != want[i] {
				t.Errorf("%.40q, line %d: %s", source, i+1, line)
			}
		}
	}
	if got, want := GoHTML("x := !f(nil) // X\u0304"), `x := !<span class="f">f</span>(<span class="l">nil</span>) <span class="c">// X`+"\u0304</span>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestANSI(t *testing.T) {
	for _, c := range []struct{ text, want, plain string }{
		{"a<b", "a&lt;b", "a<b"},
		{"\x1b[31mred\x1b[0m x", `<span class="ansi-1">red</span> x`, "red x"},
		{"\x1b[1;4;92mX\x1b[22;24mY\x1b[mZ", `<span class="ansi-10" style="font-weight:bold;text-decoration:underline">X</span><span class="ansi-10">Y</span>Z`, "XYZ"},
		{"\x1b[38;5;196ma\x1b[48;2;1;2;3mb\x1b[38;5;3mc", `<span style="color:#ff0000">a</span><span style="color:#ff0000;background:#010203">b</span><span class="ansi-3" style="background:#010203">c</span>`, "abc"},
		{"\x1b[7mx", `<span class="ansi-paper ansi-ink">x</span>`, "x"},
		{"\x1b]0;title\x07a\x1b[2Jb\x1b(c", "abc", "abc"},
		{"10 %\r20 %\r100 %\nnext", "100 %\nnext", "100 %\nnext"},
		{"long text\rshort", "shorttext", "shorttext"},
		{"long text\r\x1b[Kshort", "short", "short"},
		{"a\r\nb", "a\nb", "a\nb"},
		{"ab\bc", "ac", "ac"},
		{"\x1b[", "", ""},
		{"\x1b[31", "", ""},
		{"\x1b", "", ""},
		{"bell\a", "bell", "bell"},
	} {
		if got := ansiHTML(c.text); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
		if got := plainText(c.text); got != c.plain {
			t.Errorf("%q: %s, want %s", c.text, got, c.plain)
		}
	}
}

// outputs is a notebook with one output of each kind.
const outputs = `{"nbformat":4,"nbformat_minor":5,"metadata":{"language_info":{"name":"go"}},"cells":[
{"cell_type":"code","id":"a","metadata":{},"execution_count":3,"source":"f()","outputs":[
 {"output_type":"stream","name":"stdout","text":"\u001b[32mgreen\u001b[0m\n"},
 {"output_type":"stream","name":"stderr","text":"careful <you>\n"},
 {"output_type":"display_data","metadata":{"image/png":{"width":20,"height":10}},"data":{"image/png":"` + pixel + `\n","text/plain":"[figure] A title: what [it] is (made by x)"}},
 {"output_type":"display_data","metadata":{},"data":{"image/svg+xml":"<svg xmlns='http://www.w3.org/2000/svg'/>","text/plain":"plot"}},
 {"output_type":"execute_result","execution_count":3,"metadata":{},"data":{"text/html":"<table><tr><td>1</td></tr></table><script>f()</script>","text/plain":"1"}},
 {"output_type":"display_data","metadata":{},"data":{"text/markdown":"**bold** $x$","text/plain":"bold"}},
 {"output_type":"display_data","metadata":{},"data":{"text/latex":"\\frac12","text/plain":"half"}},
 {"output_type":"display_data","metadata":{},"data":{"application/json":{"a":[1]}}},
 {"output_type":"error","ename":"Panic","evalue":"boom","traceback":["Panic: boom","  In[3] line 1"]}]},
{"cell_type":"code","id":"b","metadata":{"tags":["hide-input"]},"execution_count":null,"source":"secret()","outputs":[]},
{"cell_type":"code","id":"c","metadata":{"tags":["remove-cell"]},"execution_count":null,"source":"gone()","outputs":[]},
{"cell_type":"raw","id":"d","metadata":{},"source":"raw <text>"}]}`

func TestOutputs(t *testing.T) {
	nb, err := notebook.Parse([]byte(outputs))
	if err != nil {
		t.Fatal(err)
	}
	page := string(HTML(nb, HTMLOptions{Name: "outputs"}).HTML)
	for _, want := range []string{
		`data-count="[3]"`, `<span class="ansi-2">green</span>`, `<pre class="stderr" tabindex="0">careful &lt;you&gt;</pre>`,
		`<figure><img src="data:image/png;base64,` + pixel + `" alt="A title: what [it] is (made by x)" width="20" height="10"><figcaption>A title: what [it] is (made by x)</figcaption></figure>`,
		`src="data:image/svg+xml;base64,PHN2`, `<td>1</td></tr></table><script>f()</script>`, `<strong>bold</strong> <math>`, `<mfrac>`,
		"&#34;a&#34;: [", "<pre class=\"error\" tabindex=\"0\">Panic: boom\n  In[3] line 1</pre>", "raw &lt;text&gt;", "<title>outputs</title>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, not := range []string{"secret", "gone()"} {
		if strings.Contains(page, not) {
			t.Errorf("%s is shown", not)
		}
	}
	text, files := Markdown(nb, MarkdownOptions{Files: "my files"})
	for _, want := range []string{
		"```go\nf()\n```\n", "```text\ngreen\n```", `![A title: what \[it\] is (made by x)](my%20files/cell-1-3.png)`, "cell-1-4.svg",
		"**bold** $x$", "$$\\frac12$$", "```json\n{", "```text\nPanic: boom\n  In[3] line 1\n```",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("Markdown has no %s in\n%s", want, text)
		}
	}
	if len(files) != 2 || files[0].Name != "cell-1-3.png" || !bytes.HasPrefix(files[0].Data, []byte("\x89PNG")) {
		t.Errorf("%d files", len(files))
	}
	if text, files := Markdown(nb, MarkdownOptions{}); len(files) != 0 || !strings.Contains(string(text), "(data:image/png;base64,"+pixel+")") {
		t.Error("pictures are not in the text")
	}
	if text, _ := Markdown(nb, MarkdownOptions{HideCode: true}); strings.Contains(string(text), "f()\n```") {
		t.Error("code is shown")
	}
}

func TestFences(t *testing.T) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{{Type: notebook.Code, Source: "a := `\n```\n`"}}}
	text, _ := Markdown(nb, MarkdownOptions{})
	if want := "````go\na := `\n```\n`\n````\n"; string(text) != want {
		t.Errorf("%q", text)
	}
}

// TestFont unpacks the font and compares it with the result of an independent font reader.
func TestFont(t *testing.T) {
	used := map[rune]bool{'x': true, '(': true, '∑': true, '‾': true, ' ': true}
	face := fontFace(used)
	_, rest, _ := strings.Cut(face, "base64,")
	encoded, _, ok := strings.Cut(rest, ")")
	woff, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || !strings.Contains(face, "U+20, U+28, U+78, U+203E, U+2211;") {
		t.Fatalf("%v in %.200s", err, face)
	}
	if len(woff) > 150_000 {
		t.Errorf("the font has %d bytes", len(woff))
	}
	f, err := sfnt.Parse(unpack(t, woff))
	if err != nil {
		t.Fatal(err)
	}
	var buf sfnt.Buffer
	for r, drawn := range map[rune]bool{'x': true, '(': true, '∑': true, '‾': true, 'y': false, '√': false} {
		g, err := f.GlyphIndex(&buf, r)
		if err != nil || (g != 0) != drawn {
			t.Fatalf("%c: glyph %d, %v", r, g, err)
		}
		if !drawn {
			continue
		}
		outline, err := f.LoadGlyph(&buf, g, 1000<<6, nil)
		lines := slices.ContainsFunc([]sfnt.Segment(outline), func(s sfnt.Segment) bool { return s.Op != sfnt.SegmentOpMoveTo && s.Args != [3]fixed.Point26_6{} })
		if err != nil || !lines {
			t.Errorf("%c: not drawn, %v", r, err)
		}
	}
	// Glyphs that no character needs, such as the glyphs after x and ∑, are empty.
	for _, r := range "x∑" {
		g, _ := f.GlyphIndex(&buf, r)
		if outline, err := f.LoadGlyph(&buf, g+1, 1000<<6, nil); err != nil || slices.ContainsFunc([]sfnt.Segment(outline), func(s sfnt.Segment) bool { return s.Op != sfnt.SegmentOpMoveTo && s.Args != [3]fixed.Point26_6{} }) {
			t.Errorf("what follows %c is drawn, %v", r, err)
		}
	}
	if fontFace(map[rune]bool{}) != "" {
		t.Error("a font for no formula")
	}
	if _, err := fontFor([]byte("not a font at all"), used); err == nil {
		t.Error("no error for what is no font")
	}
}

// unpack converts a WOFF file to an OpenType file.
func unpack(t *testing.T, woff []byte) []byte {
	u16, u32 := binary.BigEndian.Uint16, binary.BigEndian.Uint32
	if string(woff[:4]) != "wOFF" || int(u32(woff[8:])) != len(woff) {
		t.Fatalf("header %q, length %d of %d", woff[:4], u32(woff[8:]), len(woff))
	}
	n := int(u16(woff[12:]))
	otf := append([]byte{}, woff[4:8]...)
	otf = binary.BigEndian.AppendUint16(otf, uint16(n))
	otf = append(otf, 0, 0, 0, 0, 0, 0)
	offset := 12 + 16*n
	var body []byte
	for i := range n {
		e := woff[44+20*i:]
		data := woff[u32(e[4:]) : u32(e[4:])+u32(e[8:])]
		if u32(e[8:]) < u32(e[12:]) {
			z, err := zlib.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if data, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		otf = append(otf, e[:4]...)
		otf = append(otf, e[16:20]...)
		otf = binary.BigEndian.AppendUint32(otf, uint32(offset+len(body)))
		otf = binary.BigEndian.AppendUint32(otf, uint32(len(data)))
		body = append(body, data...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
	}
	if int(u32(woff[16:])) != len(otf)+len(body) {
		t.Errorf("total size %d, want %d", u32(woff[16:]), len(otf)+len(body))
	}
	return append(otf, body...)
}

func FuzzANSI(f *testing.F) {
	for _, s := range []string{"\x1b[31mred\x1b[0m", "a\rb\b\x1b[K", "\x1b]0;t\x07", "\x1b[38;2;1;2;3m\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := ansiHTML(s)
		if n := strings.Count(out, "<span"); n != strings.Count(out, "</span>") || strings.Count(out, "<") != 2*n {
			t.Fatalf("%q: %s", s, out)
		}
		if strings.ContainsRune(out, 0x1b) {
			t.Fatalf("%q: an escape is left: %q", s, out)
		}
		if got := html.UnescapeString(anyTag.ReplaceAllString(out, "")); got != plainText(s) {
			t.Fatalf("%q: %q, plain %q", s, got, plainText(s))
		}
	})
}

func FuzzCode(f *testing.F) {
	for _, s := range []string{"x := `a\r\nb` // c", "%time x\n/* \r\n", "%%x\n", "\"\xff", "'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := html.UnescapeString(anyTag.ReplaceAllString(codeHTML(s), "")); got != html.UnescapeString(html.EscapeString(s)) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"a $x_1$ `$y$`", "$$\n\\frac12\n$$", "# h $x$\n| a | $b|c$ |\n|-|-|", "```\n$x$", "\\\\(x\\\\)", "<b title='$x$'>", "![a](attachment:b)", "&#xE000;9&#xE001;$x$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rest, list := setAside(s)
		back := mark.ReplaceAllStringFunc(rest, func(m string) string { return list[number(m)].source })
		if want := strings.NewReplacer(markOpen, "\ufffd", markClose, "\ufffd").Replace(s); back != want {
			t.Fatalf("%q came back as %q", want, back)
		}
		converterFor().markdown(s, nil, true)
	})
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte(outputs))
	f.Add([]byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		nb, err := notebook.Parse(b)
		if err != nil {
			return
		}
		HTML(nb, HTMLOptions{})
		Markdown(nb, MarkdownOptions{Files: "f"})
	})
}
