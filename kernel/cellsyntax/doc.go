// Package cellsyntax knows what a notebook's cell looks like: Go declarations
// and statements in any order, without a package clause around them.
//
// Split cuts a cell into its top-level chunks, Parse makes syntax trees of
// them whose positions are those of the cell, and Status reports whether a cell
// is complete or waits for more lines. Variables tells what its statements
// declare.
package cellsyntax
