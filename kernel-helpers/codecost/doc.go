// Package codecost measures the cost of writing a set of signals in a basis, in bits per sample of the signal, at a
// given error of the reconstruction, as in M. Lewicki, B. Olshausen, "Probabilistic framework for the adaptation and
// comparison of image codes", J. Opt. Soc. Am. A 16 (1999), and in M. Lewicki, T. Sejnowski, "Learning overcomplete
// representations", Neural Computation 12 (2000).
//
// # What is measured
//
// The signals are the columns of X (m × N), the columns of A (m × n) are the basis, and S (n × N) holds the
// coefficients. All coefficients are rounded to multiples of one step Δ. Δ is the largest step for which the root mean
// square error of X − A round(S) is at most sigma. (This error includes X − A S, the error before rounding. If X − A S
// alone has an error of sigma or more, the functions return ErrUnreachable.) The cost is
//
//	bits per sample = 1/m Σᵢ Hᵢ,   i = 1 … n,
//
// where Hᵢ is the entropy of the rounded coefficient i over the N signals: the bits per signal that an ideal entropy
// coder needs if it codes each coefficient separately. Dependence between coefficients would lower the cost further,
// but it is ignored for every basis.
//
// # The estimators and their bias
//
// Histogram computes Hᵢ from the relative frequencies of the rounded values. The estimate is too small by (K−1)/(2N ln
// 2) bits to first order, where K is the number of distinct values. Options.Correct adds that amount (Miller and
// Madow), which removes the first-order bias. The result is still too small if many values occur only once.
//
// Laplacian fits the scale of a Laplacian density to each coefficient, with a separate probability of zero, and takes
// the mean of −log₂ p over the N values, where p is the probability of the interval that is rounded to the value. This
// mean is a cross entropy, so it is never smaller than the uncorrected estimate of Histogram from the same data, and it
// is too large if the coefficients are not Laplacian. Use Laplacian when N is small, because it has only two parameters
// per coefficient.
//
// Kernel smooths the histogram with a Gaussian whose width follows Silverman's rule. The rule's spread is the
// standard deviation or a multiple of the interquartile range, whichever is smaller. The density at each value is estimated without
// that value's own contribution. The result is also a cross entropy, and slightly too large; the excess is larger for
// sharply peaked densities, which are common in sparse codes.
//
// # The trap
//
// An overcomplete basis pays for n > m coefficients. It wins only if its coefficients are sparse enough to make up for
// their larger number. Compare bases at equal error (MeasureCurve, At) and with the same estimator. Compute the
// coefficients for each basis in a way that suits it: the dot products of the signals with an overcomplete basis are
// not a sparse code.
package codecost
