package main

import (
	"unsafe"

	"overcomplete/internal/wasm"
)

// rows writes the functions for sums and products of rows.
func (k *kernel) rows() {
	k.axpy("axpy", 1)
	k.axpy("axpy4_", 4)
	k.dot("dot", 1)
	k.dot("dot4_", 4)
	k.both()
}

// rowF returns the offset of F[i] in Rows. The two functions below, rowA and rowY, read the pointers A[i] and Y.
func (k *kernel) rowF(i int) int {
	return int(k.offset(unsafe.Offsetof(r64.F), unsafe.Offsetof(r32.F))) + i*k.size
}

func (k *kernel) rowA(i int) wasm.Local {
	return k.word(k.offset(unsafe.Offsetof(r64.A), unsafe.Offsetof(r32.A)) + uintptr(8*i))
}

func (k *kernel) rowY() wasm.Local {
	return k.word(k.offset(unsafe.Offsetof(r64.Y), unsafe.Offsetof(r32.Y)))
}

// axpy generates the function that computes Y += Σ F[i] A[i].
func (k *kernel) axpy(name string, rows int) {
	k.begin(name)
	n, y := k.word(unsafe.Offsetof(r64.N)), k.rowY()
	at := []wasm.Local{y}
	var f []wasm.Local
	for i := range rows {
		at = append(at, k.rowA(i))
		f = append(f, k.let(k.t.Splat(k.n.Load(k.args, k.rowF(i)))))
	}
	sum := func(s v, load func(p wasm.Local) v) v {
		for i := range rows {
			s = k.t.Add(s, k.t.Mul(f[i], load(at[i+1])))
		}
		return s
	}
	k.loop(n, at, func() {
		k.f.Store(k.t, y, 0, sum(k.t.Load(y, 0), func(p wasm.Local) v { return k.t.Load(p, 0) }))
	}, func(left wasm.Local) {
		load := func(p wasm.Local) v { return k.loadLeft(p, left) }
		k.storeLeft(y, left, k.let(sum(load(y), load)))
	})
}

// dot generates the function that computes F[i] = A[i]·Y. A single row is processed four vectors at a time, with four
// separate sums, because additions to one sum would have to wait for each other.
func (k *kernel) dot(name string, rows int) {
	k.begin(name)
	n, y := k.word(unsafe.Offsetof(r64.N)), k.rowY()
	at := []wasm.Local{y}
	var sums []wasm.Local
	for i := range rows {
		at = append(at, k.rowA(i))
		sums = append(sums, k.f.Local(k.t))
	}
	if rows == 1 {
		others := []wasm.Local{k.f.Local(k.t), k.f.Local(k.t), k.f.Local(k.t)}
		all := append(others, sums[0])
		end := k.let(add(y, k.bytes(wasm.I32.And(n, wasm.Int(-4*k.lanes())))))
		k.f.While(wasm.I32.LtU(y, end), func() {
			for i, s := range all {
				k.f.Set(s, k.t.Add(s, k.t.Mul(k.t.Load(at[1], 16*i), k.t.Load(y, 16*i))))
			}
			k.f.Inc(y, 64)
			k.f.Inc(at[1], 64)
		})
		k.f.Set(n, wasm.I32.And(n, wasm.Int(4*k.lanes()-1)))
		k.f.Set(sums[0], k.t.Add(k.t.Add(all[0], all[1]), k.t.Add(all[2], all[3])))
	}
	k.loop(n, at, func() {
		x := k.let(k.t.Load(y, 0))
		for i, s := range sums {
			k.f.Set(s, k.t.Add(s, k.t.Mul(k.t.Load(at[i+1], 0), x)))
		}
	}, func(left wasm.Local) {
		x := k.loadLeft(y, left)
		for i, s := range sums {
			k.f.Set(s, k.t.Add(s, k.t.Mul(k.loadLeft(at[i+1], left), x)))
		}
	})
	for i, s := range sums {
		k.f.Store(k.n, k.args, k.rowF(i), k.reduce(s, k.t.Add))
	}
}

// both generates the function that computes Y += F[0] A[0] and F[1] = A[0]·A[1], where Y, A[0] and A[1] are rows of
// the arguments and F[0] and F[1] are numbers.
func (k *kernel) both() {
	k.begin("both")
	n, y := k.word(unsafe.Offsetof(r64.N)), k.rowY()
	a, x := k.rowA(0), k.rowA(1)
	by, s := k.let(k.t.Splat(k.n.Load(k.args, k.rowF(0)))), k.f.Local(k.t)
	k.loop(n, []wasm.Local{a, x, y}, func() {
		r := k.let(k.t.Load(a, 0))
		k.f.Set(s, k.t.Add(s, k.t.Mul(r, k.t.Load(x, 0))))
		k.f.Store(k.t, y, 0, k.t.Add(k.t.Load(y, 0), k.t.Mul(by, r)))
	}, func(left wasm.Local) {
		r := k.loadLeft(a, left)
		k.f.Set(s, k.t.Add(s, k.t.Mul(r, k.loadLeft(x, left))))
		k.storeLeft(y, left, k.let(k.t.Add(k.loadLeft(y, left), k.t.Mul(by, r))))
	})
	k.f.Store(k.n, k.args, k.rowF(1), k.reduce(s, k.t.Add))
}
