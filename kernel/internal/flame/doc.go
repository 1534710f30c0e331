// Package flame draws profiles of cells: as a flame graph, and as a table of the most expensive lines and
// functions.
//
// The picture is an SVG that is readable without a script: boxes that are wide enough show text, and all
// boxes have titles. In a page it is an image, which remains if a front end removes scripts. If scripts may
// run, a script replaces the image with the SVG itself; then titles appear under the pointer, and boxes widen
// when they are clicked. Nothing is loaded over the network.
//
// # Files in reading order
//
//	tree.go  samples as a tree of lines and functions, and its most expensive rows
//	text.go  the table and the caption
//	svg.go   the picture; picture, caption and table as HTML, with page.js as the script
package flame
