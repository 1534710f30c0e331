// Package figure draws the project's figures with gonum/plot: one palette, one
// theme, one line for the usual kinds, saved as SVG and as PNG, with the data as CSV.
//
//	f := figure.Cloud("E1: the data", X) // X is 2 × N
//	f.Basis("true columns", A, 0)
//	f.Basis("learned columns", Ahat, 0)
//	f.Caption = "1000 samples of a 2 × 3 mixture"
//	err := f.Save(run.Figure("e1-data", f.Caption))
//
// A [Figure] is a *plot.Plot with a heading, a legend above the data (where it
// hides nothing), and a caption that names the function which made it, so that
// whoever sees the picture finds its code. Everything that a *plot.Plot can do
// a Figure can do: f.X.Label.Text, f.Add(plotter) and so on. A [Grid] is small
// multiples, their data areas aligned. A notebook shows both.
//
// # Colours
//
// [Palette] is that of Okabe and Ito without its yellow, which is hard to see
// on white: eight colours that stay apart for the colour-blind. Matrices with
// values of one sign use [Sequential] (dark to light, rising lightness), those
// of both signs [Diverging], white at zero.
//
// # Determinism
//
// The same figure gives the same bytes each time on the same kind of machine:
// the fonts are built in, nothing depends on the time or on the order of a map.
// Drawing does not change the figure. Another processor may round a coordinate
// otherwise in the fifth digit.
//
// # Data
//
// CSV gives the data of a figure or a grid, as they were given, one value in a line;
// Save writes them beside the pictures. See [Figure.CSV].
//
// # Mistakes
//
// Slices of unequal length, NaN, Inf and empty data panic with a message that
// says which value is bad; [Finite] drops such points where they are to be
// expected, in the history of a diverging run say.
package figure
