// Package stale knows which cells of a session show what they would not show if the notebook ran from top
// to bottom now, and why.
//
// A Tracker is told of each cell that has run. It notes what the cell has read, and of which cell that was.
// A cell is stale if one of these is no longer so: if the cell above that gives the name its meaning has given it another one since.
// Only the text of cells is looked at (package lineage), and the values of variables of basic types.
//
//   - A function, a type, a constant, an import is the same as long as its text is. Who uses a function reads what the
//     function mentions, and who uses a variable the types of cells in its type with all their methods.
//   - A variable of a basic type is the same as long as its value is. Any other one is another each time that a cell
//     assigns to it or declares it.
//   - A cell whose variable comes from a stale cell is stale too.
//
// # The order of cells
//
// A kernel is not told where cells stand. The order of cells is that in which each ran for the first time, which is that
// of the notebook for who writes from top to bottom. So a new cell that gives another meaning to a name makes no older cell stale:
// most often it stands below them. A cell that ran with what a cell below it had left is stale: In[2] below, run
// a second time.
//
//	In[1]  x := 1
//	In[2]  fmt.Println(x)
//	In[3]  x = 5
//
// # Which cell is which
//
// Front ends give cells ids, so that a cell which runs again takes the place of its earlier self. Without an id a cell is the
// earlier one with the same text, or else the last one that declares the same names.
//
// # Files in reading order
//
//	tracker.go   what is noted of a cell that has run
//	meanings.go  what names mean in a cell
//	stale.go     which cells are stale, and why
//
// # Traps
//
// What is changed through a pointer, by a method, by a goroutine or by a control is not seen: after C.Mul(A, B)
// no cell that shows C is stale. Nor are files, the clock and random numbers.
//
// A program that takes over from another one (kernel.Replace) knows the cells with declarations that it was given, and no others.
//
// A Tracker must not be used by two goroutines at once.
package stale
