package ixengine

import (
	"errors"
	"go/types"
	"iter"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/regcode/native"
)

// The interpreter is slow: each value is an any in the frame, so each new number is allocated, and each
// instruction is a call of a closure. So a function gets register code (package regcode) at its first call,
// compiled here from its SSA:
//
//	fast_func.go       functions and their code
//	fast_shape.go      types as registers
//	fast_compile.go    blocks, phis and registers
//	fast_ops.go        instructions
//	fast_memory.go     loads, stores, elements, slices
//	fast_local.go      structs in registers
//	fast_copy.go       values that stay in memory
//	fast_cell.go       memory for values that are passed by address
//	fast_builtins.go   make, clear, append and copy
//	fast_map.go        maps, and range over them and over strings
//	fast_text.go       conversions of strings
//	fast_complex.go    complex numbers
//	fast_compare.go    comparisons of values that are not numbers
//	fast_interface.go  interfaces
//	fast_mapop.go      m[k]++ and the like
//	fast_call.go       calls
//	fast_compiled.go   calls of compiled functions
//	fast_matrix.go     elements of gonum's matrices
//	fast_dynamic.go    calls of func values and interface methods
//	fast_later.go      go and defer statements
//	fast_planned.go    deferred calls that need no list
//	fast_chan.go       channels
//	fast_closure.go    func values
//	fast_constants.go  func values that the interpreter treats as constants
//	fast_callback.go   calls of func values and methods by compiled code
//	fast_site.go       instructions left to the interpreter
//	fast_box.go        values between registers and frames
//
// The interpreter's first instruction of such a function runs the register code in place of all other
// instructions. The other instructions remain, for sites and for functions that panic.

// A fastFunc is a function of a program and its register code.
type fastFunc struct {
	regcode.Func
	*fastProgram
	f      *ssa.Function
	fn     unsafe.Pointer // the interpreter's form of the function
	index  map[ssa.Value]uint32
	instrs []instruction
	first  instruction // the interpreter's own first instruction

	// For a profile: the code that marks no lines, the function's first line, and its latest node. See fast_profile.go.
	unmarked *regcode.Code
	begins   *profileLine
	latest   latest

	state atomic.Int32

	// Compiler state.
	at      map[ssa.Instruction]int // index in instrs
	values  map[ssa.Value][]uint16  // registers of values that have a shape
	inFrame map[ssa.Value]bool      // values that sites store in the interpreter's frame
	sites   []*fastSite
	params  []*passage // parameters and free variables
	results []*passage
	// isCallable reports whether register code can call f.
	isCallable bool

	formed bool
	called *callForm

	// If f defers in register code: its defer statements; the register of the list of deferred calls; the statements
	// in planned order if f needs no list; and the values that the interpreter needs after a recovered panic. See
	// fast_later.go.
	defers    map[*ssa.Defer]*laterForm
	deferList uint16
	planned   []*plannedDefer
	pinnedIn  []pinnedValue
}

// The states of a fastFunc.
const (
	noCode = iota // no code yet
	hasCode
	refused
)

// A fastProgram holds the state shared by the functions of a program.
type fastProgram struct {
	session *Session
	interp  *ixgo.Interp
	funcs   map[*ssa.Function]unsafe.Pointer
	mu      sync.Mutex // locked while code is compiled
	known   map[*ssa.Function]*fastFunc
	shapes  shapes
	profile *activeProfile // the profile of processor time for which the program is built, or nil

	methodsMu sync.Mutex
	methods   map[methodKey]fastMethod
}

// fastPrograms holds weak pointers to the programs of a session. The program of an earlier cell stays alive
// only while its values or functions are in use.
type fastPrograms struct {
	mu   sync.Mutex
	list []weak.Pointer[fastProgram]
}

func (l *fastPrograms) add(p *fastProgram) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(p weak.Pointer[fastProgram]) bool { return p.Value() == nil })
	l.list = append(l.list, weak.Make(p))
}

// all returns the programs, latest first.
func (l *fastPrograms) all() iter.Seq[*fastProgram] {
	l.mu.Lock()
	list := l.list[:len(l.list):len(l.list)]
	l.mu.Unlock()
	return func(yield func(*fastProgram) bool) {
		for _, w := range slices.Backward(list) {
			if p := w.Value(); p != nil && !yield(p) {
				return
			}
		}
	}
}

// fast is false in tests that compare register code with the interpreter.
var fast = true

// makeFast lets the functions of interp's program run as register code.
func (s *Session) makeFast(interp *ixgo.Interp, funcs map[*ssa.Function]unsafe.Pointer) {
	profiling, made := s.profiled.Load(), s.madeMethods.take()
	if !fast || unsafe.Sizeof(0) != 8 || profiling != nil && profiling.kind == engine.HeapProfile {
		return
	}
	useNative()
	if breathing {
		regcode.Breathe = breatheNowAndThen
	}
	p := &fastProgram{session: s, profile: profiling, interp: interp, funcs: funcs, known: map[*ssa.Function]*fastFunc{}, shapes: shapes{known: map[types.Type]*shape{}}, methods: map[methodKey]fastMethod{}}
	for f := range funcs {
		p.fastFuncOf(f)
	}
	for _, f := range p.known {
		if f != nil {
			f.prepareDefers()
			f.makeClosures()
		}
	}
	p.enterMethods(made)
	s.fastPrograms.add(p)
}

// useNative enables native compilation of loops in register code, if the processor supports it.
var useNative = sync.OnceFunc(func() {
	c, err := native.New()
	if err != nil {
		slog.Debug("hot loops stay register code", "why", err)
		return
	}
	regcode.NativeCompiler = c
})

// fastFuncOf returns f's fastFunc, or nil if f will not get register code.
func (p *fastProgram) fastFuncOf(f *ssa.Function) *fastFunc {
	if ff, ok := p.known[f]; ok {
		return ff
	}
	p.known[f] = nil
	fn := p.funcs[f]
	if fn == nil || len(f.Blocks) == 0 || f.Synthetic == "package initializer" {
		return nil
	}
	instrs := field[[]instruction](fn, layout.instrs)
	index := field[map[ssa.Value]uint32](fn, layout.index)
	if _, formed := slotIn(fn); formed || len(instrs) == 0 || len(index) > 1<<14 {
		return nil
	}
	ff := &fastFunc{fastProgram: p, f: f, fn: fn, index: index, instrs: instrs, first: instrs[0]}
	ff.Name, ff.Host = f.String(), ff
	p.known[f] = ff
	instrs[0] = ff.enter
	return ff
}

// enter replaces the first instruction of f in the interpreter. It executes the whole call in register code if that is
// possible; otherwise it executes the original first instruction, and the interpreter continues.
func (f *fastFunc) enter(fr *frame) {
	if !f.compiled() || seenBy(fr) != nil { // a function that recovers is rarely called by a panic, and then needs the panic's frames
		f.first(fr)
		return
	}
	if breathing {
		f.session.breatheIn(fr)
	}
	m := regcode.Get(fastHost{})
	act := m.Push(&f.Func, f.Code.Load(), unsafe.Pointer(fr))
	stack := stackOf(fr)
	for _, a := range f.params {
		a.unbox(stack[a.slot], act.N, act.P)
	}
	f.recordDefers(fr, act.N, act.P)
	f.session.runEntered(m, fr)
	for _, r := range f.results {
		stack[r.slot] = r.box(act.N, act.P)
	}
	f.recordDefers(fr, nil, nil)
	m.Pop()
	m.Put()
	setField(unsafe.Pointer(fr), layout.ipc, -1)
	if f.profile != nil {
		leftFunction()
	}
}

// compiled compiles the code if that has not been tried yet, and reports whether there is code.
func (f *fastFunc) compiled() bool {
	state := f.state.Load()
	return state == hasCode || state == noCode && f.prepare()
}

var (
	errNoCode = errors.New("no register code")
	errTooFew = errors.New("too few temporary registers")
)

// prepare compiles f unless that has already been tried, and reports whether f has register code.
func (f *fastFunc) prepare() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch f.state.Load() {
	case hasCode:
		return true
	case refused:
		return false
	}
	code, marks, err := f.compile(f.profile != nil)
	if marks != nil { // the same once more, without marks
		f.begins = marks.lines[0]
		f.unmarked, _, err = f.compile(false)
	}
	if err != nil {
		f.state.Store(refused)
		return false
	}
	f.isCallable = f.callable()
	f.Code.Store(code)
	f.state.Store(hasCode)
	return true
}

// callable reports whether register code can call f: f defers nothing or defers in register code, and all parameters,
// captured values and results can be in registers.
func (f *fastFunc) callable() bool {
	if f.f.Recover != nil && f.defers == nil {
		return false
	}
	if slices.ContainsFunc(f.given(), func(v ssa.Value) bool { return f.shapes.get(v.Type()) == nil }) {
		return false
	}
	return f.shapes.get(f.f.Signature.Results()) != nil
}

// passage returns the passage of the value v, which is in the registers regs. slot is v's entry in the
// function's index.
func (f *fastFunc) passage(v ssa.Value, regs []uint16, slot uint32) *passage {
	return newPassage(f.shapes.get(v.Type()), int(slot&0xffffff), regs, f.rtype(v.Type()))
}

// rtype returns the dynamic type of an any that contains a value of type t.
func (p *fastProgram) rtype(t types.Type) reflect.Type {
	if _, ok := t.(*types.Tuple); ok {
		return nil
	}
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.Invalid {
		return nil
	}
	return toType(p.interp, t)
}

func isTuple(v ssa.Value) bool {
	_, ok := v.Type().(*types.Tuple)
	return ok
}

// loopHeaders returns the blocks at which f's loops begin. A block is in the list once for each jump back to it.
func loopHeaders(f *ssa.Function) (list []*ssa.BasicBlock) {
	for _, b := range f.Blocks {
		for _, next := range b.Succs {
			if next.Dominates(b) {
				list = append(list, next)
			}
		}
	}
	return list
}
