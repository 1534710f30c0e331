//go:build livesimd

package wasmsimd

import (
	_ "embed"
	"fmt"

	"overcomplete/internal/simd"
	"overcomplete/internal/wasmhost"
)

//go:embed simd.wasm
var module []byte

// A Set holds the functions for one precision.
type Set struct {
	Exp, Log, Sigmoid, Softplus, Scale, Largest, SumExp, ExpSum wasmhost.Func
	Gemm, Axpy, Axpy4, Dot, Dot4, Both                          wasmhost.Func
}

// The module's functions. Call them only if simd.Wasm returns true.
var (
	F64, F32                   Set
	Sweep32, Excess32, Above32 wasmhost.Func // for package sparseapprox

	// For package nnls.
	Descent64 wasmhost.Func

	// For package s3c.
	SlabRows32, SlabList32, SpikeRows32, SpikeStoreRows32, SpikeList32, ScreenRows32 wasmhost.Func
	Respond32, Dots32, Sums32                                                        wasmhost.Func
)

func init() {
	if !simd.Wasm() {
		return
	}
	fs, err := wasmhost.Compile(module)
	if err != nil {
		panic(fmt.Sprintf("wasmsimd: the engine takes vectors, but not this module: %v", err))
	}
	get := func(to *wasmhost.Func, name string) {
		f, ok := fs[name]
		if !ok {
			panic("wasmsimd: the module has no function " + name + ": run go generate")
		}
		*to = f
	}
	for suffix, s := range map[string]*Set{"64": &F64, "32": &F32} {
		for name, to := range map[string]*wasmhost.Func{
			"exp": &s.Exp, "log": &s.Log, "sigmoid": &s.Sigmoid, "softplus": &s.Softplus,
			"scale": &s.Scale, "largest": &s.Largest, "sumExp": &s.SumExp, "expSum": &s.ExpSum,
			"gemm": &s.Gemm, "axpy": &s.Axpy, "axpy4_": &s.Axpy4, "dot": &s.Dot, "dot4_": &s.Dot4, "both": &s.Both,
		} {
			get(to, name+suffix)
		}
	}
	for name, to := range map[string]*wasmhost.Func{
		"sweep32": &Sweep32, "excess32": &Excess32, "above32": &Above32,
		"descent64":  &Descent64,
		"slabRows32": &SlabRows32, "slabList32": &SlabList32,
		"spikeRows32": &SpikeRows32, "spikeStoreRows32": &SpikeStoreRows32, "spikeList32": &SpikeList32,
		"screenRows32": &ScreenRows32, "respond32": &Respond32, "dots32": &Dots32, "sums32": &Sums32,
	} {
		get(to, name)
	}
}
