// Package codecost measures the cost of writing a set of signals in a basis, in
// bits per sample of the signal, at a given error of the reconstruction, as in
// M. Lewicki, B. Olshausen, "Probabilistic framework for the adaptation and
// comparison of image codes", J. Opt. Soc. Am. A 16 (1999), and in M. Lewicki,
// T. Sejnowski, "Learning overcomplete representations", Neural Computation 12
// (2000).
//
// # What is measured
//
// Signals are the columns of X (m × N), a basis the columns of A (m × n), the
// coefficients S (n × N). All coefficients are rounded to multiples of one step
// Δ, and Δ is made as large as the root mean square error of X − A round(S)
// allows, sigma. (The error includes X − A S, so a code that does not reconstruct
// to within sigma before rounding is refused: ErrUnreachable.) The cost is
//
//	bits per sample = 1/m Σᵢ Hᵢ,   i over the n coefficients,
//
// where Hᵢ is the entropy of coefficient i's multiples over the N signals: the bits
// that an ideal entropy coder needs if it codes each coefficient by itself. Information
// that the coefficients hold about each other is not used, in any basis.
//
// # The estimators and their bias
//
// Histogram takes Hᵢ from the relative frequencies. It is too small: by
// (K−1)/(2N ln 2) bits to first order, K the number of values that occur.
// Options.Correct adds that amount (Miller and Madow), which removes the bias
// of the first order; the result is still too small while many values occur once.
//
// Laplacian fits the scale of a Laplacian density to each coefficient, with a
// separate probability of zero, and takes the mean of −log₂ of the probabilities
// of the intervals. It is a cross entropy, so never smaller than the plug-in
// entropy of the same data, and too large where the coefficients are not
// Laplacian. With only two parameters per coefficient it is the estimator to use
// when N is small.
//
// Kernel smooths the histogram with a Gaussian whose width follows Silverman's rule for the coefficient's
// spread (interquartile range or standard deviation, the smaller), but leaves out each value's own
// contribution in turn. It is also a cross entropy and a little too large; the excess is larger for densities
// with a sharp peak, which sparse codes often have.
//
// # The trap
//
// An overcomplete basis pays for n > m coefficients. It wins only if they are
// sparser by more than that. Compare bases at equal error (MeasureCurve, At) and with
// the same estimator, and use for each basis the coefficients that suit it:
// the dot products with an overcomplete basis are not a sparse code.
package codecost
