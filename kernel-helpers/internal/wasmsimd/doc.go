// Package wasmsimd has the inner loops of packages gemm, vmath, sparseapprox, nnls and s3c as a WebAssembly module
// with 128-bit vectors. The module does for js/wasm what the packages' assembly does for amd64 and arm64, and works in
// the memory of the Go program (see package wasmhost). Programs with the build tag livesimd use it. Without the tag,
// and in browsers that do not support vectors, these packages run plain Go.
//
// The program in gen writes the module, simd.wasm; args.go declares the functions' arguments. WebAssembly has no fused
// multiply-add, so results may differ from the assembly's in the last bits. But the module keeps vmath's promise that
// the result for an element depends only on this element, not on its place in the slice.
//
// Function names end in the precision, 64 or 32. The right column names the struct that holds the arguments:
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
