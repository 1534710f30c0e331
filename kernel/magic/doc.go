// Package magic finds the commands in a cell: lines that begin with %, such as
// %time f(x), and shell lines, which begin with $ or !.
//
// Parse cuts a cell into the pieces that are run one after the other, Blank
// gives the Go that remains, List says which commands there are. What the
// commands do is in package builtin, so that completion and the test whether a
// cell is complete need no more than this package.
//
// # What is a command
//
// A line is one if it begins a statement at the top level of the cell, as Go's
// own scanner sees it: not inside brackets, a string or a comment, and not where
// an expression goes on. There % and $ begin no Go, so no Go program is
// misread. ! does begin Go: !ok, !f(x) and !a.b(x) are Go, as is
// everything that Parse's known function says is a variable; all else, such as
// !ls -l or ! ls, is a shell line.
//
// %%name in the first line that is not empty takes the whole cell.
//
// # Invariants
//
// Every piece of Go has the length and the line ends of the cell: what is not
// its own is replaced by blanks, so lines and columns in messages are those of
// the cell.
package magic
