// Package cellsyntax parses the text of a notebook cell: Go declarations and statements in any order, without a
// package clause.
//
// Split splits a cell into its top-level chunks. Parse builds syntax trees with positions in the cell. Status says
// whether a cell is complete, needs more lines, or is invalid. Variables returns the variables that statements declare.
package cellsyntax
