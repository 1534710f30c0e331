package live

import (
	"fmt"
	"testing"

	"overcomplete/kernel/internal/browser/pages"
)

// TestTelephone shows a page at a phone's width: no content is cut off at the side, and the page does not
// scroll sideways.
func TestTelephone(t *testing.T) {
	inEachBrowser(t, func(t *testing.T, b pages.Browser) {
		r := open(t, b, serveSite(t, 0), "tour.html", pages.Options{Width: 360, Height: 740, Dark: true})
		r.narrow(360)
		r.press("run-all")
		r.Until(`client.states().every(s => s === "done")`)
		r.edit("last", `fmt.Println("a line that is much longer than a telephone is wide, which an editor has to break somewhere")`)
		r.narrow(360)
		for k, id := range []string{"imports", "plot", "table", "interact", "controls", "last"} {
			pages.Eval[bool](r.Page, `(client.cell(%q).scrollIntoView(), true)`, id)
			r.Shot(fmt.Sprintf("telephone-%d", k))
		}
		r.press("files")
		r.narrow(360)
		r.Shot("telephone-files")
	})
}

// narrow checks that nothing is wider than a window of that width.
func (r reader) narrow(most float64) {
	r.Helper()
	if width := pages.Eval[float64](r.Page, `document.documentElement.scrollWidth`); width > most {
		r.Errorf("the page is %v wide", width)
	}
	if wide := pages.Eval[[]string](r.Page, `client.wide()`); len(wide) > 0 {
		r.Errorf("wider than the window: %v", wide)
	}
}
