package main

import (
	"fmt"
	"unsafe"

	"overcomplete/internal/wasm"
	ws "overcomplete/kernel-helpers/internal/wasmsimd"
)

// v is a WebAssembly expression.
type v = wasm.Value

// A kernel generates the WebAssembly functions for one precision. Its methods add code to the current function.
type kernel struct {
	m    *wasm.Module
	f    *wasm.Func // the current function
	args wasm.Local // address of its arguments
	t    wasm.Type  // vector type, F64x2 or F32x4
	n    wasm.Type  // type of a number in it
	i    wasm.Type  // integer vectors of the same lanes, I64x2 or I32x4
	size int        // size of a number in bytes
}

// module returns the bytes of the WebAssembly module, with the functions for both precisions.
func module() ([]byte, error) {
	m := wasm.New()
	m.ImportMemory("env", "mem", 1)
	for _, k := range []*kernel{
		{m: m, t: wasm.F64x2, n: wasm.F64, i: wasm.I64x2, size: 8},
		{m: m, t: wasm.F32x4, n: wasm.F32, i: wasm.I32x4, size: 4},
	} {
		k.vmath()
		k.gemm()
		k.rows()
		if k.size == 4 {
			k.sparse()
			k.s3c()
		} else {
			k.descent()
		}
	}
	return m.Encode()
}

// lanes returns the number of lanes of a vector.
func (k *kernel) lanes() int { return k.t.Lanes() }

// begin starts an exported function whose arguments are in memory. It appends 64 or 32, the precision, to the given
// name.
func (k *kernel) begin(name string) {
	name += fmt.Sprint(8 * k.size)
	k.f = k.m.Func(name, []wasm.Type{wasm.I32}, nil)
	k.f.Export(name)
	k.args = k.f.Param(0)
}

// word emits code that reads the low half of the argument at the given offset. That argument must be a pointer or an
// int.
func (k *kernel) word(at uintptr) wasm.Local { return k.f.Let(wasm.I32.Load(k.args, int(at))) }

// number emits code that reads the argument at the given offset. That argument must be a number.
func (k *kernel) number(at uintptr) wasm.Local { return k.f.Let(k.n.Load(k.args, int(at))) }

// splat returns a vector with x in all lanes.
func (k *kernel) splat(x v) v { return k.t.Splat(x) }

// c returns a vector with the constant x in all lanes.
func (k *kernel) c(x float64) v { return k.t.Const(x) }

// let emits code that stores the value of x in a new local variable, and returns the variable.
func (k *kernel) let(x v) wasm.Local { return k.f.Let(x) }

// bytes returns the size in bytes of n numbers.
func (k *kernel) bytes(n v) v { return wasm.I32.Mul(n, wasm.Int(k.size)) }

func add(x, y v) v { return wasm.I32.Add(x, y) }
func sub(x, y v) v { return wasm.I32.Sub(x, y) }
func mul(x, y v) v { return wasm.I32.Mul(x, y) }

// least returns the smaller of two unsigned numbers.
func least(x, y v) v { return wasm.Select(wasm.I32.LtU(x, y), x, y) }

// loop emits a loop over arrays of n numbers. The variables in the slice at are pointers to the arrays; the loop
// advances them. body() emits the code for one vector of each array, and rest(left) emits the code for the numbers
// that remain after the last whole vector. The variable left holds the count of these numbers.
func (k *kernel) loop(n v, at []wasm.Local, body func(), rest func(left wasm.Local)) {
	end := k.let(add(at[0], k.bytes(wasm.I32.And(n, wasm.Int(-k.lanes())))))
	k.f.While(wasm.I32.LtU(at[0], end), func() {
		body()
		for _, p := range at {
			k.f.Inc(p, 16)
		}
	})
	left := k.let(wasm.I32.And(n, wasm.Int(k.lanes()-1)))
	k.f.If(left, func() { rest(left) })
}

// loadLeft emits code that reads numbers from the given address into the first lanes of a vector, and sets the other
// lanes to 0. left is the number of lanes that are read (1 to lanes−1).
func (k *kernel) loadLeft(at, left v) wasm.Local {
	x := k.let(wasm.LoadOp(fmt.Sprintf("v128.load%d_zero", 8*k.size), at, 0))
	for i := 1; i < k.lanes()-1; i++ {
		k.f.If(wasm.I32.GtU(left, wasm.Int(i)), func() {
			k.f.Set(x, k.t.LoadLane(at, i*k.size, x, i))
		})
	}
	return x
}

// storeLeft emits code that writes the first lanes of x to the given address. left is the number of lanes that are
// written (1 to lanes−1).
func (k *kernel) storeLeft(at, left v, x wasm.Local) {
	k.f.StoreLane(k.t, at, 0, x, 0)
	for i := 1; i < k.lanes()-1; i++ {
		k.f.If(wasm.I32.GtU(left, wasm.Int(i)), func() {
			k.f.StoreLane(k.t, at, i*k.size, x, i)
		})
	}
}

// reduce combines all lanes of x with the given operation. It first combines the two halves: ((0 op 2) op (1 op 3)).
func (k *kernel) reduce(x wasm.Local, op func(x, y v) v) v {
	if k.size == 8 {
		return k.t.Extract(k.let(op(x, k.t.Shuffle(x, x, 1, 0))), 0)
	}
	h := k.let(op(x, k.t.Shuffle(x, x, 2, 3, 0, 1)))
	return k.t.Extract(k.let(op(h, k.t.Shuffle(h, h, 1, 0, 3, 2))), 0)
}

// These variables are used to compute the offsets of fields of the arguments. Only the offsets of numbers differ
// between the precisions; the method offset chooses between the two.
var (
	m64 ws.Map[float64]
	m32 ws.Map[float32]
	s64 ws.Sum[float64]
	s32 ws.Sum[float32]
	p64 ws.Product[float64]
	p32 ws.Product[float32]
	r64 ws.Rows[float64]
	r32 ws.Rows[float32]
	swp ws.Sweep
	bnd ws.Bounds
)

func (k *kernel) offset(of64, of32 uintptr) uintptr {
	if k.size == 8 {
		return of64
	}
	return of32
}

// The generator must run with the memory layout of Go for wasm, in which pointers have 64 bits.
var _ [8]byte = [unsafe.Sizeof(uintptr(0))]byte{}
