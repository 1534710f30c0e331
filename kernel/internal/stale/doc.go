// Package stale finds the cells of a session that would show something else if the notebook now ran from top to
// bottom, and says why.
//
// The caller tells a Tracker about each cell that has run. The Tracker records which names the cell read, and which
// cell defined each name. A cell is stale if a name that it read has since been redefined by an earlier cell. Only the
// text of cells (package lineage) and the values of variables of basic types are compared.
//
//   - A function, a type, a constant or an import is unchanged while its text is unchanged. A cell that uses
//     a function also reads what the function mentions. A cell that uses a variable also reads the types
//     that occur in the variable's type, if cells declare them, with all their methods.
//   - A variable of a basic type is unchanged while its value is unchanged. Any other variable changes each
//     time that a cell assigns to it or declares it.
//   - A cell is also stale if a variable that it read comes from a stale cell.
//
// # The order of cells
//
// A kernel does not know the positions of cells in the notebook. It orders cells by their first run, which is the
// notebook's order if the notebook was written from top to bottom. So a new cell counts as the last cell, and makes no
// older cell stale when it redefines a name. A cell is also stale if it ran with definitions from a cell below it. In
// this example, In[2] does so when it is run a second time:
//
//	In[1]  x := 1
//	In[2]  fmt.Println(x)
//	In[3]  x = 5
//
// # Which cell is which
//
// Front ends give cells ids, so a cell that runs again replaces its earlier run. A cell without an id is matched with
// the earlier cell with the same text or, if there is none, with the last cell that declares the same names.
//
// # Files in reading order
//
//	tracker.go   what a Tracker records about a cell that has run
//	meanings.go  what names mean in a cell
//	stale.go     which cells are stale, and why
//
// # Traps
//
// Changes through a pointer, by a method, by a goroutine or by a control are not noticed. For example, a cell that
// shows C does not become stale when another cell calls C.Mul(A, B). Changes to files, the clock and random numbers
// are not noticed either.
//
// If a program takes over from another program (see kernel.Replace), its Tracker knows only those earlier cells whose
// declarations the other program has passed on.
//
// Two goroutines must not use a Tracker at once.
package stale
