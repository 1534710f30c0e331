package ixengine

import (
	"go/token"
	"go/types"
	"slices"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// The SSA builder lets function literals capture addresses: it puts every captured variable into memory. But a
// variable that keeps its first value needs no memory, so captureValues lets function literals capture the value, as
// Go's compiler does. Then the function that declares the variable keeps it in a register as well, and a function
// literal that is only called or deferred needs no memory at all.

// captureValues changes a program that has been built: where a variable keeps its first value, function literals
// capture the value, not the address.
func captureValues(prog *ssa.Program) {
	seen := map[*ssa.Function]bool{}
	var list []*ssa.Function
	add := func(f *ssa.Function) {
		if f != nil && f.Blocks != nil && !seen[f] {
			seen[f] = true
			list = append(list, f)
		}
	}
	for _, pkg := range prog.AllPackages() {
		for _, m := range pkg.Members {
			switch m := m.(type) {
			case *ssa.Function:
				add(m)
			case *ssa.Type:
				if n, ok := m.Type().(*types.Named); ok {
					for method := range n.Methods() {
						add(prog.FuncValue(method))
					}
				}
			}
		}
	}
	for len(list) > 0 {
		f := list[len(list)-1]
		list = list[:len(list)-1]
		for _, literal := range f.AnonFuncs {
			add(literal)
		}
		for _, b := range f.Blocks {
			var operands [8]*ssa.Value
			for _, in := range b.Instrs {
				for _, o := range in.Operands(operands[:0]) {
					if callee, ok := (*o).(*ssa.Function); ok {
						add(callee) // such as an instance of a generic function
					}
				}
			}
		}
		if len(f.AnonFuncs) > 0 {
			captureValuesIn(f)
		}
	}
}

// captureValuesIn makes function literals capture, where possible, the values of the variables that f declares, and
// not their addresses.
func captureValuesIn(f *ssa.Function) {
	var variables []*ssa.Alloc
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if a, ok := in.(*ssa.Alloc); ok && a.Heap {
				variables = append(variables, a)
			}
		}
	}
	gone := map[ssa.Instruction]bool{}
	for _, a := range variables {
		store := givesValue(a)
		var captured []*ssa.FreeVar
		if store == nil || !isWord(store.Val.Type()) || !keepsValue(a, &captured) {
			continue
		}
		for _, v := range captured {
			setField(unsafe.Pointer(v), layout.freeVarType, store.Val.Type())
			replaceLoads(v, v)
		}
		replaceLoads(a, store.Val)
		for _, r := range *a.Referrers() {
			if made, ok := r.(*ssa.MakeClosure); ok {
				replaceOperand(made, a, store.Val)
			}
		}
		dropReferrer(store.Val, store)
		gone[a], gone[store] = true, true
	}
	removeInstructions(f, gone)
}

// givesValue returns the only store to the variable a. It returns nil if a is not captured, or if there is no store or
// more than one. It also returns nil if the store might be executed twice for one variable, or after another use of
// the variable.
func givesValue(a *ssa.Alloc) (store *ssa.Store) {
	captured := false
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if store != nil || r.Addr != ssa.Value(a) || r.Val == ssa.Value(a) {
				return nil
			}
			store = r
		case *ssa.MakeClosure:
			captured = true
		}
	}
	if store == nil || !captured || repeats(store.Block(), a.Block()) {
		return nil
	}
	for _, r := range *a.Referrers() {
		if r != ssa.Instruction(store) && !precedes(store, r) {
			return nil
		}
	}
	return store
}

// repeats reports whether the block b can be executed again before another block, the parameter without, is executed.
// If without is nil, repeats reports whether b can be executed again at all.
func repeats(b, without *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{without: true}
	var leads func(from *ssa.BasicBlock) bool
	leads = func(from *ssa.BasicBlock) bool {
		for _, next := range from.Succs {
			if seen[next] {
				continue
			}
			seen[next] = true
			if next == b || leads(next) {
				return true
			}
		}
		return false
	}
	return b != without && leads(b)
}

// precedes reports whether the instruction a is always executed before b.
func precedes(a, b ssa.Instruction) bool {
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	list := a.Block().Instrs
	return slices.Index(list, a) < slices.Index(list, b)
}

// keepsValue reports whether the variable with the address v is only loaded, both here and in the function literals
// that capture it; the store that gives the variable its value is allowed. The free variables that hold the address in
// these literals are appended to *captured.
func keepsValue(v ssa.Value, captured *[]*ssa.FreeVar) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.MakeClosure:
			literal := r.Fn.(*ssa.Function)
			if literal.Parent() != r.Parent() || len(*literal.Referrers()) != 1 {
				return false
			}
			for i, bound := range r.Bindings {
				if bound == v {
					*captured = append(*captured, literal.FreeVars[i])
					if !keepsValue(literal.FreeVars[i], captured) {
						return false
					}
				}
			}
		case *ssa.Store:
			if _, isVariable := v.(*ssa.Alloc); !isVariable {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isWord reports whether values of type t are captured by value. This holds for numbers, strings, and types
// whose values refer to memory.
func isWord(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return !hasTypeParam(t)
	}
	return false
}

// replaceLoads replaces all loads from address with v.
func replaceLoads(address, v ssa.Value) {
	gone := map[ssa.Instruction]bool{}
	var in *ssa.Function
	for _, r := range slices.Clone(*address.Referrers()) {
		load, ok := r.(*ssa.UnOp)
		if !ok {
			continue
		}
		in = load.Parent()
		gone[load] = true
		for _, user := range slices.Clone(*load.Referrers()) {
			replaceOperand(user, load, v)
		}
		dropReferrer(address, load)
	}
	if in != nil {
		removeInstructions(in, gone)
	}
}

// replaceOperand replaces the operand x of an instruction with v.
func replaceOperand(in ssa.Instruction, x, v ssa.Value) {
	for _, o := range in.Operands(nil) {
		if *o != x {
			continue
		}
		*o = v
		if to := v.Referrers(); to != nil {
			*to = append(*to, in)
		}
	}
}

func dropReferrer(v ssa.Value, in ssa.Instruction) {
	if from := v.Referrers(); from != nil {
		*from = slices.DeleteFunc(*from, func(r ssa.Instruction) bool { return r == in })
	}
}

func removeInstructions(f *ssa.Function, gone map[ssa.Instruction]bool) {
	if len(gone) == 0 {
		return
	}
	for _, b := range f.Blocks {
		b.Instrs = slices.DeleteFunc(b.Instrs, func(in ssa.Instruction) bool { return gone[in] })
	}
}
