// Package provision decides how a package of another module gets into a cell that imports it.
//
// There are two ways: compiled into a program that replaces the kernel's, and run from source in the session.
// A Provider takes the first that works:
//
//	a  a program that has the package is in the cache, and the session holds nothing: the
//	   program replaces this one, silently
//	b  the session holds nothing: such a program is made, with a line of progress, and replaces
//	   this one
//	c  the session holds variables and the like: the package runs from source at once, and the
//	   program is made in the background for the next start
//	d  it cannot run from source either: the program is made, and the user is asked to restart
//	   the kernel
//
// Packages with mostly generic names always run from source, because tables of compiled packages have no
// generic functions. So do the user's own, from the module next to the notebook or a folder that it names,
// because they are edited while the session runs. Their imports from other modules are compiled (below.go); so
// are they themselves if they cannot run from source. Cells are never rerun automatically: Prepare is called
// before any of a cell runs, so the cell can begin in another program.
//
// # Invariants
//
// For a cell that imports only compiled packages the only cost is reading its imports: the Env is opened when
// a cell first needs it. A failure leaves the session unchanged.
//
// # Traps
//
// A replacement begins with the session's declarations, but without the effects of statements inside compiled
// packages (log.SetFlags, http.Handle): the session counts as empty if it has no variables, goroutines, comms
// and native programs.
//
// # Reading order
//
// provision.go defines a Provider and its needs; cell.go is what happens before a cell; bring.go has the ways;
// source.go, generic.go and changed.go are about packages that run from source; background.go compiles for the
// next start; commands.go is %get and %mod; progress.go shows long operations; errors.go words errors;
// state.go is the state given to a replacement.
package provision
