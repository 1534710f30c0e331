package kernel

import (
	"context"
	"fmt"
	"time"

	"overcomplete/kernel/engine"
)

// Call runs f, which may call functions of cells, as Execute runs a cell: what it
// shows goes to out, and when ctx ends it is stopped. Callbacks of widgets run so. The
// error is an *engine.Error. It must not be called while a cell runs.
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
		k.out = before // what goroutines write later belongs to the cell that started them
		k.mu.Unlock()
	}()

	if s, ok := k.session.(interface {
		Call(context.Context, func()) *engine.Error
	}); ok {
		if err := s.Call(ctx, f); err != nil {
			return err
		}
		return nil
	}
	ended := make(chan *engine.Error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				ended <- &engine.Error{Kind: engine.Panic, Message: panicText(r)}
			}
		}()
		f()
		ended <- nil
	}()
	var fail *engine.Error
	select {
	case fail = <-ended:
	case <-ctx.Done():
		// Its goroutine is one that a cell has left behind, as far as the
		// session knows.
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			k.session.StopGoroutines()
		}()
		defer func() { <-stopped }() // a stop must not reach into the next cell
		select {
		case fail = <-ended:
			if fail != nil {
				fail.Kind = engine.Interrupted
			}
		case <-time.After(time.Second):
			fail = &engine.Error{Kind: engine.Interrupted, Message: "interrupted; the callback was blocked and is left behind"}
		}
	}
	if fail != nil {
		return fail
	}
	return nil
}

func panicText(r any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", r)
		}
	}()
	return fmt.Sprint(r)
}
