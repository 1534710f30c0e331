package live

import (
	"fmt"
	"testing"
	"time"

	"overcomplete/kernel/internal/browser/pages"
)

// noStorage makes a page's storage behave as if the reader had disabled it: access fails.
const noStorage = `(() => {
	const denied = () => new DOMException("The operation is insecure.", "SecurityError");
	for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) {
		Object.defineProperty(window, name, {get() { throw denied() }});
	}
	if (navigator.serviceWorker) navigator.serviceWorker.register = async () => { throw denied() };
})();`

// TestNoWebAssembly: the page reports that WebAssembly is missing, and stays readable.
func TestNoWebAssembly(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		s := serveSite(t, 0)
		r := open(t, b, s, "exit.html", pages.Options{NoWebAssembly: true})
		r.start("edit")
		r.says("WebAssembly")
		r.Shot("no-webassembly")
		for _, name := range s.requests() {
			if len(name) > 6 && name[:6] == "kernel" {
				t.Errorf("%s is fetched in vain", name)
			}
		}
		r.edit("edit", mine) // editing still works
		r.reload()
		if got := r.source("edit"); got != mine {
			t.Errorf("the edit has become %q", got)
		}
	})
}

// TestNoStorage: the page reports that storage is not available, and everything else works.
func TestNoStorage(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		r := open(t, b, serveSite(t, 0), "exit.html", pages.Options{Script: noStorage})
		r.edit("edit", mine)
		r.says("storage|not kept|cannot keep|keeps nothing|not saved|cannot save")
		r.Shot("no-storage")
		r.run("edit")
		r.shows("edit", "mine 42")
	})
}

// TestDownload makes the kernel's download fail, and then succeed.
func TestDownload(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		s := serveSite(t, 0)
		r := open(t, b, s, "exit.html", pages.Options{Harmless: []string{"Error in input stream"}}) // the text of Firefox's error
		r.edit("edit", mine)
		for _, c := range []struct {
			name string
			is   fault
		}{{"missing", missing}, {"cut", cut}} {
			s.fail("kernel", c.is)
			if c.is == missing {
				r.start("edit")
			} else {
				r.again()
			}
			r.Until(`client.states().every(s => s === "idle" || s === "failed") && /again|retry/i.test(client.live())`)
			r.Shot("download-" + c.name)
			if got := r.source("edit"); got != mine {
				t.Errorf("%s: the edit has become %q", c.name, got)
			}
		}
		s.fail("kernel", 0)
		r.again()
		r.Until(`!client.states().includes("runs")`)
		r.run("edit")
		r.shows("edit", "mine 42")
	})
}

// again presses the button offered after a failure.
func (r reader) again() {
	r.Helper()
	r.ClickElement(`[...document.querySelectorAll("#live button")].find(e => client.seen(e) && /again|retry/i.test(e.innerText))`)
}

// TestKernelEnds makes a kernel end or hang: the page reports this and offers a restart, and edits are kept.
func TestKernelEnds(t *testing.T) {
	for _, c := range []struct {
		name, says string
		stop       bool // the test interrupts the cell, in vain
	}{
		{"exit", "ended|end|exit|restart", false},
		{"memory", "memory", false}, // the cell ends, and the kernel survives
		{"fatal", "memory", false},
		{"hang", "compiled|does not stop|not stop|no answer", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inEachBrowser(t, func(t *testing.T, b pages.Browser) {
				r := open(t, b, serveSite(t, 0), c.name+".html", pages.Options{})
				r.edit("edit", mine)
				r.run("edit")
				begin := time.Now()
				said := fmt.Sprintf(`/%s/i.test(client.live() + client.text("bad"))`, c.says)
				if c.stop {
					r.startAndStop("bad", said)
				} else {
					r.start("bad")
				}
				r.Until(`%s && client.button("restart")`, said)
				t.Logf("the page says so after %v", time.Since(begin).Round(10*time.Millisecond))
				r.Shot(c.name)
				r.press("restart")
				r.Until(`!client.states().includes("runs") && !client.states().includes("waits")`)
				if got := r.source("edit"); got != mine {
					t.Errorf("the edit has become %q", got)
				}
				r.run("edit")
				r.shows("edit", "mine 42")
				r.Shot(c.name + "-restarted")
			})
		})
	}
}

// startAndStop starts a cell and interrupts it until the page has reported that the interrupt is in vain. On
// a busy machine an interrupt can come before the cell has begun, and then it ends the cell.
func (r reader) startAndStop(id, said string) {
	r.Helper()
	for range 10 {
		r.start(id)
		r.Until(`client.state(%q) === "runs"`, id)
		r.press("interrupt")
		r.Until(`%s || client.state(%q) === "failed"`, said, id)
		if r.state(id) == "runs" {
			return
		}
		r.Logf("stopped before it hung:\n%s", r.text(id))
	}
	r.Fatalf("cell %s was always stopped before it hung", id)
}
