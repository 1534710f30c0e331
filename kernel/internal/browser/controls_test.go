package browser

import (
	"fmt"
	"slices"
	"strings"

	"overcomplete/kernel/internal/browser/pages"
)

// pick selects an entry of a menu. The browser draws the list of entries outside of the page, so a test
// cannot click on an entry.
func (p tab) pick(n int, text string) {
	p.Helper()
	pages.Eval[bool](p.page, `(function(e) {
		e.selectedIndex = [...e.options].findIndex(o => o.text === %s);
		for (const kind of ["input", "change"]) e.dispatchEvent(new Event(kind, {bubbles: true}));
		return true;
	})(%s)`, quote(text), element(n, "select"))
}

// sent waits until the page has sent the change; it sends changes every 50 ms.
func (p tab) sent() {
	p.Helper()
	pages.Eval[bool](p.page, `new Promise(done => setTimeout(() => done(true), 200))`)
}

func control(p tab) {
	n := p.run(`k := widget.IntSlider("k", 1, 20, 10)
method := widget.Dropdown("method", []string{"PCA", "NMF", "ICA"}, "PCA")
deep := widget.Checkbox("deep", false)
title := widget.Text("title", "")
again := widget.Button("again")
k.OnChange(func(v int) { fmt.Println("k is now", v) })
again.OnClick(func() { fmt.Println("again!") })
widget.VBox(k, method, deep, title, again)`)
	slider := p.slider(n, 0)
	p.Shot("controls")

	// Move the slider with the keyboard. Notebook 7 keeps the arrow keys for itself.
	if p.name == notebook7.name {
		slider.move(15)
	} else {
		slider.hold()
		for range 5 {
			p.Key(pages.ArrowRight)
		}
	}
	slider.shows(15)
	// The callback's output is below the control (D2).
	p.Eventually("what OnChange prints", "%s", shows(n, "k is now 15"))
	p.pick(n, "ICA")
	p.ClickElement(element(n, "input[type=checkbox]"))
	p.ClickElement(element(n, "input[type=text]"))
	p.Key("Façade")
	p.Key(pages.Tab) // leaving the field sends the change
	button := element(n, "button")
	p.ClickElement(button)
	p.ClickElement(button)
	p.Eventually("what OnClick prints", `client.text(%d).split("again!").length === 3`, n)
	m := p.run(`fmt.Println(k.Value(), method.Value(), deep.Value(), title.Value(), again.Clicks())`)
	p.has(m, "15 ICA true Façade 2")
	p.Shot("controls-moved")

	// The opposite direction: Go code moves the controls.
	p.run("k.Set(7)\nmethod.Set(\"NMF\")")
	slider.shows(7)
	p.Until(`%s.selectedOptions[0].text === "NMF"`, element(n, "select"))

	// A running cell sees the movement, and a button ends it.
	r := p.cell("clicks := again.Clicks()\nfor again.Clicks() == clicks { time.Sleep(10 * time.Millisecond) }\nfmt.Println(\"stopped at\", k.Value())")
	p.start()
	p.Until(`client.busy()`)
	slider.move(13)
	p.sent()
	p.ClickElement(button)
	p.done(r)
	p.has(r, "stopped at 13")
	// The callbacks have waited until the cell ended; their output is not lost.
	p.Eventually("what the callbacks print that have waited", `%s && client.text(%d).split("again!").length === 4`, shows(n, "k is now 13"), n)
	p.reveal(n)
	p.Shot("controls-while-running")
}

// wavesOf is the beginning of a cell that shows text that depends on a slider.
const wavesOf = `widget.Interact(func(waves int) any { return fmt.Sprint("there are ", waves, " waves") }`

func interact(p tab) {
	n := p.run(`widget.Interact(func(waves int, colour string) any {
	y := make([]float64, 100)
	for i := range y { y[i] = math.Sin(float64(waves*i) / 16) }
	return figure.Series(fmt.Sprint(waves, " waves, ", colour), y)
}, widget.IntSlider("waves", 1, 9, 2), widget.Dropdown("colour", []string{"blue", "red"}, "blue"))`)
	slider, plot := p.slider(n, 0), element(n, picture)
	p.Until(`%s`, plot)
	p.Shot("interact")
	// An SVG may be the source of an image, or an element that contains the drawing.
	drawn := func() string {
		return pages.Eval[string](p.page, `(e => e ? e.outerHTML : "")(%s)`, plot)
	}
	before, moving := drawn(), ""
	slider.drag(7, func() {
		p.Until(`%s && %[1]s.outerHTML !== %s`, plot, quote(before))
		moving = drawn()
	})
	slider.move(9) // a position at which the mouse has not been yet
	p.Until(`%s && ![%s, %s].includes(%[1]s.outerHTML)`, plot, quote(before), quote(moving))
	if k := pages.Eval[int](p.page, `client.output(%d).querySelectorAll(%s).length`, n, quote(picture)); k != 1 {
		p.Errorf("%d plots", k)
	}
	p.Shot("interact-moved")

	n = p.run(wavesOf + `, widget.IntSlider("waves", 1, 9, 2))`)
	slider = p.slider(n, 0)
	p.has(n, "there are 2 waves")
	slider.move(7)
	p.has(n, "there are 7 waves")
	p.lacks(n, "there are 2 waves")
}

// panics makes a function of Interact fail: its error is shown in place of its result (D2).
func panics(p tab) {
	n := p.run(`widget.Interact(func(k int) any { return []int{11, 22, 33}[k] }, widget.IntSlider("k", 0, 5, 1))`)
	p.has(n, "22")
	slider := p.slider(n, 0)
	slider.move(4)
	p.has(n, "index out of range [4] with length 3")
	p.Shot("interact-panic")
	slider.move(2) // passes the value 3, which may report its error after the slider has moved on
	p.Eventually("the result in the error's place", `%s && !%s`, shows(n, "33"), shows(n, "index out of range"))
}

// plays presses the button of widget.Play: the slider and the result move to the end.
func plays(p tab) {
	n := p.run(wavesOf + `, widget.Play("waves", 1, 5, 3))`)
	p.has(n, "there are 3 waves")
	p.Shot("play")
	p.ClickElement(element(n, "button"))
	p.has(n, "there are 5 waves")
	p.slider(n, 0).shows(5)
}

// reload reloads the page: the kernel continues, and the controls reconnect.
func reload(p tab) {
	p.reload()
	n := pages.Eval[int](p.page, `client.find("widget.VBox")`)
	pages.Eval[bool](p.page, `client.trust()`)
	p.reveal(n)
	slider := p.slider(n, 0)
	slider.shows(13)
	p.Shot("loaded-again")
	slider.move(5)
	p.sent()
	m := p.run("k.Value()")
	p.has(m, "5")

	// The output of Interact follows its slider (D1).
	n = pages.Eval[int](p.page, `client.find(%s)`, quote(wavesOf))
	p.reveal(n)
	slider = p.slider(n, 0)
	slider.shows(7)
	p.has(n, "there are 7 waves")
	slider.move(4)
	p.has(n, "there are 4 waves")
	p.lacks(n, "there are 7 waves", "there are 2 waves")
	p.Shot("interact-after-load")
	// In the file, the result and the values must belong together. They are the current result and values,
	// except that a reloaded Lab no longer knows which output to change, and saves the previous result and
	// values.
	now, before := "there are 4 waves", "there are 7 waves"
	text := p.save()
	if p.name != classic.name && !strings.Contains(text, now) {
		now, before = before, now
	}
	if !strings.Contains(text, now) || strings.Contains(text, before) {
		p.Error("the file has not what was shown")
	}

	// Closed pages leave no open comms; the comms of the last page may still count as open.
	var counts []int
	for range 3 {
		counts = append(counts, pages.Eval[int](p.page, `client.openComms()`))
		p.save() // if the notebook is unsaved, the browser asks whether to leave the page
		p.reload()
		pages.Eval[bool](p.page, `client.trust()`)
		p.reveal(n)
		p.slider(n, 0)
	}
	if counts[2] > counts[1] {
		p.Errorf("open comms after each load: %v", counts)
	}
}

// windows opens the notebook a second time: moving a slider in one window moves it in the other too (D3).
func windows(p tab) {
	q := p.another()
	pages.Eval[bool](q.page, `client.trust()`)
	n := pages.Eval[int](p.page, `client.find(%s)`, quote(wavesOf))
	q.reveal(n)
	here, there := p.slider(n, 0), q.slider(n, 0)
	there.shows(here.value())
	for _, c := range []struct {
		moved, other slider
		v            float64
	}{{there, here, 8}, {here, there, 3}, {there, here, 6}} {
		c.moved.Front()
		c.moved.move(c.v)
		text := fmt.Sprintf("there are %v waves", c.v)
		c.moved.has(n, text)
		c.other.Front()
		if !c.other.Holds(pages.Shortly, `client.stands(%s).value === %v`, c.other.element, c.v) {
			c.other.Errorf("the other window's slider stands at %v, not at %v", c.other.value(), c.v)
		}
		c.other.has(n, text)
		for _, w := range []slider{c.moved, c.other} {
			if k := strings.Count(w.output(n), "there are "); k != 1 {
				w.Errorf("a window shows %d results:\n%s", k, w.output(n))
			}
		}
	}
	q.Front()
	q.Shot("second-window")
	p.Front()
	p.Shot("first-window")
}

// newKernel loads the page with controls of a kernel that no longer exists (D8).
func newKernel(p tab) {
	p.save()
	p.reload()
	pages.Eval[bool](p.page, `client.trust()`)
	n := pages.Eval[int](p.page, `client.find(%s)`, quote(wavesOf))
	p.reveal(n)
	p.sent()
	p.Shot("controls-of-another-kernel")
	// The output is the result or advice; an error without either is a fault.
	text := p.output(n)
	helpful := []string{"there are 6 waves", "run the cell"}
	if !slices.ContainsFunc(helpful, func(s string) bool { return strings.Contains(strings.ToLower(text), s) }) {
		p.Errorf("the controls of another kernel are shown as\n%s", text)
	}
}

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
