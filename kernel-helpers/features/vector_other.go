//go:build (!amd64 && !arm64) || noasm

package features

// decodeHalves decodes len(dst) halves into dst.
func decodeHalves(dst []float32, from []byte) { halvesPortable(dst, from) }

// decodeBytes stores lo + step·from in dst, element by element.
func decodeBytes(dst []float32, from []byte, lo, step []float32) {
	bytesPortable(dst, from, lo, step)
}
