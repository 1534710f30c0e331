//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package sparseapprox

// axpy adds a x to y; x and y have the same length.
func axpy(a float64, x, y []float64) { axpyPortable(a, x, y) }

// axpy32 is like axpy, in float32.
func axpy32(a float32, x, y []float32) { axpyPortable(a, x, y) }

// axpy4 adds f_0 a + f_1 b + f_2 c + f_3 d to y. The five vectors a, b, c, d and y have the same length.
func axpy4(f *[4]float64, a, b, c, d, y []float64) { axpy4Portable(f, a, b, c, d, y) }

// axpy4x32 is like axpy4, in float32.
func axpy4x32(f *[4]float32, a, b, c, d, y []float32) { axpy4Portable(f, a, b, c, d, y) }

// dot returns x'y for x and y of the same length.
func dot(x, y []float64) float64 { return dotPortable(x, y) }

// run makes one sweep over the block; see sweepPortable.
func (b *block32) run(low float32) float32 { return b.sweepPortable(low) }

// excess returns the largest of 0 and all max(q_j, sign·q_j) − bound_j.
func excess(q, bound []float32, sign float32) float32 { return excessPortable(q, bound, sign) }

// above sets bit j of bits (64 bits in a word) to 1 if max(q_j, sign·q_j) − bound_j >= least, and to 0 otherwise.
// least must be positive.
func above(q, bound []float32, sign, least float32, bits []uint64) {
	abovePortable(q, bound, sign, least, bits)
}
