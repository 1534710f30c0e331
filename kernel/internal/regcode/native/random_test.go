package native

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// Random programs: the machine gives the same results with native code and without. The programs have the
// form that compiled SSA has: each register has one writer, which precedes its readers, except that moves
// write the registers of phis.

// A node is an object to which pointers of random programs point.
type node struct {
	i    int64
	f    float64
	next *node
	s    int32
	g    float32
	b    uint8
	more []float64
}

// data is the input of a program.
type data struct {
	F  []float64
	G  []float32
	I  []int64
	I4 []int32
	I2 []int16
	I1 []int8
	U4 []uint32
	U2 []uint16
	U1 []uint8
	FF [][]float64
	L  *node
	A  *[4]float64
}

func newData(r *rand.Rand) *data {
	d := &data{
		F: make([]float64, 12), G: make([]float32, 10), I: make([]int64, 11), I4: make([]int32, 9), I2: make([]int16, 10),
		I1: make([]int8, 11), U4: make([]uint32, 10), U2: make([]uint16, 13), U1: make([]uint8, 10), FF: make([][]float64, 6), A: new([4]float64),
	}
	for i := range d.F {
		d.F[i] = float64(r.IntN(40)) / 4
	}
	for i := range d.G {
		d.G[i] = float32(r.IntN(40)) / 4
	}
	for i := range d.I {
		d.I[i] = edge(r)
	}
	for i := range d.U1 {
		d.U1[i] = uint8(r.Uint32())
	}
	for i := range d.FF {
		if r.IntN(4) > 0 {
			d.FF[i] = make([]float64, r.IntN(8))
			for j := range d.FF[i] {
				d.FF[i][j] = float64(j) - 2.5
			}
		}
	}
	for i := range 7 {
		d.L = &node{i: int64(i), f: float64(i) / 3, next: d.L, s: -int32(i), g: float32(i), b: uint8(i), more: d.F[:i]}
	}
	return d
}

// edge returns a number that is often small, and sometimes near an end of the range.
func edge(r *rand.Rand) int64 {
	switch r.IntN(8) {
	case 0:
		return []int64{0, -1, 1, math.MinInt64, math.MaxInt64, math.MinInt32, math.MaxUint32, 63, 64, 255, 256}[r.IntN(11)]
	case 1:
		return int64(r.Uint64())
	}
	return int64(r.IntN(14)) - 2
}

// A list is a slice in registers, with the opcodes that access its elements.
type list struct {
	p, n    uint16
	at, set rc.Opcode
	class   class
}

// A maker makes one program.
type maker struct {
	r    *rand.Rand
	code *rc.Code
	// The registers that can be read at the current position.
	numbers [pointer][]uint16
	lists   []list
	nodes   []uint16
	rows    []list // slices of slices
	arrays  []uint16
	depth   int
	sites   *[]func(m *rc.Machine, log func(v ...any))
	callees []*callable
	fn      *callable // the function that is being made, or nil
}

func (k *maker) n() uint16 { k.code.NN++; return uint16(k.code.NN - 1) }
func (k *maker) p() uint16 { k.code.NP++; return uint16(k.code.NP - 1) }

func (k *maker) op(o rc.Op) int32 {
	k.code.Ops = append(k.code.Ops, o)
	return int32(len(k.code.Ops) - 1)
}

// here returns the index of the next op.
func (k *maker) here() int32 { return int32(len(k.code.Ops)) }

func (k *maker) number(c class) uint16 {
	return k.numbers[c][k.r.IntN(len(k.numbers[c]))]
}

// made adds a register of class c that later ops can read.
func (k *maker) made(c class) uint16 {
	n := k.n()
	k.numbers[c] = append(k.numbers[c], n)
	return n
}

// fails appends an op that may fail, and a site for it. The site logs the readable registers and sets a result.
func (k *maker) fails(o rc.Op) {
	o.To = int32(len(*k.sites))
	seen := k.seen()
	name := fmt.Sprint("site ", o.To)
	written := writes(k.code, &o)
	*k.sites = append(*k.sites, func(m *rc.Machine, log func(v ...any)) {
		log(name)
		seen(m, log)
		for _, w := range written {
			switch {
			case w.pointer:
				m.Top().P[w.number] = nil
			case w.class == double:
				m.Top().N[w.number] = math.Float64bits(-0.25)
			case w.class == single:
				m.Top().N[w.number] = uint64(math.Float32bits(2))
			default:
				m.Top().N[w.number] = 3
			}
		}
	})
	k.op(o)
}

// seen returns a function that logs some of the registers that are readable at the current position.
func (k *maker) seen() func(m *rc.Machine, log func(v ...any)) {
	var some [pointer][]uint16
	for c, l := range k.numbers {
		for range min(len(l), 3) {
			some[c] = append(some[c], l[k.r.IntN(len(l))])
		}
	}
	var nodes []uint16
	for range min(len(k.nodes), 2) {
		nodes = append(nodes, k.nodes[k.r.IntN(len(k.nodes))])
	}
	return func(m *rc.Machine, log func(v ...any)) {
		a := m.Top()
		for c, l := range some {
			for _, n := range l {
				log(n, show(class(c), a.N[n]))
			}
		}
		for _, p := range nodes {
			if q := (*node)(a.P[p]); q == nil {
				log(p, "nil")
			} else {
				log(p, q.i)
			}
		}
	}
}

// show returns a register's value in a form for comparison, in which all NaNs are equal.
func show(c class, v uint64) any {
	switch c {
	case double:
		if f := math.Float64frombits(v); f != f {
			return "NaN"
		}
	case single:
		if f := math.Float32frombits(uint32(v)); f != f {
			return "NaN"
		}
	}
	return v
}

// within calls f, and then forgets the registers that became readable in it.
func (k *maker) within(f func()) {
	numbers, lists, nodes, rows, arrays := k.numbers, k.lists, k.nodes, k.rows, k.arrays
	for c := range k.numbers {
		k.numbers[c] = slices.Clip(k.numbers[c])
	}
	k.lists, k.nodes, k.rows, k.arrays = slices.Clip(lists), slices.Clip(nodes), slices.Clip(rows), slices.Clip(arrays)
	k.depth++
	f()
	k.depth--
	k.numbers, k.lists, k.nodes, k.rows, k.arrays = numbers, lists, nodes, rows, arrays
}

// plain holds the opcodes that have only numbers as operands.
var plain = func() (all []rc.Opcode) {
	for c, s := range shapes {
		if s.a != pointer && s.a != bits64 && s.a != none && s.d != none {
			all = append(all, c)
		}
	}
	slices.Sort(all)
	return all
}()

var kinds = []reflect.Kind{reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr}

// arithmetic emits an op on numbers.
func (k *maker) arithmetic() {
	c := plain[k.r.IntN(len(plain))]
	s := shapes[c]
	o := rc.Op{Code: c, A: k.number(s.a)}
	if s.b != none {
		o.B = k.number(s.b)
	}
	switch c {
	case rc.OpShl, rc.OpShr, rc.OpShrU:
		o.C = uint16(k.r.IntN(2))
	case rc.OpFloatInt, rc.OpFloat32Int:
		o.B = uint16(kinds[k.r.IntN(len(kinds))])
	case rc.OpAddI:
		o.Imm = int32(k.r.IntN(7)) - 3
	case rc.OpNot:
		o.A = k.truth()
	}
	d := k.n()
	o.D = d
	if s.fails {
		k.fails(o)
	} else {
		k.op(o)
	}
	k.numbers[s.d] = append(k.numbers[s.d], d)
}

// truth emits a comparison.
func (k *maker) truth() uint16 {
	d := k.n()
	k.op(rc.Op{Code: rc.OpLT, D: d, A: k.number(whole), B: k.number(whole)})
	return d
}

// index returns a register that is often a valid index.
func (k *maker) index() uint16 {
	if k.r.IntN(3) == 0 {
		return k.number(whole)
	}
	d := k.n()
	seven := k.constant(7)
	k.op(rc.Op{Code: rc.OpAnd, D: d, A: k.number(whole), B: seven})
	return d
}

func (k *maker) constant(v uint64) uint16 {
	for i, c := range k.code.ConstN {
		if c == v {
			return uint16(k.code.AtConstN + i)
		}
	}
	panic("no such constant")
}

// memory emits an op that loads or stores, or copies memory.
func (k *maker) memory() {
	switch k.r.IntN(11) {
	case 0, 1, 2:
		l := k.lists[k.r.IntN(len(k.lists))]
		i := k.index()
		d := k.n()
		k.fails(rc.Op{Code: l.at, D: d, A: l.p, B: i, C: l.n})
		k.numbers[l.class] = append(k.numbers[l.class], d)
	case 3, 4:
		l := k.lists[k.r.IntN(len(k.lists))]
		i := k.index()
		k.fails(rc.Op{Code: l.set, D: k.number(l.class), A: l.p, B: i, C: l.n})
	case 5:
		p := k.nodes[k.r.IntN(len(k.nodes))]
		d := k.p()
		k.fails(rc.Op{Code: rc.OpLoadP, D: d, A: p, Imm: int32(unsafe.Offsetof(node{}.next))})
		k.nodes = append(k.nodes, d)
		switch k.r.IntN(12) {
		case 0, 1: // the same pointer
			k.fails(rc.Op{Code: rc.OpStoreP, D: d, A: p, Imm: int32(unsafe.Offsetof(node{}.next))})
		case 2:
			k.fails(rc.Op{Code: rc.OpStoreP, D: k.constantP(nil), A: p, Imm: int32(unsafe.Offsetof(node{}.next))})
		}
	case 6, 7:
		p := k.nodes[k.r.IntN(len(k.nodes))]
		f := []struct {
			load, store rc.Opcode
			at          uintptr
			class       class
		}{
			{rc.OpLoad64, rc.OpStore64, unsafe.Offsetof(node{}.i), whole}, {rc.OpLoad64, rc.OpStore64, unsafe.Offsetof(node{}.f), double},
			{rc.OpLoadS32, rc.OpStore32, unsafe.Offsetof(node{}.s), whole}, {rc.OpLoad32, rc.OpStore32, unsafe.Offsetof(node{}.g), single},
			{rc.OpLoad8, rc.OpStore8, unsafe.Offsetof(node{}.b), whole}, {rc.OpLoadS8, rc.OpStore8, unsafe.Offsetof(node{}.b), whole},
		}[k.r.IntN(6)]
		if k.r.IntN(3) == 0 { // the field has an address of its own
			q := k.p()
			k.fails(rc.Op{Code: rc.OpField, D: q, A: p, Imm: int32(f.at)})
			p, f.at = q, 0
		}
		load := func() {
			d := k.n()
			k.fails(rc.Op{Code: f.load, D: d, A: p, Imm: int32(f.at)})
			k.numbers[f.class] = append(k.numbers[f.class], d)
		}
		switch k.r.IntN(3) {
		case 0:
			k.fails(rc.Op{Code: f.store, D: k.number(f.class), A: p, Imm: int32(f.at)})
		case 1:
			load()
		case 2:
			load()
			k.fails(rc.Op{Code: f.store, D: k.number(f.class), A: p, Imm: int32(f.at)})
			load()
		}
	case 8:
		// Take a row of a slice of slices, or the slice of a node.
		q, p, n := k.p(), k.p(), k.n()
		if k.r.IntN(2) == 0 {
			l := k.rows[0]
			k.fails(rc.Op{Code: rc.OpElem, D: q, A: l.p, B: k.index(), C: l.n, Imm: int32(unsafe.Sizeof([]float64{}))})
		} else {
			k.fails(rc.Op{Code: rc.OpField, D: q, A: k.nodes[k.r.IntN(len(k.nodes))], Imm: int32(unsafe.Offsetof(node{}.more))})
		}
		k.fails(rc.Op{Code: rc.OpLoadP, D: p, A: q})
		end := k.ifNil(q) // a site may have returned nil for q
		k.fails(rc.Op{Code: rc.OpLoad64, D: n, A: q, C: 1, Imm: 8})
		if k.r.IntN(4) == 0 { // the slice becomes shorter
			half := k.n()
			k.op(rc.Op{Code: rc.OpShrU, D: half, A: n, B: k.constant(1)})
			k.fails(rc.Op{Code: rc.OpStoreP, D: p, A: q})
			k.fails(rc.Op{Code: rc.OpStore64, D: half, A: q, Imm: 8})
		}
		length := k.n() // 0 if q is nil
		k.op(rc.Op{Code: rc.OpMove, D: length, A: n})
		jump := k.op(rc.Op{Code: rc.OpJump})
		k.code.Ops[end].To = k.here()
		k.op(rc.Op{Code: rc.OpMove, D: length, A: k.constant(0)})
		k.code.Ops[jump].To = k.here()
		k.lists = append(k.lists, list{p, length, rc.OpAt64, rc.OpSet64, double})
	case 9:
		q, d := k.p(), k.n()
		k.fails(rc.Op{Code: rc.OpElemOf, D: q, A: k.arrays[0], B: k.index(), Or: 4, Imm: 8})
		k.fails(rc.Op{Code: rc.OpLoad64, D: d, A: q})
		k.numbers[double] = append(k.numbers[double], d)
	case 10:
		to, from := k.lists[k.r.IntN(len(k.lists))], k.lists[k.r.IntN(len(k.lists))]
		n, size := k.n(), memories[to.at].size
		if memories[from.at].size != size {
			from = to
		}
		// In the first turn of a loop the machine copies. Copy something else in the next turn.
		k.fails(rc.Op{Code: from.set, D: k.number(from.class), A: from.p, B: k.index(), C: from.n})
		k.op(rc.Op{Code: rc.OpMove, D: n, A: to.n})
		shorter := k.op(rc.Op{Code: rc.OpIfLE, A: to.n, B: from.n})
		k.code.Ops[shorter].Or = k.here()
		k.op(rc.Op{Code: rc.OpMove, D: n, A: from.n})
		k.code.Ops[shorter].To = k.here()
		k.op(rc.Op{Code: rc.OpCopy, A: to.p, B: from.p, C: n, Imm: int32(size)})
	}
}

// ifNil emits a branch that is taken if p is nil. The caller must set its target.
func (k *maker) ifNil(p uint16) int32 {
	b := k.n()
	k.op(rc.Op{Code: rc.OpNil, D: b, A: p})
	at := k.op(rc.Op{Code: rc.OpIf, A: b})
	k.code.Ops[at].Or = k.here()
	return at
}

// branch emits a random branch. The caller must set its targets.
func (k *maker) branch() int32 {
	all := []rc.Opcode{rc.OpIf, rc.OpIfEQ, rc.OpIfLT, rc.OpIfLE, rc.OpIfLTU, rc.OpIfLEU, rc.OpIfFEQ, rc.OpIfFLT, rc.OpIfFLE}
	c := all[k.r.IntN(len(all))]
	s := shapes[c]
	o := rc.Op{Code: c, A: k.number(s.a)}
	if s.b != none {
		o.B = k.number(s.b)
	}
	if c == rc.OpIf {
		o.A = k.truth()
	}
	return k.op(o)
}

// choice emits an if followed by a phi.
func (k *maker) choice() {
	c := class(1 + k.r.IntN(3))
	phi := k.n()
	at := k.branch()
	k.code.Ops[at].To = k.here()
	k.within(func() {
		k.statements(3)
		k.op(rc.Op{Code: rc.OpMove, D: phi, A: k.number(c)})
	})
	jump := k.op(rc.Op{Code: rc.OpJump})
	k.code.Ops[at].Or = k.here()
	k.within(func() {
		k.statements(2)
		k.op(rc.Op{Code: rc.OpMove, D: phi, A: k.number(c)})
	})
	k.code.Ops[jump].To = k.here()
	k.numbers[c] = append(k.numbers[c], phi)
}

// loop emits a counting loop with some phis, two of which may be swapped in each iteration.
func (k *maker) loop() {
	i := k.n()
	k.op(rc.Op{Code: rc.OpMove, D: i, A: k.constant([]uint64{0, 0, 1, math.MaxUint64 - 1}[k.r.IntN(4)])})
	type phi struct {
		n uint16
		c class
	}
	var phis []phi
	for range k.r.IntN(4) {
		c := class(1 + k.r.IntN(3))
		phis = append(phis, phi{n: k.n(), c: c})
		k.op(rc.Op{Code: rc.OpMove, D: phis[len(phis)-1].n, A: k.number(c)})
	}
	walk := k.p()
	k.op(rc.Op{Code: rc.OpMoveP, D: walk, A: k.nodes[k.r.IntN(len(k.nodes))]})
	head := k.op(rc.Op{Code: rc.OpLoop, Or: int32(len(k.code.Loops))})
	k.code.Loops = append(k.code.Loops, &rc.Loop{At: head})
	k.numbers[whole] = append(k.numbers[whole], i)
	for _, p := range phis {
		k.numbers[p.c] = append(k.numbers[p.c], p.n)
	}
	k.nodes = append(k.nodes, walk)
	var outs []int32
	outs = append(outs, k.op(rc.Op{Code: rc.OpIfLT, A: i, B: k.constant([]uint64{3, 6, 7, 12}[k.r.IntN(4)]), To: k.here() + 1}))
	k.within(func() {
		k.statements(6)
		if k.r.IntN(3) == 0 {
			at := k.branch()
			k.code.Ops[at].To = k.here()
			k.within(func() { k.statements(1) })
			outs = append(outs, k.op(rc.Op{Code: rc.OpIfEQ, A: k.constant(1), B: k.constant(1)}))
			k.code.Ops[outs[len(outs)-1]].Or = k.here()
			k.code.Ops[outs[len(outs)-1]].To = -1
			k.code.Ops[at].Or = k.here()
		}
		next := k.n()
		k.op(rc.Op{Code: rc.OpAddI, D: next, A: i, Imm: 1})
		moves := make([]uint16, len(phis))
		for j, p := range phis {
			moves[j] = k.n()
			k.op(rc.Op{Code: rc.OpMove, D: moves[j], A: k.number(p.c)})
		}
		to := k.nodes[k.r.IntN(len(k.nodes))]
		k.op(rc.Op{Code: rc.OpMove, D: i, A: next})
		for j, p := range phis {
			k.op(rc.Op{Code: rc.OpMove, D: p.n, A: moves[j]})
		}
		k.op(rc.Op{Code: rc.OpMoveP, D: walk, A: to})
		k.op(rc.Op{Code: rc.OpJump, To: head})
	})
	for n, at := range outs {
		if n == 0 {
			k.code.Ops[at].Or = k.here()
		} else {
			k.code.Ops[at].To = k.here()
		}
	}
}

// statements emits a random number of statements, from 1 to the argument most.
func (k *maker) statements(most int) {
	for range 1 + k.r.IntN(most) {
		switch x := k.r.IntN(20); {
		case len(k.callees) > 0 && k.r.IntN(5) == 0:
			k.call(k.callees[k.r.IntN(len(k.callees))])
		case x < 9:
			k.arithmetic()
		case x < 16:
			k.memory()
		case x < 17 && k.depth < 4:
			k.choice()
		case x < 19 && k.depth < 3 && (k.fn == nil || k.r.IntN(4) == 0):
			k.loop()
		case k.r.IntN(3) == 0:
			k.fails(rc.Op{Code: rc.OpDo})
		}
	}
}

// parameters returns the lists and registers of d as parameters of a call.
func (d *data) parameters() (p []unsafe.Pointer, lengths []uint64) {
	add := func(data unsafe.Pointer, n int) {
		p = append(p, data)
		lengths = append(lengths, uint64(n))
	}
	add(unsafe.Pointer(unsafe.SliceData(d.F)), len(d.F))
	add(unsafe.Pointer(unsafe.SliceData(d.G)), len(d.G))
	add(unsafe.Pointer(unsafe.SliceData(d.I)), len(d.I))
	add(unsafe.Pointer(unsafe.SliceData(d.I4)), len(d.I4))
	add(unsafe.Pointer(unsafe.SliceData(d.I2)), len(d.I2))
	add(unsafe.Pointer(unsafe.SliceData(d.I1)), len(d.I1))
	add(unsafe.Pointer(unsafe.SliceData(d.U4)), len(d.U4))
	add(unsafe.Pointer(unsafe.SliceData(d.U2)), len(d.U2))
	add(unsafe.Pointer(unsafe.SliceData(d.U1)), len(d.U1))
	add(unsafe.Pointer(unsafe.SliceData(d.FF)), len(d.FF))
	p = append(p, unsafe.Pointer(d.L), unsafe.Pointer(d.A))
	return p, lengths
}

var elements = []list{
	{at: rc.OpAt64, set: rc.OpSet64, class: double}, {at: rc.OpAt32, set: rc.OpSet32, class: single},
	{at: rc.OpAt64, set: rc.OpSet64, class: whole}, {at: rc.OpAtS32, set: rc.OpSet32, class: whole},
	{at: rc.OpAtS16, set: rc.OpSet16, class: whole}, {at: rc.OpAtS8, set: rc.OpSet8, class: whole},
	{at: rc.OpAt32, set: rc.OpSet32, class: whole}, {at: rc.OpAt16, set: rc.OpSet16, class: whole}, {at: rc.OpAt8, set: rc.OpSet8, class: whole},
}

// randomProgram makes a program from a seed. Half of the programs make calls.
func randomProgram(seed uint64) *maker {
	k := newMaker(rand.New(rand.NewPCG(seed, 1)))
	if seed%2 == 0 {
		k.callees = callables(k.r, k.sites)
	}
	k.parameters()
	k.constants()
	k.statements(4)
	k.loop()
	k.statements(3)
	k.fails(rc.Op{Code: rc.OpDo})
	k.op(rc.Op{Code: rc.OpReturn})
	return k
}

func newMaker(r *rand.Rand) *maker {
	return &maker{r: r, code: new(rc.Code), sites: new([]func(*rc.Machine, func(...any)))}
}

// parameters makes the registers of the parameters.
func (k *maker) parameters() {
	for _, l := range elements {
		l.p, l.n = k.p(), k.n()
		k.lists = append(k.lists, l)
	}
	k.rows = []list{{p: k.p(), n: k.n()}}
	k.nodes = append(k.nodes, k.p())
	k.arrays = []uint16{k.p()}
}

// constants makes the registers of the constants.
func (k *maker) constants() {
	k.code.AtConstN = k.code.NN
	for _, v := range []uint64{0, 1, 3, 6, 7, 12, math.MaxUint64, math.MaxUint64 - 1, 1 << 63, 64} {
		k.code.ConstN = append(k.code.ConstN, v)
		k.made(whole)
	}
	for _, v := range []float64{0, 1.5, -2, math.Inf(1), math.NaN(), math.Copysign(0, -1), 1e300, 200} {
		k.code.ConstN = append(k.code.ConstN, math.Float64bits(v))
		k.made(double)
	}
	for _, v := range []float32{0, 1.5, -2, 1e30} {
		k.code.ConstN = append(k.code.ConstN, uint64(math.Float32bits(v)))
		k.made(single)
	}
	k.code.AtConstP = k.code.NP
	k.code.ConstP = []unsafe.Pointer{unsafe.Pointer(&constantNode), nil}
	k.nodes = append(k.nodes, k.p())
	k.code.NP++
	for _, f := range k.callees {
		k.code.ConstP = append(k.code.ConstP, f.words()...)
	}
	k.code.NP = k.code.AtConstP + len(k.code.ConstP)
}

// constantP returns the register of a constant pointer.
func (k *maker) constantP(v unsafe.Pointer) uint16 {
	i := slices.Index(k.code.ConstP, v)
	if i < 0 {
		panic("no such constant")
	}
	return uint16(k.code.AtConstP + i)
}

var constantNode = node{i: 77, f: 7.5}

// outcome runs a program on data made from the seed, and returns the values to compare.
func (k *maker) outcome(seed uint64) []any {
	var log []any
	h := hosted(func(m *rc.Machine, site int32) { (*k.sites)[site](m, func(v ...any) { log = append(log, v...) }) })
	d := newData(rand.New(rand.NewPCG(seed, 2)))
	constantNode = node{i: 77, f: 7.5}
	for _, f := range k.callees {
		f.reset()
	}
	p, n := d.parameters()
	do(h, fresh(k.code), n, p, 0)
	log = append(log, "memory", constantNode.i, constantNode.f)
	for _, f := range k.callees {
		log = append(log, f.data.i, f.data.f, f.data.s, f.data.g, f.data.b)
	}
	return append(log, d.F, d.G, d.I, d.I4, d.I2, d.I1, d.U4, d.U2, d.U1, d.FF, *d.A, all(d.L))
}

// differ describes the first difference between two outcomes.
func differ(a, b []any) string {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || fmt.Sprint(a[i]) != fmt.Sprint(b[i]) {
			from := max(0, i-12)
			return fmt.Sprintf("at %d:\n%v\nwant\n%v", i, a[from:min(len(a), i+3)], b[from:min(len(b), i+3)])
		}
	}
	return ""
}

func all(n *node) (s []any) {
	for ; n != nil; n = n.next {
		s = append(s, n.i, n.f, n.s, n.g, n.b, n.more)
	}
	return s
}

func TestRandomPrograms(t *testing.T) {
	programs := 1000
	if testing.Short() {
		programs = 100
	}
	compiled, refused := 0, map[string]int{}
	for seed := range uint64(programs) {
		k := randomProgram(seed)
		if err := k.code.Verify(); err != nil {
			t.Fatal(seed, err)
		}
		want := func() []any {
			hot := rc.Hot
			defer func() { rc.Hot = hot }()
			rc.Hot = -1
			return k.outcome(seed)
		}()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			force(t, func(err error) { refused[err.Error()]++ })
			compiled += len(k.code.Loops)
			if d := differ(k.outcome(seed), want); d != "" {
				t.Fatalf("seed %d: %s\n%s", seed, d, k.listing())
			}
		})
	}
	t.Log(compiled, refused)
}

func (k *maker) listing() string {
	s := ""
	for i, o := range k.code.Ops {
		s += fmt.Sprintf("%d: %v D%d A%d B%d C%d To%d Or%d Imm%d\n", i, o.Code, o.D, o.A, o.B, o.C, o.To, o.Or, o.Imm)
	}
	return s
}
