package browser

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/pages"
)

// projectNotebooks matches the notebooks of this repository.
const projectNotebooks = "../../../notebooks/*.ipynb"

// TestProject opens each notebook of the project and runs it at smoke size: all notebooks in JupyterLab, one
// in Notebook 7.
func TestProject(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all notebooks")
	}
	names, err := filepath.Glob(projectNotebooks)
	if err != nil || len(names) == 0 {
		t.Fatal("no notebooks: ", err)
	}
	for _, f := range []frontEnd{lab, notebook7} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := f.server(t)
			browser := openWith(t, "about:blank", f.script)
			for _, name := range names {
				base := strings.TrimSuffix(filepath.Base(name), ".ipynb")
				if f.name != lab.name && base != "lecture-pca" {
					continue
				}
				t.Run(base, func(t *testing.T) { project(t, f, s, browser, name) })
			}
		})
	}
}

func project(t *testing.T, f frontEnd, s server, browser page, original string) {
	text, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(original)
	if err := os.WriteFile(filepath.Join(s.Folder, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := f.tab(browser.In(t), s, name)
	p.Prefix += strings.TrimSuffix(name, ".ipynb") + "-"
	p.Shot("open")

	// This Jupyter has not run the notebook, so it is not trusted. It shows the scripts' output, or says how
	// to get it (D10).
	if pages.Eval[bool](p.page, `client.trusted()`) {
		t.Error("a notebook from elsewhere is trusted")
	}
	if n := pages.Eval[int](p.page, `client.find("lab.Slider()")`); n >= 0 {
		p.reveal(n)
		p.Eventually("the hint for who has not trusted the notebook", `/trust|run (this|the) cell/i.test(client.text(%d))`, n)
		p.Shot("not-trusted")
	}

	// Opening a notebook does not change it (D6): the front end has nothing to add.
	time.Sleep(time.Second) // the front end adds its metadata when the kernel has described itself
	if pages.Eval[bool](p.page, `client.dirty()`) {
		t.Error("the notebook has changed by being opened")
	}
	if saved := p.save(); !bytes.Equal([]byte(saved), text) {
		t.Errorf("saving what was opened changes the file: %s", firstDifference(text, []byte(saved)))
	}

	n := pages.Eval[int](p.page, `client.find("size := ")`)
	source := strings.Replace(p.source(n), `size := "lecture"`, `size := "smoke"`, 1)
	if !strings.Contains(source, "smoke\"") {
		t.Fatalf("how is this set to smoke size?\n%s", source)
	}
	pages.Eval[bool](p.page, `client.setSource(%d, %s)`, n, quote(source))
	begin := time.Now()
	p.press("runAll")
	const cells = `[...Array(client.length()).keys()].filter(n => client.code(n) && client.source(n).trim())`
	if !p.Holds(4*time.Minute, `%s.every(n => client.done(n)) && client.ready()`, cells) {
		p.Shot("failed")
		t.Errorf("cells that have not run: %s", pages.Eval[string](p.page, `%s.filter(n => !client.done(n)).join()`, cells))
	}
	t.Logf("Run All took %.1f s", time.Since(begin).Seconds())
	for _, n := range pages.Eval[[]int](p.page, "%s", cells) {
		if p.failed(n) {
			p.reveal(n)
			p.Shot("error")
			t.Errorf("cell %d has failed:\n%s\n%s", n, p.source(n), p.output(n))
		}
		if pages.Eval[bool](p.page, `client.waiting(%d)`, n) {
			t.Errorf("cell %d seems to run for ever", n)
		}
	}
	if n := pages.Eval[int](p.page, `[...document.querySelectorAll("[role=progressbar]")].filter(e => e.getAttribute("aria-valuenow") !== e.getAttribute("aria-valuemax")).length`); n > 0 {
		p.Shot("bars")
		t.Errorf("%d bars have not come to their end", n)
	}
	if n := pages.Eval[int](p.page, `client.find("lab.Slider()")`); n >= 0 {
		p.reveal(n)
	}
	p.Shot("ran")
	p.save()
	exported(t, s, name)
}

// exported writes the saved notebook as a page and as a program (D7), and checks that the program is valid
// Go.
func exported(t *testing.T, s server, name string) {
	for _, args := range [][]string{{"--go", "--out", "program"}, {"--html", "--out", "page.html"}} {
		cmd := exec.Command(s.Binary, append(append([]string{"export"}, args...), name)...)
		cmd.Dir = s.Folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("export %v: %v\n%s", args, err, out)
		}
	}
	defer os.RemoveAll(filepath.Join(s.Folder, "program"))
	if _, err := parser.ParseFile(token.NewFileSet(), filepath.Join(s.Folder, "program", "main.go"), nil, 0); err != nil {
		t.Error(err)
	}
	page, err := os.ReadFile(filepath.Join(s.Folder, "page.html"))
	if err != nil || !bytes.Contains(page, []byte("<img")) {
		t.Errorf("the page of %d bytes has no picture: %v", len(page), err)
	}
}

// firstDifference returns the place where two files begin to differ.
func firstDifference(a, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	from := max(0, n-100)
	return fmt.Sprintf("byte %d:\n%s\nand now\n%s", n, a[from:min(len(a), n+100)], b[from:min(len(b), n+100)])
}

// TestTour follows the tour of the project's README in JupyterLab. The picture in the README,
// docs/notebook.png, shows the page after the first two cells: it is the screenshot that
// OVERCOMPLETE_SCREENSHOTS keeps as "tour".
func TestTour(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Jupyter and a browser")
	}
	b, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, _ := strings.Cut(string(b), "\n## A ten minutes' tour\n")
	tour, _, _ = strings.Cut(tour, "\n## ")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)\n```").FindAllStringSubmatch(tour, -1)
	if len(blocks) != 4 {
		t.Fatalf("the tour has %d cells, not 4", len(blocks))
	}
	s := lab.server(t)
	const name = "planets.ipynb"
	s.write(t, name, "# Kepler's third law")
	window := pages.Options{Script: lab.script, Width: 1100, Height: 1180, Harmless: harmless, Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")}
	p := lab.tab(pages.Chromium.Open(t, "about:blank", window), s, name)
	p.Prefix += "tour-"
	var cells []int
	run := func(i int) {
		cells = append(cells, p.run(blocks[i][1]))
	}
	run(0)
	p.has(cells[0], "Mercury", "4331")
	run(1)
	p.Until(`%s`, element(cells[1], picture))
	slider := p.slider(cells[1], 0)
	slider.move(1.5)
	pages.Eval[bool](p.page, `(client.scroller().scrollTop = 0, true)`)
	p.Until(`!client.busy()`)
	p.Shot("tour")
	run(2)
	p.has(cells[2], "PASS")
	run(3)
	p.has(cells[3], "nil map", "line 2")
	for i, n := range cells {
		if p.failed(n) != (i == 3) {
			t.Errorf("cell %d has an error: %v\n%s", i+1, i != 3, p.output(n))
		}
	}
	p.Shot("end")
}
