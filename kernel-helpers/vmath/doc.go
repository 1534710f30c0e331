// Package vmath computes e^x, log x, the sigmoid, the softplus, log-sum-exp and
// softmax over slices of float64 and float32, with the vector units of amd64 and
// arm64.
//
//	vmath.Exp(y, x)             // y[i] = e^x[i]; y may be x
//	lse := vmath.LogSumExp(x)   // log Σ e^x[i], without overflow
//	vmath.Softmax(p, x)         // p[i] = e^(x[i] − lse)
//
// The functions for float32 end in 32.
//
// # Accuracy
//
// An error of 1 ulp is one unit in the last place of the exact result. The tests check
// these error bounds for the assembly and for the WebAssembly vectors. The portable version may have 1 ulp more.
//
//	          float64   float32
//	Exp         1 ulp     1 ulp
//	Log         1 ulp     1 ulp
//	Sigmoid   2.5 ulp   2.5 ulp
//	Softplus    2 ulp     2 ulp
//
// The bounds hold for subnormal arguments and results too; the ulp of a subnormal result is the smallest subnormal
// number. ±0, ±Inf, NaN, overflow and underflow are handled as package math documents: Log(0) = −Inf, Log of a negative
// number is NaN, Exp(−Inf) = 0. NaN payloads are not preserved.
//
// For float32 the bounds were checked once on all 2³² arguments (go test -run TestSingle -exhaustive, which
// takes minutes): the largest errors were 0.90, 0.88, 2.41 and 1.88 ulp, in the order of the table. The
// regular test covers every exponent and random arguments. For float64 the tests use random arguments of
// every exponent, with a reference in double-double arithmetic, which is itself checked against math/big; the
// largest errors seen were 0.88, 0.83, 2.32 and 1.74 ulp. In WebAssembly, which has no fused multiply-add,
// the regular tests saw 0.83, 0.78, 1.92 and 1.53 ulp, and 0.86, 0.86, 2.23 and 1.73 for float32. This is
// evidence, not proof.
//
// # Invariants
//
//   - The result for an element depends only on the element, not on its place,
//     on the slice's length or on its neighbors.
//   - The order of sums depends only on the length: 8 lanes, by
//     index modulo 8, always in float64.
//   - AVX2, AVX-512 and NEON produce the same bits (except for the bits of NaNs). The
//     portable version produces different bits, and so does WebAssembly.
//   - Nothing outside the slices is read or written, and nothing is allocated.
//
// # Aliasing and lengths
//
// dst may be x itself (the same first element). Otherwise the two must not
// overlap. Slices of different lengths cause a panic. Empty slices are allowed.
//
// # Which version runs
//
// The best version that the machine supports runs: AVX-512, AVX2 (package simd defines the required features of each),
// NEON on arm64, or portable Go (package math element by element, with two defects of math.Exp and math.Log on amd64
// corrected: see portable.go). The environment variable OVERCOMPLETE_VMATH sets an upper limit: go, avx2 or avx512 on
// amd64, and go or neon on arm64. Any other value causes a panic at startup. Other machines, and builds with the
// tag noasm, use the portable version. Programs for js/wasm with the tag livesimd use WebAssembly's vectors (simd128,
// package internal/wasmsimd). Version returns the version in use.
//
// The NEON version has not been timed. Its loops have these numbers of instructions per element:
//
//	          float64   float32
//	Exp          18.8       6.8
//	Log          25.0      11.8
//	Sigmoid      21.0       7.8
//	Softplus     37.5      14.6
//
// # Trap
//
// In LogSumExp and Softmax the difference d = max x − x[i] is rounded before the exponential is taken, so the
// term e^(−d) has a relative error of up to d/2 ulp, which is large for small terms. The absolute error per
// term is below one ulp of 1, because d e^(−d) < 0.37, so sums and large probabilities are not affected.
package vmath

//go:generate go run ./gen
