// Package magic finds the commands in a cell: lines that begin with %, such as
// %time f(x), and shell lines, which begin with $ or !.
//
// Parse splits a cell into the pieces that run one after the other, Blank returns the remaining Go, and List
// returns the available commands. Package builtin implements the commands, so completion and the check whether
// a cell is complete need only this package.
//
// # What is a command
//
// A line is a command if it begins a statement at the top level of the cell, as
// Go's own scanner sees it: not inside brackets, a string or a comment, and not
// where an expression continues. At such a place % and $ cannot begin Go, so no
// Go program is misread. But ! can: !ok, !f(x) and !a.b(x) are Go, as is !
// before any name that Parse's known function reports to be a variable.
// Everything else, such as !ls -l or ! ls, is a shell line.
//
// %%name on the first non-empty line takes the whole cell.
//
// # Invariants
//
// Every piece of Go has the length and the line ends of the cell: all other text is replaced by blanks, so that
// lines and columns in messages are those of the cell.
package magic
