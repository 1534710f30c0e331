// Package autoencoder trains a sparse autoencoder with one hidden layer:
//
//	s  = ReLU(Wenc x + benc)     n hidden features of a sample x with m values
//	x' = Wdec s + bdec
//
// by minimizing, over N samples x,
//
//	L = 1/N Σ ( ‖x − x'‖² + λ ‖s‖₁ )
//
// with Adam on mini-batches (D. Kingma, J. Ba, "Adam: a method for stochastic optimization", 2015). The gradients are
// written out by hand and checked against finite differences. Samples are the columns of X (m × N), as in the packages
// for ICA and sparse coding; compare the columns of Wdec (m × n) with the columns of the mixing matrix A.
//
// With TopK, only the largest features of a sample are kept. This bounds the number of active features without a
// penalty, which would shrink the features (L. Gao et al., "Scaling and evaluating sparse autoencoders", 2024).
//
// # Traps
//
// Without a constraint the penalty has no effect: dividing s by any number and multiplying Wdec by it keeps x' and
// makes ‖s‖₁ arbitrarily small. So the decoder's columns have norm 1 unless Options.FreeNorm is set: before a step,
// the part of the gradient along each column is removed, and after the step the column is rescaled (Bricken et al.,
// "Towards monosemanticity", 2023).
//
// Since s is not negative, a symmetric source (values of both signs along one column a) needs two features, a and −a.
// Ask for twice as many features before comparing with ICA, and match columns by the absolute value of their cosine.
//
// Rate and the random start suit samples with values of about 1. If samples and λ are converted to another unit, the
// loss has the same minimum, but Fit takes a different path: Adam moves weights and biases by about Rate in any unit,
// and if the values are small, its ε is not negligible. If the samples are far from 0, the biases have far to go,
// which takes many steps. So subtract a mean and divide by a spread before Fit, for instance with
// classify.Standardize.
//
// A feature that is never active gets no gradient and stays dead; Result.Dead counts such features. The order of
// the features is arbitrary, so compare losses and matched columns, not matrices.
package autoencoder
