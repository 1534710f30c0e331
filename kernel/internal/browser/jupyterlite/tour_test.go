package jupyterlite

import (
	"fmt"
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// TestTour does what a reader does with a notebook. Each step continues in the page that the previous step
// has left.
func TestTour(t *testing.T) {
	steps := []struct {
		name string
		do   func(reader)
	}{
		{"open", opened}, {"run", runs}, {"completion", completes}, {"interrupt", interrupts}, {"input", asks},
		{"error", fails}, {"slider", slides}, {"save", saves}, {"restart", restarts}, {"death", dies},
	}
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		r := open(t, b, serveSite(t), "small.ipynb")
		for _, s := range steps {
			if !t.Run(s.name, func(t *testing.T) { s.do(r.in(t)) }) {
				t.Fatalf("what comes after the step %q was not tried", s.name)
			}
		}
	})
}

func opened(r reader) {
	r.ready()
	if name := pages.Eval[string](r.Page, `client.kernelName()`); name != "Go (overcomplete)" {
		r.Errorf("the kernel's name is %q", name)
	}
	r.Shot("open")
}

func runs(r reader) {
	r.shows(r.run("x := 6*7\nx"), "42")
	n := r.run("import \"fmt\"\nfor i := range 3000 { fmt.Println(i) }")
	r.shows(n, "2999")
	r.shows(r.run("x + 1"), "43")
}

// completes uses completion with the keyboard while a cell runs.
func completes(r reader) {
	running := r.start("for i := 0; ; i++ {}")
	r.Until(`client.busy()`)
	pages.Eval[int](r.Page, `client.add("import \"strings\"\nstrings.ToU")`)
	r.Key(pages.Tab)
	r.Until(`client.choices().includes("ToUpper")`)
	r.Shot("completion")
	r.Key(pages.Escape)
	r.press("interrupt")
	r.shows(running, "all variables are kept")
}

func interrupts(r reader) {
	n := r.start("import \"time\"\ntime.Sleep(time.Hour)")
	r.Until(`client.busy()`)
	r.press("interrupt")
	r.shows(n, "Interrupted")
	r.shows(r.run("x"), "42")
}

func asks(r reader) {
	n := r.start("var name string\nfmt.Print(\"name? \")\nfmt.Scan(&name)\nfmt.Println(\"hello\", name)")
	r.Until(`!!client.box()`)
	r.ClickElement(`client.box()`)
	r.Key("Ada" + pages.Enter)
	r.shows(n, "hello Ada")
}

// fails runs a cell that fails; the next cell is aborted.
func fails(r reader) {
	n := r.run("var m map[string]int\nm[\"a\"] = 1")
	r.shows(n, "create the map first")
	r.Shot("error")
}

// slides moves the slider of Interact.
func slides(r reader) {
	n := r.run("import \"overcomplete/ui/widget\"\nwidget.Interact(func(k int) any { return fmt.Sprint(\"square: \", k*k) }, widget.IntSlider(\"k\", 1, 10, 3))")
	r.shows(n, "square: 9")
	slider := fmt.Sprintf(`client.slider(%d, 0)`, n)
	r.Until(`%s && client.alive(%[1]s)`, slider)
	r.Middle(slider) // wait until the slider no longer moves
	at := pages.Eval[struct{ From, To struct{ X, Y float64 } }](r.Page, `(s => ({From: s.now, To: s.at(8)}))(client.stands(%s))`, slider)
	r.Drag(pages.Point(at.From), pages.Point(at.To), func() { r.shows(n, "square: 64") })
	r.Shot("slider")
}

// saves saves to the browser's storage, reloads the page, and finds cells and controls unchanged.
func saves(r reader) {
	cells := pages.Eval[int](r.Page, `client.length()`)
	// Interact's output reaches the notebook a moment after it is visible.
	r.Until(`JSON.stringify(client.outputs(client.find("widget.Interact"))).includes("square: 64")`)
	r.press("save")
	r.Until(`!client.dirty()`)
	r.Reload()
	r.ready()
	if n := pages.Eval[int](r.Page, `client.length()`); n != cells {
		r.Errorf("%d cells were saved, %d are there", cells, n)
	}
	n := pages.Eval[int](r.Page, `client.find("widget.Interact")`)
	r.shows(n, "square: 64")
	r.shows(n, "To move the controls, run the cell")
	if strings.Contains(pages.Eval[string](r.Page, `client.text(%d)`, n), "Error displaying widget") {
		r.Error("the kernel does not know the controls that the notebook has")
	}
	r.Shot("reloaded")
}

// restarts restarts the kernel with the button; the new kernel has no state.
func restarts(r reader) {
	r.run("kept := 5")
	r.press("restart")
	r.ready()
	r.shows(r.run("kept"), "undefined: kept")
}

// dies makes Go's runtime end the program; the page tells the reader, who can continue.
func dies(r reader) {
	n := r.start(`import ("encoding/json"; "runtime/debug")
debug.SetMaxStack(1)
deep := map[string]any{}
for range 3000 { deep = map[string]any{"a": deep} }
json.Marshal(deep)`)
	r.Until(`client.dialog().includes("appears to have died")`)
	r.shows(n, "starts again without what it knew")
	r.shows(n, "stack overflow")
	r.Shot("death")
	r.press("accept")
	r.ready()
	r.shows(r.run("6*7"), "42")
}

// TestMissing opens a notebook while the kernel cannot be fetched; Lab reports the error.
func TestMissing(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		s := serveSite(t)
		s.broken.Store(true)
		r := open(t, b, s, "small.ipynb")
		r.Until(`/did not start.*404/s.test(client.dialog())`)
		r.Shot("missing")
	})
}
