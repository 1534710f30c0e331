package attention

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/tape"
)

// LayerNorm normalizes each row of Z (samples×features) to mean 0 and variance 1. So each sample is normalized by its
// own features, independently of the rest of the batch. ε = 1e-5 is added to the variance. LayerNorm has no learned
// scale γ and shift β; a Transformer uses tape.LayerNorm, which has both. (J. Ba, J. Kiros and G. Hinton, 2016.)
func LayerNorm(Z mat.Matrix) *mat.Dense {
	z := dense("LayerNorm", "Z", Z)
	r, c := z.Dims()
	out := mat.NewDense(r, c, nil)
	for i := range r {
		mean, variance := moments(z.RawRowView(i))
		s := math.Sqrt(variance + tape.NormEpsilon)
		for j, v := range z.RawRowView(i) {
			out.Set(i, j, (v-mean)/s)
		}
	}
	return out
}

// A BatchNorm is a batch normalization of samples×features matrices, without the learned scale and shift: ẑ = (z −
// E[z]) / sqrt(Var[z] + 1e-5). The mean E and the variance Var, called the moments, are computed for each feature
// separately (S. Ioffe and C. Szegedy, 2015). Train uses the moments of the batch; Test uses the running averages of
// the moments over the batches.
type BatchNorm struct {
	// Momentum is the weight of a new batch in the running moments, at most 1; 0 means 0.1.
	Momentum float64
	// Mean and Variance are the running moments, one for each feature; nil
	// before the first batch. The first batch sets them.
	Mean, Variance []float64
}

// Train normalizes Z (samples×features) by its own moments and updates the running
// moments with them.
func (b *BatchNorm) Train(Z mat.Matrix) *mat.Dense {
	z := dense("BatchNorm.Train", "Z", Z)
	r, c := z.Dims()
	out := mat.NewDense(r, c, nil)
	first := b.Mean == nil
	if first {
		b.Mean, b.Variance = make([]float64, c), make([]float64, c)
	}
	if len(b.Mean) != c {
		panic(fmt.Sprintf("attention: BatchNorm: %d features, %d in earlier batches", c, len(b.Mean)))
	}
	if !(b.Momentum >= 0 && b.Momentum <= 1) {
		panic(fmt.Sprintf("attention: BatchNorm: Momentum is %v, must be between 0 and 1", b.Momentum))
	}
	w := b.Momentum
	if w == 0 {
		w = 0.1
	}
	if first {
		w = 1
	}
	for j := range c {
		mean, variance := moments(mat.Col(nil, j, z))
		normalize(out, z, j, mean, variance)
		b.Mean[j] += w * (mean - b.Mean[j])
		b.Variance[j] += w * (variance - b.Variance[j])
	}
	return out
}

// Test normalizes Z (samples×features) by the running moments. It panics if Train has not been called before.
func (b *BatchNorm) Test(Z mat.Matrix) *mat.Dense {
	z := dense("BatchNorm.Test", "Z", Z)
	r, c := z.Dims()
	if len(b.Mean) != c {
		panic(fmt.Sprintf("attention: BatchNorm: %d features, %d in training", c, len(b.Mean)))
	}
	out := mat.NewDense(r, c, nil)
	for j := range c {
		normalize(out, z, j, b.Mean[j], b.Variance[j])
	}
	return out
}

func normalize(out, Z *mat.Dense, j int, mean, variance float64) {
	r, _ := Z.Dims()
	s := math.Sqrt(variance + tape.NormEpsilon)
	for i := range r {
		out.Set(i, j, (Z.At(i, j)-mean)/s)
	}
}

// moments returns the mean and the variance of v. The variance is the sum of squared deviations divided by len(v), not
// by len(v)−1.
func moments(v []float64) (mean, variance float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, variance
}
