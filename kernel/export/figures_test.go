package export

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/notebook"
)

func pictureCell(kind, content, text string) *notebook.Notebook {
	return &notebook.Notebook{Metadata: map[string]any{}, Cells: []*notebook.Cell{{Type: notebook.Code, ID: "c", Source: "f", Outputs: []notebook.Output{
		{"output_type": "display_data", "data": map[string]any{kind: content, "text/plain": text}}}}}}
}

// TestFiguresBeside finds the SVG of a PNG by its bytes, and nothing for one that is another picture.
func TestFiguresBeside(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "figures", "run", "lesson")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	const from = "../../figures/lecture-pca/ppca"
	files := map[string][]byte{}
	for _, ext := range []string{".png", ".svg", ".csv"} {
		b, err := os.ReadFile(from + ext)
		if err != nil {
			t.Fatal(err)
		}
		files[ext] = b
		if err := os.WriteFile(filepath.Join(folder, "a"+ext), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	find := FiguresBeside(filepath.Join(root, "notebooks", "run"))
	if svg, csv := find(files[".png"]); !bytes.Equal(svg, files[".svg"]) || !bytes.Equal(csv, files[".csv"]) {
		t.Error("the figure is not found")
	}
	other := bytes.Clone(files[".png"])
	other[len(other)-20]++ // of the same size
	if svg, csv := find(other); svg != nil || csv != nil {
		t.Error("another picture is taken for it")
	}
	if FiguresBeside(t.TempDir()) != nil {
		t.Error("a folder without figures has some")
	}
	nb := pictureCell("image/png", base64.StdEncoding.EncodeToString(files[".png"]), "[figure] A: b")
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

// TestSVGOutputs: what a kernel in a browser records is drawn too, and a stranger's SVG is a picture.
func TestSVGOutputs(t *testing.T) {
	b, err := os.ReadFile("../../figures/lecture-pca/ppca.svg")
	if err != nil {
		t.Fatal(err)
	}
	for svg, drawn := range map[string]bool{
		string(b): true,
		strings.Replace(string(b), "<title>", "<script>alert(1)</script><title>", 1): false,
	} {
		page := string(HTML(pictureCell("image/svg+xml", svg, "[figure] A"), HTMLOptions{}).HTML)
		if got := strings.Contains(page, `<div class="drawing">`); got != drawn || strings.Contains(page, "alert(1)") || drawn == strings.Contains(page, "data:image/svg+xml") {
			t.Errorf("drawn %v, not %v", got, drawn)
		}
	}
}

// TestRecordedNotebooks: nearly all pictures of the notebooks are figures whose SVG the record has.
func TestRecordedNotebooks(t *testing.T) {
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
		drawn, pictures := bytes.Count(page, []byte(`<div class="drawing">`)), len(regexp.MustCompile(`<img src="data:image/png`).FindAll(page, -1))
		if drawn < 5 || drawn < pictures && name != "lecture-sparse" {
			t.Errorf("%s: %d drawn, %d pictures", name, drawn, pictures)
		}
	}
}

// TestPlots: ink on white is told from pictures.
func TestPlots(t *testing.T) {
	for name, want := range map[string]bool{
		"lecture-pca/ppca": true, "nmf-implicit/kink": true, "lewicki-sejnowski/e1-densities": true,
		"s3c/denoising": false, "lecture-pca/faces": false, "i-con/matrices": false,
	} {
		b, err := os.ReadFile("../../figures/" + name + ".png")
		if err != nil {
			t.Fatal(err)
		}
		if got := plot(base64.StdEncoding.EncodeToString(b)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if plot("AAAA") || plot("no picture") {
		t.Error("what is no picture is a plot")
	}
}
