package kernel

import "overcomplete/ui/display"

// A Redirecter is an Output that can send the output of a callback to an area, a separate place for output such as the
// one below a widget.
type Redirecter interface {
	// Redirect sends output to the given area from now on, and returns the previous area. A nil area ends the
	// redirection.
	Redirect(to display.Area) (previous display.Area)
}

// redirect sends output to the given area until the returned function is called.
func (k *Kernel) redirect(to display.Area) (back func()) {
	k.capture.Flush() // text printed earlier does not belong in the area
	k.mu.Lock()
	out, can := k.out.(Redirecter)
	k.mu.Unlock()
	if !can {
		return func() {}
	}
	before := out.Redirect(to)
	return func() {
		k.capture.Flush()
		out.Redirect(before)
	}
}
