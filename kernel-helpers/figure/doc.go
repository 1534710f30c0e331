// Package figure draws the project's figures with gonum/plot: it provides one palette, one theme, and a
// single call for each common kind of figure. Figures are saved as SVG and PNG, with the data as CSV.
//
//	f := figure.Cloud("E1: the data", X) // X is 2 × N
//	f.Basis("true columns", A, 0)
//	f.Basis("learned columns", Ahat, 0)
//	f.Caption = "1000 samples of a 2 × 3 mixture"
//	err := f.Save(run.Figure("e1-data", f.Caption))
//
// A [Figure] is a *plot.Plot with a heading, a legend above the data area (so that it hides no data), and a
// caption that names the function that drew the figure, so that a reader can find the code. A Figure has all
// fields and methods of a *plot.Plot: f.X.Label.Text, f.Add(plotter) and so on. A [Grid] arranges small
// multiples with aligned data areas. A notebook shows Figures and Grids as pictures.
//
// # Colors
//
// [Palette] is the palette of Okabe and Ito, with gray instead of yellow, which is hard to see on white: eight colors
// that color-blind readers can tell apart. Matrices with values of one sign use [Sequential], from dark to light.
// Matrices with values of both signs use [Diverging], with white at zero.
//
// # Determinism
//
// The same figure gives the same bytes each time on the same kind of machine: the fonts are built in, and
// nothing depends on the time or on map iteration order. Drawing does not change the figure. Another
// processor may round a coordinate differently in the fifth digit.
//
// # Data
//
// CSV returns the original data of a figure or a grid; Save writes the CSV file next to the pictures. See [Figure.CSV].
// The SVG's metadata element describes the content of the figure: title, legend, panels, axes, and in a saved file also
// the data (package internal/figuremeta). Pages, reports and checks read the metadata, so they do not depend on how the
// picture is drawn.
//
// # Mistakes
//
// Slices of unequal length, NaN, Inf and empty data cause a panic with a message that names the bad value. If
// NaN or Inf is expected, as in the history of a diverging run, remove such points with [Finite]. Where missing values
// should be visible, [Figure.LinesWithGaps] and [HeatmapWithGaps] accept NaN.
package figure
