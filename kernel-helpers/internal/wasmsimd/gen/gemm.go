package main

import (
	"fmt"
	"unsafe"

	"overcomplete/internal/wasm"
	ws "overcomplete/kernel-helpers/internal/wasmsimd"
)

// gemm generates the function that computes C = Alpha A B + Beta C. The algorithm is that of package gemm. An element
// of C is a sum of K terms A[i,p] B[p,j]; the sum is divided into blocks. While p goes through a block, a tile of C of
// 4 rows × 2 vectors stays in registers. A and B are copied (packed) in the order in which they are used. The terms
// are summed in ascending order of p, in blocks whose lengths depend only on K and the precision. The module computes
// the whole product, not only a tile, because a call from Go takes as long as a small tile.
func (k *kernel) gemm() {
	pack := k.pack()
	var packed, strided [ws.TileRows + 1]*wasm.Func
	for rows := 1; rows <= ws.TileRows; rows++ {
		packed[rows], strided[rows] = k.tile(rows, true), k.tile(rows, false)
	}
	width, size := ws.TileBytes/k.size, k.size
	blockK, blockN := ws.BlockK(size), ws.BlockN(size)

	k.begin("gemm")
	f := k.f
	steps := func(at uintptr) wasm.Local { return k.let(k.bytes(wasm.I32.Load(k.args, int(at)))) }
	m, n, depth := k.word(unsafe.Offsetof(p64.M)), k.word(unsafe.Offsetof(p64.N)), k.word(unsafe.Offsetof(p64.K))
	a, ar, ac := k.word(unsafe.Offsetof(p64.A)), steps(unsafe.Offsetof(p64.ARow)), steps(unsafe.Offsetof(p64.ACol))
	b, br, bc := k.word(unsafe.Offsetof(p64.B)), steps(unsafe.Offsetof(p64.BRow)), steps(unsafe.Offsetof(p64.BCol))
	c, cr := k.word(unsafe.Offsetof(p64.C)), steps(unsafe.Offsetof(p64.CRow))
	panels := k.word(unsafe.Offsetof(p64.Work))
	alpha := k.number(k.offset(unsafe.Offsetof(p64.Alpha), unsafe.Offsetof(p32.Alpha)))
	beta := k.number(k.offset(unsafe.Offsetof(p64.Beta), unsafe.Offsetof(p32.Beta)))
	sliver := k.let(add(panels, wasm.Int(blockK*blockN*size)))
	scratch := k.let(add(sliver, wasm.Int(blockK*ws.TileRows*size)))

	// B is packed unless its rows are contiguous and few rows of A use it. A is packed unless there are few
	// columns.
	packB := k.let(wasm.I32.Or(wasm.I32.Ne(bc, wasm.Int(size)), wasm.I32.Gt(m, wasm.Int(2*ws.TileRows))))
	packA := k.let(wasm.I32.Gt(n, wasm.Int(2*width)))
	j0, p0, i0, j := f.Local(wasm.I32), f.Local(wasm.I32), f.Local(wasm.I32), f.Local(wasm.I32)
	at, as, ap := f.Local(wasm.I32), f.Local(wasm.I32), f.Local(wasm.I32)
	now := f.Local(k.n)
	f.For(j0, wasm.Int(0), n, blockN, func() {
		jn := k.let(least(wasm.Int(blockN), sub(n, j0)))
		f.Set(now, beta)
		f.For(p0, wasm.Int(0), depth, blockK, func() {
			kk := k.let(least(wasm.Int(blockK), sub(depth, p0)))
			from := k.let(add(add(b, mul(p0, br)), mul(j0, bc)))
			panel := func() v { return add(panels, mul(j, mul(kk, wasm.Int(size)))) }
			f.For(j, wasm.Int(0), jn, width, func() {
				cols := k.let(least(wasm.Int(width), sub(jn, j)))
				f.If(wasm.I32.Or(packB, wasm.I32.Lt(cols, wasm.Int(width))), func() {
					f.Call(pack, panel(), add(from, mul(j, bc)), kk, cols, wasm.Int(width), br, bc)
				})
			})
			f.For(i0, wasm.Int(0), m, ws.TileRows, func() {
				rows := k.let(least(wasm.Int(ws.TileRows), sub(m, i0)))
				f.Set(at, add(add(a, mul(i0, ar)), mul(p0, ac)))
				f.Set(as, ar)
				f.Set(ap, ac)
				f.If(packA, func() {
					f.Call(pack, sliver, at, kk, rows, wasm.Int(ws.TileRows), ac, ar)
					f.Set(at, sliver)
				})
				f.For(j, wasm.Int(0), jn, width, func() {
					cols := k.let(least(wasm.Int(width), sub(jn, j)))
					to := k.let(add(add(c, mul(i0, cr)), k.bytes(add(j0, j))))
					bp, bs := k.let(panel()), k.let(wasm.Int(ws.TileBytes))
					f.If(wasm.I32.Eqz(wasm.I32.Or(packB, wasm.I32.Lt(cols, wasm.Int(width)))), func() {
						f.Set(bp, add(from, mul(j, bc)))
						f.Set(bs, br)
					})
					part := k.let(wasm.I32.Lt(cols, wasm.Int(width)))
					// A tile at an edge of C is computed in a buffer.
					dst, ld, bt := k.let(to), k.let(cr), k.let(now)
					f.If(part, func() {
						f.Set(dst, scratch)
						f.Set(ld, wasm.Int(ws.TileBytes))
						f.Set(bt, k.n.Const(0))
					})
					call := func(tiles [ws.TileRows + 1]*wasm.Func) {
						f.Block(func(done *wasm.Label) {
							for r := ws.TileRows; r > 0; r-- {
								f.If(wasm.I32.Eq(rows, wasm.Int(r)), func() {
									f.Call(tiles[r], kk, at, as, ap, bp, bs, dst, ld, alpha, bt)
									f.Br(done)
								})
							}
						})
					}
					f.If(packA, func() { call(packed) }, func() { call(strided) })
					f.If(part, func() { k.merge(rows, cols, scratch, to, cr, now) })
				})
			})
			f.Set(now, k.n.Const(1))
		})
	})
}

// merge emits code that computes C = beta C + T for a part of C with rows × cols numbers. T is a tile at an edge of C,
// and was computed in a buffer. tile is the address of T, c is the address of the part of C, and cr is the number of
// bytes from one row of C to the next.
func (k *kernel) merge(rows, cols, tile, c, cr, beta wasm.Local) {
	f := k.f
	i, j := f.Local(wasm.I32), f.Local(wasm.I32)
	f.For(i, wasm.Int(0), rows, 1, func() {
		from, to := k.let(add(tile, mul(i, wasm.Int(ws.TileBytes)))), k.let(add(c, mul(i, cr)))
		f.For(j, wasm.Int(0), cols, 1, func() {
			x := k.let(k.n.Load(from, 0))
			f.If(k.n.Ne(beta, k.n.Const(0)), func() {
				f.Set(x, k.n.Add(x, k.n.Mul(k.n.Load(to, 0), beta)))
			})
			f.Store(k.n, to, 0, x)
			f.Inc(from, k.size)
			f.Inc(to, k.size)
		})
	})
}

// pack generates a function with the parameters dst, from, depth, cols, width, ps and js. It copies a matrix of depth ×
// cols numbers to dst, in contiguous rows that are padded with 0 to the length width. It reads the number in row p and
// column j at the address from + p ps + j js.
func (k *kernel) pack() *wasm.Func {
	f := k.m.Func(fmt.Sprintf("pack%d", 8*k.size), []wasm.Type{wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32}, nil)
	dst, from, depth, cols, width, ps, js := f.Param(0), f.Param(1), f.Param(2), f.Param(3), f.Param(4), f.Param(5), f.Param(6)
	step := f.Let(mul(width, wasm.Int(k.size)))
	end := f.Let(add(dst, mul(depth, step)))
	j, at, to := f.Local(wasm.I32), f.Local(wasm.I32), f.Local(wasm.I32)
	whole := func(vectors int) {
		f.While(wasm.I32.LtU(dst, end), func() {
			for i := range vectors {
				f.Store(k.t, dst, 16*i, k.t.Load(from, 16*i))
			}
			f.Set(from, add(from, ps))
			f.Set(dst, add(dst, step))
		})
		f.Return()
	}
	f.If(wasm.I32.And(wasm.I32.Eq(js, wasm.Int(k.size)), wasm.I32.Eq(cols, width)), func() {
		f.If(wasm.I32.Eq(step, wasm.Int(32)), func() { whole(2) })
		f.If(wasm.I32.Eq(step, wasm.Int(16)), func() { whole(1) })
	})
	f.For(j, wasm.Int(0), width, 1, func() {
		f.Set(to, add(dst, mul(j, wasm.Int(k.size))))
		f.Set(at, add(from, mul(j, js)))
		f.If(wasm.I32.Lt(j, cols), func() {
			f.While(wasm.I32.LtU(to, end), func() {
				f.Store(k.n, to, 0, k.n.Load(at, 0))
				f.Set(at, add(at, ps))
				f.Set(to, add(to, step))
			})
		}, func() {
			f.While(wasm.I32.LtU(to, end), func() {
				f.Store(k.n, to, 0, k.n.Const(0))
				f.Set(to, add(to, step))
			})
		})
	})
	return f
}

// unroll is the number of steps of p per iteration of a tile's loop.
const unroll = 4

// tile generates the function that computes C = alpha A B + beta C for a tile of C, which has the given number of rows
// and 2 vectors per row. If packed is true, the function reads a packed copy of those rows of A, stored column by
// column with 4 numbers per column (padded with 0). Otherwise it reads A itself, with any strides.
func (k *kernel) tile(rows int, packed bool) *wasm.Func {
	name := fmt.Sprintf("tile%dstrided%d", rows, 8*k.size)
	if packed {
		name = fmt.Sprintf("tile%dpacked%d", rows, 8*k.size)
	}
	i32 := wasm.I32
	f := k.m.Func(name, []wasm.Type{i32, i32, i32, i32, i32, i32, i32, i32, k.n, k.n}, nil)
	depth, a, rs, cs, b, bs, c, ldc, alpha, beta := f.Param(0), f.Param(1), f.Param(2), f.Param(3), f.Param(4), f.Param(5), f.Param(6), f.Param(7), f.Param(8), f.Param(9)
	var acc [ws.TileRows][2]wasm.Local
	row := []wasm.Local{a}
	for i := range rows {
		for x := range 2 {
			acc[i][x] = f.Local(k.t)
		}
		if i > 0 && !packed {
			row = append(row, f.Let(add(row[i-1], rs)))
		}
	}
	b0, b1, x := f.Local(k.t), f.Local(k.t), f.Local(k.t)
	step := func(u int) {
		f.Set(b0, k.t.Load(b, 0))
		f.Set(b1, k.t.Load(b, 16))
		for i := range rows {
			if packed {
				f.Set(x, k.t.LoadSplat(a, (u*ws.TileRows+i)*k.size))
			} else {
				f.Set(x, k.t.LoadSplat(row[i], 0))
				f.Set(row[i], add(row[i], cs))
			}
			f.Set(acc[i][0], k.t.Add(acc[i][0], k.t.Mul(x, b0)))
			f.Set(acc[i][1], k.t.Add(acc[i][1], k.t.Mul(x, b1)))
		}
		f.Set(b, add(b, bs))
	}
	loop := func(steps int) {
		f.While(wasm.I32.Ge(depth, wasm.Int(steps)), func() {
			for u := range steps {
				step(u)
			}
			if packed {
				f.Inc(a, steps*ws.TileRows*k.size)
			}
			f.Inc(depth, -steps)
		})
	}
	loop(unroll)
	loop(1)
	va, vb := f.Let(k.t.Splat(alpha)), f.Let(k.t.Splat(beta))
	put := func(old bool) {
		for i := range rows {
			for x := range 2 {
				y := k.t.Mul(acc[i][x], va)
				if old {
					y = k.t.Add(y, k.t.Mul(k.t.Load(c, 16*x), vb))
				}
				f.Store(k.t, c, 16*x, y)
			}
			if i+1 < rows {
				f.Set(c, add(c, ldc))
			}
		}
	}
	// If beta is 0, C is not read.
	f.If(k.n.Eq(beta, k.n.Const(0)), func() { put(false) }, func() { put(true) })
	return f
}
