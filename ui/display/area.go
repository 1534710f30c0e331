package display

import "sync"

// An Area is a separate place for output, such as the one below a widget. Its methods may be called
// by several goroutines.
type Area interface {
	// Stream shows text; name is "stdout" or "stderr".
	Stream(name, text string)
	// Display shows d. If update is set and the area already shows something under d's display_id, d replaces
	// it.
	Display(d Data, update bool)
	// Clear removes the content of the area. If wait is set, the content remains until something new is
	// shown.
	Clear(wait bool)
	// Error shows an error; trace holds the lines of the traceback, with ANSI colors.
	Error(name, message string, trace []string)
}

var redirection struct {
	sync.RWMutex
	to func(Area) (back func())
}

// Redirect sends all printed and displayed output, from any goroutine, to the area instead of the cell, until the
// returned function is called. Updates of outputs that are shown elsewhere are not redirected. Redirect does nothing
// without a kernel, or if the kernel has no areas, as in a run without a front end.
func Redirect(area Area) (back func()) {
	redirection.RLock()
	f := redirection.to
	redirection.RUnlock()
	if f == nil {
		return func() {}
	}
	return f(area)
}

// SetRedirect sets the function that Redirect calls, and returns the previous function. If fn is nil, Redirect does
// nothing. Kernels call SetRedirect.
func SetRedirect(fn func(Area) (back func())) (previous func(Area) func()) {
	redirection.Lock()
	defer redirection.Unlock()
	previous, redirection.to = redirection.to, fn
	return previous
}

// Rendered returns the Data that Display would show for v.
func Rendered(v any) Data { return render(v) }
