package live

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/pages"
)

//go:embed client.js
var client string

// A reader is a user of a live page in a browser.
type reader struct {
	pages.Page
	browser pages.Browser
	site    *site
}

// inEachBrowser runs a test in each browser, in parallel with other tests.
func inEachBrowser(t *testing.T, do func(*testing.T, pages.Browser)) {
	t.Helper()
	t.Parallel()
	alone(t, func(t *testing.T, b pages.Browser) { t.Parallel(); do(t, b) })
}

// alone runs a test in one browser after the other, before the parallel tests. It is for tests that measure
// time.
func alone(t *testing.T, do func(*testing.T, pages.Browser)) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the kernel, and starts browsers")
	}
	for _, b := range pages.Browsers {
		t.Run(b.Name, func(t *testing.T) {
			b.Here(t)
			do(t, b)
		})
	}
}

// open opens a page of a site in a new browser.
func open(t *testing.T, b pages.Browser, s *site, name string, o pages.Options) reader {
	t.Helper()
	o.Script = client + o.Script
	o.Shots = os.Getenv("OVERCOMPLETE_SCREENSHOTS")
	r := reader{b.Open(t, s.url(name), o), b, s}
	r.Prefix = strings.ReplaceAll(t.Name(), "/", "-") + "-"
	r.ready()
	return r
}

// in returns the page for a subtest.
func (r reader) in(t *testing.T) reader {
	r.Page = r.Page.In(t)
	return r
}

// another opens a page in another tab.
func (r reader) another(url string) reader {
	r.Helper()
	r.Page = r.Tab(url)
	r.ready()
	return r
}

// ready waits until the page's script has made its cells live.
func (r reader) ready() {
	r.Helper()
	r.Until(`client.all().length > 0 && document.querySelector("#live [role=status]")`)
}

// reload loads the page anew.
func (r reader) reload() {
	r.Helper()
	r.Reload()
	r.ready()
}

// press clicks a button of the page. In a narrow window some buttons are in a menu.
func (r reader) press(what string) {
	r.Helper()
	if !pages.Eval[bool](r.Page, `!!client.button(%q)`, what) {
		r.ClickElement(`client.button("more")`)
	}
	r.ClickElement(fmt.Sprintf(`client.button(%q)`, what))
}

// pressAt clicks a button of a cell.
func (r reader) pressAt(id, what string) {
	r.Helper()
	r.Hover(fmt.Sprintf(`client.button("run", %q)`, id)) // others may appear with the mouse
	r.ClickElement(fmt.Sprintf(`client.button(%q, %q)`, what, id))
}

// start runs a cell without waiting.
func (r reader) start(id string) {
	r.Helper()
	r.ClickElement(fmt.Sprintf(`client.button("run", %q)`, id))
}

// run runs a cell, which must succeed.
func (r reader) run(id string) {
	r.Helper()
	r.start(id)
	r.ends(id, "done")
}

// ends waits until a cell has ended, and checks its state.
func (r reader) ends(id, how string) {
	r.Helper()
	r.Until(`["done", "failed"].includes(client.state(%q))`, id)
	if got := r.state(id); got != how {
		r.Shot("failed")
		r.Fatalf("cell %s has %s, want %s:\n%s", id, got, how, r.text(id))
	}
}

func (r reader) state(id string) string {
	r.Helper()
	return pages.Eval[string](r.Page, `client.state(%q)`, id)
}

// text returns the text below a cell.
func (r reader) text(id string) string {
	r.Helper()
	return strings.ReplaceAll(pages.Eval[string](r.Page, `client.text(%q)`, id), "\u00a0", " ")
}

// shows waits until strings appear below a cell.
func (r reader) shows(id string, want ...string) {
	r.Helper()
	var got string
	lacks := func(w string) bool { return !strings.Contains(got, w) }
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if got = r.text(id); !slices.ContainsFunc(want, lacks) {
			return
		}
		if time.Since(begin) > pages.Shortly {
			break
		}
	}
	r.Shot("failed")
	for _, w := range want {
		if lacks(w) {
			r.Errorf("cell %s shows\n%s\nwhich lacks %q", id, got, w)
		}
	}
}

// lacks checks that strings do not appear below a cell.
func (r reader) lacks(id string, not ...string) {
	r.Helper()
	got := r.text(id)
	for _, w := range not {
		if strings.Contains(got, w) {
			r.Errorf("cell %s shows\n%s\nwhich has %q", id, got, w)
		}
	}
}

// says waits until the page's text about its kernel matches a pattern.
func (r reader) says(pattern string) {
	r.Helper()
	if !r.Holds(pages.Soon, `/%s/i.test(client.live())`, pattern) {
		r.Shot("failed")
		r.Fatalf("the page never says %q, but\n%s", pattern, pages.Eval[string](r.Page, "client.live()"))
	}
}

func (r reader) source(id string) string {
	r.Helper()
	return pages.Eval[string](r.Page, `client.source(%q)`, id)
}

// edit replaces the source of a cell, and leaves the cursor at its end.
func (r reader) edit(id, source string) {
	r.Helper()
	r.focus(id)
	r.Key("a", pages.Control)
	r.Key(pages.Delete)
	if source != "" {
		pages.Eval[bool](r.Page, `client.paste(%q)`, source)
	}
	r.Until(`client.source(%q) === %q`, id, source)
}

// focus puts the cursor into a cell.
func (r reader) focus(id string) {
	r.Helper()
	if !pages.Eval[bool](r.Page, `!!client.editor(%q)`, id) {
		r.ClickElement(fmt.Sprintf(`client.cell(%q).querySelector("pre.code")`, id))
	}
	r.ClickElement(fmt.Sprintf(`client.editor(%q)`, id))
	r.Until(`client.editor(%q).contains(document.activeElement)`, id)
}

// restart restarts the kernel.
func (r reader) restart() {
	r.Helper()
	r.press("restart")
	r.Until(`client.states().every(s => s !== "runs" && s !== "waits")`)
}

// slide drags a slider to a value. If the function during is not nil, slide calls it while the button is
// still pressed.
func (r reader) slide(id string, v float64, during func()) {
	r.Helper()
	slider := fmt.Sprintf(`client.slider(%q)`, id)
	r.Until(`%s && !%[1]s.disabled`, slider)
	r.Middle(slider) // wait until the slider no longer moves
	at := pages.Eval[struct{ From, To pages.Point }](r.Page, `(s => ({From: client.at(s, s.value), To: client.at(s, %v)}))(%s)`, v, slider)
	r.Drag(at.From, at.To, during)
}

// file writes a file to the reader's disk, and returns its name.
func (r reader) file(name, text string) string {
	r.Helper()
	name = filepath.Join(r.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
	return name
}
