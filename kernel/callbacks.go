package kernel

import (
	"context"

	"overcomplete/ui/display"
)

// Call runs f, which may call functions of cells, just as Execute runs a cell: the output of f goes to the
// given Output, and f is stopped when ctx is done. Widget callbacks run this way. The error is an *engine.Error. Call
// must not be called while a cell runs.
func (k *Kernel) Call(ctx context.Context, f func(), out Output) error {
	k.capture.Flush()
	k.mu.Lock()
	before := k.out
	k.out = out
	k.mu.Unlock()
	stop := k.listen(ctx, out)
	defer func() {
		stop()
		k.settle()
		k.mu.Lock()
		k.out = before // later output of goroutines belongs to the cell that started them
		k.mu.Unlock()
	}()
	return k.session.Call(ctx, f)
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
