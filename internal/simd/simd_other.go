//go:build ((!amd64 && !arm64) || noasm) && !(js && livesimd)

package simd

// supportedLevel returns portable, the level without vector instructions, because this build has no assembly.
func supportedLevel() level { return portable }
