// Package wasmsimd has the inner loops of packages gemm, vmath, sparseapprox, nnls and s3c as a WebAssembly module with
// 128-bit vectors. The module does for js/wasm what the packages' assembly does for amd64, and works in the memory of
// the Go program (see package wasmhost). Programs with the build tag livesimd use it. Without the tag, and in browsers
// without vectors, these packages run plain Go.
//
// The program in gen writes simd.wasm; args.go declares the arguments. WebAssembly has no fused multiply-add. As vmath
// promises, the result for an element depends only on this element.
//
// Function names end in the precision, 64 or 32. The right column has the struct with the arguments:
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
