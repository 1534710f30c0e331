// Package cell tells compiled code which cell of a notebook it works for.
//
// A cell that is interrupted ends at its next loop, call or wait. Compiled code that it
// has called ends when its context does: the kernel gives one to a function that
// takes a context.Context, and to one whose options have a field Context. Code that
// has neither, such as the method of a laboratory that a notebook calls as lab.Table2(),
// asks for it:
//
//	ctx := cell.Context()
//	r, err := dictionary.Learn(ctx, X, options)
//
// Outside a kernel, in an ordinary program or a test, it is context.Background().
//
// Ask at the time of the call, and do not keep what you get in a variable that outlives
// it: a later cell has another context, and that of a cell that was interrupted has ended
// for good.
package cell
