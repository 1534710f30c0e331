package native

import (
	"slices"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// Calls in a loop are replaced by the ops of the functions that they call. A call of a func value or of an
// interface method is replaced if it has called few functions so far: the ops before each of these functions
// compare the func value's function, or the dynamic type. If none of them matches, the module exits at the call.
// If one of these functions is too large, or recursive, a call of this function takes the place of its ops.
//
// The result is register code too, in which each inlined call has registers of its own. The module may exit at
// any op of an inlined call. Then the machine begins the calls that have not returned, and continues there.

const (
	// mostInlined is the maximum number of ops of an inlined function.
	mostInlined = 80
	// mostOps is the maximum number of ops of the code with the inlined calls.
	mostOps = 2000
	// mostLeaf is the maximum number of ops of a function that is inlined in a function of the module.
	mostLeaf = 20
)

// An inlining is the result of inlining calls in register code. The resulting register code (the field code) is called
// the new code.
type inlining struct {
	code  *rc.Code
	froms []from // the origin of each op
	calls []*inlinedCall
	// starts holds, for each call and each op of its code, the op's index in the new code.
	starts []map[int32]int32
}

// A from is the origin of an op of the new code: the op stands for Ops[at] of the given call's own code. If native code
// exits at the new op, the machine continues at Ops[at] of that code.
type from struct {
	call int
	at   int32
}

// An inlinedCall is a call whose ops are part of the new code. Call 0 is not inlined: it is the call that runs the
// loop.
type inlinedCall struct {
	caller int   // index of the caller
	at     int32 // index of the call's op in the caller's code
	f      *rc.Func
	code   *rc.Code
	n, p   int // the first registers in the new code
	// receivedN and receivedP are the numbers of registers that the call receives.
	receivedN, receivedP int
}

// An inliner makes an inlining.
type inliner struct {
	*inlining
	jumps  []jumpFix
	most   int  // maximum number of ops of an inlined function; if it is less than mostInlined, the function makes no calls
	direct bool // a call of a func value or of an interface method has become a call of a function
	nn     int  // numbers of registers so far
	np     int
}

// A jumpFix is an op of the new code that jumps. Its targets are still indices in the given call's own code, and must
// be converted to indices in the new code.
type jumpFix struct {
	op   int32
	call int
}

// Registers of constants are numbered from firstConst on.
const (
	firstConst = 1 << 15
	tooMany    = 1<<15 - 256
)

// inline returns the code c with calls inlined. It returns nil if no call can be inlined or if the new code is too
// large.
func inline(c *rc.Code) *inlining {
	if !slices.ContainsFunc(c.Ops, func(op rc.Op) bool { return isCall(op.Code) }) || c.AtConstN+len(c.ConstN) > tooMany || c.AtConstP+len(c.ConstP) > tooMany {
		return nil
	}
	i := newInliner(c, mostInlined)
	i.body(0)
	if len(i.calls) == 1 && !i.direct {
		return nil
	}
	return i.end()
}

// inlineCall returns code that consists of the call c.Ops[at] alone, a call of a func value or of an interface method. The
// last op of the new code stands for the op after the call. inlineCall returns nil if the call has called no function, or
// too many.
func inlineCall(c *rc.Code, at int32) *inlining {
	if c.AtConstN+len(c.ConstN) > tooMany || c.AtConstP+len(c.ConstP) > tooMany {
		return nil
	}
	i := newInliner(c, 0)
	i.starts[0][at] = 0
	if !i.call(0, at) {
		return nil
	}
	i.starts[0][at+1] = i.emit(0, at+1, rc.Op{Code: rc.OpReturn})
	return i.end()
}

// inlineIn returns the code of a function of a module, if it calls func values or interface methods that have called few
// functions so far. Calls of these functions take their place. inlineIn returns nil if there are none, or if the new code
// is too large.
func inlineIn(c *rc.Code) *inlining {
	if !slices.ContainsFunc(c.Ops, func(op rc.Op) bool { return isCall(op.Code) && op.Code != rc.OpCallOf }) || c.AtConstN+len(c.ConstN) > tooMany || c.AtConstP+len(c.ConstP) > tooMany {
		return nil
	}
	i := newInliner(c, mostLeaf)
	i.body(0)
	return i.end()
}

// newInliner returns an inliner for the code c, which has inlined nothing yet.
func newInliner(c *rc.Code, most int) *inliner {
	i := &inliner{inlining: &inlining{code: &rc.Code{}}, most: most}
	i.add(&inlinedCall{caller: -1, code: c})
	return i
}

// end completes the inlining. It returns nil if the new code is too large.
func (i *inliner) end() *inlining {
	if len(i.code.Ops) > mostOps || i.nn > tooMany || i.np > tooMany {
		return nil
	}
	for _, j := range i.jumps {
		op := &i.code.Ops[j.op]
		op.To = i.starts[j.call][op.To]
		if branches(op.Code) {
			op.Or = i.starts[j.call][op.Or]
		}
	}
	i.code.AtConstN, i.code.AtConstP = firstConst, firstConst
	i.code.NN, i.code.NP = firstConst+len(i.code.ConstN), firstConst+len(i.code.ConstP)
	return i.inlining
}

func (i *inliner) add(x *inlinedCall) int {
	x.n, x.p = i.nn, i.np
	i.nn += x.code.NN
	i.np += x.code.NP
	i.calls = append(i.calls, x)
	i.starts = append(i.starts, map[int32]int32{})
	return len(i.calls) - 1
}

// emit appends op to the new code and returns its index there. If native code exits at this op, the machine continues
// at Ops[at] of the given call's own code.
func (i *inliner) emit(call int, at int32, op rc.Op) int32 {
	i.code.Ops = append(i.code.Ops, op)
	i.froms = append(i.froms, from{call, at})
	return int32(len(i.code.Ops) - 1)
}

// body appends the ops of a call.
func (i *inliner) body(call int) {
	c := i.calls[call].code
	targets := blocksFrom(c, 0, func(int32) bool { return true })
	for at := range int32(len(c.Ops)) {
		i.starts[call][at] = int32(len(i.code.Ops))
		op := c.Ops[at]
		switch {
		case isCall(op.Code) && i.call(call, at):
		case op.Code == rc.OpReturn && call > 0:
			i.back(call, at, targets)
		default:
			i.copy(call, at)
		}
	}
}

// copy appends Ops[at] of the given call's own code, with the registers of the new code.
func (i *inliner) copy(call int, at int32) {
	x := i.calls[call]
	op := x.code.Ops[at]
	s := shapes[op.Code]
	field := func(r *uint16, c class) {
		switch c {
		case none:
		case pointer:
			*r = i.pointer(x, *r)
		default:
			*r = i.number(x, *r)
		}
	}
	field(&op.D, s.d)
	field(&op.A, s.a)
	field(&op.B, s.b)
	field(&op.C, s.c)
	if isCall(op.Code) {
		k := x.code.Calls[op.Or]
		all := func(list []uint16, register func(*inlinedCall, uint16) uint16) []uint16 {
			to := make([]uint16, len(list))
			for j, r := range list {
				to[j] = register(x, r)
			}
			return to
		}
		k.ArgN, k.ResN = all(k.ArgN, i.number), all(k.ResN, i.number)
		k.ArgP, k.ResP = all(k.ArgP, i.pointer), all(k.ResP, i.pointer)
		op.Or = int32(len(i.code.Calls))
		i.code.Calls = append(i.code.Calls, k)
	}
	if op.Code == rc.OpTypeOf {
		i.code.Itabs = append(i.code.Itabs, x.code.Itabs[op.Or])
		op.Or = int32(len(i.code.Itabs) - 1)
	}
	to := i.emit(call, at, op)
	if op.Code == rc.OpJump || branches(op.Code) {
		i.jumps = append(i.jumps, jumpFix{to, call})
	}
}

// number returns the register in the new code for an N register of x.
func (i *inliner) number(x *inlinedCall, r uint16) uint16 {
	if isConstN(x.code, r) {
		return i.constN(x.code.ConstN[int(r)-x.code.AtConstN])
	}
	return uint16(x.n + int(r))
}

func (i *inliner) pointer(x *inlinedCall, r uint16) uint16 {
	if isConstP(x.code, r) {
		return i.constP(x.code.ConstP[int(r)-x.code.AtConstP])
	}
	return uint16(x.p + int(r))
}

// back appends the code that returns from the given inlined call to the code around it. In the callee's own code, the
// moves before a return put the results into the first registers, which also hold the parameters. Here these moves set
// new registers instead, so that the parameters keep their values. Further moves then copy the results to registers of
// the caller.
func (i *inliner) back(call int, at int32, targets map[int32]*block) {
	x := i.calls[call]
	caller := i.calls[x.caller]
	k := &caller.code.Calls[caller.code.Ops[x.at].Or]
	n, p := map[uint16]uint16{}, map[uint16]uint16{}
	from := at
	for from > 0 && targets[from] == nil && isMove(x.code.Ops[from-1].Code) {
		from--
	}
	i.code.Ops, i.froms = i.code.Ops[:i.starts[call][from]], i.froms[:i.starts[call][from]]
	get := func(moved map[uint16]uint16, r uint16, own func(*inlinedCall, uint16) uint16) uint16 {
		if to, ok := moved[r]; ok {
			return to
		}
		return own(x, r)
	}
	for j := from; j < at; j++ {
		if op := x.code.Ops[j]; op.Code == rc.OpMove {
			a, to := get(n, op.A, i.number), i.temp()
			n[op.D] = to
			i.emit(call, from, rc.Op{Code: rc.OpMove, D: to, A: a})
		} else {
			a, to := get(p, op.A, i.pointer), i.tempP()
			p[op.D] = to
			i.emit(call, from, rc.Op{Code: rc.OpMoveP, D: to, A: a})
		}
	}
	for j, r := range k.ResN {
		i.emit(call, from, rc.Op{Code: rc.OpMove, D: i.number(caller, r), A: get(n, uint16(j), i.number)})
	}
	for j, r := range k.ResP {
		i.emit(call, from, rc.Op{Code: rc.OpMoveP, D: i.pointer(caller, r), A: get(p, uint16(j), i.pointer)})
	}
	i.jumps = append(i.jumps, jumpFix{i.emit(x.caller, x.at+1, rc.Op{Code: rc.OpJump, To: x.at + 1}), x.caller})
}

// call appends the ops of the functions that may be called by Ops[at], an op of the given call's own code. It appends
// nothing and returns false if no function can be inlined.
func (i *inliner) call(call int, at int32) bool {
	x := i.calls[call]
	op := &x.code.Ops[at]
	k := &x.code.Calls[op.Or]
	switch op.Code {
	case rc.OpCallOf:
		code := i.inlines(call, k.Func)
		if code == nil {
			return false
		}
		i.enter(call, at, k.Func, code, others{set: func(int, int) {}})
		return true
	case rc.OpCallFunc:
		return k.Layout != nil && i.callFunc(call, at, op, k.Layout)
	}
	return i.callMethod(call, at, op)
}

// inlines returns the code of f if a call of f within the given call can be inlined, or else nil.
func (i *inliner) inlines(call int, f *rc.Func) *rc.Code {
	code := f.Code.Load()
	if code == nil || len(code.Ops) > i.most || len(i.code.Ops) > mostOps/2 {
		return nil
	}
	if i.most < mostInlined && slices.ContainsFunc(code.Ops, func(op rc.Op) bool { return isCall(op.Code) }) {
		return nil
	}
	depth := 1
	for c := call; c > 0; c = i.calls[c].caller {
		if i.calls[c].f == f || depth == rc.MostInlined {
			return nil
		}
		depth++
	}
	return code
}

// others describes the values that a function receives in addition to its arguments, such as captured values or a
// receiver. n and p are the numbers of N and P registers that come before the registers of the arguments; afterN and
// afterP are the numbers of those that come after. Calling set appends the ops that set these registers.
type others struct {
	n, p, afterN, afterP int
	set                  func(n, p int) // its arguments are the call's first registers
}

// enter appends the ops of a call of f, which has the given code. The caller is i.calls[call], and Ops[at] of its own
// code makes the call. The parameter with describes what f receives in addition to its arguments.
func (i *inliner) enter(call int, at int32, f *rc.Func, code *rc.Code, with others) {
	caller := i.calls[call]
	k := &caller.code.Calls[caller.code.Ops[at].Or]
	x := &inlinedCall{caller: call, at: at, f: f, code: code}
	index := i.add(x)
	with.set(x.n, x.p)
	for n, r := range k.ArgN {
		i.emit(call, at, rc.Op{Code: rc.OpMove, D: uint16(x.n + with.n + n), A: i.number(caller, r)})
	}
	for p, r := range k.ArgP {
		i.emit(call, at, rc.Op{Code: rc.OpMoveP, D: uint16(x.p + with.p + p), A: i.pointer(caller, r)})
	}
	x.receivedN, x.receivedP = with.n+len(k.ArgN)+with.afterN, with.p+len(k.ArgP)+with.afterP
	for _, r := range unset(code, x.receivedP) { // they are nil when a call begins
		i.emit(call, at, rc.Op{Code: rc.OpMoveP, D: uint16(x.p + int(r)), A: i.constP(nil)})
	}
	i.body(index)
}

// receive appends the call of f by Ops[at], an op of the given call's own code: the ops of f if these can be inlined, and
// otherwise a call of f. The parameter with describes what f receives in addition to its arguments.
func (i *inliner) receive(call int, at int32, f *rc.Func, with others) {
	if code := i.inlines(call, f); code != nil {
		i.enter(call, at, f, code, with)
		return
	}
	caller := i.calls[call]
	k := &caller.code.Calls[caller.code.Ops[at].Or]
	n, p := i.nn, i.np
	i.nn += with.n + len(k.ArgN) + with.afterN
	i.np += with.p + len(k.ArgP) + with.afterP
	with.set(n, p)
	args := func(first, before, after int, given []uint16, own func(*inlinedCall, uint16) uint16) (list []uint16) {
		for r := range before {
			list = append(list, uint16(first+r))
		}
		for _, r := range given {
			list = append(list, own(caller, r))
		}
		for r := range after {
			list = append(list, uint16(first+before+len(given)+r))
		}
		return list
	}
	to := rc.Call{Func: f, ArgN: args(n, with.n, with.afterN, k.ArgN, i.number), ArgP: args(p, with.p, with.afterP, k.ArgP, i.pointer),
		ResN: args(0, 0, 0, k.ResN, i.number), ResP: args(0, 0, 0, k.ResP, i.pointer)}
	i.code.Calls = append(i.code.Calls, to)
	i.direct = true
	i.emit(call, at, rc.Op{Code: rc.OpCallOf, Or: int32(len(i.code.Calls) - 1)})
	i.jumps = append(i.jumps, jumpFix{i.emit(call, at+1, rc.Op{Code: rc.OpJump, To: at + 1}), call})
}

// callFunc inlines the call of a func value by op, which is Ops[at] of the given call's own code. l is the layout of
// the func value. For each function that op has called so far, callFunc appends a comparison and the function's ops,
// or a call of the function. The call itself follows, for all other functions. callFunc returns false if op has called no
// function so far, or too many.
func (i *inliner) callFunc(call int, at int32, op *rc.Op, l *rc.FuncLayout) bool {
	x := i.calls[call]
	fn := i.pointer(x, op.A)
	any := false
	for _, c := range x.code.Callees(int(op.Or)) {
		if c.Func.Code.Load() == nil || !l.Is(c.Word) {
			continue
		}
		any = true
		word, is, target, f, data := i.temp(), i.temp(), i.tempP(), i.tempP(), i.tempP()
		i.emit(call, at, rc.Op{Code: rc.OpLoad64, D: word, A: fn})
		other := i.branch(call, at, rc.Op{Code: rc.OpIfEQ, A: word, B: i.constN(c.Word)})
		i.emit(call, at, rc.Op{Code: rc.OpLoadP, D: target, A: fn, Imm: l.Target})
		i.emit(call, at, rc.Op{Code: rc.OpLoadP, D: f, A: target, Imm: l.Func})
		i.emit(call, at, rc.Op{Code: rc.OpEQP, D: is, A: f, B: i.constP(unsafe.Pointer(c.Func))})
		another := i.branch(call, at, rc.Op{Code: rc.OpIf, A: is})
		k := &x.code.Calls[op.Or]
		i.receive(call, at, c.Func, others{afterN: c.NN, afterP: c.NP, set: func(n, p int) {
			load := func(code rc.Opcode, from int32, first, count int) {
				if count > 0 {
					i.emit(call, at, rc.Op{Code: rc.OpLoadP, D: data, A: target, Imm: from})
				}
				for r := range count {
					i.emit(call, at, rc.Op{Code: code, D: uint16(first + r), A: data, Imm: int32(8 * r)})
				}
			}
			load(rc.OpLoad64, l.N, n+len(k.ArgN), c.NN)
			load(rc.OpLoadP, l.P, p+len(k.ArgP), c.NP)
		}})
		i.elseHere(other)
		i.elseHere(another)
	}
	if any {
		i.copy(call, at)
	}
	return any
}

// callMethod inlines the call of an interface method by op, which is Ops[at] of the given call's own code. For each
// method that op has called so far, it appends a comparison of the type, followed by the method's ops or a call of the
// method. The call itself follows, for all other methods. callMethod returns false if op has called no method so far, or
// too many.
func (i *inliner) callMethod(call int, at int32, op *rc.Op) bool {
	x := i.calls[call]
	any := false
	for _, c := range x.code.Callees(int(op.Or)) {
		m := c.Method
		if c.Func.Code.Load() == nil || m.Load != nil && m.Fields == nil {
			continue
		}
		any = true
		is, data := i.temp(), i.pointer(x, op.B)
		i.emit(call, at, rc.Op{Code: rc.OpEQP, D: is, A: i.pointer(x, op.A), B: i.constP(m.Type)})
		other := i.branch(call, at, rc.Op{Code: rc.OpIf, A: is})
		i.receive(call, at, c.Func, others{n: m.NN, p: m.NP, set: func(n, p int) {
			if m.Load == nil {
				i.emit(call, at, rc.Op{Code: rc.OpMoveP, D: uint16(p), A: data})
			}
			for _, f := range m.Fields {
				to := n
				if shapes[f.Code].d == pointer {
					to = p
				}
				if f.Itabs != nil {
					itab := i.tempP()
					i.emit(call, at, rc.Op{Code: f.Code, D: itab, A: data, Imm: f.Offset})
					i.code.Itabs = append(i.code.Itabs, f.Itabs)
					i.emit(call, at, rc.Op{Code: rc.OpTypeOf, D: uint16(to + int(f.Register)), A: itab, Or: int32(len(i.code.Itabs) - 1), Imm: f.TypeAt})
					continue
				}
				i.emit(call, at, rc.Op{Code: f.Code, D: uint16(to + int(f.Register)), A: data, Imm: f.Offset})
			}
		}})
		i.elseHere(other)
	}
	if any {
		i.copy(call, at)
	}
	return any
}

// branch appends op, a branch, and returns its index. If the condition is true, the code continues at the next op. If
// it is false, the code continues at the first op that is appended after a call of elseHere with this index.
func (i *inliner) branch(call int, at int32, op rc.Op) int32 {
	b := i.emit(call, at, op)
	i.code.Ops[b].To = b + 1
	return b
}

func (i *inliner) elseHere(branch int32) { i.code.Ops[branch].Or = int32(len(i.code.Ops)) }

// temp and tempP return new registers, which belong to no call.
func (i *inliner) temp() uint16  { i.nn++; return uint16(i.nn - 1) }
func (i *inliner) tempP() uint16 { i.np++; return uint16(i.np - 1) }

// constN and constP return the register that holds a given constant. They add the constant if the code does not have
// it yet.
func (i *inliner) constN(v uint64) uint16 {
	k := slices.Index(i.code.ConstN, v)
	if k < 0 {
		k = len(i.code.ConstN)
		i.code.ConstN = append(i.code.ConstN, v)
	}
	return uint16(firstConst + k)
}

func (i *inliner) constP(v unsafe.Pointer) uint16 {
	k := slices.Index(i.code.ConstP, v)
	if k < 0 {
		k = len(i.code.ConstP)
		i.code.ConstP = append(i.code.ConstP, v)
	}
	return uint16(firstConst + k)
}

// findSingle returns a map that is true for the registers that are set in only one place. That place is the beginning
// of their call, or one op of the call's own code other than a move. If this op is a call, the inlined functions that
// replace it count as one place.
func (i *inlining) findSingle() map[register]bool {
	all := map[register]bool{}
	for _, x := range i.calls {
		for r := range x.receivedN {
			all[register{false, uint16(x.n + r)}] = true
		}
		for r := range x.receivedP {
			all[register{true, uint16(x.p + r)}] = true
		}
		for o, is := range singleIn(x.code) {
			first := x.n
			if o.pointer {
				first = x.p
			}
			all[register{o.pointer, uint16(first) + o.number}] = is
		}
	}
	return all
}

// owns reports whether o is a register of the call that runs the loop.
func (i *inlining) owns(o register) bool {
	_, ok := i.calls[0].local(o)
	return ok
}

// needs returns a function that reports whether the machine needs the register o if the module exits at the op with
// index pc. The machine needs the registers of calls that have not returned.
func (i *inlining) needs(pc int32) func(o register) bool {
	f := i.froms[pc]
	return func(o register) bool {
		for c := f.call; c >= 0; c = i.calls[c].caller {
			if _, ok := i.calls[c].local(o); ok {
				return true
			}
		}
		return false
	}
}

// local returns the number that a register of the new code has in the call's own code, if the register belongs to
// the call.
func (x *inlinedCall) local(o register) (r uint16, ok bool) {
	first, count := x.n, x.code.NN
	if o.pointer {
		first, count = x.p, x.code.NP
	}
	return o.number - uint16(first), int(o.number) >= first && int(o.number) < first+count
}

// A Begun is an inlined call that the machine begins when the module exits inside it. At is the index of the call's op
// in the caller's code. Func is the callee, and Code is its code. Numbers and Pointers list the call's registers whose
// values the module writes.
type Begun struct {
	At                int32
	Func              *rc.Func
	Code              *rc.Code
	Numbers, Pointers []Slot

	call *inlinedCall
}

// takes appends the register o to the Numbers or Pointers of b, if o belongs to b's call. The parameter at is the
// index of the slot to which the module writes o.
func (b *Begun) takes(o register, at int32) {
	list := &b.Numbers
	if o.pointer {
		list = &b.Pointers
	}
	if r, ok := b.call.local(o); ok {
		*list = append(*list, Slot{r, at})
	}
}

// begun returns the calls, outermost first, that the machine begins if the module exits at an op. It also returns the
// index of the op at which the machine continues in the innermost of these calls.
func (i *inlining) begun(pc int32) (list []Begun, at int32) {
	f := i.froms[pc]
	at = f.at
	for f.call > 0 {
		x := i.calls[f.call]
		list = append(list, Begun{At: x.at, Func: x.f, Code: x.code, call: x})
		f = from{x.caller, x.at}
	}
	slices.Reverse(list)
	return list, at
}
