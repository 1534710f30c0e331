//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package simd

// available returns portable, because there is no assembly for this platform.
func available() level { return portable }
