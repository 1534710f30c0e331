// Package clean removes active content from HTML: scripts, attributes and addresses that run scripts, content fetched
// from elsewhere, frames, forms, and styles that place one element over another. Text, tables and embedded pictures
// remain.
//
// # This project's own scripts
//
// Sliders, saved positions of controls and long tables need scripts. A script is kept if it is byte for byte one that
// this project writes, wherever it is in the HTML. The kept scripts are safe no matter who sends them. They only move
// and sort existing content, and show it as text, as pictures, or as HTML that this package has cleaned (see package
// positions). Two of the project's scripts are removed: the script of flame graphs, which treats its picture as part
// of the page, and the script of live controls, which writes HTML. The picture and the controls' last state are
// visible without these two scripts.
//
// # Method
//
// The HTML is parsed as in a browser and written again, so that later steps see what a browser would. SVG becomes a
// picture, in which nothing runs. The kept scripts are taken out, bluemonday drops everything that policy.go does not
// list, and the scripts are put back. Comparing the counts of elements, attributes and styles before and after tells
// what was removed, for the note to the reader.
package clean
