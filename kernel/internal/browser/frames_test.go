package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// hosts lists the ways in which front ends insert HTML into their page.
var hosts = []struct{ name, script string }{
	{"parsed", ``}, // parsed by a browser as part of a page: nbconvert, the report
	{"JupyterLab", // JupyterLab's renderHTML does this before the output is in the page; so does Notebook 7
		`const host = document.createElement("div");
		host.innerHTML = source;
		for (const script of [...host.getElementsByTagName("script")]) {
			const clone = document.createElement("script");
			for (const a of script.attributes) clone.setAttribute(a.name, a.value);
			clone.textContent = script.textContent;
			script.parentNode.replaceChild(clone, script);
		}
		place.append(host);`},
	{"VS Code", // VS Code's domEval does this
		`place.innerHTML = source;
		for (const script of [...place.getElementsByTagName("script")]) {
			const tag = document.createElement("script");
			tag.text = script.innerText;
			if (script.type) tag.setAttribute("type", script.type);
			place.appendChild(tag).parentNode.removeChild(tag);
		}`},
	{"without scripts", // GitHub and untrusted notebooks remove scripts with their content
		`place.innerHTML = source;
		for (const script of [...place.getElementsByTagName("script")]) script.remove();`},
}

// TestFrames: in each host, a data frame in the page can be sorted, paged and searched. Without scripts it is
// a plain table.
func TestFrames(t *testing.T) {
	source, err := os.ReadFile("../render/testdata/paged.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, theme := range []struct{ name, back, front string }{{"light", "#fff", "rgba(0,0,0,.87)"}, {"dark", "#111", "#fff"}} {
		for _, host := range hosts {
			if theme.name == "dark" && host.script == "" {
				continue // one host suffices for this
			}
			t.Run(host.name+", "+theme.name, func(t *testing.T) {
				page := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><style>body{background:%s;color:%s;font:13px sans-serif}`+
					`table{border-collapse:collapse}td,th{text-align:right;padding:4px 8px}</style><div id="place">`, theme.back, theme.front)
				if host.script == "" {
					page += string(source) + "</div>"
				} else {
					page += "</div><template id=\"source\">" + string(source) + "</template><script>const place = document.getElementById('place'), " +
						"source = document.getElementById('source').innerHTML; document.getElementById('source').remove();\n" + host.script + "</script>"
				}
				name := filepath.Join(t.TempDir(), "frame.html")
				if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
					t.Fatal(err)
				}
				p := framePage{openPage(t, "file://"+name)}
				if host.name == "without scripts" {
					p.Shot("plain-" + theme.name)
					p.plainFrame()
					return
				}
				p.liveFrame(theme.name)
			})
		}
	}
}

// A framePage is a page with a data frame.
type framePage struct{ page }

// frame returns the number of rows, the text of a column in the first and the last row, and the status line.
func (p framePage) frame(column int) string {
	p.Helper()
	return pages.Eval[string](p.page, `(() => { const rows = [...document.querySelectorAll("tbody tr")], at = r => r ? r.cells[%d].innerText : "none", s = document.querySelector("[role=status]");
		return rows.length + ": " + at(rows[0]) + " ... " + at(rows[rows.length - 1]) + (s ? " | " + s.innerText : "") })()`, column)
}

// wants checks the result of frame for a column.
func (p framePage) wants(column int, want string) {
	p.Helper()
	if got := p.frame(column); got != want {
		p.Shot("failed")
		p.Errorf("the page has %q, want %q", got, want)
	}
}

func (p framePage) plainFrame() {
	p.wants(0, "20: 0 ... 19")
	if n := pages.Eval[int](p.page, `document.querySelectorAll("button, input").length`); n != 0 {
		p.Errorf("%d controls that do nothing", n)
	}
	if text := pages.Eval[string](p.page, `document.querySelector("#place p").innerText`); text != "first 20 of 45 rows, 3 columns" {
		p.Error(text)
	}
	if text := pages.Eval[string](p.page, `document.querySelector("#place").innerText`); strings.Contains(text, "rows\":") {
		p.Error("what the script reads is seen: ", text)
	}
}

func (p framePage) liveFrame(theme string) {
	const head = `thead th:nth-child(%d) button`
	p.wants(0, "20: 0 ... 19 | 1 to 20 of 45 rows, 3 columns")
	if n := pages.Eval[int](p.page, `document.querySelectorAll("[role=status]").length`); n != 1 {
		p.Errorf("%d bars", n)
	}
	p.Shot("live-" + theme)

	// Sort by a numeric column: in numeric order, with missing values last in both directions.
	p.Click(fmt.Sprintf(head, 3))
	p.wants(2, "20: -2 ... 1.14286 | 1 to 20 of 45 rows, 3 columns")
	p.aria(3, "ascending")
	p.Shot("sorted-" + theme)
	p.Click(fmt.Sprintf(head, 3))
	p.wants(2, "20: 4.28571 ... 1.28571 | 1 to 20 of 45 rows, 3 columns")
	p.aria(3, "descending")
	p.Click(`[aria-label="last page"]`)
	p.wants(2, "5: NaN ... NaN | 41 to 45 of 45 rows, 3 columns")
	p.Shot("missing-" + theme)
	p.Click(fmt.Sprintf(head, 3)) // returns to the original order
	p.wants(0, "20: 0 ... 19 | 1 to 20 of 45 rows, 3 columns")
	p.aria(3, "")

	// Sort with the keyboard, by a column of words; equal words keep their order.
	pages.Eval[bool](p.page, `(document.querySelector("thead th:nth-child(2) button").focus(), true)`)
	p.Key(pages.Enter)
	p.wants(1, "20: </script> ... Bodø <i>$5</i> | 1 to 20 of 45 rows, 3 columns")
	if got := pages.Eval[string](p.page, `[...document.querySelectorAll("tbody th")].slice(0, 4).map(e => e.innerText).join()`); got != "4,9,14,19" {
		p.Errorf("rows %s: sorting is not stable", got)
	}
	p.aria(2, "ascending")

	// Turn pages with the keyboard.
	p.Key(pages.Tab)
	p.Key(pages.Tab) // skips the other columns
	p.Key(pages.Tab)
	p.Key(pages.Tab)
	p.Key(pages.Tab)
	p.Key(" ")
	p.wants(1, "20: Bodø <i>$5</i> ... Ålesund | 21 to 40 of 45 rows, 3 columns")
	p.Key(" ")
	p.Key(" ") // this is the last page: the focus stays, and nothing happens
	p.wants(1, "5: Ålesund ... Ålesund | 41 to 45 of 45 rows, 3 columns")
	if got := pages.Eval[string](p.page, `document.activeElement.getAttribute("aria-label") + document.activeElement.getAttribute("aria-disabled")`); got != "next pagetrue" {
		p.Error(got)
	}

	// Search finds text in any column.
	p.Click("input[type=search]")
	p.Key("oslo")
	p.wants(1, "9: Oslo ... Oslo | 1 to 9 of 9 found in 45 rows, 3 columns")
	p.Shot("found-" + theme)
	p.Key("x")
	p.wants(1, "0: none ... none | none of 0 found in 45 rows, 3 columns")
	pages.Eval[bool](p.page, `(e => { e.value = ""; e.oninput(); return true })(document.querySelector("input"))`)
	p.wants(1, "20: </script> ... Bodø <i>$5</i> | 1 to 20 of 45 rows, 3 columns")
}

// aria checks that only the given column reports how it is sorted.
func (p framePage) aria(column int, want string) {
	p.Helper()
	if want != "" {
		want = fmt.Sprint(column, " ", want)
	}
	if got := pages.Eval[string](p.page, `[...document.querySelectorAll("thead tr:first-child th")].map((e, i) => e.ariaSort ? i + 1 + " " + e.ariaSort : "").filter(s => s).join()`); got != want {
		p.Errorf("aria-sort is %q, want %q", got, want)
	}
}

// frames makes a front end show a data frame, because each front end runs scripts in a different way.
func frames(p tab) {
	n := p.run(`import ("github.com/go-gota/gota/dataframe"; "github.com/go-gota/gota/series")
squares := make([]int, 1234)
for i := range squares { squares[i] = (i - 50) * (i - 50) }
dataframe.New(series.New(squares, series.Int, "square"))`)
	p.has(n, "square", "1 to 20 of the first 1,000 of 1,234 rows, 1 columns")
	first := element(n, "tbody td") + ".innerText"
	p.Until(`%s === "2500"`, first)
	p.ClickElement(element(n, "thead button"))
	p.Until(`%s === "0"`, first)
	p.ClickElement(element(n, "[aria-label='next page']"))
	p.Until(`%s === "100"`, first)
	p.Shot("frames")
	// Text typed in the search box is not a command of the notebook.
	cells := pages.Eval[int](p.page, `client.length()`)
	p.ClickElement(element(n, "input[type=search]"))
	p.Key("bb9801")
	p.has(n, "none of 0 found")
	if got := pages.Eval[int](p.page, `client.length()`); got != cells {
		p.Errorf("there were %d cells and are %d", cells, got)
	}
}

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
