package pages

import (
	"context"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// A Point is a position in the page's viewport, in CSS pixels.
type Point struct{ X, Y float64 }

// Key types the given keys in the browser as a user would, while the given modifiers are held down. A key press inserts
// its character unless the page handles the key itself.
func (p Page) Key(keys string, modifiers ...Modifier) {
	p.Helper()
	p.do(func(ctx context.Context) error { return p.driver.press(ctx, keys, modifiers) })
}

// ClickElement clicks the middle of the element that a JavaScript expression returns, once the element is visible and
// no longer moves.
func (p Page) ClickElement(expression string) {
	p.Helper()
	p.ClickAt(p.Middle(expression))
}

// Click clicks the first element that matches a CSS selector, as ClickElement does.
func (p Page) Click(selector string) {
	p.Helper()
	p.ClickElement("document.querySelector(" + quote(selector) + ")")
}

// ClickAt moves the mouse to a point and clicks there.
func (p Page) ClickAt(at Point) {
	p.Helper()
	p.mouse(moves, at) // the mouse must move first: menus select the item under it
	p.mouse(presses, at)
	p.mouse(releases, at)
}

// Hover moves the mouse to the middle of the element that a JavaScript expression returns.
func (p Page) Hover(expression string) {
	p.Helper()
	p.mouse(moves, p.Middle(expression))
}

// Middle scrolls into view the element that a JavaScript expression returns, waits until the element is visible and no
// longer moves, and returns the element's center.
func (p Page) Middle(expression string) Point {
	p.Helper()
	p.Until(`%s`, expression)
	return Eval[Point](p, `(async function(find) {
		find().scrollIntoView({block: "nearest"});
		let last = "";
		for (let k = 0; k < 40; k++) {
			const e = find(), r = e.getBoundingClientRect(), now = [r.x, r.y, r.width, r.height].join();
			const X = r.x + r.width / 2, Y = r.y + r.height / 2, seen = e.getRootNode().elementFromPoint(X, Y);
			if (now === last && seen && (e.contains(seen) || seen.contains(e))) return {X, Y};
			// It may be under something that does not scroll.
			if (now === last) e.scrollIntoView({block: "center"});
			last = now;
			await new Promise(done => setTimeout(done, 50));
		}
		throw new Error("it is never at rest where it can be seen: " + last);
	})(() => %s)`, expression)
}

func (p Page) mouse(do action, at Point) {
	p.Helper()
	p.do(func(ctx context.Context) error { return p.driver.mouse(ctx, do, at) })
}

// Drag drags the mouse from one point to another, as slowly as a user would. If during is not nil, Drag calls during()
// at the end, while the button is still pressed.
func (p Page) Drag(from, to Point, during func()) {
	p.Helper()
	const steps = 10
	p.mouse(moves, from)
	p.mouse(presses, from)
	for k := 1; k <= steps; k++ {
		f := float64(k) / steps
		p.mouse(moves, Point{from.X + f*(to.X-from.X), from.Y + f*(to.Y-from.Y)})
		time.Sleep(20 * time.Millisecond)
	}
	if during != nil {
		during()
	}
	p.mouse(releases, to)
}

// Keys that are not characters, encoded as in WebDriver. A line end has the effect of Enter.
const (
	Backspace  = "\ue003"
	Tab        = "\ue004"
	Enter      = "\ue007"
	Escape     = "\ue00c"
	End        = "\ue010"
	Home       = "\ue011"
	ArrowLeft  = "\ue012"
	ArrowUp    = "\ue013"
	ArrowRight = "\ue014"
	ArrowDown  = "\ue015"
	Delete     = "\ue017"
)

// A Modifier is a key that is held down while other keys are pressed.
type Modifier rune

const (
	Shift   Modifier = '\ue008'
	Control Modifier = '\ue009'
	Alt     Modifier = '\ue00a'
)

// chromiumKeys maps the keys to chromedp's names for them.
var chromiumKeys = map[rune]string{
	'\ue003': kb.Backspace, '\ue004': kb.Tab, '\ue007': kb.Enter, '\ue00c': kb.Escape, '\ue010': kb.End,
	'\ue011': kb.Home, '\ue012': kb.ArrowLeft, '\ue013': kb.ArrowUp, '\ue014': kb.ArrowRight,
	'\ue015': kb.ArrowDown, '\ue017': kb.Delete, '\n': kb.Enter,
}
