package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These are offsets in the struct sweep of package s3c. The functions take an untyped pointer to a sweep, because the
// generator does not know the type.
const (
	atP = 8 * iota
	atH
	atS
	atM
	atParam
	atStride
	atUnits
	atWidth
	atEta
	atMost = atEta + 12
)

const (
	alphaMu  = iota // αμ
	wide            // w = W'βW
	inverse         // 1/γ
	half            // γ/2
	constant        // b − αμ²/2 − log(γ/α)/2
	inRow    = 8    // numbers per unit
)

// A round is one iteration of a loop. It holds the addresses of the current elements of p, h, s and m, and the
// parameters of the current unit (or units).
type round struct {
	p, h, s, m operand.Mem
	param      func(k int) operand.Op
}

// loop emits the loops over the arrays of a sweep (a struct of package s3c). Each call to body emits one iteration, for
// one vector. params lists the parameters that the iterations use. If rows is true, the elements of a vector are
// patches, and each unit has a row with one set of parameters. Otherwise the elements of a vector are units of one
// patch.
func loop(s *isa, rows bool, params []int, body func(r round)) {
	c := param("c")
	field := func(at int) reg.GPVirtual {
		r := GP64()
		MOVQ(operand.Mem{Base: c, Disp: at}, r)
		return r
	}
	p, h, sl, m, par := field(atP), field(atH), field(atS), field(atM), field(atParam)
	i, width := GP64(), field(atWidth)
	place := func(param func(int) operand.Op) round {
		return round{memoryAt(p, i), memoryAt(h, i), memoryAt(sl, i), memoryAt(m, i), param}
	}
	if !rows {
		stride := field(atStride)
		base := map[int]reg.GPVirtual{}
		for _, k := range params {
			b := GP64()
			MOVQ(par, b)
			for range k {
				ADDQ(stride, b)
			}
			base[k] = b
		}
		XORQ(i, i)
		Label("vector")
		body(place(func(k int) operand.Op { return memoryAt(base[k], i) }))
		ADDQ(operand.Imm(uint64(s.bytes())), i)
		CMPQ(i, width)
		JNE(operand.LabelRef("vector"))
		VZEROUPPER()
		RET()
		return
	}
	units := field(atUnits)
	Label("unit")
	value := map[int]vector{}
	for _, k := range params {
		value[k] = s.broadcast(operand.Mem{Base: par, Disp: 4 * k})
	}
	XORQ(i, i)
	Label("vector")
	body(place(func(k int) operand.Op { return value[k] }))
	ADDQ(operand.Imm(uint64(s.bytes())), i)
	CMPQ(i, width)
	JNE(operand.LabelRef("vector"))
	for _, r := range []reg.Register{p, h, sl, m} {
		ADDQ(width, r)
	}
	ADDQ(operand.Imm(4*inRow), par)
	DECQ(units)
	JNE(operand.LabelRef("unit"))
	VZEROUPPER()
	RET()
}

func begin(s *isa, name string, rows bool, doc string) {
	if rows {
		name += "Rows"
	} else {
		name += "List"
	}
	TEXT(name+s.name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc(name + s.name + " " + doc)
}

// slab emits the update of ŝ. Here p is W'β(v − Wm), w and γ are parameters of the unit, and c is s* after clipping:
//
//	s* = (αμ + p + w m)/γ,  s <- η c + (1−η) s,  m <- h s
func slab(s *isa, rows bool) {
	begin(s, "slab", rows, "updates s and m.")
	c := param("c")
	eta := s.broadcast(operand.Mem{Base: c, Disp: atEta})
	keep := s.broadcast(operand.Mem{Base: c, Disp: atEta + 4})
	minusRho := s.broadcast(operand.Mem{Base: c, Disp: atEta + 8})
	minusRho = s.xor(minusRho, s.pattern("sign", 1<<31))
	loop(s, rows, []int{alphaMu, wide, inverse}, func(r round) {
		h, sl := s.load(r.h), s.load(r.s)
		t := s.load(r.p)
		s.addMul(t, s.mul(h, sl), r.param(wide))
		t = s.add(t, r.param(alphaMu))
		t = s.mul(t, r.param(inverse))
		// A slab that is 0 has no sign, and is not clipped.
		limit, zero := s.mul(sl, minusRho), s.zero()
		t = s.below(zero, sl, s.max(t, limit), s.below(sl, zero, s.min(t, limit), t))
		sl = s.mul(sl, keep)
		s.addMul(sl, t, eta)
		VMOVUPS(sl, r.s)
		VMOVUPS(s.mul(h, sl), r.m)
	})
}

// spike emits the update of ĥ:
//
//	h* = σ(s (p + αμ + w m − ½γ s) + const),  h <- η h* + (1−η) h,  m <- h s
//
// Here const is the unit's last parameter, b − αμ²/2 − log(γ/α)/2. If store is true, the code also stores p <- h*, and
// limits h: the greatest value allowed is the sweep's field most.
func spike(s *isa, rows, store bool) {
	name, doc := "spike", "updates h and m."
	if store {
		name, doc = "spikeStore", "updates h and m, stores the optimal h in p, and cuts h off."
	}
	begin(s, name, rows, doc)
	c := param("c")
	eta := s.broadcast(operand.Mem{Base: c, Disp: atEta})
	keep := s.broadcast(operand.Mem{Base: c, Disp: atEta + 4})
	var most vector
	if store {
		most = s.broadcast(operand.Mem{Base: c, Disp: atMost})
	}
	sigmoid := s.sigmoid()
	loop(s, rows, []int{alphaMu, wide, half, constant}, func(r round) {
		h, sl := s.load(r.h), s.load(r.s)
		q := s.load(r.p)
		q = s.add(q, r.param(alphaMu))
		s.addMul(q, s.mul(h, sl), r.param(wide))
		s.subMul(q, sl, r.param(half))
		t := s.mul(q, sl)
		t = s.add(t, r.param(constant))
		best := sigmoid(t)
		if store {
			VMOVUPS(best, r.p)
		}
		h = s.mul(h, keep)
		s.addMul(h, best, eta)
		if store {
			h = s.min(h, most)
		}
		VMOVUPS(h, r.h)
		VMOVUPS(s.mul(h, sl), r.m)
	})
}
