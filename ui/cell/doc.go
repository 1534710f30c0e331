// Package cell gives compiled code the context of the notebook cell that it works for.
//
// When a user interrupts a cell, the cell's own code ends at its next loop, call or wait. Compiled code that the cell
// has called must watch the context of the cell, and return when this context ends. The kernel passes the context to
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
