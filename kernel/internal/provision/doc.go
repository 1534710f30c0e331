// Package provision decides how a cell that imports a package of another module gets the package.
//
// There are two ways. The package can be compiled into a program that replaces the kernel's, or it can run
// from source in the session. A Provider takes the first case that applies:
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
// Packages with mostly generic names always run from source, because tables of compiled packages have no
// generic functions. The user's own packages, from the module next to the notebook or from a folder that this
// module names, also run from source, because users edit them while the session runs. Their imports from
// other modules are compiled (below.go). If the user's packages cannot run from source, they are compiled
// too. Cells are never rerun automatically: Prepare is called before any of a cell runs, so the cell can
// begin in another program.
//
// # Invariants
//
// For a cell that imports only compiled packages the only cost is reading its imports, because the Env is
// opened only when a cell needs another package. A failure leaves the session unchanged.
//
// # Traps
//
// A replacement begins with the session's declarations, but without the effects of statements inside compiled
// packages (log.SetFlags, http.Handle): the session counts as empty if it has no variables, goroutines, comms
// and native programs.
//
// # Reading order
//
// provision.go defines a Provider and its needs; cell.go has the work before a cell runs; bring.go has the
// two ways; source.go, generic.go and changed.go are about packages that run from source; background.go
// compiles for the next start; commands.go implements %get and %mod; progress.go shows long operations;
// errors.go formulates errors; state.go has the state that a replacement gets.
package provision
