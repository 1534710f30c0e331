// Package stale finds the cells of a session that show something other than they would if the notebook ran
// from top to bottom now, and why.
//
// A Tracker is told of each cell that has run. It records which names the cell read, and which cell defined
// each of them. A cell is stale if a name that it read has since been redefined by an earlier cell. Only the
// text of cells (package lineage) and the values of variables of basic types are compared.
//
//   - A function, a type, a constant or an import is unchanged while its text is. A cell that uses a function also
//     reads what the function mentions. A cell that uses a variable also reads the types of cells in the variable's
//     type, with all their methods.
//   - A variable of a basic type is unchanged while its value is. Any other variable changes each time that a cell
//     assigns to it or declares it.
//   - A cell is also stale if a variable that it read comes from a stale cell.
//
// # The order of cells
//
// A kernel is not told where cells stand. The order of cells is the order in which each first ran, which is
// that of the notebook if it was written from top to bottom. So a new cell that redefines a name makes no
// older cell stale: most often it stands below them. A cell is also stale if it ran with definitions of a cell
// below it, such as In[2] here when it is run a second time:
//
//	In[1]  x := 1
//	In[2]  fmt.Println(x)
//	In[3]  x = 5
//
// # Which cell is which
//
// Front ends give cells ids, so a cell that runs again replaces its earlier run. Without an id a cell is
// matched with the earlier one with the same text, or else with the last one that declares the same names.
//
// # Files in reading order
//
//	tracker.go   what is recorded of a cell that has run
//	meanings.go  what names mean in a cell
//	stale.go     which cells are stale, and why
//
// # Traps
//
// Changes through a pointer, by a method, by a goroutine or by a control are not noticed: after C.Mul(A, B) no
// cell that shows C is stale. Neither are changes of files, the clock and random numbers.
//
// A program that takes over from another one (kernel.Replace) knows only the cells with declarations that it
// was given.
//
// A Tracker must not be used by two goroutines at once.
package stale
