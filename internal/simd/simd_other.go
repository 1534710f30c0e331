//go:build !amd64 || noasm

package simd

// available is nothing: there is no assembly.
func available() level { return portable }
