package native

import (
	"fmt"

	"overcomplete/internal/wasm"
	rc "overcomplete/kernel/internal/regcode"
)

// A Module is the WebAssembly module that was emitted for a loop or for a call.
type Module struct {
	Code  []byte
	Exits []Exit
	// Slots is the maximum number of registers that the module writes to its entry at an exit: the pointers, and
	// all registers of inlined calls.
	Slots int
	// Of lists all register code from which the module is made. The module contains the addresses of the
	// code's constants, and Of keeps these constants alive.
	Of []*rc.Code
}

// An Exit describes an exit of a module: the op at which the machine continues, and the P registers that must be set
// first. The module has written the pointers for these registers to the entry, its argument block.
type Exit struct {
	PC       int32
	Refused  bool // the module exits here if a call is abandoned
	Pointers []Slot
	// Calls holds the inlined calls that have not returned, outermost first. If there are any, PC is an op of
	// the last one.
	Calls []Begun
}

// A Slot says where a module writes a register at an exit: to the slot with index At in the entry, the module's
// argument block.
type Slot struct {
	Register uint16
	At       int32
}

// An emitter emits the WebAssembly function for a region: for a loop, for a single call, or for a function that is
// called by one of these.
type emitter struct {
	*region
	*keptRegisters
	exits   *exits
	calls   *calls
	classes *classes
	target  *Target
	f       *wasm.Func
	callee  *callee // nil for a loop

	entry, n, fuel wasm.Local
	depth          wasm.Value            // remaining depth of calls
	numbers        map[uint16]wasm.Local // the N registers
	pointers       map[uint16]wasm.Local // the P registers: addresses minus the target's base
	places         map[uint16]wasm.Local // the P registers as addresses in the memory, if they are known to be valid
	sized          map[register]map[register]bool
	known          []facts // facts known at the beginning of blocks
	slots          map[register]int
	branches       exitBranches
	merges         []bool // blocks with several incoming forward edges
	heads, joins   map[int]*wasm.Label
	now            facts
	here           place
	hoists         map[int]*hoist
	hoisted        map[int32]bool
	held           map[register]map[register]bool // hoisted pointers that only their own loop dereferences, with the lengths of their slices
	failing        *place                         // the exit for hoisted ops that fail before a loop
	recent         *recent
}

// Emit emits the module of the loop that begins at c.Ops[head].
func Emit(c *rc.Code, head int32, t *Target) (*Module, error) {
	if in := inline(c); in != nil {
		if m, err := emitLoop(in.code, in, in.starts[0][head], t); err == nil {
			return m, nil
		}
	}
	return emitLoop(c, nil, head, t)
}

func emitLoop(c *rc.Code, in *inlining, head int32, t *Target) (*Module, error) {
	cs := newCalls(t)
	r, err := findRegion(c, head, func(at int32) bool { return cs.emits(&c.Ops[at], c) })
	if err != nil {
		return nil, err
	}
	r.in = in
	return emit(r, cs, head+1)
}

// EmitCall emits the module of the single call at c.Ops[at]. If the call is abandoned, the machine continues at the
// call itself.
func EmitCall(c *rc.Code, at int32, t *Target) (*Module, error) {
	cs := newCalls(t)
	if c.Ops[at].Code != rc.OpCallOf {
		return emitDynamic(c, at, cs)
	}
	if !cs.emits(&c.Ops[at], c) {
		return nil, fmt.Errorf("native: the function that is called at %d does more than compute", at)
	}
	all := map[int32]*block{at: {from: at, to: at + 1, next: []int32{at + 1}}}
	r, err := newRegion(c, all, map[int32]bool{at: true}, at)
	if err != nil {
		return nil, err
	}
	return emit(r, cs, at)
}

// emitDynamic emits the module of the single call of a func value or of an interface method at c.Ops[at]. The functions
// that it may call are added to cs.
func emitDynamic(c *rc.Code, at int32, cs *calls) (*Module, error) {
	in := inlineCall(c, at)
	if in == nil {
		return nil, fmt.Errorf("native: what is called at %d is not known", at)
	}
	end := int32(len(in.code.Ops) - 1)
	all := blocksFrom(in.code, 0, func(at int32) bool { return at < end && cs.emits(&in.code.Ops[at], in.code) })
	if len(cs.list) == 0 {
		return nil, fmt.Errorf("native: the functions that are called at %d do more than compute", at)
	}
	within := map[int32]bool{}
	for from := range all {
		within[from] = from < end
	}
	r, err := newRegion(in.code, all, within, 0)
	if err != nil {
		return nil, err
	}
	r.in = in
	return emit(r, cs, 0)
}

// emit emits the module of a region, which calls the functions in cs. skip is the index of the op at which the machine
// continues if the module exits before it has done anything.
func emit(r *region, cs *calls, skip int32) (*Module, error) {
	e := &emitter{region: r, target: cs.target, calls: cs}
	e.keptRegisters = e.findKept()
	e.exits = e.findExits(e.keptRegisters, skip)
	if e.exits.size() > most {
		return nil, fmt.Errorf("native: the loop at %d is too large", r.blocks[0].from)
	}
	e.classes = findClasses(r.code, r.ops(), e.calls.classesOf)

	e.slots = e.findSlots()
	e.findHoists()
	if _, err := e.module(); err != nil { // this run only finds the branches to each exit
		return nil, err
	}
	mod := &Module{Slots: len(e.slots), Of: []*rc.Code{r.code}}
	for _, c := range cs.list {
		mod.Of = append(mod.Of, c.code)
	}
	var err error
	if mod.Code, err = e.module(); err != nil {
		return nil, err
	}
	for _, x := range e.exits.list {
		out := Exit{PC: x.pc, Refused: int(x.pc) < len(r.code.Ops) && r.code.Ops[x.pc].Code == rc.OpCallOf}
		if r.in != nil {
			out.Calls, out.PC = r.in.begun(x.pc)
		}
		for _, o := range x.saved {
			switch at, ok := e.slots[o]; {
			case !ok:
			case r.owns(o):
				out.Pointers = append(out.Pointers, Slot{o.number, int32(at)})
			default:
				for k := range out.Calls {
					out.Calls[k].takes(o, int32(at))
				}
			}
		}
		mod.Exits = append(mod.Exits, out)
	}
	return mod, nil
}

// module returns the encoded module. In the first run, all branches to exits have the same label. After that, each
// branch that the previous run found gets its own label.
func (e *emitter) module() ([]byte, error) {
	m := wasm.New()
	e.target.Memory(m)
	e.calls.begin(m)
	e.f = m.Func(run, []wasm.Type{wasm.I32}, nil)
	e.enter()
	e.branches.begin(len(e.exits.list))
	e.leaving(0)
	e.f.Export(run)
	e.calls.emit()
	return m.Encode()
}

// exit returns the index of the exit for a place.
func (e *emitter) exit(at place) int {
	if e.callee != nil || e.failing != nil && at.block == 0 {
		return 0
	}
	return e.exits.of[at]
}

// findSlots assigns slots of the entry to the registers that exits write there: the P registers, and all registers of
// inlined calls.
func (e *emitter) findSlots() map[register]int {
	slots := map[register]int{}
	for _, x := range e.exits.list {
		for _, o := range x.saved {
			if _, ok := slots[o]; (o.pointer || !e.owns(o)) && !ok {
				slots[o] = len(slots)
			}
		}
	}
	return slots
}

// leave emits the code of exit k, which writes back the exit's registers and returns.
func (e *emitter) leave(k int) {
	if e.callee != nil {
		e.giveUp()
		return
	}
	for _, o := range e.exits.list[k].saved {
		if o.pointer {
			e.f.Store(wasm.I64, e.entry, atSlots+8*e.slots[o], e.address(o.number))
			continue
		}
		v := wasm.Value(e.number(o.number))
		c := e.classes.get(o.number)
		if c == single {
			v, c = convert(v, single, whole), whole
		}
		if at, ok := e.slots[o]; ok {
			e.f.Store(types[c], e.entry, atSlots+8*at, v)
		} else {
			e.f.Store(types[c], e.n, 8*int(o.number), v)
		}
	}
	e.f.Store(wasm.I32, e.entry, atFuel, e.fuel)
	e.f.Store(wasm.I32, e.entry, atExit, wasm.Int(k))
	e.f.Return()
}

// enter emits code that loads the registers from the machine.
func (e *emitter) enter() {
	f := e.f
	e.numbers, e.pointers, e.places = map[uint16]wasm.Local{}, map[uint16]wasm.Local{}, map[uint16]wasm.Local{}
	e.entry = f.Param(0)
	e.depth = wasm.Int(deepest)
	e.fuel = f.Let(wasm.I32.Load(e.entry, atFuel))
	e.n = f.Let(wasm.I32.Load(e.entry, atN))
	p := f.Let(wasm.I32.Load(e.entry, atP))
	for _, o := range e.loaded {
		if o.pointer {
			l := e.address(o.number)
			f.Set(l, e.target.offset(wasm.I64.Load(p, 8*int(o.number))))
			continue
		}
		f.Set(e.number(o.number), types[e.classes.get(o.number)].Load(e.n, 8*int(o.number)))
	}
	e.makePlaces()
}

// makePlaces creates the locals that hold pointers as addresses in the module's memory.
func (e *emitter) makePlaces() {
	for n := range e.followed() {
		switch {
		case isConstP(e.code, n):
		case e.fixed[register{true, n}]:
			e.places[n] = e.f.Let(e.target.window(e.address(n)))
		default:
			e.places[n] = e.f.Local(wasm.I32)
		}
	}
}

// number returns the local of an N register.
func (e *emitter) number(n uint16) wasm.Local {
	l, ok := e.numbers[n]
	if !ok {
		l = e.f.Local(types[e.classes.get(n)])
		e.numbers[n] = l
	}
	return l
}

// address returns the local of a P register.
func (e *emitter) address(n uint16) wasm.Local {
	l, ok := e.pointers[n]
	if !ok {
		l = e.f.Local(wasm.I64)
		e.pointers[n] = l
	}
	return l
}

// followed returns the P registers that ops dereference, directly or after moves to other registers.
func (e *emitter) followed() map[uint16]bool {
	used := map[uint16]bool{}
	for more := true; more; {
		more = false
		for _, i := range e.region.ops() {
			op := &e.code.Ops[i]
			if (follows(op.Code) || op.Code == rc.OpMoveP && used[op.D]) && !used[op.A] {
				used[op.A], more = true, true
			}
		}
	}
	return used
}

// enterRegion emits the checks that are made before the first op, and then the blocks of the region.
func (e *emitter) enterRegion() {
	if e.callee != nil {
		e.beginFunction()
		return
	}
	entered := e.ask()
	e.known = e.findFacts(entered, e.hoists, e.hoisted)
	e.emitBlocks()
}

// ask emits checks of the pointers that the region does not change. The module exits at once if a pointer that every
// iteration dereferences is not valid. A pointer to the elements of a slice may be invalid if the slice is empty. So if
// the slice's length does not change either, an invalid pointer makes the module exit only if the slice has elements.
// ask returns the facts known after these checks.
func (e *emitter) ask() facts {
	known := facts{}
	e.sized = map[register]map[register]bool{}
	strict := map[register]bool{}
	for b, blk := range e.blocks {
		for i := blk.from; i < blk.to; i++ {
			op := &e.code.Ops[i]
			p, n := register{true, op.A}, register{false, op.C}
			switch {
			case !follows(op.Code) || !e.fixed[p]:
			case indexes(op.Code) && (e.fixed[n] || e.constant(n)):
				if e.sized[p] == nil {
					e.sized[p] = map[register]bool{}
				}
				e.sized[p][n] = true
			case e.everyTurn(0, b):
				strict[p] = true
			}
		}
	}
	for _, p := range e.loaded {
		switch {
		case strict[p]:
			known[good(p.number)] = true
			e.f.BrIf(e.out(0), wasm.I32.Eqz(e.places[p.number]))
		case e.sized[p] != nil:
			e.f.BrIf(e.out(0), wasm.I32.And(wasm.I32.Eqz(e.places[p.number]), e.anyLength(e.sized[p])))
		}
	}
	return known
}
