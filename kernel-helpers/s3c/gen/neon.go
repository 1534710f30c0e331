package main

import (
	"fmt"
	"math"

	ng "overcomplete/kernel-helpers/internal/neongen"
)

// An arm emits operations on vectors of four float32. Operands have the order of the mathematical formula, so sub(a,
// b) is a − b. Each operation returns a new register, except addMul and subMul, which change their first argument.
type arm struct {
	*ng.Func
	file *ng.File
}

// neon writes the functions for arm64. The comments of the corresponding amd64 functions describe them.
func neon() {
	file := ng.New("s3c")
	for _, rows := range []bool{true, false} {
		neonSlab(file, rows)
		neonSpike(file, rows, false)
	}
	neonSpike(file, true, true)
	neonScreen(file)
	neonRespond(file)
	for c := neonStep; c <= neonChunk; c += neonStep {
		neonDots(file, c)
		neonSums(file, c)
	}
	file.Generate()
}

func (s arm) apply(f func(s ng.Shape, d, a, b ng.V), a, b ng.V) ng.V {
	d := s.V()
	f(ng.S4, d, a, b)
	return d
}

func (s arm) add(a, b ng.V) ng.V   { return s.apply(s.FAdd, a, b) }
func (s arm) sub(a, b ng.V) ng.V   { return s.apply(s.FSub, a, b) }
func (s arm) mul(a, b ng.V) ng.V   { return s.apply(s.FMul, a, b) }
func (s arm) min(a, b ng.V) ng.V   { return s.apply(s.FMin, a, b) }
func (s arm) max(a, b ng.V) ng.V   { return s.apply(s.FMax, a, b) }
func (s arm) above(a, b ng.V) ng.V { return s.apply(s.FGreater, a, b) }

// addMul changes c to c + a b, and subMul changes c to c − a b. Both round once.
func (s arm) addMul(c, a, b ng.V) { s.FMla(ng.S4, c, a, b) }
func (s arm) subMul(c, a, b ng.V) { s.FMls(ng.S4, c, a, b) }

func (s arm) load(m ng.Mem) ng.V {
	d := s.V()
	s.Load(16, d, m)
	return d
}

func (s arm) copy(a ng.V) ng.V {
	d := s.V()
	s.Copy(d, a)
	return d
}

func (s arm) zero() ng.V {
	d := s.V()
	s.Zero(d)
	return d
}

// broadcast returns a vector filled with the float32 at the address base + at.
func (s arm) broadcast(base ng.X, at int) ng.V {
	d := s.V()
	s.Load(4, d, ng.At(base, at))
	s.Splat(ng.S4, d, d, 0)
	return d
}

// constant returns a vector filled with v.
func (s arm) constant(name string, v float64) ng.V {
	return s.load(ng.At(s.Address(s.file.Constant(name, ng.S4, v)), 0))
}

// field returns a register that holds an 8-byte field of the struct sweep. c is the address of the struct, and offset
// is the offset of the field.
func (s arm) field(c ng.X, offset int) ng.X {
	d := s.X()
	s.LoadX(d, c, offset)
	return d
}

// exp loads the constants and returns a function that emits e^x for x <= 0; see exp in vector.go.
func (s arm) exp() func(x ng.V) ng.V {
	const ln2Hi = float64(float32(math.Ln2))
	least, log2e := s.constant("least", -87), s.constant("log2e", math.Log2E)
	round := s.constant("round", 1.5*(1<<23)+127)
	hi, lo := s.constant("ln2Hi", ln2Hi), s.constant("ln2Lo", math.Ln2-ln2Hi)
	poly := []ng.V{s.constant("one", 1), s.constant("one", 1), s.constant("half", 0.5)}
	for i, v := range expTail {
		poly = append(poly, s.constant(fmt.Sprint("expTail", i), v))
	}
	return func(x ng.V) ng.V {
		x = s.max(x, least)
		t := s.copy(round)
		s.addMul(t, x, log2e)
		n := s.sub(t, round)
		s.subMul(x, n, hi)
		s.subMul(x, n, lo)
		p := poly[len(poly)-1]
		for i := len(poly) - 2; i >= 0; i-- {
			next := s.copy(poly[i])
			s.addMul(next, p, x)
			p = next
		}
		power := s.V()
		s.ShiftLeft(ng.S4, power, t, 23)
		return s.mul(p, power)
	}
}

// sigmoid loads the constants and returns a function that emits 1/(1+e^−x) = (x < 0 ? t : 1)/(1 + t), with t = e^−|x|.
func (s arm) sigmoid() func(x ng.V) ng.V {
	exp := s.exp()
	one := s.constant("one", 1)
	return func(x ng.V) ng.V {
		minus, num, d := s.V(), s.V(), s.V()
		s.FAbs(ng.S4, minus, x)
		s.FNeg(ng.S4, minus, minus)
		e := exp(minus)
		s.Negative(ng.S4, num, x)
		s.Select(num, e, one)
		s.FDiv(ng.S4, d, num, s.add(e, one))
		return d
	}
}

// A turn is one iteration of a loop. It holds the addresses of the current elements of p, h, s and m, and the
// parameters of the current unit (or units).
type turn struct {
	p, h, s, m ng.Mem
	param      func(k int) ng.V
}

// loop emits the loops over a sweep; see loop in update.go.
func (s arm) loop(rows bool, need []int, body func(r turn)) {
	c := s.Arg("c")
	p, h, sl, m, par := s.field(c, atP), s.field(c, atH), s.field(c, atS), s.field(c, atM), s.field(c, atParam)
	i, width := s.X(), s.field(c, atWidth)
	vectors := func(param func(int) ng.V) {
		s.Set(i, 0)
		s.Label("vector")
		body(turn{ng.By(p, i), ng.By(h, i), ng.By(sl, i), ng.By(m, i), param})
		s.AddN(i, i, 16)
		s.Cmp(i, width)
		s.Br("NE", "vector")
	}
	if !rows {
		stride := s.field(c, atStride)
		base := map[int]ng.X{}
		for _, k := range need {
			base[k] = s.X()
			s.Move(base[k], par)
			for range k {
				s.Add(base[k], base[k], stride)
			}
		}
		vectors(func(k int) ng.V { return s.load(ng.By(base[k], i)) })
		s.Ret()
		return
	}
	units := s.field(c, atUnits)
	s.Label("unit")
	value := map[int]ng.V{}
	for _, k := range need {
		value[k] = s.broadcast(par, 4*k)
	}
	vectors(func(k int) ng.V { return value[k] })
	for _, r := range []ng.X{p, h, sl, m} {
		s.Add(r, r, width)
	}
	s.AddN(par, par, 4*inRow)
	s.SubsN(units, units, 1)
	s.Br("NE", "unit")
	s.Ret()
}

func neonBegin(file *ng.File, name string, rows bool, doc string) arm {
	if rows {
		name += "Rows"
	} else {
		name += "List"
	}
	return arm{file.Func(name+"NEON", "func(c *byte)", doc), file}
}

// neonSlab emits the update of ŝ; see slab.
func neonSlab(file *ng.File, rows bool) {
	s := neonBegin(file, "slab", rows, "updates s and m.")
	c := s.Arg("c")
	eta, keep, minusRho := s.broadcast(c, atEta), s.broadcast(c, atEta+4), s.broadcast(c, atEta+8)
	s.FNeg(ng.S4, minusRho, minusRho)
	zero := s.zero()
	s.loop(rows, []int{alphaMu, wide, inverse}, func(r turn) {
		h, sl, t := s.load(r.h), s.load(r.s), s.load(r.p)
		s.addMul(t, s.mul(h, sl), r.param(wide))
		t = s.mul(s.add(t, r.param(alphaMu)), r.param(inverse))
		// A slab that is 0 has no sign, and is not clipped.
		limit := s.mul(sl, minusRho)
		up, down := s.max(t, limit), s.min(t, limit)
		s.Insert(t, up, s.above(sl, zero))
		s.Insert(t, down, s.above(zero, sl))
		sl = s.mul(sl, keep)
		s.addMul(sl, t, eta)
		s.Store(16, sl, r.s)
		s.Store(16, s.mul(h, sl), r.m)
	})
}

// neonSpike emits the update of ĥ; see spike.
func neonSpike(file *ng.File, rows, store bool) {
	name, doc := "spike", "updates h and m."
	if store {
		name, doc = "spikeStore", "updates h and m, stores the optimal h in p, and cuts h off."
	}
	s := neonBegin(file, name, rows, doc)
	c := s.Arg("c")
	eta, keep := s.broadcast(c, atEta), s.broadcast(c, atEta+4)
	var most ng.V
	if store {
		most = s.broadcast(c, atMost)
	}
	sigmoid := s.sigmoid()
	s.loop(rows, []int{alphaMu, wide, half, constant}, func(r turn) {
		h, sl := s.load(r.h), s.load(r.s)
		q := s.add(s.load(r.p), r.param(alphaMu))
		s.addMul(q, s.mul(h, sl), r.param(wide))
		s.subMul(q, sl, r.param(half))
		best := sigmoid(s.add(s.mul(q, sl), r.param(constant)))
		if store {
			s.Store(16, best, r.p)
		}
		h = s.mul(h, keep)
		s.addMul(h, best, eta)
		if store {
			h = s.min(h, most)
		}
		s.Store(16, h, r.h)
		s.Store(16, s.mul(h, sl), r.m)
	})
}
