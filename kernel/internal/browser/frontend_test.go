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

// A frontEnd is a program that shows notebooks in a browser. The steps of the tests are the same
// in each; what differs is in its script, which gives each page an object client:
//
//	ready(), busy()             whether the notebook is there and its kernel idle; whether it is busy
//	kernelName(), highlighted(), logo()
//	scroller()                  the element that scrolls the cells
//	length(), find(text)        how many cells there are; the first one that has a text
//	cell(n), output(n), text(n) the element of a cell (from 0), of what is below it; what can be read there
//	source(n), setSource(n, text)
//	outputs(n)                  its outputs as in a notebook's file
//	stdout(n)                   what was printed, and shown
//	done(n), waiting(n), code(n) whether it has run; whether it runs or is to; whether it is code
//	add(source), reveal(n)      a new cell at the end, in edit mode; scrolls to a cell
//	dirty(), trusted(), trust()
//	openComms()                 a promise of how many comms the kernel has
//	choices(), tooltip()        of the completer; the text of what Shift-Tab shows, or ""
//	box(), dialog()             where an input is asked for; the text of a dialog, or ""
//	slider(n, i), alive(slider) the handle of a slider below a cell; whether it can be moved
//	stands(slider)              its value, where its handle is, and at(value): where that goes
//	buttons, button(what)       what is clicked, one after the other, for a command; its element
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

// pageOf is the address of a notebook's page.
func pageOf(folder, more string) func(server, string) string {
	return func(s server, notebook string) string { return s.URL + folder + notebook + "?token=" + s.Token + more }
}

var (
	classic   = frontEnd{"classic", classicNotebook, pageOf("/nbclassic/notebooks/", ""), classicScript}
	lab       = frontEnd{"lab", jupyterLab, pageOf("/lab/tree/", "&reset"), labScript} // without what was open before
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

// open opens a notebook in a browser of its own; more is a script that runs before the page's.
func (f frontEnd) open(t *testing.T, s server, notebook, more string) tab {
	t.Helper()
	return f.tab(openWith(t, "about:blank", more+f.script), s, notebook)
}

// tab opens a notebook in a page of its own in a browser that has the front end's script.
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

// in gives the tab to a subtest.
func (p tab) in(t *testing.T) tab {
	p.page = p.page.In(t)
	return p
}

// ready waits for a notebook that is loaded, has an idle kernel, and is at rest: Lab adds cells,
// and scrolls to the first one, for some time after it says that it is ready.
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

// press clicks on what a command takes, with the mouse.
func (p tab) press(command string) {
	p.Helper()
	n := pages.Eval[int](p.page, `client.buttons[%s].length`, quote(command))
	for i := range n {
		p.Hit(fmt.Sprintf(`client.button(client.buttons[%s][%d])`, quote(command), i))
	}
}

// cell puts a new cell at the end, in edit mode, and gives its number.
func (p tab) cell(src string) int {
	p.Helper()
	return pages.Eval[int](p.page, `client.add(%s)`, quote(src))
}

// start runs the selected cell and does not wait.
func (p tab) start() {
	p.Helper()
	p.Key(pages.Enter, pages.Control)
}

func (p tab) done(n int) {
	p.Helper()
	p.Until(`client.done(%d)`, n)
}

// run puts a cell at the end, runs it, and gives its number.
func (p tab) run(src string) int {
	p.Helper()
	n := p.cell(src)
	p.start()
	p.done(n)
	p.reveal(n)
	return n
}

// reveal scrolls to a cell, until it stays there: what is above it gets its height only when it is
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

// output returns what can be read below a cell.
func (p tab) output(n int) string {
	p.Helper()
	return pages.Eval[string](p.page, `client.text(%d)`, n)
}

// has checks what can be read below a cell.
func (p tab) has(n int, want ...string) {
	p.Helper()
	// The reply that sets a cell's number comes on another channel than its output, and
	// may be first.
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

// lacks checks what cannot be read below a cell.
func (p tab) lacks(n int, not ...string) {
	p.Helper()
	got := p.output(n)
	for _, w := range not {
		if strings.Contains(got, w) {
			p.Errorf("cell %d shows\n%s\nwhich has %q", n, got, w)
		}
	}
}

// an output of a notebook's file.
type output struct {
	Type string `json:"output_type"`
	Name string
	Text any
	Data map[string]any
}

// outputs returns what a cell's output is in the notebook's file.
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

// element returns a script's expression for the first element below a cell.
func element(n int, selector string) string {
	return fmt.Sprintf(`client.output(%d).querySelector(%s)`, n, quote(selector))
}

// source returns the text of a cell.
func (p tab) source(n int) string {
	p.Helper()
	return pages.Eval[string](p.page, `client.source(%d)`, n)
}

// save saves the notebook and gives what is in its file. What Interact shows may come into the
// notebook a moment after the saving, and Lab may be saving by itself what there was before: it is saved until
// the file stays the same.
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

// written waits until a file has been changed since a time, and gives its text. The server empties
// the file before it writes it, and writes the last line end by itself.
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
