package main

import (
	"unsafe"

	"overcomplete/internal/wasm"
)

// sparse writes the inner loops of package sparseapprox; see its vector.go and search.go.
func (k *kernel) sparse() {
	k.sweep()
	k.excess()
	k.above()
}

// sweep generates the function that goes once through the atoms (see sweepPortable in package sparseapprox). It always
// processes whole vectors, because there is padding after the last atom. The numbers in the padding are finite but
// meaningless.
func (k *kernel) sweep() {
	k.begin("sweep")
	f, n := k.f, k.n
	m := k.word(unsafe.Offsetof(swp.M))
	row := k.word(unsafe.Offsetof(swp.A))
	stride := k.let(k.bytes(wasm.I32.Load(k.args, int(unsafe.Offsetof(swp.Stride)))))
	w, qs := k.word(unsafe.Offsetof(swp.W)), k.word(unsafe.Offsetof(swp.Q))
	g, inverse := k.word(unsafe.Offsetof(swp.G)), k.word(unsafe.Offsetof(swp.Inv))
	low := k.number(unsafe.Offsetof(swp.Low))
	q := k.let(qs)
	end := k.let(add(w, k.bytes(m)))
	until := k.let(add(qs, k.bytes(wasm.I32.And(add(m, wasm.Int(k.lanes()-1)), wasm.Int(-k.lanes())))))
	change := f.Local(n)
	at, to := f.Local(wasm.I32), f.Local(wasm.I32)
	f.While(wasm.I32.LtU(w, end), func() {
		old, gi := k.let(n.Load(w, 0)), k.let(n.Load(g, 0))
		t := k.let(n.Add(n.Load(q, 0), n.Mul(gi, old)))
		u := k.let(n.Mul(n.Sub(t, n.Min(n.Max(t, low), n.Const(1))), n.Load(inverse, 0)))
		f.Store(n, w, 0, u)
		d := k.let(n.Sub(old, u))
		f.If(n.Ne(d, n.Const(0)), func() {
			by := k.let(k.t.Splat(d))
			f.Set(at, row)
			f.Set(to, qs)
			f.Loop(func(again *wasm.Label) {
				f.Store(k.t, to, 0, k.t.Add(k.t.Load(to, 0), k.t.Mul(k.t.Load(at, 0), by)))
				f.Inc(at, 16)
				f.Inc(to, 16)
				f.BrIf(again, wasm.I32.LtU(to, until))
			})
			size := k.let(n.Abs(n.Mul(d, gi)))
			f.If(n.Gt(size, change), func() { f.Set(change, size) })
		})
		f.Set(row, add(row, stride))
		for _, p := range []wasm.Local{w, q, g, inverse} {
			f.Inc(p, k.size)
		}
	})
	f.Store(n, k.args, int(unsafe.Offsetof(swp.Change)), change)
}

// over returns max(q, sign q) − bound.
func (k *kernel) over(q wasm.Local, bound v, sign wasm.Local) v {
	return k.t.Sub(k.t.PMax(q, k.t.Mul(q, sign)), bound)
}

func (k *kernel) bounds() (n, q, bound, sign wasm.Local) {
	n, q, bound = k.word(unsafe.Offsetof(bnd.N)), k.word(unsafe.Offsetof(bnd.Q)), k.word(unsafe.Offsetof(bnd.Bound))
	return n, q, bound, k.let(k.t.Splat(k.n.Load(k.args, int(unsafe.Offsetof(bnd.Sign)))))
}

// excess generates the function that computes the largest of 0 and all max(q_j, sign q_j) − bound_j.
func (k *kernel) excess() {
	k.begin("excess")
	n, q, bound, sign := k.bounds()
	worst := k.f.Local(k.t)
	k.loop(n, []wasm.Local{q, bound}, func() {
		k.f.Set(worst, k.t.PMax(worst, k.over(k.let(k.t.Load(q, 0)), k.t.Load(bound, 0), sign)))
	}, func(left wasm.Local) {
		x := k.over(k.loadLeft(q, left), k.loadLeft(bound, left), sign)
		k.f.Set(worst, k.t.PMax(worst, k.keep(x, left, 0)))
	})
	k.f.Store(k.n, k.args, int(unsafe.Offsetof(bnd.Worst)), k.reduce(worst, k.t.PMax))
}

// above generates the function that sets bit j of Bits to 1 where max(q_j, sign q_j) − bound_j >= least, otherwise to
// 0.
func (k *kernel) above() {
	k.begin("above")
	f := k.f
	n, q, bound, sign := k.bounds()
	least := k.let(k.t.Splat(k.n.Load(k.args, int(unsafe.Offsetof(bnd.Least)))))
	bits := k.word(unsafe.Offsetof(bnd.Bits))
	mask := func(q wasm.Local, bound v) v { return k.i.Bitmask(k.t.Ge(k.over(q, bound, sign), least)) }
	half := f.Local(wasm.I32) // 4 for the upper half of a byte, otherwise 0
	put := func(x v) {
		f.If(half, func() {
			f.StoreOp("i32.store8", bits, 0, wasm.I32.Or(wasm.LoadOp("i32.load8_u", bits, 0), wasm.I32.Shl(x, wasm.Int(4))))
			f.Inc(bits, 1)
		}, func() {
			f.StoreOp("i32.store8", bits, 0, x)
		})
		f.Set(half, wasm.I32.Xor(half, wasm.Int(4)))
	}
	k.loop(n, []wasm.Local{q, bound}, func() {
		put(mask(k.let(k.t.Load(q, 0)), k.t.Load(bound, 0)))
	}, func(left wasm.Local) {
		x := mask(k.loadLeft(q, left), k.loadLeft(bound, left))
		// Mask out the bits of the missing lanes.
		put(wasm.I32.And(x, sub(wasm.I32.Shl(wasm.Int(1), left), wasm.Int(1))))
	})
}
