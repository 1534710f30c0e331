package ixengine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Deferred calls that need no list. If no defer statement of a function is in a loop, each is executed at most
// once in a call of the function, and their order is the same in all calls. So the function's own code makes
// the deferred calls, in reverse order, as it makes other calls: from the registers of their arguments,
// which no longer change. The only addition is one register for each statement, which says whether
// the statement has been executed. Go's compiler calls such statements open-coded.

// A plannedDefer is a defer statement that is not in a loop, in a function whose deferred calls need no list.
type plannedDefer struct {
	*laterForm
	in *ssa.Defer
	// state is the number register that holds isArmed after the statement, isRunning while the deferred call runs,
	// and otherwise notArmed.
	state uint16
}

const (
	notArmed = iota
	isArmed
	isRunning
)

// mostPlanned limits a product: the number of defer statements times the number of places at which a function runs the
// deferred calls.
const mostPlanned = 24

// planDefers returns f's defer statements in the order in which they are executed. It returns nil if the deferred
// calls need a list, because of a loop or because there are many.
func planDefers(f *ssa.Function, forms map[*ssa.Defer]*laterForm) (list []*plannedDefer) {
	runs := 0
	for _, b := range inFlow(f) {
		first := len(list)
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Defer:
				list = append(list, &plannedDefer{laterForm: forms[in], in: in})
			case *ssa.RunDefers:
				runs++
			}
		}
		if len(list) > first && repeats(b, nil) {
			return nil
		}
	}
	if len(list)*runs > mostPlanned {
		return nil
	}
	return list
}

// inFlow returns the blocks that can be reached from the beginning of f. A block that is not in a loop comes after
// all blocks that lead to it.
func inFlow(f *ssa.Function) (list []*ssa.BasicBlock) {
	seen := make([]bool, len(f.Blocks))
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if seen[b.Index] {
			return
		}
		seen[b.Index] = true
		for _, next := range b.Succs {
			visit(next)
		}
		list = append(list, b)
	}
	visit(f.Blocks[0])
	slices.Reverse(list)
	return list
}

// planRegisters assigns to each planned defer statement the register that holds its state.
func (c *fastCompiler) planRegisters() {
	for _, d := range c.planned {
		d.state = c.taken.n
		c.taken.n++
	}
}

func (c *fastCompiler) setState(d *plannedDefer, state uint64) {
	c.emit(regcode.Op{Code: regcode.OpMove, D: d.state, A: c.number(state, 0)})
}

// plan stores the registers of the deferred calls' arguments in the planned defer statements. It also emits the first
// ops of the function, which record that none of the statements has been executed.
func (c *fastCompiler) plan() {
	for _, d := range c.planned {
		if !c.place(d.laterForm, &d.in.Call) {
			c.cannotDefer(d.in)
		}
		c.setState(d, notArmed)
	}
}

// arm compiles a planned defer statement: the code records that the statement has been executed.
func (c *fastCompiler) arm(in *ssa.Defer) {
	i := slices.IndexFunc(c.planned, func(d *plannedDefer) bool { return d.in == in })
	c.setState(c.planned[i], isArmed)
}

// runPlanned compiles the deferred call of the statement d. The argument instr is the instruction at which the function
// runs its deferred calls before it returns. The code makes the call only if d has been executed.
func (c *fastCompiler) runPlanned(instr *ssa.RunDefers, d *plannedDefer) {
	skip := int32(-1)
	if !d.in.Block().Dominates(instr.Block()) {
		skip = c.emit(regcode.Op{Code: regcode.OpIf, A: d.state})
		c.code.Ops[skip].To = skip + 1
	}
	c.setState(d, isRunning)
	site := c.ownSite(instr, func(at here, n *regcode.N, p *regcode.P) bool {
		d.prepare(n, p).execute(at, n, p)
		return true
	})
	call := regcode.Call{ArgN: d.argN, ArgP: d.argP}
	op := regcode.Op{Code: regcode.OpCallOf, Or: int32(len(c.code.Calls)), To: site}
	switch {
	case d.own != nil && d.own.callable():
		call.Func = &d.own.Func
	case d.own != nil:
		op = regcode.Op{Code: regcode.OpDo, To: site}
	case d.isValue:
		op.Code, op.A = regcode.OpCallFunc, d.value
		call.Closure, call.Layout = c.fastProgram.closureFor, funcLayout
	default:
		op = regcode.Op{Code: regcode.OpDo, To: site}
		c.sites[site].own = c.planOutside(d)
	}
	if op.Code != regcode.OpDo {
		c.code.Calls = append(c.code.Calls, call)
	}
	c.emit(op)
	c.setState(d, notArmed)
	if skip >= 0 {
		c.code.Ops[skip].Or = int32(len(c.code.Ops))
	}
}

// planOutside returns the function that makes the deferred call of d, which calls a compiled function or the builtin
// close.
func (c *fastCompiler) planOutside(d *plannedDefer) ownSite {
	o := &outsideCall{fastProgram: c.fastProgram, isQuick: true, deferred: true}
	if d.closes {
		ch := d.argP[0]
		return func(at here, n *regcode.N, p *regcode.P) bool {
			o.do(at, n, p, func() { rt.CloseChan(p[ch]) })
			return true
		}
	}
	callee := *d.callee
	callee.ArgN, callee.ArgP = d.argN, d.argP
	callee.ResN, callee.ResP = slices.Clone(callee.ResN), slices.Clone(callee.ResP) // nobody reads the results
	for i := range callee.ResN {
		callee.ResN[i] = c.temp(false, uint16(i))
	}
	for i := range callee.ResP {
		callee.ResP[i] = c.temp(true, uint16(i))
	}
	return func(at here, n *regcode.N, p *regcode.P) bool {
		o.do(at, n, p, func() { callee.Call((*rt.Numbers)(n), (*rt.Pointers)(p)) })
		return true
	}
}

// takePlanned is takeDeferred for a function whose defer statements need no list.
func (f *fastFunc) takePlanned(n *regcode.N, p *regcode.P, again bool) (first *laterCall) {
	for _, d := range f.planned {
		if state := n[d.state]; state == isArmed || again && state == isRunning {
			call := d.prepare(n, p)
			call.next, first = first, call
			n[d.state] = notArmed
		}
	}
	return first
}
