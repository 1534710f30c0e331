// Package gallery shows the rows of a matrix as a grid of small gray pictures, such as faces, eigenfaces,
// digits or filters.
//
//	gallery.Tiles("Faces", X, 32, 32, 10)       // one gray range for all
//	gallery.Signed("Eigenfaces", Q, 32, 32, 10) // a gray range for each; 0 is middle gray
//
// X is n×(h·w): one picture per row of X, with its pixels row by row. The result is a *figure.Figure: a
// notebook shows it, it can be saved as PNG and SVG, and it can be a panel of a figure.Grid. Pixels are drawn
// as squares, without smoothing.
//
// With one common gray range, pictures can be compared, and a low-contrast picture looks pale. With a
// separate range for each picture, faint structure becomes visible, but pure noise looks as strong as any
// other picture. Say in the caption which kind of range is used.
package gallery
