package display

import "sync"

// An Area is a separate place for output, such as the one below a widget. Its methods may be called
// by several goroutines.
type Area interface {
	// Stream shows text; name is "stdout" or "stderr".
	Stream(name, text string)
	// Display shows d. If update is set, d replaces what the area shows under d's display_id, if
	// it shows anything under it.
	Display(d Data, update bool)
	// Clear removes the content of the area; with wait, only once something new is shown.
	Clear(wait bool)
	// Error shows an error; trace holds its lines, with ANSI colors.
	Error(name, message string, trace []string)
}

var redirecting struct {
	sync.RWMutex
	to func(Area) (back func())
}

// Redirect sends everything that is printed and displayed, by any goroutine, to the area instead of
// the cell, until back is called. Updates of what is shown elsewhere are not redirected. Without a
// kernel, or with one without areas, as in a run without a front end, Redirect does nothing.
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
