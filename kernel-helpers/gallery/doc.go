// Package gallery shows the rows of a matrix as small grey pictures in rows and
// columns: faces, eigenfaces, digits, filters.
//
//	gallery.Tiles("Faces", X, 32, 32, 10)       // one range of greys for all
//	gallery.Signed("Eigenfaces", Q, 32, 32, 10) // grey is 0, each by itself
//
// X is n×(h·w), a picture a row, its pixels row by row. What comes back is a
// *figure.Figure: it is shown in a notebook, saved as PNG and SVG, and can be a
// panel of a figure.Grid. Pixels are drawn as squares, without smoothing.
//
// Greys: with one common range a pale picture looks pale, and pictures can be
// compared; with a range for each, faint structure is seen, and a picture of
// nothing but noise looks as strong as any other. Say which in the caption.
package gallery
