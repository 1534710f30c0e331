// Package cell gives compiled code the context of the notebook cell that it works for.
//
// A cell that is interrupted ends at its next loop, call or wait. Compiled code that the cell has
// called ends when its context does. The kernel passes the context to a function that takes a
// context.Context, and to a function of another module with a field Context in its options. Code
// with neither, such as a method that a notebook calls as lab.Table2(), calls Context:
//
//	ctx := cell.Context()
//	r, err := dictionary.Fit(ctx, X, options)
//
// Outside a kernel, in an ordinary program or a test, the context is context.Background().
//
// Call it when the context is needed, and do not keep the result in a variable that
// outlives the call: a later cell has another context, and the context of an interrupted
// cell has ended for good.
//
// Start is for compiled code that calls a function of a cell and limits its time.
package cell
