// Package clean removes active content from HTML: scripts, script attributes and addresses, content fetched
// from elsewhere, frames, forms, and styles that place one element over another. Text, tables and embedded
// pictures remain.
//
// # This project's own scripts
//
// Sliders, saved positions of controls and long tables need scripts. A script is kept if it is byte for byte
// one that this project writes; its place and the classes around it do not count. These scripts only move and
// sort existing content, and show it as text, as pictures, or as HTML that has been cleaned here (package
// positions), so they are safe no matter who sends them. Two scripts are removed: that of flame graphs, which
// treats its picture as part of the page, and that of live controls, which writes HTML. The picture and the
// controls' last state are visible without them.
//
// # Method
//
// The HTML is parsed as in a browser and written again, so that later steps see what a browser would. SVG
// becomes a picture, in which nothing runs. The kept scripts are taken out, bluemonday drops everything that
// policy.go does not list, and the scripts are put back. Comparing counts before and after shows what was
// removed, for the note to the reader.
package clean
