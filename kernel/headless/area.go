package headless

import (
	"sync"

	"overcomplete/kernel"
	"overcomplete/ui/display"
)

// A withAreas is the Output of one cell. It is also a kernel.Redirecter: the cell's output can go to a display.Area, a
// separate place for output. widget.Interact needs this for the output that it computes for a page.
type withAreas struct {
	kernel.Output

	mu   sync.Mutex
	area display.Area // receives the output instead, if not nil
}

func (o *withAreas) Redirect(a display.Area) (before display.Area) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, o.area = o.area, a
	return before
}

// to returns the area that receives the output, or nil if there is none.
func (o *withAreas) to() display.Area {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.area
}

func (o *withAreas) Stream(name, text string) {
	if a := o.to(); a != nil {
		a.Stream(name, text)
		return
	}
	o.Output.Stream(name, text)
}

// Display shows d in the area, or in the cell if output is not redirected. An update goes to both, because the output
// that it replaces may be in either.
func (o *withAreas) Display(d display.Data, update bool) {
	a := o.to()
	if a != nil {
		a.Display(d, update)
	}
	if a == nil || update {
		o.Output.Display(d, update)
	}
}

func (o *withAreas) Clear(wait bool) {
	if a := o.to(); a != nil {
		a.Clear(wait)
		return
	}
	o.Output.Clear(wait)
}
