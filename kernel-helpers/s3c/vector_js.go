//go:build livesimd

package s3c

import (
	"unsafe"

	"overcomplete/internal/simd"
	"overcomplete/internal/wasmhost"
	"overcomplete/kernel-helpers/internal/wasmsimd"
)

// A sweep is passed to the WebAssembly module unchanged: wasmsimd.Update has the same fields.
var _ [unsafe.Sizeof(sweep{})]byte = [unsafe.Sizeof(wasmsimd.Update{})]byte{}

// run calls the function f of the WebAssembly module, and reports whether the module exists.
func (c *sweep) run(f wasmhost.Func) bool {
	if simd.Wasm() {
		f.Call(unsafe.Pointer(c))
		return true
	}
	return false
}

func slabRows(c *sweep) {
	if !c.run(wasmsimd.SlabRows32) {
		c.slabPortable(true)
	}
}

func slabList(c *sweep) {
	if !c.run(wasmsimd.SlabList32) {
		c.slabPortable(false)
	}
}

func spikeRows(c *sweep) {
	if !c.run(wasmsimd.SpikeRows32) {
		c.spikePortable(true, false)
	}
}

func spikeStoreRows(c *sweep) {
	if !c.run(wasmsimd.SpikeStoreRows32) {
		c.spikePortable(true, true)
	}
}

func spikeList(c *sweep) {
	if !c.run(wasmsimd.SpikeList32) {
		c.spikePortable(false, false)
	}
}

func screenRows(c *sweep) {
	if !c.run(wasmsimd.ScreenRows32) {
		c.screenPortable()
	}
}

// respond computes u <- keep·u + step·(g + c r), for vectors of the same length, a multiple of 16.
func respond(keep, step float32, g, c, r, u []float32) {
	n := len(u)
	g, c, r = g[:n], c[:n], r[:n]
	if n == 0 || !simd.Wasm() {
		respondPortable(keep, step, g, c, r, u)
		return
	}
	args := wasmsimd.Block{N: n, A: &g[0], B: &c[0], C: &r[0], R: &u[0], F: [2]float32{keep, step}}
	wasmsimd.Respond32.Call(unsafe.Pointer(&args))
}

// column copies src[0], src[stride], ... to dst.
func column(dst, src []float32, stride int) { columnPortable(dst, src, stride) }

// dots stores the product W r in the slice out. The number of rows of W is units, which must be a multiple of 4. The
// number of columns is len(r), which must be a multiple of 16.
func dots(units int, w, r, out []float32) {
	w, out = w[:units*len(r)], out[:units]
	if len(w) == 0 || !simd.Wasm() {
		dotsPortable(units, w, r, out)
		return
	}
	args := wasmsimd.Block{N: units, D: len(r), A: &w[0], B: &r[0], C: &out[0]}
	wasmsimd.Dots32.Call(unsafe.Pointer(&args))
}

// sums subtracts W'm from r. W has len(m) rows and len(r) columns. len(r) is a multiple of 16.
func sums(w, m, r []float32) {
	w = w[:len(m)*len(r)]
	if len(w) == 0 || !simd.Wasm() {
		sumsPortable(w, m, r)
		return
	}
	args := wasmsimd.Block{N: len(m), D: len(r), A: &w[0], B: &r[0], C: &m[0]}
	wasmsimd.Sums32.Call(unsafe.Pointer(&args))
}
