//go:build amd64 || arm64

package rt

import "unsafe"

const knowsRegisters = true

// registerArgs holds the contents of the processor's registers for a call: first the arguments, then the results. The
// assembly code of callRegisters depends on the layout of this type.
type registerArgs struct {
	ints     [intRegisters]uintptr
	floats   [floatRegisters]uint64
	pointers [intRegisters]unsafe.Pointer
	returns  uint16 // has a bit for each integer register whose result is a pointer; such a result belongs in the field pointers
	isFloat  bool   // floats are used
}

// callRegisters calls the function fn (the data word of a func value). It passes the arguments in r, and replaces them
// with the results. The argument r must point to the stack.
//
//go:noescape
func callRegisters(fn unsafe.Pointer, r *registerArgs)

// callInRegisters calls the function fn with arguments in the processor's registers. The Callee lists the registers in
// n and p that hold the arguments, and those that receive the results.
func callInRegisters(of *Callee, fn unsafe.Pointer, n *Numbers, p *Pointers) {
	c := of.convention
	var r registerArgs
	r.returns, r.isFloat = c.returns, c.isFloat
	iN, iP := 0, 0
	for i := range c.args {
		s := &c.args[i]
		switch {
		case s.isP:
			v := p[of.ArgP[iP]] // v stays alive in p
			if s.iface != nil {
				v, _ = Itab(s.iface, v)
			}
			r.ints[s.at] = uintptr(v)
			iP++
		case s.isFloat:
			r.floats[s.at] = n[of.ArgN[iN]]
			iN++
		default:
			r.ints[s.at] = uintptr(n[of.ArgN[iN]])
			iN++
		}
	}
	callRegisters(fn, &r)
	iN, iP = 0, 0
	for i := range c.results {
		s := &c.results[i]
		switch {
		case s.isP:
			v := r.pointers[s.at]
			if s.iface != nil {
				v = ItabType(v)
			}
			p[of.ResP[iP]] = v
			iP++
		case s.isFloat:
			n[of.ResN[iN]] = extend(r.floats[s.at], s.kind)
			iN++
		default:
			n[of.ResN[iN]] = extend(uint64(r.ints[s.at]), s.kind)
			iN++
		}
	}
}
