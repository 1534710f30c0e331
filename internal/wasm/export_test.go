package wasm

// Instructions gives the operands of each instruction of Op.
func Instructions() map[string][]Type {
	all := map[string][]Type{}
	for name, o := range operations {
		all[name] = o.params
	}
	return all
}

// Accesses gives what each store takes, and None for loads; those with lanes are left out.
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

// TypeOf is the type of a value.
func TypeOf(v Value) Type { return typeOf(v) }
