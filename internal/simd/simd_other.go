//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package simd

// supportedLevel returns portable, because there is no assembly for this platform.
func supportedLevel() level { return portable }
