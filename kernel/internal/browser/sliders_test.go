package browser

import (
	"fmt"

	"overcomplete/kernel/internal/browser/pages"
)

// A slider is a slider below a cell, counted from 0 within the cell.
type slider struct {
	tab
	element string // JavaScript expression for its handle
}

// slider waits for a slider that can be moved.
func (p tab) slider(cell, i int) slider {
	p.Helper()
	s := slider{p, fmt.Sprintf("client.slider(%d, %d)", cell, i)}
	p.Until(`%s && client.alive(%[1]s)`, s.element)
	return s
}

func (s slider) value() float64 {
	s.Helper()
	return pages.Eval[float64](s.page, `client.stands(%s).value`, s.element)
}

// shows waits until the slider has a value.
func (s slider) shows(v float64) {
	s.Helper()
	s.Until(`client.stands(%s).value === %v`, s.element, v)
}

// hold clicks the slider's handle to give it the keyboard focus.
func (s slider) hold() {
	s.Helper()
	s.drag(s.value(), nil)
	s.Until(`document.activeElement === %s`, s.element)
}

// drag drags the slider's handle to a value with the mouse. While the button is still pressed, it calls the
// function during, which may be nil.
func (s slider) drag(v float64, during func()) {
	s.Helper()
	// Wait until the handle no longer moves: the cells above may still be growing.
	pages.Eval[bool](s.page, `(async function() {
		%s.scrollIntoView({block: "center"});
		for (let last = NaN, still = 0, k = 0; still < 3 && k < 40; k++) {
			const y = client.stands(%[1]s).now.y;
			still = y === last ? still + 1 : 0;
			if (y < 100 || y > innerHeight - 50) %[1]s.scrollIntoView({block: "center"});
			last = y;
			await new Promise(done => setTimeout(done, 30));
		}
		return true;
	})()`, s.element)
	at := pages.Eval[struct{ From, To pages.Point }](s.page, `(function(s) { const p = p => ({X: p.x, Y: p.y}); return {From: p(s.now), To: p(s.at(%v))} })(client.stands(%s))`, v, s.element)
	s.page.Drag(at.From, at.To, during)
}

// move drags the slider to a value. If the slider ends at another value, move drags it again, by the
// difference. If the slider has not moved at all, the mouse missed it, because the cells above have just
// grown.
func (s slider) move(v float64) {
	s.Helper()
	to := v
	for range 8 {
		before := s.value()
		s.drag(to, nil)
		if s.Holds(pages.Shortly/30, `client.stands(%s).value === %v`, s.element, v) {
			return
		}
		if now := s.value(); now != before {
			to += (v - now) / 2
		}
	}
	s.Shot("failed")
	s.Fatalf("the slider stands at %v, not at %v", s.value(), v)
}
