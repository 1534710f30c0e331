// Package cell gives compiled code the context of the notebook cell that it works for.
//
// When a user interrupts a cell, the cell's own code ends at its next loop, call or wait. Compiled code that the cell
// has called must watch the context of the cell, and return when this context is done. The kernel passes the context to
// compiled functions that take a context.Context, or that take options with a field Context. Code without such a
// parameter or field, such as a method that a notebook calls as lab.Table2(), calls Context:
//
//	ctx := cell.Context()
//	r, err := dictionary.Fit(ctx, X, options)
//
// Outside a kernel, in an ordinary program or a test, the context is context.Background().
//
// Call Context whenever the context is needed, and do not keep the result in a variable that outlives the call: a
// later cell has another context, and the context of an interrupted cell has ended for good.
//
// Start is for compiled code that sets a time limit when it calls a function that is declared in a cell. Exit ends a
// cell as os.Exit ends a program.
package cell

import (
	"context"
	"os"
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
	return exchange(&contextFunc, f, f == nil)
}

// starter holds the function that was passed to SetStart.
var starter atomic.Pointer[func(f func()) (stop func())]

// Start runs f in its own goroutine, which belongs to the cell that the caller works for. The returned function asks
// this goroutine to end. In a kernel, any cell code that f is running ends at its next loop, call or wait, and f does
// not return. If f has not begun yet, it never begins. Outside a kernel, the returned function does nothing, because
// compiled code cannot be stopped from outside.
//
// Start is for compiled code that calls a function of a cell and must not wait forever.
func Start(f func()) (stop func()) {
	if start := starter.Load(); start != nil {
		return (*start)(f)
	}
	go f()
	return func() {}
}

// SetStart sets the function that Start calls, and returns the previous function. If start is nil, Start runs
// f in a plain goroutine. Kernels call SetStart.
func SetStart(start func(f func()) (stop func())) (previous func(f func()) (stop func())) {
	return exchange(&starter, start, start == nil)
}

// exiter holds the function that was passed to SetExit.
var exiter atomic.Pointer[func(code int)]

// Exit ends the cell that the caller works for, with an exit status. It does not return, and deferred functions run.
// Outside a kernel, Exit is os.Exit, which ends the program. In modules that the kernel compiles for cells, os.Exit is
// Exit.
func Exit(code int) {
	if f := exiter.Load(); f != nil {
		(*f)(code)
	}
	os.Exit(code)
}

// SetExit sets the function that Exit calls, and returns the previous function. If f is nil, Exit is os.Exit. Kernels
// call SetExit. f must not return.
func SetExit(f func(code int)) (previous func(code int)) {
	return exchange(&exiter, f, f == nil)
}

// panicked holds the function that was passed to SetPanicked.
var panicked atomic.Pointer[func(value any) bool]

// Panicked is called by a goroutine of compiled code that has recovered from a panic with the given value. If a function
// of a cell has panicked, the kernel reports this: the running cell fails, as a Go program would. Otherwise, and
// outside a kernel, Panicked returns false, and the caller reports the panic. In modules that the kernel compiles for
// cells, all goroutines call Panicked.
func Panicked(value any) (reported bool) {
	f := panicked.Load()
	return f != nil && (*f)(value)
}

// SetPanicked sets the function that Panicked calls, and returns the previous function. If f is nil, Panicked returns
// false. Kernels call SetPanicked.
func SetPanicked(f func(value any) bool) (previous func(value any) bool) {
	return exchange(&panicked, f, f == nil)
}

// exchange stores f, or clears the stored function if f is nil, and returns the previous function.
func exchange[F any](at *atomic.Pointer[F], f F, isNil bool) (previous F) {
	next := &f
	if isNil {
		next = nil
	}
	if old := at.Swap(next); old != nil {
		previous = *old
	}
	return previous
}
