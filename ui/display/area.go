package display

import "sync"

// An Area is a place of its own for output, such as the one below a widget. Its methods may be
// called by several goroutines.
type Area interface {
	// Stream shows text; name is "stdout" or "stderr".
	Stream(name, text string)
	// Display shows d. If update is set, d replaces what the area shows under d's display_id, if
	// it shows anything under it.
	Display(d Data, update bool)
	// Clear removes what the area shows; with wait, only once something new is shown.
	Clear(wait bool)
	// Error shows the error that has ended what was shown; trace has its lines, with ANSI colours.
	Error(name, message string, trace []string)
}

var redirecting struct {
	sync.RWMutex
	to func(Area) (back func())
}

// Redirect shows in the area, instead of in the cell, all that is printed and displayed until back
// is called, by whichever goroutine. Updates of what is shown elsewhere still reach it. Without a
// kernel, or with one that has no areas, as in a run without a front end, nothing changes.
func Redirect(to Area) (back func()) {
	redirecting.RLock()
	f := redirecting.to
	redirecting.RUnlock()
	if f == nil {
		return func() {}
	}
	return f(to)
}

// SetRedirect makes Redirect call to, and returns the previous function; nil makes it do nothing.
// Kernels call SetRedirect.
func SetRedirect(to func(Area) (back func())) (previous func(Area) func()) {
	redirecting.Lock()
	defer redirecting.Unlock()
	previous, redirecting.to = redirecting.to, to
	return previous
}

// Rendered returns v as Display would show it.
func Rendered(v any) Data { return render(v) }
