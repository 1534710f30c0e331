package main

import (
	"unsafe"

	"overcomplete/internal/wasm"
	ws "overcomplete/kernel-helpers/internal/wasmsimd"
)

var des ws.Descent

// descent generates the function that makes one sweep of package nnls over 32 adjacent rows. For each column t in
// Order, it computes u_t <- max(0, u_t + (c_t − Σ_r G_tr u_r)/G_tt) in all rows. It processes half of the rows at a
// time, because the registers have room for no more.
func (k *kernel) descent() {
	k.begin("descent")
	const rows, vectors = 32, 8
	f, t := k.f, k.t
	n := k.word(unsafe.Offsetof(des.K))
	order, g := k.word(unsafe.Offsetof(des.Order)), k.word(unsafe.Offsetof(des.G))
	inverse, c, u := k.word(unsafe.Offsetof(des.Inv)), k.word(unsafe.Offsetof(des.C)), k.word(unsafe.Offsetof(des.U))
	end := k.let(add(order, mul(k.word(unsafe.Offsetof(des.Columns)), wasm.Int(8))))
	var sum [vectors]wasm.Local
	for i := range sum {
		sum[i] = f.Local(t)
	}
	from, half, r, until := f.Local(wasm.I32), f.Local(wasm.I32), f.Local(wasm.I32), f.Local(wasm.I32)
	f.While(wasm.I32.LtU(order, end), func() {
		column := k.let(wasm.I32.Load(order, 0))
		by := k.let(t.LoadSplat(add(inverse, k.bytes(column)), 0))
		f.For(half, wasm.Int(0), wasm.Int(rows*k.size), 16*vectors, func() {
			at := k.let(add(half, mul(column, wasm.Int(rows*k.size))))
			for i, s := range sum {
				f.Set(s, t.Load(add(c, at), 16*i))
			}
			f.Set(from, add(g, k.bytes(mul(column, n))))
			f.Set(until, add(from, k.bytes(n)))
			f.Set(r, add(u, half))
			f.While(wasm.I32.LtU(from, until), func() {
				x := k.let(t.LoadSplat(from, 0))
				for i, s := range sum {
					f.Set(s, t.Sub(s, t.Mul(x, t.Load(r, 16*i))))
				}
				f.Inc(from, k.size)
				f.Inc(r, rows*k.size)
			})
			to := k.let(add(u, at))
			for i, s := range sum {
				f.Store(t, to, 16*i, t.Max(k.c(0), t.Add(t.Load(to, 16*i), t.Mul(s, by))))
			}
		})
		f.Inc(order, 8)
	})
}
