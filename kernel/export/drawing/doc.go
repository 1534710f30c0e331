// Package drawing puts the SVG of a figure into a web page. Each panel becomes a separate picture, and the pictures
// are stacked if the page is narrow. The title, caption and legends become text on the page. The background is
// transparent, the ink has the page's text color, and each word is scaled to its space in the figure, whatever font
// the reader's computer has. If a figure contains its data, the page shows the values at the pointer.
//
// # Reading order
//
// parse.go reads the SVG into shapes (package svgpath reads their outlines); panels.go sorts shapes into panels and
// legends, using the SVG's metadata (package figuremeta), and makes the gaps between tiles transparent; narrow.go
// also draws large panels for a phone; html.go writes the HTML; values.go places the data for script.js; measure.go
// measures words.
//
// # Invariants
//
// No part of the SVG is copied: the output is generated from numbers, colors and words. An SVG with an element,
// attribute or style that this project's package figure does not write is refused, and the caller shows it as a
// picture. So foreign content in an SVG cannot reach a page.
//
// # Traps
//
// Only the color of a path tells whether it is part of the background, an axis or the data. The colors of the
// background and the axes are listed in the metadata. The metadata of a foreign SVG is trusted where it cannot be
// checked: the values shown at the pointer may lie anywhere in the panel.
package drawing
