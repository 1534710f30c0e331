package ixengine

import (
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// Loops over numbers are slow in the interpreter: each value is an any in the
// frame, so that each new number is allocated, and each instruction is a call of
// a closure. So the parts of a function that consist only of arithmetic,
// comparisons, jumps, and loads and stores of numbers are compiled once more, to
// typed code (typed_run.go), which keeps its numbers without types.
//
// A segment is a run of such instructions in a block. Segments that are connected
// by jumps make one part: a loop whose body has only such instructions never leaves
// its part. The first instruction of each segment is replaced by one that loads
// from the frame what the part needs, runs the part, and stores the changed values
// that are read outside. The other instructions stay as they are: an instruction
// that has to panic does so itself, at its own place, so that tracebacks are the
// same.

// A segment consists of the instructions from to to-1 of a block.
type segment struct {
	block    *ssa.BasicBlock
	from, to int
	start    bool // it begins where the block begins
	end      bool // it ends with a jump
	part     int

	// Sets of numbers.
	changed, changedEnd set // since the part was entered, before and after the phis
	need                set // that must be there after the phis
	body                int // where its ops begin, after the phis
}

type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

// join adds t to s, and reports whether that changed s.
func (s set) join(t set) (grown bool) {
	for i := range t {
		if t[i]&^s[i] != 0 {
			s[i] |= t[i]
			grown = true
		}
	}
	return grown
}

// A typer makes the typed code of a function.
type typer struct {
	fn       *ssa.Function
	index    map[ssa.Value]uint32
	initial  []any
	blocks   []int // where they begin in old
	old      []instruction
	at       map[ssa.Instruction]int // in old
	place    map[ssa.Instruction]int // in its block
	number   map[ssa.Value]int       // of the values that are numbers, constants not
	values   []ssa.Value             // by number
	live     []set                   // by block, after its phis
	segs     []*segment
	starts   []*segment        // by block
	phis     []bool            // by block: typed code can do its phis
	elements map[ssa.Value]int // the place of the last use, 0 for those that are no elements
	pures    *pures
	isPure   bool // it makes a function that typed code calls
}

// kindOf returns the kind of an unnamed number or bool type, Invalid for other types.
func kindOf(t types.Type) reflect.Kind {
	b, ok := types.Unalias(t).(*types.Basic)
	if !ok {
		return reflect.Invalid
	}
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return reflect.Bool
	case types.Int:
		return reflect.Int
	case types.Int8:
		return reflect.Int8
	case types.Int16:
		return reflect.Int16
	case types.Int32:
		return reflect.Int32
	case types.Int64:
		return reflect.Int64
	case types.Uint:
		return reflect.Uint
	case types.Uint8:
		return reflect.Uint8
	case types.Uint16:
		return reflect.Uint16
	case types.Uint32:
		return reflect.Uint32
	case types.Uint64:
		return reflect.Uint64
	case types.Uintptr:
		return reflect.Uintptr
	case types.Float32:
		return reflect.Float32
	case types.Float64:
		return reflect.Float64
	}
	return reflect.Invalid
}

func isNumber(v ssa.Value) bool { return kindOf(v.Type()) != reflect.Invalid }

func isSigned(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Int64 }

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uintptr }

func bytesOf(k reflect.Kind) int {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}

// typed is false in tests that compare typed code with the interpreter.
var typed = true

// typedParts replaces the parts of f that typed code can do.
func typedParts(f *ssa.Function, fn unsafe.Pointer, p *pures) {
	if !typed || unsafe.Sizeof(0) != 8 || len(f.Blocks) == 0 || f.Synthetic == "package initializer" {
		return
	}
	t := newTyper(f, fn, p)
	if t == nil {
		return
	}
	t.findElements()
	t.findSegments()
	// The time of what follows grows with this product.
	if n := len(t.segs); n == 0 || n*len(t.old) > 2e6 {
		return
	}
	parts := t.findParts()
	if len(parts) == 0 {
		return
	}
	t.findLive()
	entries := map[int]instruction{}
	for _, part := range parts {
		t.compile(part, entries)
	}
	for i, in := range entries { // only when all are compiled: they refer to the old ones
		t.old[i] = in
	}
}

// newTyper returns a typer for f, nil if the function is too large.
func newTyper(f *ssa.Function, fn unsafe.Pointer, p *pures) *typer {
	t := &typer{fn: f, index: field[map[ssa.Value]uint32](fn, layout.index), initial: field[[]any](fn, layout.initial), blocks: field[[]int](fn, layout.blocks),
		old: field[[]instruction](fn, layout.instrs), at: map[ssa.Instruction]int{}, place: map[ssa.Instruction]int{}, number: map[ssa.Value]int{}, elements: map[ssa.Value]int{}, pures: p}
	if len(t.old) == 0 || len(t.index) > 1<<14 || len(t.blocks) != len(f.Blocks) {
		return nil
	}
	for i, in := range field[[]ssa.Instruction](fn, layout.ssaInstrs) {
		t.at[in] = i
	}
	for _, b := range f.Blocks {
		for i, in := range b.Instrs {
			t.place[in] = i
		}
	}
	return t
}

// known reports whether the interpreter keeps the values in its frame.
func (t *typer) known(vs ...ssa.Value) bool {
	for _, v := range vs {
		if _, ok := t.index[v]; !ok {
			return false
		}
	}
	return true
}

// can reports whether typed code can do instruction i of b, which must not be a
// phi.
func (t *typer) can(b *ssa.BasicBlock, i int) bool {
	in := b.Instrs[i]
	if _, ok := t.at[in]; !ok {
		_, isRef := in.(*ssa.DebugRef)
		_, isExtract := in.(*ssa.Extract)
		return isRef || isExtract // typed code does nothing for it
	}
	switch in := in.(type) {
	case *ssa.BinOp:
		return isNumber(in) && isNumber(in.X) && isNumber(in.Y) && t.known(in, in.X, in.Y)
	case *ssa.UnOp:
		if t.element(in) {
			return true
		}
		if !isNumber(in) || in.CommaOk || !t.known(in) {
			return false
		}
		if in.Op == token.MUL {
			if t.element(in.X) {
				return true
			}
			_, ok := in.X.Type().Underlying().(*types.Pointer)
			return ok && t.known(in.X)
		}
		return in.Op != token.ARROW && t.known(in.X)
	case *ssa.Convert:
		return isNumber(in) && isNumber(in.X) && t.known(in, in.X)
	case *ssa.Store:
		if !isNumber(in.Val) || !t.known(in.Val) {
			return false
		}
		if t.element(in.Addr) {
			return true
		}
		p, ok := in.Addr.Type().Underlying().(*types.Pointer)
		return ok && kindOf(p.Elem()) != reflect.Invalid && t.known(in.Addr)
	case *ssa.IndexAddr:
		return t.element(in)
	case *ssa.FieldAddr:
		return t.element(in)
	case *ssa.Index:
		_, isConst := in.X.(*ssa.Const)
		return isString(in.X.Type()) && !isConst && isNumber(in) && isInteger(kindOf(in.Index.Type())) && t.known(in, in.X, in.Index)
	case *ssa.Call:
		f, ok := in.Call.Value.(*ssa.Builtin)
		if !ok {
			return t.canCall(in)
		}
		if f.Name() != "len" || len(in.Call.Args) != 1 || !t.known(in, in.Call.Args[0]) {
			return false
		}
		switch u := in.Call.Args[0].Type().Underlying().(type) {
		case *types.Slice:
			return true
		case *types.Basic:
			_, isConst := in.Call.Args[0].(*ssa.Const)
			return u.Kind() == types.String && !isConst
		}
	case *ssa.Jump:
		return true
	case *ssa.If:
		_, isConst := in.Cond.(*ssa.Const)
		return isNumber(in.Cond) && !isConst && t.known(in.Cond)
	}
	return false
}

// element reports whether v need not be computed: it is the address of a number in a slice or
// in a struct that only loads and stores of its own segment use, the address of a struct in a
// slice that is only used for such addresses, or a slice, string or pointer that is only
// loaded for them, for bytes or for the length.
func (t *typer) element(v ssa.Value) bool { return t.elements[v] > 0 }

// lastUse returns the place in its block of the last use of v, 0 if v cannot be an
// element.
func (t *typer) lastUse(v ssa.Value, b *ssa.BasicBlock) int {
	last := 0
	for _, r := range *v.Referrers() {
		if r.Block() != b {
			return 0
		}
		last = max(last, t.place[r])
		switch v := v.(type) {
		case *ssa.IndexAddr, *ssa.FieldAddr:
			switch r := r.(type) {
			case *ssa.FieldAddr: // of an element of a slice
				n := t.mayBeElement(r)
				if _, isField := v.(*ssa.FieldAddr); isField || n == 0 {
					return 0
				}
				last = max(last, n)
			case *ssa.UnOp:
				if r.Op != token.MUL {
					return 0
				}
			case *ssa.Store:
				if r.Addr != v || r.Val == v {
					return 0
				}
			default:
				return 0
			}
		case *ssa.UnOp:
			switch r := r.(type) {
			case *ssa.IndexAddr:
				n := t.mayBeElement(r)
				if n == 0 || r.X != v {
					return 0
				}
				last = max(last, n)
			case *ssa.FieldAddr:
				n := t.mayBeElement(r)
				if n == 0 {
					return 0
				}
				last = max(last, n)
			case *ssa.Index:
				if r.X != v || !isInteger(kindOf(r.Index.Type())) || !isNumber(r) {
					return 0
				}
			case *ssa.Call:
				if f, ok := r.Call.Value.(*ssa.Builtin); !ok || f.Name() != "len" {
					return 0
				}
			default:
				return 0
			}
		}
	}
	return last
}

// mayBeElement returns the place of v's last use if v may be an element, judged
// by v alone.
func (t *typer) mayBeElement(v ssa.Value) int {
	switch v := v.(type) {
	case *ssa.IndexAddr:
		s, ok := v.X.Type().Underlying().(*types.Slice)
		_, isConst := v.X.(*ssa.Const)
		if !ok {
			return 0
		}
		_, isStruct := s.Elem().Underlying().(*types.Struct)
		if isStruct { // only fields of it are used
			for _, r := range *v.Referrers() {
				if _, ok := r.(*ssa.FieldAddr); !ok {
					return 0
				}
			}
		}
		if !isConst && (isStruct && sizeOf(s.Elem()) > 0 || kindOf(s.Elem()) != reflect.Invalid) && isInteger(kindOf(v.Index.Type())) && t.known(v, v.X, v.Index) {
			return t.lastUse(v, v.Block())
		}
	case *ssa.FieldAddr:
		p, ok := v.Type().Underlying().(*types.Pointer)
		_, isConst := v.X.(*ssa.Const)
		if ok && !isConst && kindOf(p.Elem()) != reflect.Invalid && t.known(v, v.X) {
			return t.lastUse(v, v.Block())
		}
	case *ssa.UnOp:
		p, ok := v.X.Type().Underlying().(*types.Pointer)
		if !ok || v.Op != token.MUL || !t.known(v, v.X) {
			return 0
		}
		switch u := p.Elem().Underlying().(type) {
		case *types.Slice:
			return t.lastUse(v, v.Block())
		case *types.Basic:
			if u.Kind() == types.String {
				return t.lastUse(v, v.Block())
			}
		case *types.Pointer:
			_, isStruct := u.Elem().Underlying().(*types.Struct)
			_, isGlobal := v.X.(*ssa.Global)
			if isStruct && isGlobal {
				return t.lastUse(v, v.Block())
			}
		}
	}
	return 0
}

// findElements starts with all values that may be elements, and removes values
// until no instruction that typed code cannot do lies between an element and
// its uses.
func (t *typer) findElements() {
	for _, b := range t.fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				if n := t.mayBeElement(v); n > 0 {
					t.elements[v] = n
				}
			}
		}
	}
	for changed := len(t.elements) > 0; changed; {
		changed = false
		for v, last := range t.elements {
			if last == 0 {
				continue
			}
			in := v.(ssa.Instruction)
			b := in.Block()
			ok := true
			for i := t.place[in] + 1; i <= last && ok; i++ {
				ok = t.can(b, i) && !t.mayGiveUp(b.Instrs[i])
			}
			for _, r := range *v.Referrers() {
				switch a := r.(type) {
				case *ssa.IndexAddr:
					ok = ok && t.element(a)
				case *ssa.FieldAddr:
					ok = ok && t.element(a)
				}
			}
			if !ok {
				t.elements[v], changed = 0, true
			}
		}
	}
}

// phisOf returns the phis of b.
func phisOf(b *ssa.BasicBlock) []*ssa.Phi {
	var list []*ssa.Phi
	for _, in := range b.Instrs {
		p, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		list = append(list, p)
	}
	return list
}

// canPhis reports whether typed code can do the phis of b: phis of numbers, and others
// if the order in which they are done does not matter.
func (t *typer) canPhis(list []*ssa.Phi) bool {
	for _, p := range list {
		if _, ok := t.at[p]; !ok || !t.known(p) || !t.known(p.Edges...) {
			return false
		}
		if isNumber(p) {
			continue
		}
		for _, e := range p.Edges {
			if q, ok := e.(*ssa.Phi); ok && q != p && q.Block() == p.Block() {
				return false
			}
		}
	}
	return true
}

func (t *typer) findSegments() {
	t.starts, t.phis = make([]*segment, len(t.fn.Blocks)), make([]bool, len(t.fn.Blocks))
	for _, b := range t.fn.Blocks {
		if b == t.fn.Recover {
			continue // the interpreter runs through it without looking at jumps
		}
		list := phisOf(b)
		t.phis[b.Index] = t.canPhis(list)
		var seg *segment
		for i := range b.Instrs {
			ok := i < len(list) && t.phis[b.Index] || i >= len(list) && t.can(b, i)
			switch {
			case !ok:
				seg = nil
				continue
			case seg == nil:
				if _, done := t.at[b.Instrs[i]]; !done {
					continue // nothing is there to be replaced
				}
				seg = &segment{block: b, from: i, start: i == 0, part: len(t.segs)}
				t.segs = append(t.segs, seg)
				if seg.start {
					t.starts[b.Index] = seg
				}
			}
			seg.to, seg.end = i+1, i == len(b.Instrs)-1
		}
	}
}

// findParts joins segments and returns the parts that typed code makes faster:
// parts with a loop, or at least a few instructions in one segment.
func (t *typer) findParts() [][]*segment {
	const few = 6
	for grown := true; grown; {
		grown = false
		for _, s := range t.segs {
			for _, n := range t.next(s) {
				if n != nil && n.part != s.part {
					n.part = min(n.part, s.part)
					s.part = n.part
					grown = true
				}
			}
		}
	}
	byPart := map[int][]*segment{}
	var order []int
	for _, s := range t.segs {
		if byPart[s.part] == nil {
			order = append(order, s.part)
		}
		byPart[s.part] = append(byPart[s.part], s)
	}
	var parts [][]*segment
	for _, p := range order {
		part, worth := byPart[p], false
		for _, s := range part {
			worth = worth || s.to-s.from >= few || slices.ContainsFunc(s.block.Instrs[s.from:s.to], t.mayGiveUp) || t.reaches(s, s, map[*segment]bool{})
		}
		if worth {
			parts = append(parts, part)
		}
	}
	return parts
}

// next returns the segments to which s jumps, nil where there is none.
func (t *typer) next(s *segment) []*segment {
	if !s.end {
		return nil
	}
	list := make([]*segment, len(s.block.Succs))
	for i, b := range s.block.Succs {
		list[i] = t.starts[b.Index]
	}
	return list
}

func (t *typer) reaches(from, to *segment, seen map[*segment]bool) bool {
	for _, n := range t.next(from) {
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		if n == to || t.reaches(n, to, seen) {
			return true
		}
	}
	return false
}

func (t *typer) newSet() set { return make(set, (len(t.values)+63)/64) }

// walk updates s from the values live after in to those live before it.
func (t *typer) walk(s set, in ssa.Instruction) {
	if v, ok := in.(ssa.Value); ok {
		if n, ok := t.number[v]; ok {
			s.remove(n)
		}
	}
	var buf [8]*ssa.Value
	for _, o := range in.Operands(buf[:0]) {
		if *o != nil {
			if n, ok := t.number[*o]; ok {
				s.add(n)
			}
		}
	}
}

// edge converts s, the values live after the phis of to, to those live at the
// end of b on the way there.
func (t *typer) edge(s set, b, to *ssa.BasicBlock) set {
	r := append(set(nil), s...)
	list := phisOf(to)
	for _, p := range list {
		if n, ok := t.number[p]; ok {
			r.remove(n)
		}
	}
	for i, pred := range to.Preds {
		if pred != b {
			continue
		}
		for _, p := range list {
			if n, ok := t.number[p.Edges[i]]; ok {
				r.add(n)
			}
		}
	}
	return r
}

// liveEnd returns the values that are live at the end of b.
func (t *typer) liveEnd(b *ssa.BasicBlock) set {
	s := t.newSet()
	for _, to := range b.Succs {
		s.join(t.edge(t.live[to.Index], b, to))
	}
	return s
}

// liveAt returns the values that are live before instruction i of b.
func (t *typer) liveAt(b *ssa.BasicBlock, i int) set {
	s := t.liveEnd(b)
	for k := len(b.Instrs) - 1; k >= i; k-- {
		if _, ok := b.Instrs[k].(*ssa.Phi); ok {
			break
		}
		t.walk(s, b.Instrs[k])
	}
	return s
}

func (t *typer) findLive() {
	add := func(v ssa.Value) {
		if _, ok := t.index[v]; ok && isNumber(v) {
			t.number[v] = len(t.values)
			t.values = append(t.values, v)
		}
	}
	for _, p := range t.fn.Params {
		add(p)
	}
	for _, p := range t.fn.FreeVars {
		add(p)
	}
	for _, b := range t.fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				add(v)
			}
		}
	}
	t.live = make([]set, len(t.fn.Blocks))
	for i := range t.live {
		t.live[i] = t.newSet()
	}
	for grown := true; grown; {
		grown = false
		for i := len(t.fn.Blocks) - 1; i >= 0; i-- {
			grown = t.live[i].join(t.liveAt(t.fn.Blocks[i], 0)) || grown
		}
	}
}

// flow finds the values that the segments of a part change and need.
func (t *typer) flow(part []*segment) {
	for _, s := range part {
		s.changed, s.changedEnd, s.need = t.newSet(), t.newSet(), t.newSet()
		if s.start {
			for _, p := range phisOf(s.block) {
				if n, ok := t.number[p]; ok {
					s.changed.add(n)
				}
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, s := range part {
			end := append(set(nil), s.changed...)
			for _, in := range s.block.Instrs[s.from:s.to] {
				if v, ok := in.(ssa.Value); ok {
					if n, ok := t.number[v]; ok {
						end.add(n)
					}
				}
			}
			grown = s.changedEnd.join(end) || grown
			for _, n := range t.next(s) {
				if n != nil {
					grown = n.changed.join(s.changedEnd) || grown
				}
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, s := range part {
			need := t.newSet()
			if !s.end {
				need = and(s.changedEnd, t.liveAt(s.block, s.to))
			}
			for i, n := range t.next(s) {
				to := s.block.Succs[i]
				if n != nil {
					need.join(t.edge(n.need, s.block, to))
				} else {
					need.join(and(s.changedEnd, t.edge(t.live[to.Index], s.block, to)))
				}
			}
			for i := s.to - 1; i >= s.from; i-- {
				if _, ok := s.block.Instrs[i].(*ssa.Phi); ok {
					break
				}
				t.walk(need, s.block.Instrs[i])
			}
			grown = s.need.join(need) || grown
		}
	}
}

func and(s, t set) set {
	r := make(set, len(s))
	for i := range s {
		r[i] = s[i] & t[i]
	}
	return r
}

// A compiler makes the typed code of one part.
type compiler struct {
	*typer
	code      *typedCode
	regs      map[ssa.Value]uint16
	fix       []fix
	last      int // how many registers there are
	scratches []uint16
}

// A fix is a jump to a segment whose place is not known yet.
type fix struct {
	op   int
	isOr bool
	to   *segment
}

func (t *typer) compile(part []*segment, entries map[int]instruction) {
	t.flow(part)
	c := &compiler{typer: t, code: &typedCode{}, regs: map[ssa.Value]uint16{}}
	for _, s := range part {
		s.body = len(c.code.ops)
		for i := s.from; i < s.to; i++ {
			c.instr(s, i)
		}
		if !s.end {
			next := s.block.Instrs[s.to]
			c.emit(op{code: opExit, to: c.exit(exit{out: c.passages(and(s.changedEnd, t.liveAt(s.block, s.to))),
				block: s.block, pred: -1, ipc: t.at[next]})})
		}
	}
	for _, f := range c.fix {
		if f.isOr {
			c.code.ops[f.op].or = int32(f.to.body)
		} else {
			c.code.ops[f.op].to = int32(f.to.body)
		}
	}
	var list []*entry
	for _, s := range part {
		e := &entry{start: s.body, in: c.passages(s.need)}
		if phis := phisOf(s.block); s.start && len(phis) > 0 {
			e.in = slices.DeleteFunc(e.in, func(p passage) bool {
				return slices.ContainsFunc(phis, func(q *ssa.Phi) bool { return p.frame == t.frame(q) })
			})
			for i, pred := range s.block.Preds {
				ed := entryEdge{pred: pred.Index}
				for _, p := range phis {
					if isNumber(p) {
						ed.in = append(ed.in, passage{c.reg(p), t.frame(p.Edges[i]), kindOf(p.Type())})
					} else {
						ed.moves = append(ed.moves, [2]int{t.frame(p), t.frame(p.Edges[i])})
					}
				}
				e.edges = append(e.edges, ed)
			}
		}
		list = append(list, e)
	}
	c.code.size = c.last
	for i, s := range part { // now that the size is known
		entries[t.at[s.block.Instrs[s.from]]] = c.code.instruction(list[i])
	}
}

func (t *typer) frame(v ssa.Value) int { return int(t.index[v] & 0xffffff) }

func (c *compiler) emit(o op) int {
	c.code.ops = append(c.code.ops, o)
	return len(c.code.ops) - 1
}

func (c *compiler) exit(x exit) int32 {
	c.code.exits = append(c.code.exits, x)
	return int32(len(c.code.exits) - 1)
}

// reg returns the register of v, a number or constant.
func (c *compiler) reg(v ssa.Value) uint16 {
	if r, ok := c.regs[v]; ok {
		return r
	}
	r := c.temp()
	c.regs[v] = r
	if _, ok := c.number[v]; !ok {
		c.code.consts = append(c.code.consts, typedConst{r, unbox(c.initial[c.frame(v)], kindOf(v.Type()))})
	}
	return r
}

// scratch returns the i-th register for temporary values.
func (c *compiler) scratch(i int) uint16 {
	for i >= len(c.scratches) {
		c.scratches = append(c.scratches, c.temp())
	}
	return c.scratches[i]
}

func (c *compiler) temp() uint16 {
	c.last++
	return uint16(c.last - 1)
}

func (c *compiler) passages(s set) []passage {
	var list []passage
	for i, v := range c.values {
		if s.has(i) {
			list = append(list, passage{c.reg(v), c.frame(v), kindOf(v.Type())})
		}
	}
	return list
}

// header returns the place in the frame of a pointer to the header of v, a slice or
// string: an any of a slice is such a pointer, and so is the pointer from which the
// slice is loaded.
func (c *compiler) header(v ssa.Value) uint16 {
	if c.element(v) {
		return uint16(c.frame(v.(*ssa.UnOp).X))
	}
	return uint16(c.frame(v))
}

// fault returns the exit to in, which will panic.
func (c *compiler) fault(in ssa.Instruction) int32 {
	s := c.newSet()
	var buf [4]*ssa.Value
	for _, o := range in.Operands(buf[:0]) {
		if n, ok := c.number[*o]; ok {
			s.add(n)
		}
	}
	at := c.at[in]
	old := c.old[at]
	var x ssa.Value // that has not been made
	switch in := in.(type) {
	case *ssa.IndexAddr:
		x = in.X
	case *ssa.Index:
		x = in.X
	case *ssa.FieldAddr:
		x = in.X
	}
	if x, ok := x.(*ssa.UnOp); ok && c.element(x) {
		load := c.old[c.at[x]]
		use := old
		old = func(fr *frame) {
			load(fr)
			use(fr)
		}
	}
	return c.exit(exit{out: c.passages(s), block: in.Block(), pred: -1, ipc: at + 1, fault: old})
}

// cut truncates d to its kind.
func (c *compiler) cut(d, a uint16, k reflect.Kind) {
	cuts := map[reflect.Kind]opcode{reflect.Int8: opInt8, reflect.Int16: opInt16, reflect.Int32: opInt32,
		reflect.Uint8: opUint8, reflect.Uint16: opUint16, reflect.Uint32: opUint32}
	if code, ok := cuts[k]; ok {
		c.emit(op{code: code, d: d, a: a})
	} else if d != a {
		c.emit(op{code: opMove, d: d, a: a})
	}
}

// load returns the opcode that loads a k, from a family that begins with first.
func load(first opcode, k reflect.Kind) opcode {
	size := map[int]opcode{1: 0, 2: 1, 4: 2, 8: 3}[bytesOf(k)]
	if isSigned(k) && bytesOf(k) < 8 {
		return first + 4 + size
	}
	return first + size
}

func store(first opcode, k reflect.Kind) opcode {
	return first + map[int]opcode{1: 0, 2: 1, 4: 2, 8: 3}[bytesOf(k)]
}

// instr compiles instruction i of s's block.
func (c *compiler) instr(s *segment, i int) {
	in := s.block.Instrs[i]
	switch in := in.(type) {
	case *ssa.Phi:
		s.body = len(c.code.ops) // done on the way here
	case *ssa.BinOp:
		c.binOp(s, i, in)
	case *ssa.UnOp:
		if c.element(in) { // a slice
			if _, ok := in.X.(*ssa.Global); !ok {
				c.emit(op{code: opLen, d: c.scratch(0), a: uint16(c.frame(in.X)), to: c.fault(in)})
			}
			return
		}
		k := kindOf(in.Type())
		if in.Op == token.MUL {
			if f, ok := in.X.(*ssa.FieldAddr); ok && c.element(f) {
				o := c.field(f, load(opLoad8, k))
				o.code, o.d = opField, c.reg(in)
				c.emit(o)
			} else if a, ok := in.X.(*ssa.IndexAddr); ok && c.element(a) {
				c.emit(op{code: load(opAt8, k), d: c.reg(in), a: c.header(a.X), b: c.reg(a.Index), to: c.fault(a)})
			} else {
				c.emit(op{code: load(opLoad8, k), d: c.reg(in), a: uint16(c.frame(in.X)), to: c.fault(in)})
			}
			return
		}
		code := opNot
		switch {
		case in.Op == token.SUB && k == reflect.Float64:
			code = opFNeg
		case in.Op == token.SUB && k == reflect.Float32:
			code = opNeg32
		case in.Op == token.SUB:
			code = opNeg
		case in.Op == token.XOR:
			code = opCom
		}
		c.emit(op{code: code, d: c.reg(in), a: c.reg(in.X)})
		c.cut(c.reg(in), c.reg(in), k)
	case *ssa.Convert:
		c.convert(c.reg(in), c.reg(in.X), kindOf(in.Type()), kindOf(in.X.Type()))
	case *ssa.Store:
		k := kindOf(in.Val.Type())
		if f, ok := in.Addr.(*ssa.FieldAddr); ok && c.element(f) {
			o := c.field(f, store(opStore8, k))
			o.code, o.d = opSetField, c.reg(in.Val)
			c.emit(o)
		} else if a, ok := in.Addr.(*ssa.IndexAddr); ok && c.element(a) {
			c.emit(op{code: store(opSet8, k), d: c.reg(in.Val), a: c.header(a.X), b: c.reg(a.Index), to: c.fault(a)})
		} else {
			c.emit(op{code: store(opStore8, k), d: c.reg(in.Val), a: uint16(c.frame(in.Addr)), to: c.fault(in)})
		}
	case *ssa.IndexAddr:
		if next, ok := s.block.Instrs[i+1].(*ssa.UnOp); !ok || next.X != in { // which would find out
			c.emit(op{code: opCheck, a: c.header(in.X), b: c.reg(in.Index), to: c.fault(in)})
		}
	case *ssa.FieldAddr:
		if _, ok := in.X.(*ssa.IndexAddr); ok && c.element(in.X) {
			return // it has been checked
		}
		if next, ok := s.block.Instrs[i+1].(*ssa.UnOp); !ok || next.X != in {
			o := op{code: opNotNil, a: uint16(c.frame(in.X)), to: c.fault(in)}
			if c.element(in.X) {
				o.a, o.b = c.header(in.X), 1
			}
			c.emit(o)
		}
	case *ssa.Index:
		c.emit(op{code: opAt8, d: c.reg(in), a: c.header(in.X), b: c.reg(in.Index), to: c.fault(in)})
	case *ssa.Call:
		if _, ok := in.Call.Value.(*ssa.Builtin); !ok {
			c.call(s, i, in)
			return
		}
		c.emit(op{code: opLen, d: c.reg(in), a: c.header(in.Call.Args[0]), to: c.fault(in)})
	case *ssa.Return:
		c.emit(op{code: opReturn, a: c.reg(in.Results[0])})
	case *ssa.Jump:
		c.edgeTo(s, 0)
	case *ssa.If:
		if b, ok := in.Cond.(*ssa.BinOp); ok && c.joined(s, i-1, b) {
			c.compareIf(s, b)
		} else {
			c.branch(s, op{code: opIf, a: c.reg(in.Cond)}, false)
		}
	}
}

// field returns an op for a field of a struct, which code loads or stores.
func (c *compiler) field(f *ssa.FieldAddr, code opcode) op {
	st := f.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	var fields []*types.Var
	for v := range st.Fields() {
		fields = append(fields, v)
	}
	at := typedField{offset: uintptr(sizes.Offsetsof(fields)[f.Field]), code: code}
	o := op{or: int32(len(c.code.fields)), to: c.fault(f)}
	switch x := f.X.(type) {
	case *ssa.IndexAddr:
		if c.element(x) {
			at.stride = uintptr(sizeOf(x.X.Type().Underlying().(*types.Slice).Elem()))
			o.a, o.b, o.to = c.header(x.X), c.reg(x.Index), c.fault(x)
			break
		}
		o.a = uint16(c.frame(x))
	default:
		at.indirect = c.element(x)
		o.a = uint16(c.frame(x))
		if at.indirect {
			o.a = c.header(x)
		}
	}
	c.code.fields = append(c.code.fields, at)
	return o
}

var sizes = types.SizesFor("gc", runtime.GOARCH)

func sizeOf(t types.Type) int64 { return sizes.Sizeof(t) }

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

// joined reports whether b, a comparison, is instruction i of the block and only
// used by the If that follows.
func (c *compiler) joined(s *segment, i int, b *ssa.BinOp) bool {
	if i < s.from || i+1 >= s.to || s.block.Instrs[i] != ssa.Instruction(b) || len(*b.Referrers()) != 1 {
		return false
	}
	in, ok := s.block.Instrs[i+1].(*ssa.If)
	return ok && in.Cond == b && kindOf(b.X.Type()) != reflect.Float32
}

func (c *compiler) compareIf(s *segment, b *ssa.BinOp) {
	code, swapped, not := comparison(b.Op, kindOf(b.X.Type()))
	o := op{a: c.reg(b.X), b: c.reg(b.Y)}
	if swapped {
		o.a, o.b = o.b, o.a
	}
	o.code = map[opcode]opcode{opEQ: opIfEQ, opLT: opIfLT, opLE: opIfLE, opLTU: opIfLTU, opLEU: opIfLEU,
		opFEQ: opIfFEQ, opFLT: opIfFLT, opFLE: opIfFLE}[code]
	c.branch(s, o, not)
}

// comparison returns how to compare: with the operands swapped if swapped is set, and
// with the answer negated if not is set.
func comparison(o token.Token, k reflect.Kind) (code opcode, swapped, not bool) {
	if o == token.GTR || o == token.GEQ {
		swapped = true
		o = map[token.Token]token.Token{token.GTR: token.LSS, token.GEQ: token.LEQ}[o]
	}
	codes := [...]opcode{opEQ, opLT, opLE}
	switch {
	case k == reflect.Float64:
		codes = [...]opcode{opFEQ, opFLT, opFLE}
	case k == reflect.Float32:
		codes = [...]opcode{opEQ32, opLT32, opLE32}
	case !isSigned(k):
		codes = [...]opcode{opEQ, opLTU, opLEU}
	}
	switch o {
	case token.LSS:
		return codes[1], swapped, false
	case token.LEQ:
		return codes[2], swapped, false
	}
	return codes[0], false, o == token.NEQ
}

// branch ends s with the jump o, to its first successor if the condition holds, or
// if it does not hold when not is set.
func (c *compiler) branch(s *segment, o op, not bool) {
	at := c.emit(o)
	for i := range 2 {
		isOr := (i == 1) != not
		n := c.starts[s.block.Succs[i].Index]
		if n != nil && len(phisOf(n.block)) == 0 {
			c.fix = append(c.fix, fix{at, isOr, n})
			continue
		}
		here := int32(len(c.code.ops))
		if isOr {
			c.code.ops[at].or = here
		} else {
			c.code.ops[at].to = here
		}
		c.edgeTo(s, i)
	}
}

// edgeTo continues with successor i of s's block, whose phis it does.
func (c *compiler) edgeTo(s *segment, i int) {
	b, to := s.block, s.block.Succs[i]
	n := c.starts[to.Index]
	if n == nil {
		c.emit(op{code: opExit, to: c.exit(exit{out: c.passages(and(s.changedEnd, c.edge(c.live[to.Index], b, to))),
			block: to, pred: b.Index, ipc: c.blocks[to.Index]})})
		return
	}
	from := slices.Index(to.Preds, b)
	var moves [][2]uint16
	for _, p := range phisOf(to) {
		switch {
		case isNumber(p):
			if d, a := c.reg(p), c.reg(p.Edges[from]); d != a {
				moves = append(moves, [2]uint16{d, a})
			}
		default:
			c.emit(op{code: opMoveAny, d: uint16(c.frame(p)), a: uint16(c.frame(p.Edges[from]))})
		}
	}
	// All phis of a block are done at once.
	for i := range moves {
		for j := range i {
			if moves[j][0] == moves[i][1] {
				t := c.scratch(i)
				c.emit(op{code: opMove, d: t, a: moves[i][1]})
				moves[i][1] = t
				break
			}
		}
	}
	last := op{code: opJump}
	for i, m := range moves {
		o := op{code: opMove, d: m[0], a: m[1]}
		if i == len(moves)-1 {
			o.code = opMoveJump
			last = o
			break
		}
		c.emit(o)
	}
	c.fix = append(c.fix, fix{c.emit(last), false, n})
}

func (c *compiler) binOp(s *segment, i int, in *ssa.BinOp) {
	k := kindOf(in.X.Type())
	d, x, y := c.reg(in), c.reg(in.X), c.reg(in.Y)
	switch in.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if c.joined(s, i, in) {
			return // it is done by the If
		}
		code, swapped, not := comparison(in.Op, k)
		if swapped {
			x, y = y, x
		}
		c.emit(op{code: code, d: d, a: x, b: y})
		if not {
			c.emit(op{code: opNot, d: d, a: d})
		}
		return
	case token.SHL, token.SHR:
		o := op{code: opShl, d: d, a: x, b: y, to: -1}
		if in.Op == token.SHR {
			o.code = opShrU
			if isSigned(k) {
				o.code = opShr
			}
		}
		if isSigned(kindOf(in.Y.Type())) {
			o.to = c.fault(in)
		}
		c.emit(o)
		c.cut(d, d, k)
		return
	}
	o := op{d: d, a: x, b: y}
	switch k {
	case reflect.Float64:
		o.code = map[token.Token]opcode{token.ADD: opFAdd, token.SUB: opFSub, token.MUL: opFMul, token.QUO: opFDiv}[in.Op]
	case reflect.Float32:
		o.code = map[token.Token]opcode{token.ADD: opAdd32, token.SUB: opSub32, token.MUL: opMul32, token.QUO: opDiv32}[in.Op]
	default:
		o.code = map[token.Token]opcode{token.ADD: opAdd, token.SUB: opSub, token.MUL: opMul, token.AND: opAnd, token.OR: opOr,
			token.XOR: opXor, token.AND_NOT: opAndNot, token.QUO: opDivU, token.REM: opRemU}[in.Op]
		if in.Op == token.QUO || in.Op == token.REM {
			if isSigned(k) {
				o.code = map[token.Token]opcode{token.QUO: opDiv, token.REM: opRem}[in.Op]
			}
			o.to = c.fault(in)
		}
	}
	c.emit(o)
	c.cut(d, d, k)
}

func (c *compiler) convert(d, a uint16, to, from reflect.Kind) {
	o := op{d: d, a: a}
	switch {
	case to == from:
		o.code = opMove
	case isInteger(from) && isInteger(to):
		c.cut(d, a, to)
		return
	case isInteger(from) && to == reflect.Float64:
		o.code = opUintFloat
		if isSigned(from) {
			o.code = opIntFloat
		}
	case isInteger(from):
		o.code = opUintFloat32
		if isSigned(from) {
			o.code = opIntFloat32
		}
	case to == reflect.Float32:
		o.code = opFloatFloat32
	case to == reflect.Float64:
		o.code = opFloat32Float
	case from == reflect.Float64:
		o.code, o.b = opFloatInt, uint16(to)
	default:
		o.code, o.b = opFloat32Int, uint16(to)
	}
	c.emit(o)
}
