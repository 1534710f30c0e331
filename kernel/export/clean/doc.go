// Package clean takes out of HTML what could do something to its reader: scripts, attributes that
// hold scripts, addresses that are scripts, what is fetched from elsewhere, frames, forms, and styles
// that lay one thing over another. What is left is text, tables and pictures that are in the page.
//
// # What is kept of this project's own
//
// Sliders, the saved positions of controls and the tables of many rows consist of scripts. A script is kept if it is, byte for byte,
// one that this project writes; where it stands, and what class stands around it, says nothing.
// These scripts move and sort what is there, and show it as text, as pictures, or as HTML that has been
// cleaned here (package positions), so that it does not matter who has sent them. The script of flame graphs, which takes its picture for a part of the page, is
// not among them, nor that of live controls, which writes HTML: the picture, and the controls' last state
// with it, are there without.
//
// # How
//
// The HTML is parsed as a browser parses it, and written again, so that what follows sees what a
// browser would; SVG becomes a picture, in which nothing runs; the scripts that are kept are taken
// out; bluemonday drops what policy.go does not list; the scripts are put back. What was there
// before and is not there after is counted, and so can be told to the reader.
package clean
