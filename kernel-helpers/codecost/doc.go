// Package codecost measures the cost of writing a set of signals in a basis, in
// bits per sample of the signal, at a given error of the reconstruction, as in
// M. Lewicki, B. Olshausen, "Probabilistic framework for the adaptation and
// comparison of image codes", J. Opt. Soc. Am. A 16 (1999), and in M. Lewicki,
// T. Sejnowski, "Learning overcomplete representations", Neural Computation 12
// (2000).
//
// # What is measured
//
// Signals are the columns of X (m × N), a basis the columns of A (m × n), the coefficients S (n × N). All
// coefficients are rounded to multiples of one step Δ. Δ is the largest step for which the root mean square
// error of X − A round(S) is at most sigma. (The error includes X − A S. A code with an error above sigma
// even before rounding gives ErrUnreachable.) The cost is
//
//	bits per sample = 1/m Σᵢ Hᵢ,   i = 1 … n,
//
// where Hᵢ is the entropy of coefficient i's multiples over the N signals: the bits that an ideal entropy
// coder needs if it codes each coefficient separately. Dependence between coefficients is not used, in any
// basis.
//
// # The estimators and their bias
//
// Histogram computes Hᵢ from the relative frequencies. The estimate is too small by (K−1)/(2N ln 2) bits to
// first order, where K is the number of distinct values. Options.Correct adds that amount (Miller and Madow),
// which removes the first-order bias. The result is still too small if many values occur only once.
//
// Laplacian fits the scale of a Laplacian density to each coefficient, with a separate probability of zero,
// and takes the mean of −log₂ of the probabilities of the intervals. This is a cross entropy, so it is never
// smaller than the plug-in entropy of the same data, and it is too large if the coefficients are not
// Laplacian. Use Laplacian when N is small, because it has only two parameters per coefficient.
//
// Kernel smooths the histogram with a Gaussian whose width follows Silverman's rule. The rule's spread is the
// smaller of a multiple of the interquartile range and the standard deviation. The estimate at each value
// leaves out that value's own contribution. It is also a cross entropy and slightly too large; the excess is
// larger for sharply peaked densities, which are common in sparse codes.
//
// # The trap
//
// An overcomplete basis pays for n > m coefficients. It wins only if its coefficients are sparse enough to
// make up for their larger number. Compare bases at equal error (MeasureCurve, At) and with the same
// estimator, and use for each basis the coefficients that suit it: the dot products with an overcomplete
// basis are not a sparse code.
package codecost
