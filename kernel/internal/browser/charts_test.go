package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// drawn is a script that makes a page record when charts report that they are drawn.
const drawn = `window.drawn = []; addEventListener("message", e => { if (typeof e.data === "string") window.drawn.push(e.data) });`

// TestCharts: a chart of go-echarts draws itself in each host, in a frame that cannot access the page around
// it. A host that removes scripts does not remove those in the frame, unless it removes frames too.
func TestCharts(t *testing.T) {
	source, err := os.ReadFile("../render/testdata/chart.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range hosts {
		t.Run(host.name, func(t *testing.T) {
			script := host.script
			if script == "" {
				script = "place.innerHTML = source;" // a frame needs no script in the page
			}
			text := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><body style="background:#111"><script>%s</script><div id="place"></div>`+
				`<template id="source">%s</template><script>const place = document.getElementById("place"), source = document.getElementById("source").innerHTML;`+
				"document.getElementById('source').remove();\n%s</script>", drawn, source, script)
			name := filepath.Join(t.TempDir(), "chart.html")
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p := openPage(t, "file://"+name)
			p.Until(`window.drawn.includes("One: 1, 3, 2")`)
			p.Until(`document.querySelector("iframe").getBoundingClientRect().height === 560`)
			if pages.Eval[bool](p, `!!document.querySelector("iframe").contentDocument`) {
				t.Error("the page can reach into the frame, so the frame can reach the page")
			}
			p.Shot("chart")
		})
	}
}

// chartCell shows a chart like those of go-echarts, apart from its size.
const chartCell = `import "io"
type chart struct{}
func (chart) Render(w io.Writer) error {
	_, err := io.WriteString(w, "<!DOCTYPE html><html><head></head><body><div class=\"item\" style=\"height:200px;\"></div><script>parent.postMessage(\"from a cell\", \"*\")</script></body></html>")
	return err
}
chart{}`

// charts is the step of TestNotebook that shows a chart.
func charts(p tab) {
	pages.Eval[bool](p.page, `(function(){%s; return true})()`, drawn)
	n := p.run(chartCell)
	p.Until(`window.drawn.includes("from a cell")`)
	p.Until(`%s.getBoundingClientRect().height === 260`, element(n, "iframe"))
	p.Shot("chart")
}
