// Package magic finds the commands in a cell: lines that begin with %, such as
// %time f(x), and shell lines, which begin with $ or !.
//
// Parse splits a cell into the pieces that run one after the other, Blank returns the remaining Go, and List returns
// the available commands. Package builtin implements the commands. Completion, and the check whether a cell is
// complete, need only package magic.
//
// # What is a command
//
// A line is a command if it begins a statement at the top level of the cell, according to Go's own scanner: not inside
// brackets, a string or a comment, and not where an expression continues. At the start of a statement, % and $ cannot
// begin Go code, so no Go program is misread. But ! can begin Go code: !f(x), !a.b(x), !(a && b) and !true are Go. A
// line such as !done is Go if done is a variable of the session or occurs earlier in the cell's Go code. The caller of
// Parse passes a function that reports which names are variables of the session. Every other line that begins with !,
// such as !ls -l or ! ls, is a shell line.
//
// %%name on the first non-empty line takes the whole cell.
//
// # Invariants
//
// Every piece of Go has the same length and line ends as the cell: all other text is replaced by blanks, so
// that the lines and columns in messages are those of the cell.
package magic
