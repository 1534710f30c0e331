//go:build livesimd

package vmath

import (
	"unsafe"

	"overcomplete/internal/wasmhost"
	"overcomplete/kernel-helpers/internal/wasmsimd"
)

// The functions of the WebAssembly module (package wasmsimd) for dispatch_js.go.

// callElementwise calls an elementwise function of the WebAssembly module.
func callElementwise[T number](f wasmhost.Func, dst, x []T) {
	if len(x) > 0 {
		args := wasmsimd.Map[T]{Dst: &dst[0], X: &x[0], N: len(x)}
		f.Call(unsafe.Pointer(&args))
	}
}

func callScale[T number](f wasmhost.Func, x []T, factor T) {
	if len(x) > 0 {
		args := wasmsimd.Map[T]{X: &x[0], N: len(x), Factor: factor}
		f.Call(unsafe.Pointer(&args))
	}
}

func callLargest[T number](f wasmhost.Func, x []T) T {
	args := wasmsimd.Map[T]{X: unsafe.SliceData(x), N: len(x)}
	f.Call(unsafe.Pointer(&args))
	return args.Factor
}

func callSum[T number](f wasmhost.Func, dst, x []T, shift T) float64 {
	args := wasmsimd.Sum[T]{Dst: unsafe.SliceData(dst), X: unsafe.SliceData(x), N: len(x), Shift: shift}
	f.Call(unsafe.Pointer(&args))
	return fold(args.Lane)
}

func exp64SIMD128(dst, x []float64)              { callElementwise(wasmsimd.F64.Exp, dst, x) }
func log64SIMD128(dst, x []float64)              { callElementwise(wasmsimd.F64.Log, dst, x) }
func sigmoid64SIMD128(dst, x []float64)          { callElementwise(wasmsimd.F64.Sigmoid, dst, x) }
func softplus64SIMD128(dst, x []float64)         { callElementwise(wasmsimd.F64.Softplus, dst, x) }
func scale64SIMD128(x []float64, factor float64) { callScale(wasmsimd.F64.Scale, x, factor) }
func largest64SIMD128(x []float64) float64       { return callLargest(wasmsimd.F64.Largest, x) }
func sumExp64SIMD128(x []float64, shift float64) float64 {
	return callSum(wasmsimd.F64.SumExp, nil, x, shift)
}
func expSum64SIMD128(dst, x []float64, shift float64) float64 {
	return callSum(wasmsimd.F64.ExpSum, dst, x, shift)
}

func exp32SIMD128(dst, x []float32)              { callElementwise(wasmsimd.F32.Exp, dst, x) }
func log32SIMD128(dst, x []float32)              { callElementwise(wasmsimd.F32.Log, dst, x) }
func sigmoid32SIMD128(dst, x []float32)          { callElementwise(wasmsimd.F32.Sigmoid, dst, x) }
func softplus32SIMD128(dst, x []float32)         { callElementwise(wasmsimd.F32.Softplus, dst, x) }
func scale32SIMD128(x []float32, factor float32) { callScale(wasmsimd.F32.Scale, x, factor) }
func largest32SIMD128(x []float32) float32       { return callLargest(wasmsimd.F32.Largest, x) }
func sumExp32SIMD128(x []float32, shift float32) float64 {
	return callSum(wasmsimd.F32.SumExp, nil, x, shift)
}
func expSum32SIMD128(dst, x []float32, shift float32) float64 {
	return callSum(wasmsimd.F32.ExpSum, dst, x, shift)
}
