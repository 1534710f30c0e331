package export

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/patience"
	"overcomplete/internal/positions"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/notebook"
)

func pictureCell(kind, content, text string) *notebook.Notebook {
	return &notebook.Notebook{Metadata: map[string]any{}, Cells: []*notebook.Cell{{Type: notebook.Code, ID: "c", Source: "f", Outputs: []notebook.Output{
		{"output_type": "display_data", "data": map[string]any{kind: content, "text/plain": text}}}}}}
}

// figureOf returns a figure of the record, and a notebook that shows it.
func figureOf(t *testing.T, name string) (svg []byte, nb *notebook.Notebook) {
	t.Helper()
	svg = testfile.Read(t, "../../figures/"+name+".svg")
	nb = pictureCell("image/png", shownPicture(t, name), "[figure] A: b")
	meta := map[string]any{}
	figuremeta.Name{Figure: name, Sum: figuremeta.Sum(svg)}.Put(meta)
	nb.Cells[0].Outputs[0]["metadata"] = meta
	return svg, nb
}

// shownPicture returns the PNG of a figure in a notebook of this repository.
func shownPicture(t *testing.T, name string) string {
	t.Helper()
	nb, err := notebook.Read("../../notebooks/" + filepath.Dir(name) + ".ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			meta, _ := o["metadata"].(map[string]any)
			data, _ := o["data"].(map[string]any)
			if n, ok := figuremeta.NameIn(meta); ok && n.Figure == name {
				return data["image/png"].(string)
			}
		}
	}
	t.Fatalf("no notebook shows %s", name)
	return ""
}

// TestFiguresBeside: the SVG of a figure is found by the figure's name, unless it looks different from the
// output.
func TestFiguresBeside(t *testing.T) {
	root := t.TempDir()
	svg, nb := figureOf(t, "lecture-pca/ppca")
	file := filepath.Join(root, "figures", "run", "lecture-pca", "ppca.svg")
	testfile.Write(t, file, svg)
	find := FiguresBeside(filepath.Join(root, "notebooks", "run"))
	name := figuremeta.Name{Figure: "lecture-pca/ppca", Sum: figuremeta.Sum(svg)}
	if !bytes.Equal(find(name), svg) {
		t.Error("the figure is not found")
	}
	name.Sum = "1"
	if find(name) != nil {
		t.Error("another picture is taken for it")
	}
	name.Figure = "lecture-pca/none"
	if find(name) != nil {
		t.Error("a figure that is not there is found")
	}
	for name, c := range map[string]struct {
		page  Page
		drawn bool
	}{
		"drawn":          {HTML(nb, HTMLOptions{Clean: clean.HTML, Sealed: true, Figure: find}), true},
		"no figures":     {HTML(nb, HTMLOptions{Clean: clean.HTML, Sealed: true}), false},
		"slides":         {Slides(nb, HTMLOptions{Clean: clean.HTML, Sealed: true, Figure: find}), true},
		"slides without": {Slides(nb, HTMLOptions{}), false},
	} {
		page := string(c.page.HTML)
		if drawn := strings.Contains(page, `<div class="drawing">`) && strings.Contains(page, " data-values='{"); drawn != c.drawn || drawn == strings.Contains(page, `src="data:image/png`) {
			t.Errorf("%s: drawn %v", name, drawn)
		}
		if script := strings.Contains(page, "svg[data-values]"); script != c.drawn {
			t.Errorf("%s: has the script: %v", name, script)
		}
		if m := scriptText.FindStringSubmatch(page); strings.Contains(page, "Content-Security-Policy") && !strings.Contains(page, sum(m[1])) {
			t.Errorf("%s: the page forbids its own script", name)
		}
	}
}

// TestSVGOutputs: SVG recorded by a kernel in a browser is also drawn in panels; foreign SVG is a picture.
func TestSVGOutputs(t *testing.T) {
	b, _ := figureOf(t, "lecture-pca/ppca")
	for svg, drawn := range map[string]bool{
		string(b): true,
		strings.Replace(string(b), "<title>", "<script>alert(1)</script><title>", 1): false,
		string(figuremeta.Without(b)): false, // from an older version, without metadata
	} {
		page := string(HTML(pictureCell("image/svg+xml", svg, "[figure] A"), HTMLOptions{}).HTML)
		if got := strings.Contains(page, `<div class="drawing">`); got != drawn || strings.Contains(page, "alert(1)") || drawn == strings.Contains(page, "data:image/svg+xml") {
			t.Errorf("drawn %v, not %v", got, drawn)
		}
	}
}

// largestPage limits the size of a page, in bytes: a page must be small enough to mail, and must open at once.
const largestPage = 4_000_000

// TestRecordedNotebooks: nearly all pictures in the notebooks are figures that have an SVG in the record. Their
// pages are small.
func TestRecordedNotebooks(t *testing.T) {
	patience.SkipShort(t, "draws all figures")
	list, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(list) == 0 {
		t.Fatal("no notebooks", err)
	}
	for _, path := range list {
		nb, err := notebook.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		page := HTML(nb, HTMLOptions{Clean: clean.HTML, Figure: FiguresBeside(filepath.Dir(path))}).HTML
		if len(page) > largestPage {
			t.Errorf("%s: the page has %d bytes", name, len(page))
		}
		drawn, pictures := bytes.Count(page, []byte(`<div class="drawing">`)), len(regexp.MustCompile(`<img src="data:image/png`).FindAll(page, -1))
		if drawn < 5 || drawn < pictures && name != "lecture-sparse" {
			t.Errorf("%s: %d drawn, %d pictures", name, drawn, pictures)
		}
	}
}

// TestPlots: plots in ink on white are distinguished from other pictures.
func TestPlots(t *testing.T) {
	for name, want := range map[string]bool{
		"lecture-pca/ppca": true, "nmf-implicit/kink": true, "lewicki-sejnowski/e1-densities": true,
		"s3c/denoising": false, "lecture-pca/faces": false, "i-con/matrices": false,
	} {
		if got := plot(shownPicture(t, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if plot("AAAA") || plot("no picture") {
		t.Error("what is no picture is a plot")
	}
}

// The texts of drawings fit at every position; everything else stays.
func TestSavedPositions(t *testing.T) {
	const svg = "<svg><text style=\"font-size:8px;fill:#262626\">abc</text></svg>"
	const png = "data:image/png;base64,AAAA"
	d := positions.Data{Controls: []positions.Control{{Values: []string{"1", "2", "3"}}}, At: []int{0, 1, 2},
		Frames: positions.Pack([]positions.Frame{{{SVG: svg}}, {{Image: png}}, {{SVG: svg, Plot: true}, {Text: "t"}}})}
	page := `<div data-positions="1"><img src="` + png + `"/>` + d.Elements() + "</div>"
	got := withFittedText(page)
	if !strings.Contains(got, png) || !strings.HasSuffix(got, positions.Script+"</script>\n</div>") {
		t.Error("the first picture or the script has changed")
	}
	m := savedPositions.FindStringSubmatch(got)
	if m == nil {
		t.Fatal(got)
	}
	if err := json.Unmarshal([]byte(m[2]), &d); err != nil {
		t.Fatal(err)
	}
	frames, err := positions.Unpack(d.Frames)
	if err != nil || len(frames) != 3 || len(frames[2]) != 2 || frames[1][0].Image != png || frames[2][1].Text != "t" {
		t.Fatal(frames, err)
	}
	for _, p := range []positions.Part{frames[0][0], frames[2][0]} {
		if !strings.HasPrefix(p.SVG, `<svg><text textLength="`) {
			t.Error(p.SVG)
		}
	}
	if plain := `<p data-positions="1">x</p>`; withFittedText(plain) != plain {
		t.Error("HTML without positions has changed")
	}
}

// A figure with an address is not embedded.
func TestFigureAddress(t *testing.T) {
	meta := map[string]any{}
	figuremeta.Name{Figure: "a/b", Sum: "1"}.Put(meta)
	o := notebook.Output{"output_type": "display_data", "data": map[string]any{"image/png": "AAAA"}, "metadata": meta}
	c := &converter{address: func(n figuremeta.Name) string { return "../" + n.Figure + ".svg" }}
	if s := c.pictureHTML(o, "image/png", "AAAA"); !strings.Contains(s, ` src="../a/b.svg"`) || strings.Contains(s, "base64") {
		t.Error(s)
	}
}
