package live

import (
	"strings"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// keyboardClient describes where the focus is.
const keyboardClient = `
window.focused = (() => {
  // ring reports whether the element, or what surrounds it closely, is drawn in another way than without the focus.
  const ring = (e) => {
    for (let k = 0; e && k < 4; k++, e = e.parentElement) {
      const s = getComputedStyle(e);
      if (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none") return true;
    }
    return false;
  };
  const name = (e) => (e.getAttribute("aria-label") || e.labels?.[0]?.innerText || e.innerText || e.title || e.closest("[aria-label]")?.getAttribute("aria-label") || "").trim().slice(0, 60);
  const inView = (e) => {
    const r = e.getBoundingClientRect();
    return r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth;
  };
  let order = 0;
  const numbers = new WeakMap();
  return () => {
    const e = document.activeElement;
    if (!e || e === document.body || e === document.documentElement) return {Tag: "", Name: "", Number: 0};
    const known = numbers.has(e);
    if (!known) numbers.set(e, ++order);
    return {Tag: e.tagName.toLowerCase(), Name: name(e), Number: numbers.get(e), Known: known, Ring: ring(e), InView: inView(e),
      Editor: !!e.closest(".cm-editor"), Cell: e.closest("section.cell")?.id.replace("cell-", "") ?? "", Does: e.dataset.do ?? "", Type: e.type ?? ""};
  };
})();`

// A stop is an element that has the focus.
type stop struct {
	Tag, Name, Cell, Does, Type string
	Number                      int  // counts the elements in the order in which they got the focus
	Known                       bool // the element has had the focus before
	Ring, InView, Editor        bool
}

func (r reader) focused() stop {
	r.Helper()
	return pages.Eval[stop](r.Page, `focused()`)
}

// tab moves the focus to the next element, and checks that a reader sees where it is and hears what it is.
func (r reader) tab() stop {
	r.Helper()
	if r.focused().Editor {
		r.Key(pages.Escape) // Tab indents or completes in an editor
	}
	r.Key(pages.Tab)
	at := r.focused()
	switch {
	case at.Tag == "": // the end of the page
	case !at.Ring:
		r.Errorf("nothing shows that the focus is on %+v", at)
	case !at.InView:
		r.Errorf("the focus is out of sight, on %+v", at)
	case at.Name == "":
		r.Errorf("what has the focus has no name: %+v", at)
	}
	return at
}

// tabTo moves the focus until it is on an element for which is returns true.
func (r reader) tabTo(what string, is func(stop) bool) stop {
	r.Helper()
	for range 400 {
		if at := r.tab(); is(at) {
			return at
		}
	}
	r.Fatalf("Tab does not reach %s", what)
	return stop{}
}

// TestKeyboard uses a live page with the keyboard only. The focus goes to a cell that is edited and run, to its slider,
// to a button that runs a cell, to a prediction, and then through the whole page. The first four are in the order of
// the page, because at its end the focus may go to the browser's own buttons.
func TestKeyboard(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		r := open(t, b, serveSite(t, 0), lesson+".html", pages.Options{Script: keyboardClient})
		isSkip := func(s stop) bool { return strings.HasPrefix(s.Name, "Skip to") }
		if at := r.tab(); !isSkip(at) {
			t.Fatalf("the first stop is %+v", at)
		}
		r.Shot("skip")
		r.Key(pages.Enter)
		var slider string
		for _, c := range readLesson(t) {
			if c.moves && c.tag == "" {
				slider = c.id
				break
			}
		}
		r.tabTo("the cell with a slider", func(s stop) bool {
			return s.Cell == slider && s.Tag == "pre" && strings.HasPrefix(s.Name, "code")
		})
		r.Key(pages.Enter)
		r.Until(`document.activeElement.closest(".cm-editor")`)
		r.Key(pages.Enter, pages.Control)
		r.ends(slider, "done")
		r.Shot("edited")
		if at := r.focused(); at.Cell != slider {
			t.Errorf("after a run, the focus is on %+v", at)
		}
		r.tabTo("the slider", func(s stop) bool { return s.Cell == slider && s.Type == "range" })
		before := pages.Eval[float64](r.Page, `Number(document.activeElement.value)`)
		key := pages.ArrowRight
		if r.Holds(0, `Number(document.activeElement.value) >= Number(document.activeElement.max)`) {
			key = pages.ArrowLeft
		}
		r.Key(key)
		r.Until(`document.activeElement.type === "range" && Number(document.activeElement.value) !== %v`, before)
		r.Shot("slider")

		last := r.tabTo("a run button", func(s stop) bool { return s.Does == "run" && s.Cell != slider })
		r.Key(pages.Enter)
		r.ends(last.Cell, "done")

		r.tabTo("a prediction", func(s stop) bool { return s.Tag == "summary" && strings.HasPrefix(s.Name, "A. ") })
		r.Key(pages.Enter)
		r.Until(`document.activeElement.closest("details").open`)
		r.Shot("prediction")

		// Now the whole page. No element keeps the focus, and none gets it twice.
		r.reload()
		// After the end of the page, the focus leaves it or begins again.
		stops := 0
		for at := r.tab(); at.Tag != "" && !(stops > 0 && isSkip(at)); at = r.tab() {
			if stops++; at.Known || stops > 3000 {
				t.Fatalf("after %d stops, the focus is again on %+v", stops, at)
			}
		}
		t.Logf("%d stops", stops)
	})
}
