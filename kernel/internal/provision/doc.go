// Package provision decides how a cell that imports a package of another module gets the package.
//
// There are two ways. The package can be compiled into a new program, which replaces the kernel's program, or it can
// run from source in the session. A Provider takes the first case that applies:
//
//	a  a program that has the package is in the cache, and the session is empty: the program
//	   replaces this one, silently
//	b  the session is empty: such a program is made while a line shows the progress, and replaces
//	   this one
//	c  the session holds variables and the like: the package runs from source at once, and the
//	   program is made in the background for the next start
//	d  the package cannot run from source: the program is made, and the user is asked to restart
//	   the kernel
//
// Packages that export mostly generic functions and types always run from source, because tables of compiled packages
// have no generic functions. The user's own packages, from the module next to the notebook or from a folder that this
// module names, also run from source, because users edit them while the session runs. Packages of other modules that
// the user's packages import are compiled (bring.go). If the user's packages cannot run from source, they are compiled
// too. Cells are never rerun automatically: Prepare is called before any of a cell runs, so the cell can begin in
// another program.
//
// # Invariants
//
// A cell that imports only compiled packages costs no more than reading its imports, because the Env is opened only
// when a cell needs another package. A failure leaves the session unchanged.
//
// # Traps
//
// The session counts as empty if it has no variables, goroutines, comms or native programs. But cells may also have
// changed something inside a compiled package, for example with log.SetFlags or http.Handle. A replacement begins with
// the session's declarations, but such changes are lost.
//
// # Reading order
//
// provision.go defines a Provider and what it needs; cell.go has the work before a cell runs; bring.go has the two
// ways; source.go and changed.go are about packages that run from source; background.go compiles for the next start;
// commands.go implements %get and %mod; progress.go shows long operations; errors.go writes the texts of errors;
// state.go has the state that a program passes to its replacement.
package provision
