package browser

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

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
