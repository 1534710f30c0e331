package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

// TestShareFont: all pages of a folder use one font, which has the characters of all of them.
func TestShareFont(t *testing.T) {
	dir := t.TempDir()
	write := func(name, source string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		nb := &notebook.Notebook{Cells: []*notebook.Cell{{Type: notebook.Markdown, Source: source}}}
		if err := os.WriteFile(path, HTML(nb, HTMLOptions{}).HTML, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	write("one.html", `$\alpha + x$`)
	write("deeper/down/two.html", `$\int_0^1 f$`)
	write("none.html", "no formula")
	none := read("none.html")
	stale := filepath.Join(dir, "math-0123456789ab.woff")
	if err := os.WriteFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	characters := map[rune]bool{' ': true}
	addCharacters(characters, "<mi>α</mi><mo>+</mo><mi>x</mi><mo>∫</mo><mn>0</mn><mn>1</mn><mi>f</mi>")
	for range 2 { // the second call changes nothing
		if err := Share(dir); err != nil {
			t.Fatal(err)
		}
		fonts, _ := filepath.Glob(filepath.Join(dir, "math-*.woff"))
		if len(fonts) != 1 || fonts[0] == stale {
			t.Fatalf("fonts %v", fonts)
		}
		want, err := fontFor(mathFont, characters)
		if err != nil {
			t.Fatal(err)
		}
		if read(filepath.Base(fonts[0])) != string(want) {
			t.Error("the font is not that of all characters")
		}
		for name, address := range map[string]string{"one.html": filepath.Base(fonts[0]), "deeper/down/two.html": "../../" + filepath.Base(fonts[0])} {
			if page := read(name); !strings.Contains(page, `src: url(`+address+`) format("woff"); unicode-range: U+`) || strings.Contains(page, "data:font") {
				t.Errorf("%s does not ask for %s", name, address)
			}
		}
		if read("none.html") != none {
			t.Error("a page without formulas was changed")
		}
	}
}
