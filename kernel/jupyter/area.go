package jupyter

import (
	"strings"

	"overcomplete/ui/display"
)

// Redirect sends later output to the area a, and returns the previous area. If a is nil, later output goes to the
// front end without an area.
//
// Callbacks need this, because the parent of their output is a widget message, not the request of a cell. Classic
// front ends put such output below the widget. JupyterLab cannot place it, and writes it to its log.
func (o *output) Redirect(a display.Area) (before display.Area) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
	before, o.area = o.area, a
	return before
}

// inArea calls the function fn with the current area, if there is one, and reports whether there is one.
func (o *output) inArea(fn func(display.Area)) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.area == nil {
		return false
	}
	o.flush()
	fn(o.area)
	return true
}

// publishText shows text of the stream with the given name. The caller holds o.mu.
func (o *output) publishText(name, text string) {
	if o.area != nil {
		o.area.Stream(name, text)
		return
	}
	o.s.publish(o.req, "stream", map[string]any{"name": name, "text": text})
}

// failed shows the error that ended a callback.
func (o *output) failed(err error) {
	c := contentOf(err)
	name, _ := c["ename"].(string)
	message, _ := c["evalue"].(string)
	lines, _ := c["traceback"].([]string)
	if !o.inArea(func(a display.Area) { a.Error(name, message, lines) }) {
		o.Stream("stderr", "a callback of this cell's widget or comm ended:\n"+strings.Join(lines, "\n")+"\n")
	}
}
