// Package provision decides how a package of another module comes into a cell that imports it.
//
// There are two ways: compiled into a program that replaces the kernel's, and run from source in
// the session. A Provider takes the first that does:
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
// Packages most of whose names are generic run from source in any case, because tables of compiled
// packages have no generic functions. So do the user's own, from the module beside the notebook or a
// folder that it names, for they are edited while the session runs; what they import of other modules is
// compiled (below.go), and so are they if they cannot run from source.
// Cells are never run again by themselves: Prepare is called
// before anything of a cell runs, and a cell of which nothing has run can begin in another program.
//
// # Invariants
//
// A cell that imports nothing but compiled packages costs the look at its imports and no more:
// the Env is opened when a cell first needs it. What fails leaves the session as it was.
//
// # Traps
//
// A replacement begins with the session's declarations and without what statements have done
// inside compiled packages (log.SetFlags, http.Handle): the session is held to be empty if it has
// no variables, goroutines, comms and native programs.
//
// # Reading order
//
// provision.go says what a Provider needs and has; cell.go is what happens before a cell; bring.go
// has the ways; source.go, generic.go and changed.go are about packages that run from source;
// background.go compiles for the next start; commands.go is %get and %mod; progress.go shows what
// takes long; errors.go words what goes wrong; state.go is what a replacement is given.
package provision
