// Package dap answers the debug requests of front ends: requests of the Debug Adapter Protocol
// (https://microsoft.github.io/debug-adapter-protocol) and the requests that Jupyter adds to this protocol. It is
// built on an engine.Debugger. Package jupyter transports the messages.
//
// # Order
//
//	Handle        parses a request and puts it into the queue called lane
//	the lane      answers one request after the other
//	evaluations   (evaluate, setVariable, setExpression, copyToGlobals, richInspectVariables) run
//	              code, one after the other, in parallel with the lane, which waits for each
//	              no longer than the constant patience says
//	outgoing      is the queue that sends replies and events in the order in which they were created
//
// So a request is answered while a cell runs, while a cell is stopped, and while an endless expression is being
// evaluated. Interrupt ends such an expression, as do requests that let code continue.
//
// # Invariants
//
//   - Each request gets one reply, whatever the request contains. The body of a reply that reports a failure
//     still has the lists that front ends expect, but the lists are empty. This is necessary because JupyterLab
//     reads the lists without checking for success.
//
//   - The number of a list of variables or of a frame is never reused. It is valid until code continues or, for
//     session variables, until the next inspectVariables. The reply to a later request with this number says
//     that the number is no longer valid.
//
//   - If the front end does not ask for a page, the reply to a variables request has at most pageSize entries.
//     Longer lists are shown as ranges, which may themselves hold ranges. Only a scope is shown as a whole, up to
//     maxPage variables.
//
//   - Values are read by reflection. No method of a cell's type is called, because it would run the cell's
//     code, and could wait for stopped code. The only methods called belong to types compiled into the
//     program: Dims and At of matrices, methods such as String of a few types of the standard library, and, for
//     richInspectVariables, the methods that render a value.
//
// # Cells and paths
//
// Jupyter names a cell by a path that front ends compute from its text (debugInfo says how; see paths.go), so a
// breakpoint belongs to all cells with that text. No file is written at that path.
package dap
