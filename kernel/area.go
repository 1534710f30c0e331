package kernel

import "overcomplete/ui/display"

// A Redirecter is an Output that can show in an area what cells show in a callback.
type Redirecter interface {
	// Redirect sends to the area, nil for none, what is shown from now on, and returns the
	// previous area.
	Redirect(to display.Area) (previous display.Area)
}

// redirect sends to the area what is shown until back is called.
func (k *Kernel) redirect(to display.Area) (back func()) {
	k.capture.Flush() // text printed earlier belongs elsewhere
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
