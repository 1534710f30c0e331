package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/figuremeta"
)

// TestPanels: a figure of this project is set into the page, another SVG stays a picture.
func TestPanels(t *testing.T) {
	heading, html := panels("../../figures/lecture-pca/ppca.svg")
	if heading == "" || !strings.HasPrefix(string(html), `<div class="drawing">`) || !strings.Contains(string(html), " data-values='{") {
		t.Errorf("%q %.200s", heading, html)
	}
	dir := t.TempDir()
	svg, err := os.ReadFile("../../figures/lecture-pca/ppca.svg")
	if err != nil {
		t.Fatal(err)
	}
	about, err := figuremeta.Read(svg)
	if err != nil {
		t.Fatal(err)
	}
	about.SetData(nil)
	put(t, dir, "alone.svg", string(figuremeta.Write(svg, about))) // without its data
	if heading, html := panels(filepath.Join(dir, "alone.svg")); heading == "" || strings.Contains(string(html), "data-values") {
		t.Errorf("%q %.200s", heading, html)
	}
	put(t, dir, "strange.svg", strings.Replace(string(svg), "<title>", "<script>alert(1)</script><title>", 1))
	for _, name := range []string{"strange", "missing"} {
		if heading, html := panels(filepath.Join(dir, name+".svg")); heading != "" || html != "" {
			t.Errorf("%s: %q %.200s", name, heading, html)
		}
	}
}
