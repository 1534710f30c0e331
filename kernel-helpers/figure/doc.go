// Package figure draws the project's figures with gonum/plot: one palette, one
// theme, one call for the usual kinds, saved as SVG and as PNG, with the data as CSV.
//
//	f := figure.Cloud("E1: the data", X) // X is 2 × N
//	f.Basis("true columns", A, 0)
//	f.Basis("learned columns", Ahat, 0)
//	f.Caption = "1000 samples of a 2 × 3 mixture"
//	err := f.Save(run.Figure("e1-data", f.Caption))
//
// A [Figure] is a *plot.Plot with a heading, a legend above the data (where it hides nothing), and a caption
// that names the function that made it, so that a reader can find the code. A Figure can do everything that a
// *plot.Plot can: f.X.Label.Text, f.Add(plotter) and so on. A [Grid] arranges small multiples with aligned
// data areas. A notebook shows both.
//
// # Colors
//
// [Palette] is the palette of Okabe and Ito without its yellow, which is hard to see
// on white: eight colors that color-blind readers can tell apart. Matrices with
// values of one sign use [Sequential] (dark to light, rising lightness), matrices with
// values of both signs [Diverging], white at zero.
//
// # Determinism
//
// The same figure gives the same bytes each time on the same kind of machine:
// the fonts are built in, nothing depends on the time or on the order of a map.
// Drawing does not change the figure. Another processor may round a coordinate
// differently in the fifth digit.
//
// # Data
//
// CSV returns the data of a figure or a grid as they were given, one value per line; Save writes them next to
// the pictures. See [Figure.CSV]. The SVG describes its content in its element metadata: title, legend,
// panels, axes, and in a file the data too (package internal/figuremeta). Pages, reports and checks read the
// metadata, so they do not depend on how the picture is drawn.
//
// # Mistakes
//
// Slices of unequal length, NaN, Inf and empty data panic with a message that names the bad value. Where such
// points are expected, as in the history of a diverging run, drop them with [Finite].
package figure
