// Package flame draws profiles of cells: as a flame graph, and as a table of the most expensive lines and
// functions.
//
// The picture is an SVG that is readable without a script: text in the boxes that are wide enough, titles on
// all. In a page it is an image, which stays when a front end removes scripts. Where scripts run, one replaces
// the image by the SVG itself, with titles under the pointer and boxes that widen when they are clicked.
// Nothing is loaded from anywhere.
//
// # Files in reading order
//
//	tree.go  samples as a tree of lines and functions, and its most expensive rows
//	svg.go   the picture
//	text.go  the table and the caption
//	page.go  all of it as HTML; page.js is its script
package flame
