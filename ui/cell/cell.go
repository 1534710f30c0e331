package cell

import (
	"context"
	"sync/atomic"
)

// contextFunc holds the function that was passed to SetContext.
var contextFunc atomic.Pointer[func() context.Context]

// Context returns the context of the cell that the caller works for. The context ends only when that cell is
// interrupted. Outside a kernel, Context returns context.Background(). A goroutine of compiled code is assumed to work
// for the cell that is running.
func Context() context.Context {
	if f := contextFunc.Load(); f != nil {
		return (*f)()
	}
	return context.Background()
}

// SetContext makes Context return the result of f, and returns the previous function. If f is nil, Context
// returns context.Background(). Kernels call SetContext. f may be called by several goroutines at once.
func SetContext(f func() context.Context) (previous func() context.Context) {
	var next *func() context.Context
	if f != nil {
		next = &f
	}
	if old := contextFunc.Swap(next); old != nil {
		return *old
	}
	return nil
}
