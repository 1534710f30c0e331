package export

import (
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

// Sections that JupyterLab folds are folded on the page, with the solutions in them. A heading below the section's own
// level ends nothing, a cell with a heading of its level does, and so does the end of the notebook.
func TestFoldedSections(t *testing.T) {
	const folds = `"jp-MarkdownHeadingCollapsed":true`
	nb, err := notebook.Parse([]byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{"language_info":{"name":"go"}},"cells":[
{"cell_type":"markdown","id":"one","metadata":{` + folds + `},"source":"## One\n\nfound"},
{"cell_type":"markdown","id":"text","metadata":{` + folds + `},"source":"no heading"},
{"cell_type":"markdown","id":"below","metadata":{` + folds + `},"source":"### Below"},
{"cell_type":"code","id":"sol","metadata":{"tags":["solution"]},"execution_count":2,"source":"solve()","outputs":[]},
{"cell_type":"markdown","id":"two","metadata":{},"source":"## Two"},
{"cell_type":"code","id":"shown","metadata":{},"execution_count":3,"source":"shown()","outputs":[]},
{"cell_type":"markdown","id":"three","metadata":{` + folds + `},"source":"## Three"},
{"cell_type":"code","id":"last","metadata":{},"execution_count":4,"source":"last()","outputs":[]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	page := string(HTML(nb, HTMLOptions{}).HTML)
	start, end := strings.TrimSpace(restStart), strings.TrimSpace(restEnd)
	inOrder(t, page, `id="cell-one"`, "found", start, `id="cell-text"`, `id="cell-below"`, strings.TrimSpace(solutionStart), `id="cell-sol"`,
		end, end, `id="cell-two"`, `id="cell-shown"`, `id="cell-three"`, start, `id="cell-last"`, end, "</main>")
	if n := strings.Count(page, start); n != 2 {
		t.Errorf("%d folded sections", n)
	}
}
