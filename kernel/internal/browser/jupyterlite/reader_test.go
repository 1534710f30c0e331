package jupyterlite

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// A reader is a user of JupyterLite in a browser. Cells are counted from 0.
type reader struct {
	pages.Page
	site *site
}

// inEachBrowser runs a test in each browser.
func inEachBrowser(t *testing.T, do func(*testing.T, pages.Browser)) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the kernel and the application, and starts browsers")
	}
	for _, b := range pages.Browsers {
		t.Run(b.Name, func(t *testing.T) {
			b.Here(t)
			do(t, b)
		})
	}
}

// harmless lists errors of Lab's own parts: when a kernel ends before it has answered; when ipywidgets looks
// for a kernel and finds none; and when the user leaves the page while Lab's parts look for a file.
var harmless = []string{"Canceled future for", "Cannot read properties of null (reading 'kernel')", "session is null", "Could not find file with path"}

// open opens a notebook of the site in a new browser.
func open(t *testing.T, b pages.Browser, s *site, name string) reader {
	t.Helper()
	client, err := os.ReadFile("../drive/lab.js")
	if err != nil {
		t.Fatal(err)
	}
	o := pages.Options{Script: string(client), Harmless: harmless, Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")}
	r := reader{b.Open(t, s.notebook(name), o), s}
	r.Prefix = strings.ReplaceAll(t.Name(), "/", "-") + "-"
	return r
}

// in returns the page for a subtest.
func (r reader) in(t *testing.T) reader {
	r.Page = r.Page.In(t)
	return r
}

// ready waits until a notebook is loaded and has an idle kernel.
func (r reader) ready() {
	r.Helper()
	r.Until(`client.ready()`)
}

// start adds a cell at the end and runs it.
func (r reader) start(src string) int {
	r.Helper()
	n := pages.Eval[int](r.Page, `client.add(%s)`, fmt.Sprintf("%q", src))
	r.Key(pages.Enter, pages.Control)
	return n
}

// run is like start, and waits until the cell has ended.
func (r reader) run(src string) int {
	r.Helper()
	n := r.start(src)
	r.Until(`client.done(%d)`, n)
	return n
}

// shows waits until a string appears below a cell.
func (r reader) shows(n int, text string) {
	r.Helper()
	r.Until(`client.text(%d).includes(%q)`, n, text)
}

// press clicks the elements for a command.
func (r reader) press(command string) {
	r.Helper()
	for i := range pages.Eval[int](r.Page, `client.buttons[%q].length`, command) {
		r.ClickElement(fmt.Sprintf(`client.button(client.buttons[%q][%d])`, command, i))
	}
}
