package ixengine

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"go/types"

	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// A fastCompiler generates the register code of one function. Some of its methods compile an instruction of a certain
// kind and report whether they have compiled it. If such a method returns false, the instruction is compiled by
// leave(), so that the interpreter executes it.
type fastCompiler struct {
	*fastFunc
	code    *regcode.Code
	ranges  map[*ssa.Range][]uint16 // registers of a loop's state; see rangeRegisters
	locals  map[*ssa.Alloc]*local
	scratch map[*ssa.Alloc]uint16     // memory of variables; see takeScratch
	copies  map[*ssa.UnOp]uint16      // addresses of copies of arrays
	cells   map[cellKey]uint16        // addresses of cells; see element
	single  map[*ssa.Call][]ssa.Value // elements that are appended one by one
	headers []*ssa.BasicBlock         // header blocks of loops
	starts  []int32                   // start of each block, as an index of ops
	fixes   []blockFix
	done    map[ssa.Instruction]bool // instructions compiled together with an earlier instruction
	constN  map[constKey]uint16
	constP  map[unsafe.Pointer]uint16
	taken   counter            // registers assigned to values so far
	temps   uint16             // number of temporary registers in each file
	tempsP  uint16             // number of temporary P registers in use
	pinned  map[ssa.Value]bool // the interpreter's recover block reads them in its frame
	// deferred is the register of the list of deferred calls. The next register holds the deferred call that is
	// running.
	deferred uint16

	marks    *lineMarks                       // for a profile
	markedAt map[*ssa.BasicBlock]*profileLine // the line that is marked when a block begins, if it is the same on all paths to the block
}

type constKey struct {
	bits    uint64
	isFloat bool
}

// A blockFix is a jump whose target is filled in when the position of the target block is known. The field op is the
// index of the jump's op. The target is that op's field Or if isOr is set, else its field To.
type blockFix struct {
	op   int32
	isOr bool
	to   *ssa.BasicBlock
}

const (
	// temporaries is the number of registers in each file for values that are needed only for a few ops.
	temporaries = 2*mostLeaves + 8
	// fewTemporaries is a number that is enough for most functions. Deep recursion needs memory for the
	// temporaries in each call.
	fewTemporaries = 6
)

type refusal struct{ why string }

// A tooFew is the value with which a fastCompiler panics if it needs more temporary registers.
type tooFew struct{}

func (c *fastCompiler) refuse(format string, args ...any) {
	panic(refusal{fmt.Sprintf(format, args...)})
}

func (f *fastFunc) compile(marking bool) (code *regcode.Code, marks *lineMarks, err error) {
	sites := len(f.sites)
	code, marks, err = f.compileWith(fewTemporaries, marking)
	if err == errTooFew {
		f.sites = f.sites[:sites]
		code, marks, err = f.compileWith(temporaries, marking)
	}
	return code, marks, err
}

// compileWith compiles f with the given number of temporary registers in each register file. It returns errTooFew if f
// needs more. If marking is set, the code marks its lines for a profile; see lineMarks.
func (f *fastFunc) compileWith(temps uint16, marking bool) (code *regcode.Code, marks *lineMarks, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refusal:
			err = fmt.Errorf("%w: %s", errNoCode, p.why)
		case tooFew:
			err = errTooFew
		default:
			panic(p)
		}
	}()
	c := &fastCompiler{fastFunc: f, temps: temps, code: &regcode.Code{}, locals: map[*ssa.Alloc]*local{}, scratch: map[*ssa.Alloc]uint16{}, copies: map[*ssa.UnOp]uint16{}, cells: map[cellKey]uint16{}, single: map[*ssa.Call][]ssa.Value{}, ranges: map[*ssa.Range][]uint16{}, starts: make([]int32, len(f.f.Blocks)),
		done: map[ssa.Instruction]bool{}, constN: map[constKey]uint16{}, constP: map[unsafe.Pointer]uint16{}, pinned: map[ssa.Value]bool{}}
	f.at, f.values, f.inFrame = map[ssa.Instruction]int{}, map[ssa.Value][]uint16{}, map[ssa.Value]bool{}
	for i, in := range field[[]ssa.Instruction](f.fn, layout.ssaInstrs) {
		if in != nil {
			f.at[in] = i
		}
	}
	c.headers = loopHeaders(f.f)
	c.pin()
	c.assign(marking)
	c.plan()
	if c.marks != nil {
		c.markCall()
	}
	for _, b := range f.f.Blocks {
		if b != f.f.Recover {
			c.block(b)
		}
	}
	for _, fix := range c.fixes {
		op := &c.code.Ops[fix.op]
		if fix.isOr {
			op.Or = c.starts[fix.to.Index]
		} else {
			op.To = c.starts[fix.to.Index]
		}
	}
	c.code.Most = f.session.memory.chunks(f.f.Recover != nil)
	if c.defers != nil {
		f.deferList, f.pinnedIn = c.deferred, c.pinnedValues()
	}
	c.code.LocalsP = max(1, int(c.taken.p+c.tempsP))
	c.code.NN, c.code.NP = c.code.AtConstN+len(c.code.ConstN), c.code.AtConstP+len(c.code.ConstP)
	if max(c.code.NN, c.code.NP) >= 1<<16 {
		c.refuse("too many registers")
	}
	return c.code, c.marks, nil
}

// pin records which values the function's recover block uses. The interpreter runs that block when a deferred function
// has recovered, so the values must be in the frame.
func (c *fastCompiler) pin() {
	if c.f.Recover == nil {
		return
	}
	for _, in := range c.f.Recover.Instrs {
		var buf [8]*ssa.Value
		for _, o := range in.Operands(buf[:0]) {
			if *o != nil {
				c.pinned[*o] = true
			}
		}
	}
}

// A pinnedValue is a value that the recover block uses: the address of a result of the function. If isLocal is set,
// the result is not in memory, and the passage describes the registers of the result itself.
type pinnedValue struct {
	*passage
	isLocal bool
	typ     rt.Type // of the address
}

func (c *fastCompiler) pinnedValues() (list []pinnedValue) {
	for v := range c.pinned {
		if in, ok := v.(ssa.Instruction); !ok || in.Block() == c.f.Recover {
			continue
		}
		slot, known := c.index[v]
		a, isAddress := v.(*ssa.Alloc)
		l := c.locals[a]
		if !isAddress || !known || l == nil && !c.has(v) {
			c.refuse("%v is needed after a panic", v)
		}
		if l == nil {
			list = append(list, pinnedValue{passage: c.passage(v, c.all(v), slot)})
			continue
		}
		t := c.rtype(v.Type().Underlying().(*types.Pointer).Elem())
		list = append(list, pinnedValue{newPassage(l.shape, int(slot&0xffffff), l.regs, t), true, rt.TypeWord(c.rtype(v.Type()))})
	}
	return list
}

// address returns the address of a result, for a call that panics and has the registers n and p. If the result is in
// registers, address first copies it to new memory.
func (v pinnedValue) address(n *regcode.N, p *regcode.P) any {
	if !v.isLocal {
		return v.box(n, p)
	}
	at := rt.New(v.word)
	v.store(at, n, p)
	return rt.Any(v.typ, at)
}

// assign assigns registers to all values.
func (c *fastCompiler) assign(marking bool) {
	f := c.fastFunc
	f.params, f.results = nil, nil
	results := c.f.Signature.Results()
	for i, v := range f.given() {
		c.take(v)
		if regs, ok := c.values[v]; ok {
			f.params = append(f.params, f.passage(v, regs, uint32(results.Len()+i)))
		}
		f.inFrame[v] = true
	}
	c.code.ParamsP = int(c.taken.p)
	var first counter
	for i := range results.Len() {
		t := results.At(i).Type()
		sh := c.shapes.get(t)
		if sh == nil {
			c.refuse("a result of type %v", t)
		}
		f.results = append(f.results, newPassage(sh, i, first.take(sh), f.rtype(t)))
	}
	c.taken = counter{max(c.taken.n, first.n), max(c.taken.p, first.p)}
	switch {
	case c.planned != nil:
		c.planRegisters()
	case c.defers != nil:
		c.deferred = c.taken.p
		c.taken.p += 2
	}
	for _, b := range c.f.Blocks {
		for _, in := range b.Instrs {
			c.takeCells(in)
			if r, ok := in.(*ssa.Range); ok {
				c.rangeRegisters(r)
			} else if v, ok := in.(ssa.Value); ok && !c.isAlias(v) && !c.takeLocal(v) && !c.takeCopy(v) {
				c.take(v)
				if a, ok := v.(*ssa.Alloc); ok {
					c.takeScratch(a)
				}
			}
		}
	}
	if marking {
		c.takeMarks()
	}
	c.code.AtConstN, c.code.AtConstP = int(c.taken.n+c.temps), int(c.taken.p+c.temps)
}

// isAlias reports whether v needs no registers of its own, because it shares its operand's registers. Sharing
// them is correct in loops too: the operand dominates v, and v dominates its uses.
func (c *fastCompiler) isAlias(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Extract, *ssa.ChangeType, *ssa.ChangeInterface:
		return true
	case *ssa.Field:
		return !c.isOfBox(v)
	}
	return false
}

// isOfBox reports whether the instruction selects a field of a boxed struct, that is, of one that is too large to be
// in registers itself.
func (c *fastCompiler) isOfBox(in *ssa.Field) bool {
	sh := c.shapes.get(in.X.Type())
	return sh != nil && sh.isBoxed()
}

// take assigns registers to v if values of its type can be in registers.
func (c *fastCompiler) take(v ssa.Value) {
	sh := c.shapes.get(v.Type())
	if sh == nil {
		return
	}
	c.values[v] = c.registersFor(sh)
}

func (c *fastCompiler) registersFor(sh *shape) []uint16 {
	regs := c.taken.take(sh)
	if max(c.taken.n, c.taken.p) > 1<<15 {
		c.refuse("too many registers")
	}
	return regs
}

// has reports whether all the given values are in registers or can be put there.
func (c *fastCompiler) has(vs ...ssa.Value) bool {
	for _, v := range vs {
		if _, ok := c.regs(v); !ok {
			return false
		}
	}
	return true
}

// regs returns the registers of v, one for each of the numbers and pointers (leaves) of which v consists. It returns
// false if v cannot be in registers.
func (c *fastCompiler) regs(v ssa.Value) ([]uint16, bool) {
	if r, ok := c.values[v]; ok {
		return r, true
	}
	switch v := v.(type) {
	case *ssa.Const:
		return c.constant(v, v)
	case *ssa.Global, *ssa.Function, hiddenConst:
		return c.constant(v, nil)
	case *ssa.Extract:
		return c.part(v.Tuple, v.Index, v)
	case *ssa.Field:
		return c.part(v.X, v.Field, v)
	case *ssa.ChangeType:
		return c.same(v, v.X)
	case *ssa.ChangeInterface:
		return c.same(v, v.X)
	}
	return nil, false
}

// reg returns the first register of v, which must have registers.
func (c *fastCompiler) reg(v ssa.Value) uint16 {
	r, ok := c.regs(v)
	if !ok || len(r) == 0 {
		c.refuse("%v has no register", v)
	}
	return r[0]
}

func (c *fastCompiler) all(v ssa.Value) []uint16 {
	r, ok := c.regs(v)
	if !ok {
		c.refuse("%v has no registers", v)
	}
	return r
}

// part returns the registers of v, which is component k of a larger value, the parameter of. It returns false if the
// larger value is not in registers.
func (c *fastCompiler) part(of ssa.Value, k int, v ssa.Value) ([]uint16, bool) {
	regs, ok := c.regs(of)
	sh := c.shapes.get(of.Type())
	if !ok || sh == nil {
		return nil, false
	}
	r := sh.partIn(k, regs)
	c.values[v] = r
	return r, true
}

func (c *fastCompiler) same(v, x ssa.Value) ([]uint16, bool) {
	r, ok := c.regs(x)
	if ok {
		c.values[v] = r
	}
	return r, ok
}

// constant returns registers that hold v, which is a constant, the address of a variable, or a function. k is v if v
// is a constant, else nil. constant returns false if v cannot be in registers.
func (c *fastCompiler) constant(v ssa.Value, k *ssa.Const) ([]uint16, bool) {
	sh := c.shapes.get(v.Type())
	if sh == nil {
		return nil, false
	}
	var value any
	initial := field[[]any](c.fn, layout.initial)
	if slot, ok := c.index[v]; ok {
		value = initial[slot&0xffffff]
	} else if k == nil {
		return nil, false
	} else if k.Value != nil {
		// Convert the constant to its underlying type: for other types the interpreter would cache the
		// runtime type while other goroutines read that cache.
		value = constToValue(c.interp, ssa.NewConst(k.Value, k.Type().Underlying()))
	}
	n, p := registersOf(make([]uint64, mostLeaves), make([]unsafe.Pointer, mostLeaves))
	x := newPassage(sh, 0, nil, c.rtype(v.Type()))
	for i := range sh.leaves {
		x.regs = append(x.regs, uint16(i))
	}
	if k == nil || k.Value != nil { // a constant without a value is zero in all registers
		x.unbox(value, n, p)
	}
	r := make([]uint16, len(sh.leaves))
	for i, l := range sh.leaves {
		if l.isP() {
			r[i] = c.pointer(p[i])
		} else {
			r[i] = c.number(n[i], l.kind)
		}
	}
	c.values[v] = r
	c.inFrame[v] = true
	return r, true
}

// number returns a register that holds the constant with the given bits, a number of kind k.
func (c *fastCompiler) number(bits uint64, k reflect.Kind) uint16 {
	key := constKey{bits, k == reflect.Float64 || k == reflect.Float32}
	if r, ok := c.constN[key]; ok {
		return r
	}
	r := uint16(c.code.AtConstN + len(c.code.ConstN))
	c.code.ConstN = append(c.code.ConstN, bits)
	c.constN[key] = r
	return r
}

func (c *fastCompiler) pointer(p unsafe.Pointer) uint16 {
	if r, ok := c.constP[p]; ok {
		return r
	}
	r := uint16(c.code.AtConstP + len(c.code.ConstP))
	c.code.ConstP = append(c.code.ConstP, p)
	c.constP[p] = r
	return r
}

func (c *fastCompiler) emit(op regcode.Op) int32 {
	c.code.Ops = append(c.code.Ops, op)
	return int32(len(c.code.Ops) - 1)
}

// site adds a site at which the interpreter executes the given instruction, and returns the site's index.
func (c *fastCompiler) site(in ssa.Instruction) int32 {
	at, ok := c.at[in]
	if !ok {
		c.refuse("%v is nothing that the interpreter does", in)
	}
	c.sites = append(c.sites, &fastSite{in: in, at: at})
	return int32(len(c.sites) - 1)
}

// ownSite adds a site for the given instruction, and returns the site's number. The function fn runs in place of the
// interpreter's instruction. If fn returns false, the interpreter executes its instruction.
func (c *fastCompiler) ownSite(in ssa.Instruction, fn ownSite) int32 {
	i := c.site(in)
	c.sites[i].own = fn
	return i
}

// panicking adds a site for an instruction that the interpreter executes only to panic, and returns the site's number.
// The code cannot continue after the site.
func (c *fastCompiler) panicking(in ssa.Instruction) int32 {
	i := c.site(in)
	c.sites[i].panics = true
	return i
}

// leave compiles an instruction as a site, so that the interpreter executes the instruction.
func (c *fastCompiler) leave(in ssa.Instruction) {
	if _, ok := c.at[in]; !ok {
		switch in.(type) {
		case *ssa.DebugRef:
			return
		}
		if v, ok := in.(ssa.Value); ok && (v.Referrers() == nil || len(*v.Referrers()) == 0) {
			return
		}
		c.refuse("%v is nothing that the interpreter does", in)
	}
	var buf [8]*ssa.Value
	for _, o := range in.Operands(buf[:0]) {
		c.inRegisters(*o)
	}
	c.emit(regcode.Op{Code: regcode.OpDo, To: c.site(in)})
	if v, ok := in.(ssa.Value); ok {
		c.inFrame[v] = true
	}
}

// inRegisters records the registers of v, an operand of a site, if v shares the registers of another value. The site
// copies v from these registers to the interpreter's frame.
func (c *fastCompiler) inRegisters(v ssa.Value) {
	if v != nil && c.isAlias(v) {
		c.regs(v)
	}
}

func (c *fastCompiler) block(b *ssa.BasicBlock) {
	c.starts[b.Index] = int32(len(c.code.Ops))
	if slices.Contains(c.headers, b) && (c.profile == nil || !breathing) { // in a browser, only what reads the clock is profiled
		c.code.Loops = append(c.code.Loops, &regcode.Loop{At: int32(len(c.code.Ops))})
		c.emit(regcode.Op{Code: regcode.OpLoop, Or: int32(len(c.code.Loops) - 1)})
	}
	line := c.markedAt[b]
	for _, in := range b.Instrs {
		line = c.markLine(in, line)
		if !c.done[in] {
			c.instr(b, in)
		}
	}
}

// jump makes the code continue at successor i of b. If op is not negative, it is the index of a branch, and jump sets
// one of the branch's targets: the field Or if isOr is true, else the field To. A branch leads directly to the
// successor if the successor's phis need no moves. In all other cases jump emits the moves and a jump to the
// successor, and a branch leads to these ops.
func (c *fastCompiler) jump(b *ssa.BasicBlock, i int, op int32, isOr bool) {
	to := b.Succs[i]
	moves := c.phiMoves(b, i)
	if op >= 0 && len(moves) == 0 {
		c.fixes = append(c.fixes, blockFix{op, isOr, to})
		return
	}
	if op >= 0 {
		here := int32(len(c.code.Ops))
		if isOr {
			c.code.Ops[op].Or = here
		} else {
			c.code.Ops[op].To = here
		}
	}
	c.moves(moves)
	c.fixes = append(c.fixes, blockFix{c.emit(regcode.Op{Code: regcode.OpJump}), false, to})
}

// A move copies register a to register d, in the P file if isP is set, else in the N file. The moves in a list happen
// in parallel.
type move struct {
	isP  bool
	d, a uint16
}

// phiMoves returns the moves that give the phis of b's successor i their values when the code arrives from b.
func (c *fastCompiler) phiMoves(b *ssa.BasicBlock, i int) []move {
	to := b.Succs[i]
	phis := phisOf(to)
	if len(phis) == 0 {
		return nil
	}
	edge := slices.Index(to.Preds, b)
	for k := range i { // both branches of an if lead to the same block
		if b.Succs[k] == to {
			edge += 1 + slices.Index(to.Preds[edge+1:], b)
		}
	}
	var moves []move
	for _, p := range phis {
		sh := c.shapes.get(p.Type())
		if sh == nil {
			c.refuse("%v has no registers", p)
		}
		moves = append(moves, c.moveTo(sh, c.all(p), c.all(p.Edges[edge]))...)
	}
	return moves
}

func (c *fastCompiler) moveTo(sh *shape, d, a []uint16) []move {
	var moves []move
	for i, l := range sh.leaves {
		if d[i] != a[i] {
			moves = append(moves, move{l.isP(), d[i], a[i]})
		}
	}
	return moves
}

// moves emits ops that have the same effect as executing all the given moves at once, even if a move overwrites a
// register that another move reads.
func (c *fastCompiler) moves(list []move) {
	code := func(isP bool) regcode.Opcode {
		if isP {
			return regcode.OpMoveP
		}
		return regcode.OpMove
	}
	temps := uint16(0)
	for len(list) > 0 {
		// Choose a move with a target that no other move still reads.
		k := slices.IndexFunc(list, func(m move) bool {
			return !slices.ContainsFunc(list, func(o move) bool { return o != m && o.isP == m.isP && o.a == m.d })
		})
		if k < 0 { // a cycle: save what the first move overwrites
			first := list[0]
			if temps == temporaries {
				c.refuse("too many values are exchanged")
			}
			t := c.temp(first.isP, temps)
			temps++
			c.emit(regcode.Op{Code: code(first.isP), D: t, A: first.d})
			for i := range list {
				if list[i].isP == first.isP && list[i].a == first.d {
					list[i].a = t
				}
			}
			continue
		}
		m := list[k]
		c.emit(regcode.Op{Code: code(m.isP), D: m.d, A: m.a})
		list = slices.Delete(list, k, k+1)
	}
}

// temp returns temporary register i of the P file if isP is true, else of the N file.
func (c *fastCompiler) temp(isP bool, i uint16) uint16 {
	if i >= c.temps && c.temps < temporaries {
		panic(tooFew{})
	}
	if isP {
		c.tempsP = max(c.tempsP, i+1)
		return c.taken.p + i
	}
	return c.taken.n + i
}

func numberOf(t types.Type) reflect.Kind {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return reflect.Invalid
	}
	return kindOf(b)
}

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
