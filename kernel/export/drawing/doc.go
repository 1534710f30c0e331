// Package drawing sets the SVG of a figure into a web page: its panels as pictures of their own, which stand one below
// the other where the page is narrow, its title, its caption and its legends as text of the page, its ground
// transparent, its ink in the page's colour, light or dark, and each word in the room that the figure has for
// it, whatever font the reader's computer has. Of a figure that has its data in it the page says the values
// at the pointer.
//
// # Reading order
//
// parse.go reads the SVG into shapes, path.go their outlines; panels.go sorts shapes into panels and legends, as the
// SVG's metadata (package figuremeta) say; narrow.go draws a large panel for a phone as well; tiles.go makes the gaps between the pictures
// of a mosaic transparent; html.go writes; values.go puts the data where they are drawn, for script.js to show. measure.go knows how wide words are.
//
// # Invariants
//
// Nothing of the SVG is copied: what is written is written anew from numbers, colours and words. A picture with an
// element, an attribute or a style that package figure of this project does not write is refused, and the caller shows
// it as a picture. So what a stranger has put into an SVG cannot reach a page.
//
// # Traps
//
// Whether a path is ground, halo, axis or data is known by its colour alone: the metadata name those of the figure itself.
// What a stranger's metadata say is believed as far as it is checked: values at the pointer may be anywhere in the panel.
package drawing
