package wasm

// Instructions returns the operand types of each instruction that Op supports.
func Instructions() map[string][]Type {
	all := map[string][]Type{}
	for name, o := range operations {
		all[name] = o.params
	}
	return all
}

// Accesses returns the operand type of each store instruction, and None for each load. It leaves out
// instructions with a lane.
func Accesses() map[string]Type {
	all := map[string]Type{}
	for name, a := range accesses {
		switch {
		case a.lane:
		case a.store:
			all[name] = a.t
		default:
			all[name] = None
		}
	}
	return all
}

// TypeOf returns the type of a value.
func TypeOf(v Value) Type { return typeOf(v) }
