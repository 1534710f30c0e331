// Package cellsyntax parses the text of a notebook cell: Go declarations and statements in any order, without a
// package clause.
//
// Split splits a cell into its top-level chunks. Parse builds syntax trees with positions in the cell. Status
// reports whether a cell is complete or needs more lines. Variables returns the variables that statements
// declare.
package cellsyntax
