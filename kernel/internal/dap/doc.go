// Package dap answers the debug requests of front ends: requests of the Debug Adapter Protocol
// (https://microsoft.github.io/debug-adapter-protocol) and those that Jupyter adds to it, on top of
// an engine.Debugger. Package jupyter carries the messages.
//
// # Order
//
//	Handle        parses a request and puts it into the queue
//	the lane      answers one request after the other
//	evaluations   (evaluate, setVariable, setExpression, copyToGlobals, richInspectVariables) run
//	              code, one after the other, beside the lane: it waits for each for no longer than
//	              patience, then goes on
//	the way out   sends replies and events in the order in which they came about
//
// So a request is answered while a cell runs, while one is held, and while an expression is evaluated that
// does not end. Interrupt ends that expression, as do requests that let code go on.
//
// # Invariants
//
//   - Each request gets one reply, whatever is in it. A reply that says no has the body's lists all the
//     same, empty: JupyterLab reads them without looking at success.
//
//   - A reference to a variable, or to a frame, is never given out twice. It holds until code goes on (that
//     of a variable of the session until the next inspectVariables), after which the answer says so.
//
//   - The number of variables in a reply is bounded (pageSize) where the front end does not ask for
//     a page. What is longer is shown as ranges, which hold ranges.
//
//   - Values are read by reflection. No method of a type of a cell is called: it would run the cell's code,
//     and could wait for what is held. Methods are called of types that are compiled into the program, and
//     of these only Dims and At of matrices and String of a few of the standard library.
//
// # Cells and paths
//
// Jupyter names a cell by a path that front ends compute from its text by themselves (debugInfo says how:
// paths.go), so a breakpoint belongs to all cells with that text. No file is written there.
package dap
