// Package wasmsimd has the inner loops of packages gemm, vmath, sparseapprox, nnls and s3c as a
// WebAssembly module with vectors of 128 bits, which works on the memory of the Go program
// (package wasmhost): for js/wasm what their assembly is for amd64. It is used in programs
// with the build tag livesimd; in others, and where the browser has no vectors, these
// packages are plain Go.
//
// simd.wasm is written by the program in gen, args.go has the arguments. There is no fused
// multiply-add, and an element's result depends on the element alone, as vmath promises.
//
// A function ends in 64 or 32, its precision:
//
//	exp log sigmoid softplus scale largest   Map
//	sumExp expSum                            Sum
//	gemm                                     Product
//	axpy axpy4_ dot dot4_ both               Rows
//	sweep32                                  Sweep
//	excess32 above32                         Bounds
//	slabRows32 slabList32 screenRows32
//	spikeRows32 spikeStoreRows32 spikeList32 Update
//	respond32 dots32 sums32                  Block
//	descent64                                Descent
package wasmsimd

//go:generate go run ./gen
