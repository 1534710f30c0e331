package main

import (
	"unsafe"

	"overcomplete/internal/wasm"
	ws "overcomplete/kernel-helpers/internal/wasmsimd"
)

// s3c writes the inner loops of package s3c; see its vector.go.
func (k *kernel) s3c() {
	k.update("slabRows", true, k.slab)
	k.update("slabList", false, k.slab)
	k.update("spikeRows", true, func(u *update) { k.spike(u, false) })
	k.update("spikeStoreRows", true, func(u *update) { k.spike(u, true) })
	k.update("spikeList", false, func(u *update) { k.spike(u, false) })
	k.screen()
	k.respond()
	k.dots()
	k.sums()
}

// The parameters of a unit, as in package s3c.
const (
	pAlphaMu = iota
	pWide
	pInverse
	pHalf
	pConstant
	inRow = 8 // numbers per unit
)

var (
	upd ws.Update
	blk ws.Block
)

// An update holds what the code for one vector of an elementwise update needs: the addresses, the parameters and the
// constants.
type update struct {
	p, h, s, m           wasm.Local // addresses of the current vector of P, H, S and M
	param                func(i int) v
	eta, keep, rho, most wasm.Local
}

// spread emits code that reads an argument of the generated function, given its offset. It returns a vector with this
// argument in all lanes.
func (k *kernel) spread(at uintptr) wasm.Local { return k.let(k.t.LoadSplat(k.args, int(at))) }

// update generates an exported function that updates vectors element by element. body(u) emits the code for one vector.
// If rows is true, there are several rows, and each has one set of parameters. Otherwise there is one row, and each
// number has its own parameters.
func (k *kernel) update(name string, rows bool, body func(u *update)) {
	k.begin(name)
	f := k.f
	u := &update{
		p: k.word(unsafe.Offsetof(upd.P)), h: k.word(unsafe.Offsetof(upd.H)),
		s: k.word(unsafe.Offsetof(upd.S)), m: k.word(unsafe.Offsetof(upd.M)),
		eta: k.spread(unsafe.Offsetof(upd.Eta)), keep: k.spread(unsafe.Offsetof(upd.Keep)),
		rho: k.spread(unsafe.Offsetof(upd.Rho)), most: k.spread(unsafe.Offsetof(upd.Most)),
	}
	param, width := k.word(unsafe.Offsetof(upd.Param)), k.word(unsafe.Offsetof(upd.Width))
	next := func(all ...wasm.Local) {
		for _, l := range append(all, u.p, u.h, u.s, u.m) {
			f.Inc(l, 16)
		}
	}
	if !rows {
		stride := k.word(unsafe.Offsetof(upd.Stride))
		end := k.let(add(u.p, width))
		u.param = func(i int) v { return k.t.Load(add(param, mul(stride, wasm.Int(i))), 0) }
		f.While(wasm.I32.LtU(u.p, end), func() {
			body(u)
			next(param)
		})
		return
	}
	end := k.let(add(u.p, mul(width, k.word(unsafe.Offsetof(upd.Units)))))
	var of [pConstant + 1]wasm.Local
	for i := range of {
		of[i] = f.Local(k.t)
	}
	u.param = func(i int) v { return of[i] }
	f.While(wasm.I32.LtU(u.p, end), func() {
		for i, l := range of {
			f.Set(l, k.t.LoadSplat(param, 4*i))
		}
		row := k.let(add(u.p, width))
		f.While(wasm.I32.LtU(u.p, row), func() {
			body(u)
			next()
		})
		f.Inc(param, 4*inRow)
	})
}

// slab emits code that computes s* = (αμ + p + w h s)/γ, then s <- η s* + (1−η) s, and m <- h s. If s* and the old s
// have opposite signs, |s*| is limited to ρ|s|. For the symbols, see slabPortable in package s3c.
func (k *kernel) slab(u *update) {
	t := k.t
	old, h := k.let(t.Load(u.s, 0)), k.let(t.Load(u.h, 0))
	x := k.let(t.Mul(t.Add(u.param(pAlphaMu), t.Add(t.Load(u.p, 0), t.Mul(u.param(pWide), t.Mul(h, old)))), u.param(pInverse)))
	limit := k.let(t.Neg(t.Mul(u.rho, old)))
	zero := k.c(0)
	clip := t.Or(t.And(t.Gt(old, zero), t.Lt(x, limit)), t.And(t.Lt(old, zero), t.Gt(x, limit)))
	s := k.let(t.Add(t.Mul(u.eta, t.Choose(clip, limit, x)), t.Mul(u.keep, old)))
	k.f.Store(t, u.s, 0, s)
	k.f.Store(t, u.m, 0, t.Mul(h, s))
}

// spike emits code that computes h* = σ(s (p + αμ + w h s − ½γ s) + const), then h <- η h* + (1−η) h, and m <- h s. If
// store is true, the code also stores h* in p, and limits h from above by the field Most of Update. For the symbols
// and the constant, see spikePortable in package s3c.
func (k *kernel) spike(u *update, store bool) {
	t := k.t
	s, h := k.let(t.Load(u.s, 0)), k.let(t.Load(u.h, 0))
	q := t.Sub(t.Add(t.Add(t.Load(u.p, 0), u.param(pAlphaMu)), t.Mul(u.param(pWide), t.Mul(h, s))), t.Mul(u.param(pHalf), s))
	x := k.let(t.Add(t.Mul(q, s), u.param(pConstant)))
	e := k.exp(t.PMax(k.minusAbs(x), k.c(-87)), true)
	best := k.let(t.Div(t.Choose(t.Lt(x, k.c(0)), e, k.c(1)), t.Add(e, k.c(1))))
	y := k.let(t.Add(t.Mul(u.eta, best), t.Mul(u.keep, h)))
	if store {
		k.f.Store(t, u.p, 0, best)
		k.f.Set(y, t.PMin(y, u.most))
	}
	k.f.Store(t, u.h, 0, y)
	k.f.Store(t, u.m, 0, t.Mul(y, s))
}

// screen generates the function that sets a bit for each element whose h or h* is above the threshold, and sets its m
// to 0. For all other elements, the function clears the bit, sets m to h s, and adds s², h s² and h* s² to the sums of
// the element's column. See screenPortable in package s3c.
func (k *kernel) screen() {
	k.begin("screenRows")
	f, t := k.f, k.t
	p, h := k.word(unsafe.Offsetof(upd.P)), k.word(unsafe.Offsetof(upd.H))
	s, m := k.word(unsafe.Offsetof(upd.S)), k.word(unsafe.Offsetof(upd.M))
	sums, bits := k.word(unsafe.Offsetof(upd.Param)), k.word(unsafe.Offsetof(upd.Bits))
	width := k.word(unsafe.Offsetof(upd.Width))
	least := k.spread(unsafe.Offsetof(upd.Eta))
	end := k.let(add(p, mul(width, k.word(unsafe.Offsetof(upd.Units)))))
	at, above, mask := f.Local(wasm.I32), f.Local(t), f.Local(wasm.I32)
	plus := func(i int, x v) {
		to := k.let(add(at, mul(width, wasm.Int(i))))
		f.Store(t, to, 0, t.Add(t.Load(to, 0), t.AndNot(x, above)))
	}
	vector := func(shift int) {
		best, spike, slab := k.let(t.Load(p, 0)), k.let(t.Load(h, 0)), k.let(t.Load(s, 0))
		f.Set(above, t.Or(t.Gt(best, least), t.Gt(spike, least)))
		f.Set(mask, wasm.I32.Or(mask, wasm.I32.Shl(k.i.Bitmask(above), wasm.Int(shift))))
		f.Store(t, m, 0, t.AndNot(t.Mul(spike, slab), above))
		square := k.let(t.Mul(slab, slab))
		plus(0, square)
		plus(1, t.Mul(spike, square))
		plus(2, t.Mul(best, square))
		for _, l := range []wasm.Local{p, h, s, m, at} {
			f.Inc(l, 16)
		}
	}
	f.While(wasm.I32.LtU(p, end), func() {
		f.Set(at, sums)
		row := k.let(add(p, width))
		f.While(wasm.I32.LtU(p, row), func() {
			f.Set(mask, wasm.Int(0))
			vector(0)
			vector(4)
			f.StoreOp("i32.store8", bits, 0, mask)
			f.Inc(bits, 1)
		})
	})
}

// respond generates the function that computes R <- F[0] R + F[1] (A + B C), element by element. The names are those
// of the fields of Block.
func (k *kernel) respond() {
	k.begin("respond")
	f, t := k.f, k.t
	g, c := k.word(unsafe.Offsetof(blk.A)), k.word(unsafe.Offsetof(blk.B))
	r, u := k.word(unsafe.Offsetof(blk.C)), k.word(unsafe.Offsetof(blk.R))
	keep, step := k.spread(unsafe.Offsetof(blk.F)), k.spread(unsafe.Offsetof(blk.F)+4)
	end := k.let(add(u, k.bytes(k.word(unsafe.Offsetof(blk.N)))))
	f.While(wasm.I32.LtU(u, end), func() {
		f.Store(t, u, 0, t.Add(t.Mul(keep, t.Load(u, 0)), t.Mul(step, t.Add(t.Load(g, 0), t.Mul(t.Load(c, 0), t.Load(r, 0))))))
		for _, l := range []wasm.Local{g, c, r, u} {
			f.Inc(l, 16)
		}
	})
}

// together is the number of rows that dots and sums process at a time.
const together = 4

// dots generates the function that computes C = A B, four rows at a time.
func (k *kernel) dots() {
	k.begin("dots")
	f, t := k.f, k.t
	row, out := k.word(unsafe.Offsetof(blk.A)), k.word(unsafe.Offsetof(blk.C))
	from, width := k.word(unsafe.Offsetof(blk.B)), k.let(k.bytes(k.word(unsafe.Offsetof(blk.D))))
	end := k.let(add(out, k.bytes(k.word(unsafe.Offsetof(blk.N)))))
	until := k.let(add(from, width))
	r := f.Local(wasm.I32)
	var at [together]wasm.Local
	var sum [together]wasm.Local
	for i := range together {
		at[i], sum[i] = f.Local(wasm.I32), f.Local(t)
	}
	f.While(wasm.I32.LtU(out, end), func() {
		for i := range together {
			f.Set(at[i], row)
			f.Set(row, add(row, width))
			f.Set(sum[i], k.c(0))
		}
		f.Set(r, from)
		f.While(wasm.I32.LtU(r, until), func() {
			x := k.let(t.Load(r, 0))
			for i := range together {
				f.Set(sum[i], t.Add(sum[i], t.Mul(t.Load(at[i], 0), x)))
				f.Inc(at[i], 16)
			}
			f.Inc(r, 16)
		})
		for i := range together {
			f.Store(k.n, out, 4*i, k.reduce(sum[i], t.Add))
		}
		f.Inc(out, 4*together)
	})
}

// sums generates the function that computes B −= A'C, four rows at a time, and the last rows one by one.
func (k *kernel) sums() {
	k.begin("sums")
	f, t := k.f, k.t
	row, by := k.word(unsafe.Offsetof(blk.A)), k.word(unsafe.Offsetof(blk.C))
	to, width := k.word(unsafe.Offsetof(blk.B)), k.let(k.bytes(k.word(unsafe.Offsetof(blk.D))))
	n := k.word(unsafe.Offsetof(blk.N))
	until := k.let(add(to, width))
	r := f.Local(wasm.I32)
	var at, m [together]wasm.Local
	for i := range together {
		at[i], m[i] = f.Local(wasm.I32), f.Local(t)
	}
	some := func(rows int) {
		f.While(wasm.I32.Ge(n, wasm.Int(rows)), func() {
			for i := range rows {
				f.Set(at[i], row)
				f.Set(row, add(row, width))
				f.Set(m[i], t.LoadSplat(by, 4*i))
			}
			f.Set(r, to)
			f.While(wasm.I32.LtU(r, until), func() {
				x := t.Load(r, 0)
				for i := range rows {
					x = t.Sub(x, t.Mul(m[i], t.Load(at[i], 0)))
				}
				f.Store(t, r, 0, x)
				f.Inc(r, 16)
				for i := range rows {
					f.Inc(at[i], 16)
				}
			})
			f.Inc(by, 4*rows)
			f.Inc(n, -rows)
		})
	}
	some(together)
	some(1)
}
