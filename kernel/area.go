package kernel

import "overcomplete/ui/display"

// A Redirecter is an Output that can send the output of a callback to an area.
type Redirecter interface {
	// Redirect sends output to the area from now on, or ends that if it is nil, and returns the previous area.
	Redirect(to display.Area) (previous display.Area)
}

// redirect sends output to the area until back is called.
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
