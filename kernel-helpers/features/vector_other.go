//go:build (!amd64 && !arm64) || noasm

package features

// decodeHalves converts half-precision numbers to float32: the first len(dst) numbers of src.
func decodeHalves(dst []float32, src []byte) { halvesPortable(dst, src) }

// decodeBytes stores lo[j] + step[j]·from[j] in dst[j], for each j.
func decodeBytes(dst []float32, from []byte, lo, step []float32) {
	bytesPortable(dst, from, lo, step)
}
