package kernel

import "context"

// Call runs f, which may call functions of cells, in the same way as Execute runs a cell: the output of f goes to the
// given Output, and f is stopped when ctx ends. Widget callbacks run this way. The error is an *engine.Error. Call must
// not be called while a cell runs.
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
