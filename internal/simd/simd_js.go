//go:build livesimd

package simd

import "overcomplete/internal/wasmhost"

// probe is a WebAssembly module with one function that uses vectors. TestProbe checks it and, if it is wrong, prints
// the right bytes.
const probe = "\x00asm\x01\x00\x00\x00\x01\x04\x01`\x00\x00\x03\x02\x01\x00\n\x17\x01\x15\x00\xfd\f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x1a\v\x00\n\x04name\x01\x03\x01\x00\x00"

// supportedLevel returns wasm if the engine accepts a module with vector instructions, otherwise portable.
func supportedLevel() level {
	fs, err := wasmhost.Compile([]byte(probe))
	if err != nil {
		return portable
	}
	wasmhost.Release(fs)
	return wasm
}
