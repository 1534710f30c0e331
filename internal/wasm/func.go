package wasm

import (
	"encoding/binary"
	"fmt"
)

// A Func is a function of a module. Its methods append statements.
type Func struct {
	m               *Module
	name            string
	index           int
	params, results []Type
	imported        bool
	locals          []Type // in addition to the parameters
	code            []byte
	open            []*Label
}

// A Label identifies a block or loop. Branches inside the block refer to it.
type Label struct {
	f      *Func
	closed bool
}

// fail records a mistake in the function being built.
func (f *Func) fail(err error) { f.m.fail(fmt.Errorf("function %s: %w", f.name, err)) }

// add appends the code of the operands and then the given code. The operands must have the given types. Error messages
// contain the instruction's name.
func (f *Func) add(what string, want []Type, operands []Value, code ...byte) {
	v := join(what, want, operands)
	f.append(what, v, code...)
}

// append appends the code of v and then the given code. Together they must leave no value on the stack. Error messages
// contain the instruction's name.
func (f *Func) append(what string, v value, code ...byte) {
	switch {
	case v.err != nil:
		f.fail(v.err)
	case f.imported:
		f.fail(mistake("%s: an imported function has no statements", what))
	case v.f != nil && v.f != f:
		f.fail(mistake("%s: a local of function %s", what, v.f.name))
	default:
		f.code = append(append(f.code, v.code...), code...)
	}
}

// Param returns the i-th parameter.
func (f *Func) Param(i int) Local {
	if i < 0 || i >= len(f.params) {
		f.fail(mistake("parameter %d of %d", i, len(f.params)))
		return Local{f: f}
	}
	return Local{f, i, f.params[i]}
}

// Local declares a variable. It is 0 at the start of the function.
func (f *Func) Local(t Type) Local {
	f.locals = append(f.locals, t.Storage())
	return Local{f, len(f.params) + len(f.locals) - 1, t.Storage()}
}

// Let declares a variable and assigns v to it.
func (f *Func) Let(v Value) Local {
	l := f.Local(typeOf(v))
	f.Set(l, v)
	return l
}

func typeOf(v Value) Type {
	if v == nil {
		return None
	}
	return v.value().t
}

// Set assigns v to a variable.
func (f *Func) Set(l Local, v Value) {
	if l.f != f {
		f.fail(mistake("local.set: a local of another function"))
		return
	}
	f.add("local.set", []Type{l.t}, []Value{v}, binary.AppendUvarint([]byte{0x21}, uint64(l.index))...)
}

// Inc adds n to a variable of type I32.
func (f *Func) Inc(l Local, n int) { f.Set(l, I32.Add(l, Int(n))) }

// Store writes a value to address + offset, at any alignment.
func (f *Func) Store(t Type, address Value, offset int, v Value) {
	f.StoreOp(t.Storage().String()+".store", address, offset, v)
}

// StoreOp is like Store with the named store instruction, such as i32.store8.
func (f *Func) StoreOp(name string, address Value, offset int, v Value) {
	a, ok := accesses[name]
	if !ok || a.lane || !a.store {
		f.fail(mistake("%s: there is no such store", name))
		return
	}
	if offset < 0 {
		f.fail(mistake("%s: offset %d is negative", name, offset))
	}
	f.add(name, []Type{I32, a.t}, []Value{address, v}, appendAccess(append([]byte{}, a.code...), a.size, offset)...)
}

// StoreLane writes one lane of v, a vector of the shape t, to address + offset.
func (f *Func) StoreLane(t Type, address Value, offset int, v Value, lane int) {
	name := fmt.Sprintf("v128.store%d_lane", 8*shapes[t].bytes)
	if lane < 0 || lane >= t.Lanes() || t.Lanes() < 2 || offset < 0 {
		f.fail(mistake("%s: lane %d of %s, offset %d", name, lane, t, offset))
		return
	}
	a := accesses[name]
	f.add(name, []Type{I32, V128}, []Value{address, v}, append(appendAccess(append([]byte{}, a.code...), a.size, offset), byte(lane))...)
}

// CopyMemory copies n bytes; the ranges may overlap.
func (f *Func) CopyMemory(to, from, n Value) {
	f.add("memory.copy", []Type{I32, I32, I32}, []Value{to, from, n}, 0xfc, 10, 0, 0)
}

// Drop computes a value for its side effects.
func (f *Func) Drop(v Value) { f.add("drop", []Type{typeOf(v)}, []Value{v}, 0x1a) }

// Call calls a function and drops its results.
func (f *Func) Call(g *Func, arguments ...Value) {
	v := g.call(arguments)
	for range g.results {
		v.code = append(v.code, 0x1a)
	}
	f.append("call of "+g.name, v)
}

// CallInto calls a function and assigns its results to variables.
func (f *Func) CallInto(to []Local, g *Func, arguments ...Value) {
	v := g.call(arguments)
	if v.err == nil && len(to) != len(g.results) {
		v.err = mistake("call of %s: %d variables for %d results", g.name, len(to), len(g.results))
	}
	for i, l := range to {
		if v.err == nil && (l.f != f || l.t != g.results[i]) {
			v.err = mistake("call of %s: variable %d cannot take its result", g.name, i+1)
		}
	}
	for i := len(to) - 1; i >= 0 && v.err == nil; i-- {
		v.code = binary.AppendUvarint(append(v.code, 0x21), uint64(to[i].index))
	}
	f.append("call of "+g.name, v)
}

func (f *Func) call(arguments []Value) value {
	v := join("call of "+f.name, f.params, arguments)
	if v.err == nil && v.f != nil && v.f.m != f.m {
		v.err = mistake("call of %s, a function of another module", f.name)
	}
	v.code = binary.AppendUvarint(append(v.code, 0x10), uint64(f.index))
	return v
}

// CallTable calls the function at an index of the module's table. It traps unless the function has the given
// parameters and no results.
func (f *Func) CallTable(index Value, params []Type, arguments ...Value) {
	if len(arguments) != len(params) {
		f.fail(mistake("call_indirect: %d arguments for %d parameters", len(arguments), len(params)))
		return
	}
	if !f.m.hasTable {
		f.fail(mistake("call_indirect: the module has no table"))
		return
	}
	code := binary.AppendUvarint([]byte{0x11}, uint64(f.m.signature(params, nil)))
	f.add("call_indirect", append(storages(params), I32), append(append([]Value{}, arguments...), index), append(code, 0)...)
}

// block writes v and a block that begins with the instruction of the given code. The function body
// adds the statements of the block. The function in otherwise, if there is one, adds those of the else branch.
func (f *Func) block(what string, v value, code byte, body func(l *Label), otherwise ...func()) {
	f.append(what, v, code, shapes[None].code)
	l := &Label{f: f}
	f.open = append(f.open, l)
	body(l)
	for _, o := range otherwise {
		f.append(what, value{}, 0x05)
		o()
	}
	l.closed = true
	f.open = f.open[:len(f.open)-1]
	f.append(what, value{}, 0x0b)
}

// Block adds a block with the statements added by body. The argument of body is the block's label; a branch to this
// label leaves the block.
func (f *Func) Block(body func(out *Label)) { f.block("block", value{}, 0x02, body) }

// Loop adds a loop with the statements added by body. They run once, and once more after each branch to the loop's
// label, which is the argument of body.
func (f *Func) Loop(body func(again *Label)) { f.block("loop", value{}, 0x03, body) }

// If adds a conditional statement. The function then adds the statements to run if the condition, an i32, is
// not 0. The function in otherwise, if there is one, adds those to run if it is 0.
func (f *Func) If(condition Value, then func(), otherwise ...func()) {
	if len(otherwise) > 1 {
		f.fail(mistake("if: %d ways otherwise", len(otherwise)))
		return
	}
	f.block("if", join("if", []Type{I32}, []Value{condition}), 0x04, func(*Label) { then() }, otherwise...)
}

// While adds a loop with the statements added by body. The condition, an i32, is checked before each iteration; the
// loop ends when it is 0.
func (f *Func) While(condition Value, body func()) {
	f.If(condition, func() {
		f.Loop(func(again *Label) {
			body()
			f.BrIf(again, condition)
		})
	})
}

// For adds a loop with the statements added by body. The variable i (of type I32) is first set to the argument from,
// and step is added to it after each iteration. The loop ends when i >= to. The argument to is computed again before
// each iteration.
func (f *Func) For(i Local, from, to Value, step int, body func()) {
	f.Set(i, from)
	f.While(I32.Lt(i, to), func() {
		body()
		f.Inc(i, step)
	})
}

// depth returns the number that a branch instruction needs in order to branch to l: how many open blocks are inside
// the block of l. If that block is not open here, depth records a mistake and returns false.
func (f *Func) depth(what string, l *Label) (uint64, bool) {
	if l == nil || l.f != f || l.closed {
		f.fail(mistake("%s: the label's block is not open here", what))
		return 0, false
	}
	for i, o := range f.open {
		if o == l {
			return uint64(len(f.open) - 1 - i), true
		}
	}
	return 0, false
}

// Br branches to a label.
func (f *Func) Br(l *Label) {
	if d, ok := f.depth("br", l); ok {
		f.append("br", value{}, binary.AppendUvarint([]byte{0x0c}, d)...)
	}
}

// BrIf branches to a label if the condition is not 0.
func (f *Func) BrIf(l *Label, condition Value) {
	if d, ok := f.depth("br_if", l); ok {
		f.add("br_if", []Type{I32}, []Value{condition}, binary.AppendUvarint([]byte{0x0d}, d)...)
	}
}

// Return ends the function. A function with results must end with Return; otherwise it traps at its
// end.
func (f *Func) Return(results ...Value) { f.add("return", f.results, results, 0x0f) }

// Unreachable traps.
func (f *Func) Unreachable() { f.append("unreachable", value{}, 0x00) }

// Export exports the function.
func (f *Func) Export(name string) { f.m.export(name, 0, f.index) }
