package export

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// TestSharePictures: a picture that occurs in two pages is moved to a file. A picture that occurs once, is
// small or is in a script stays embedded.
func TestSharePictures(t *testing.T) {
	dir := t.TempDir()
	picture := func(c string) string {
		return "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(c, 4000)))
	}
	both, one, gone := picture("b"), picture("o"), picture("g")
	small := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("small"))
	script := `<script type="application/json">{"html":"<img src=\"` + both + `\">"}</script>`
	path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(name, page string) {
		t.Helper()
		testfile.Write(t, path(name), page)
	}
	read := func(name string) string {
		t.Helper()
		return string(testfile.Read(t, path(name)))
	}
	files := func() []string {
		t.Helper()
		list, err := filepath.Glob(path("pictures/*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	write("notebook/a.html", `<img src="`+both+`"><img src="`+small+`">`+script+`<img src="`+gone+`">`)
	write("slides.html", `<svg><image width="2" href="`+both+`"/></svg><img src="`+one+`"><img src="`+small+`"><img src="`+gone+`">`)
	if err := Share(dir); err != nil {
		t.Fatal(err)
	}
	if len(files()) != 2 {
		t.Fatalf("files %v", files())
	}
	write("slides.html", `<svg><image width="2" href="`+both+`"/></svg><img src="`+one+`"><img src="`+small+`">`)
	write("notebook/a.html", `<img src="`+both+`"><img src="`+small+`">`+script)
	for range 2 { // the second call changes nothing
		if err := Share(dir); err != nil {
			t.Fatal(err)
		}
		list := files()
		if len(list) != 1 {
			t.Fatalf("files %v, wanted is the one that both pages have", list)
		}
		name := filepath.Base(list[0])
		if got := read("pictures/" + name); got != strings.Repeat("b", 4000) {
			t.Error("the file is not the picture")
		}
		if got, want := read("notebook/a.html"), `<img src="../pictures/`+name+`"><img src="`+small+`">`+script; got != want {
			t.Errorf("the page is\n%s\nwant\n%s", got, want)
		}
		if got, want := read("slides.html"), `<svg><image width="2" href="pictures/`+name+`"/></svg><img src="`+one+`"><img src="`+small+`">`; got != want {
			t.Errorf("the page is\n%s\nwant\n%s", got, want)
		}
	}
}

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
		testfile.Write(t, path, HTML(nb, HTMLOptions{}).HTML)
	}
	read := func(name string) string {
		t.Helper()
		return string(testfile.Read(t, filepath.Join(dir, filepath.FromSlash(name))))
	}
	write("one.html", `$\alpha + x$`)
	write("deeper/down/two.html", `$\int_0^1 f$`)
	write("none.html", "no formula")
	none := read("none.html")
	stale := filepath.Join(dir, "math-0123456789ab.woff")
	testfile.Write(t, stale, "")
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
