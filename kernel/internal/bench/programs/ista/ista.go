// Package ista finds a sparse code by iterative shrinkage and thresholding, written with plain loops.
package ista

import "math"

// Shrink moves x towards zero by t.
func Shrink(x, t float64) float64 {
	if math.Abs(x) <= t {
		return 0
	}
	if x > 0 {
		return x - t
	}
	return x + t
}

// Code returns coefficients z that approximately minimize ½‖y - dz‖² + lambda‖z‖₁. It starts at zero and takes the
// given number of steps, whose size is rate.
func Code(d [][]float64, y []float64, lambda, rate float64, steps int) []float64 {
	z := make([]float64, len(d[0]))
	residual := make([]float64, len(y))
	for range steps {
		for i, row := range d {
			r := -y[i]
			for j, a := range row {
				r += a * z[j]
			}
			residual[i] = r
		}
		for j := range z {
			g := 0.0
			for i := range d {
				g += d[i][j] * residual[i]
			}
			z[j] = Shrink(z[j]-rate*g, rate*lambda)
		}
	}
	return z
}

// Run returns the L1 norm of a code of 128 coefficients after n steps.
func Run(n int) float64 {
	d := make([][]float64, 64)
	y := make([]float64, 64)
	for i := range d {
		d[i] = make([]float64, 128)
		for j := range d[i] {
			d[i][j] = float64((i*37+j*61)%101-50) * 0.01
		}
		y[i] = float64(i*29%17-8) * 0.125
	}
	norm := 0.0
	for _, c := range Code(d, y, 0.05, 0.002, n) {
		norm += math.Abs(c)
	}
	return norm
}
