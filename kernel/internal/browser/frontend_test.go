package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/pages"
)

// A frontEnd is a program that shows notebooks in a browser. The tests take the same steps in each front end.
// The differences are in the front end's script, which gives each page an object client:
//
//	ready(), busy()             whether the notebook is loaded and its kernel idle; whether the kernel is busy
//	kernelName(), highlighted(), logo()
//	scroller()                  the element that scrolls the cells
//	length(), find(text)        the number of cells; the first cell that contains a text
//	cell(n), output(n), text(n) the element of a cell (from 0); of its output; the output's text
//	source(n), setSource(n, text)
//	outputs(n)                  its outputs as in a notebook's file
//	stdout(n)                   what was printed, and shown
//	done(n), waiting(n), code(n) whether the cell has run; whether it runs or is queued; whether it is code
//	add(source), reveal(n)      a new cell at the end, in edit mode; scrolls to a cell
//	dirty(), trusted(), trust()
//	openComms()                 a promise of the kernel's number of comms
//	choices(), tooltip()        the completer's entries; the text of Shift-Tab's tooltip, or ""
//	box(), dialog()             the input box; the text of a dialog, or ""
//	slider(n, i), alive(slider) the handle of a slider below a cell; whether the slider can be moved
//	stands(slider)              its value, the position of its handle, and at(value): the position for a value
//	buttons, button(what)       the elements to click for a command, in order; a single such element
type frontEnd struct {
	name   string
	server func(*testing.T) server
	url    func(s server, notebook string) string
	script string
}

//go:embed drive/classic.js
var classicScript string

//go:embed drive/lab.js
var labScript string

// pageOf returns a function that returns the address of a notebook's page.
func pageOf(folder, more string) func(server, string) string {
	return func(s server, notebook string) string { return s.URL + folder + notebook + "?token=" + s.Token + more }
}

var (
	classic   = frontEnd{"classic", classicNotebook, pageOf("/nbclassic/notebooks/", ""), classicScript}
	lab       = frontEnd{"lab", jupyterLab, pageOf("/lab/tree/", "&reset"), labScript} // &reset: without previously open notebooks
	notebook7 = frontEnd{"notebook7", jupyterNotebook, pageOf("/notebooks/", ""), labScript}
	frontEnds = []frontEnd{classic, lab, notebook7}
)

// A tab is a page of a front end with a notebook. Cells are counted from 0.
type tab struct {
	page
	frontEnd
	server   server
	notebook string
}

// open opens a notebook in a new browser. The parameter more is a script that runs before the page's scripts.
func (f frontEnd) open(t *testing.T, s server, notebook, more string) tab {
	t.Helper()
	return f.tab(openWith(t, "about:blank", more+f.script), s, notebook)
}

// tab opens a notebook in a new page of a browser that has the front end's script.
func (f frontEnd) tab(browser page, s server, notebook string) tab {
	browser.Helper()
	p := tab{browser.Tab(f.url(s, notebook)), f, s, notebook}
	p.Prefix = f.name + "-"
	p.ready()
	return p
}

// another opens the notebook in another window of the browser.
func (p tab) another() tab {
	p.Helper()
	return p.frontEnd.tab(p.page, p.server, p.notebook)
}

// in returns the tab for a subtest.
func (p tab) in(t *testing.T) tab {
	p.page = p.page.In(t)
	return p
}

// ready waits until a notebook is loaded, has an idle kernel, and no longer changes: Lab adds cells, and
// scrolls to the first one, for some time after it reports that it is ready.
func (p tab) ready() {
	p.Helper()
	p.Until(`client.ready()`)
	pages.Eval[bool](p.page, `(async function() {
		for (let last = "", still = 0, k = 0; still < 8 && k < 100; k++) {
			const e = client.scroller(), now = [e.scrollTop, e.scrollHeight, client.length()].join();
			still = now === last ? still + 1 : 0;
			last = now;
			await new Promise(done => setTimeout(done, 50));
		}
		return true;
	})()`)
}

// press clicks the elements for a command with the mouse.
func (p tab) press(command string) {
	p.Helper()
	n := pages.Eval[int](p.page, `client.buttons[%s].length`, quote(command))
	for i := range n {
		p.ClickElement(fmt.Sprintf(`client.button(client.buttons[%s][%d])`, quote(command), i))
	}
}

// cell adds a new cell at the end, in edit mode, and returns its number.
func (p tab) cell(src string) int {
	p.Helper()
	return pages.Eval[int](p.page, `client.add(%s)`, quote(src))
}

// start runs the selected cell without waiting.
func (p tab) start() {
	p.Helper()
	p.Key(pages.Enter, pages.Control)
}

func (p tab) done(n int) {
	p.Helper()
	p.Until(`client.done(%d)`, n)
}

// run adds a cell at the end, runs it, and returns its number.
func (p tab) run(src string) int {
	p.Helper()
	n := p.cell(src)
	p.start()
	p.done(n)
	p.reveal(n)
	return n
}

// reveal scrolls to a cell until the cell stays in place. Cells above it get their height only when they are
// drawn.
func (p tab) reveal(n int) {
	p.Helper()
	pages.Eval[bool](p.page, `(async function(n) {
		for (let last = NaN, k = 0; k < 20; k++) {
			client.reveal(n);
			const y = client.cell(n).getBoundingClientRect().y;
			if (y === last) break;
			last = y;
			await new Promise(done => setTimeout(done, 50));
		}
		return true;
	})(%d)`, n)
}

// output returns the text below a cell.
func (p tab) output(n int) string {
	p.Helper()
	return pages.Eval[string](p.page, `client.text(%d)`, n)
}

// has checks that strings appear below a cell.
func (p tab) has(n int, want ...string) {
	p.Helper()
	// The reply that sets a cell's number comes on a different channel than its output, and may come first.
	var got string
	lacks := func(w string) bool { return !strings.Contains(got, w) }
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		got = strings.ReplaceAll(p.output(n), "\u00a0", " ")
		if !slices.ContainsFunc(want, lacks) {
			return
		}
		if time.Since(begin) > pages.Shortly {
			break
		}
	}
	p.Shot("failed")
	for _, w := range want {
		if lacks(w) {
			p.Errorf("cell %d shows\n%s\nwhich lacks %q", n, got, w)
		}
	}
}

// lacks checks that strings do not appear below a cell.
func (p tab) lacks(n int, not ...string) {
	p.Helper()
	got := p.output(n)
	for _, w := range not {
		if strings.Contains(got, w) {
			p.Errorf("cell %d shows\n%s\nwhich has %q", n, got, w)
		}
	}
}

// output is an output in a notebook's file.
type output struct {
	Type string `json:"output_type"`
	Name string
	Text any
	Data map[string]any
}

// outputs returns a cell's outputs as in the notebook's file.
func (p tab) outputs(n int) []output {
	p.Helper()
	var list []output
	if err := json.Unmarshal([]byte(pages.Eval[string](p.page, `JSON.stringify(client.outputs(%d))`, n)), &list); err != nil {
		p.Fatal(err)
	}
	return list
}

// failed reports whether a cell has an error below it.
func (p tab) failed(n int) bool {
	p.Helper()
	return slices.ContainsFunc(p.outputs(n), func(o output) bool { return o.Type == "error" })
}

// element returns a JavaScript expression for the first element below a cell that matches selector.
func element(n int, selector string) string {
	return fmt.Sprintf(`client.output(%d).querySelector(%s)`, n, quote(selector))
}

// source returns the text of a cell.
func (p tab) source(n int) string {
	p.Helper()
	return pages.Eval[string](p.page, `client.source(%d)`, n)
}

// save saves the notebook and returns the text of its file. Interact's output may reach the notebook a moment
// after the save, and Lab may be autosaving the previous state. So save saves until the file stays the same.
func (p tab) save() string {
	p.Helper()
	name := filepath.Join(p.server.Folder, p.notebook)
	last := ""
	for begin := time.Now(); ; {
		before, err := os.Stat(name)
		if err != nil {
			p.Fatal(err)
		}
		p.press("save")
		text, written := p.written(name, before.ModTime())
		if written && p.Holds(2*time.Second, `!client.dirty()`) {
			if text == last {
				return text
			}
			last = text
		}
		if time.Since(begin) > pages.Soon {
			p.Shot("failed")
			p.Fatal("the notebook was not saved")
		}
	}
}

// written waits until a file has changed since a time, and returns its text. The server empties the file
// before writing it, and writes the final newline separately.
func (p tab) written(name string, since time.Time) (text string, ok bool) {
	p.Helper()
	last := ""
	for begin := time.Now(); time.Since(begin) < pages.Soon/2; time.Sleep(100 * time.Millisecond) {
		after, err := os.Stat(name)
		if err != nil || !after.ModTime().After(since) {
			continue
		}
		b, err := os.ReadFile(name)
		if err == nil && json.Valid(b) && string(b) == last {
			return last, true
		}
		last = string(b)
	}
	return "", false
}

// reload loads the page anew.
func (p tab) reload() {
	p.Helper()
	pages.Eval[bool](p.page, `(window.old = true, setTimeout(() => location.reload()), true)`)
	p.Until(`!window.old`)
	p.ready()
}

// A page is a page in the browser.
type page = pages.Page

// harmless lists errors of pages' scripts that the kernel does not cause.
var harmless = []string{
	"draggable is not a function",         // the classic Notebook, about its dialogs
	"No active debugger session",          // Lab, with any kernel without a debugger
	"reading 'schema'",                    // Notebook 7, if settings arrive before its shortcuts' schema
	"Canceled future for execute_request", // Lab, about a cell that was running when its kernel restarted
	"Canceled future for debug_request",   // Lab, about a request of its debugger panel during a restart
	"Kernel Connection disposed",          // Lab, about another request during a restart
	"ResizeObserver loop",                 // Chromium; it is advised to ignore this error
}

// openPage opens a browser for the test.
func openPage(t *testing.T, url string) page { return openWith(t, url, "") }

// openWith opens a browser in which a script runs before the scripts of each page.
func openWith(t *testing.T, url, script string) page {
	t.Helper()
	return pages.Chromium.Open(t, url, pages.Options{Script: script, Harmless: harmless, Shots: os.Getenv("OVERCOMPLETE_SCREENSHOTS")})
}

func quote(s string) string {
	b, _ := json.Marshal(s) // marshaling a string cannot fail
	return string(b)
}
