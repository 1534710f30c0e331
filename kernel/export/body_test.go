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

const hidden = `"jupyter":{"source_hidden":true,"outputs_hidden":true}`

// lecture is a notebook with an exercise, and with cells that show nothing. The solution of the exercise has
// three cells, one of which has only code.
const lecture = `{"nbformat":4,"nbformat_minor":5,"metadata":{"language_info":{"name":"go"}},"cells":[
{"cell_type":"markdown","id":"ask","metadata":{"tags":["exercise"]},"source":"**1.** Why?"},
{"cell_type":"code","id":"try","metadata":{"tags":["exercise"]},"execution_count":null,"source":"try()","outputs":[]},
{"cell_type":"code","id":"sol","metadata":{"tags":["solution"],` + hidden + `},"execution_count":2,"source":"solve()","outputs":[{"output_type":"stream","name":"stdout","text":"42\n"}]},
{"cell_type":"raw","id":"mark","metadata":{"raw_mimetype":"text/html"},"source":"<a id=mark></a>"},
{"cell_type":"markdown","id":"why","metadata":{"tags":["solution"],"jupyter":{"source_hidden":true}},"source":"Because $x$."},
{"cell_type":"raw","id":"after","metadata":{"raw_mimetype":"text/html"},"source":"<a id=after></a>"},
{"cell_type":"markdown","id":"cell","metadata":{},"source":"# Cell ask"},
{"cell_type":"code","id":"setup","metadata":{` + hidden + `},"execution_count":3,"source":"setup()","outputs":[{"output_type":"stream","name":"stdout","text":"ready"}]},
{"cell_type":"code","id":"gone","metadata":{"tags":["remove-cell","solution"]},"execution_count":null,"source":"gone()","outputs":[]},
{"cell_type":"code","id":"last","metadata":{"tags":["solution"]},"execution_count":null,"source":"last()","outputs":[]}]}`

// inOrder fails unless the wanted strings occur in this order.
func inOrder(t *testing.T, text string, want ...string) {
	t.Helper()
	rest := text
	for _, w := range want {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("no %q where it should be in\n%s", w, text)
		}
		rest = after
	}
}

func TestSolutions(t *testing.T) {
	nb, err := notebook.Parse([]byte(lecture))
	if err != nil {
		t.Fatal(err)
	}
	page := string(HTML(nb, HTMLOptions{}).HTML)
	_, main, _ := strings.Cut(page, "<main id=\"main\">")
	inOrder(t, main, `<section class="text exercise" id="cell-ask">`, `id="cell-try"`, "try",
		`<details class="solution"><summary>Solution<span class="untried">: try it first, or show it anyway</span></summary>`, `<section class="cell" id="cell-sol">`, "solve", "42",
		`<a id="cell-mark"></a>`, "<a id=mark></a>", `<section class="text" id="cell-why">`, `Because <span class="kept"><math>`, "</details>", `<a id="cell-after"></a>`, "<a id=after></a>",
		`<h1 id="cell-ask-1">`, `<details><summary>Code</summary>`, "setup", "</details>", "ready",
		`<details class="solution">`, `<a id="cell-gone"></a>`, "last", "</details>", "</main>")
	if n := strings.Count(main, `class="solution"`); n != 2 || strings.Contains(main, "<details open") || strings.Contains(main, "gone()") {
		t.Errorf("%d solutions in\n%s", n, main)
	}
	for _, c := range nb.Cells {
		if n := strings.Count(page, ` id="cell-`+c.ID+`"`); n != 1 {
			t.Errorf("cell %s: its id is there %d times", c.ID, n)
		}
	}
	// Without code the last solution has nothing to expand.
	page = string(HTML(nb, HTMLOptions{HideCode: true}).HTML)
	if n := strings.Count(page, `<details class="solution"`); n != 1 || !strings.Contains(page, `<a id="cell-last"></a>`) {
		t.Errorf("without code there are %d solutions", n)
	}

	text, _ := Markdown(nb, MarkdownOptions{})
	want := "**1.** Why?\n\n```go\ntry()\n```\n\n<details>\n<summary>Solution</summary>\n\n```go\nsolve()\n```\n\n```text\n42\n```\n\nBecause $x$.\n\n</details>\n\n# Cell ask\n\n" +
		"```go\nsetup()\n```\n\n```text\nready\n```\n\n<details>\n<summary>Solution</summary>\n\n```go\nlast()\n```\n\n</details>\n"
	if string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	if text, _ := Markdown(nb, MarkdownOptions{HideCode: true}); strings.Count(string(text), "<details>") != 1 || strings.Count(string(text), "</details>") != 1 {
		t.Errorf("without code: %s", text)
	}
}
