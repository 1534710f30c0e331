package browser

import (
	"fmt"

	"overcomplete/kernel/internal/browser/pages"
)

// A slider is one below a cell, counted from 0 there.
type slider struct {
	tab
	element string // an expression
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

// shows waits until the slider stands at a value.
func (s slider) shows(v float64) {
	s.Helper()
	s.Until(`client.stands(%s).value === %v`, s.element, v)
}

// hold clicks on the slider's handle, so that it has the keyboard.
func (s slider) hold() {
	s.Helper()
	s.drag(s.value(), nil)
	s.Until(`document.activeElement === %s`, s.element)
}

// drag takes the slider's handle to a value by the mouse. While the button is still pressed, it
// calls during, which may be nil.
func (s slider) drag(v float64, during func()) {
	s.Helper()
	// Where a handle is at rest: what is above it may still be growing.
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

// move drags the slider to a value, and once more as far beyond it as the mouse has missed it by. A slider that has
// not moved at all was not hit: what is above it has grown just then.
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
