// Package cellsyntax parses the text of a notebook cell: Go declarations and
// statements in any order, without a package clause around them.
//
// Split cuts a cell into its top-level chunks. Parse builds syntax trees whose
// positions are those of the cell. Status reports whether a cell is complete or
// waits for more lines. Variables returns the variables that its statements
// declare.
package cellsyntax
