//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package simd

// available returns portable: there is no assembly.
func available() level { return portable }
