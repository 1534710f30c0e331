// Package gallery shows the rows of a matrix as small gray pictures in rows and
// columns: faces, eigenfaces, digits, filters.
//
//	gallery.Tiles("Faces", X, 32, 32, 10)       // one range of grays for all
//	gallery.Signed("Eigenfaces", Q, 32, 32, 10) // each with its own range; gray is 0
//
// X is n×(h·w), a picture a row, its pixels row by row. The result is a
// *figure.Figure: a notebook shows it, it can be saved as PNG and SVG, and it can be a
// panel of a figure.Grid. Pixels are drawn as squares, without smoothing.
//
// Grays: with one common range a pale picture looks pale, and pictures can be
// compared. With a separate range for each picture, faint structure becomes visible, but
// a picture of pure noise looks as strong as any other. Say in the caption which is used.
package gallery
