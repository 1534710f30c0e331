package neongen

import "fmt"

// general appends a line of Go's assembly. format and args are as in fmt.Sprintf, except that an operand prints as the
// name of its physical register.
func (f *Func) general(format string, args []any) { f.branch("", format, args) }

// An operand is a register in a line of Go assembly.
type operand struct{ use }

func from(x X) operand  { return operand{readX(x)} }
func to(x X) operand    { return operand{writeX(x)} }
func fromV(v V) operand { return operand{readV(v)} }
func toV(v V) operand   { return operand{writeV(v)} }

func (f *Func) branch(target, format string, args []any) {
	in := instruction{target: target}
	for _, a := range args {
		if o, ok := a.(operand); ok {
			in.uses = append(in.uses, o.use)
		}
	}
	in.text = func(c allocation) string {
		var printed []any
		for _, a := range args {
			if o, ok := a.(operand); !ok {
				printed = append(printed, a)
			} else if o.vector {
				printed = append(printed, fmt.Sprintf("F%d", c.v[o.id]))
			} else {
				printed = append(printed, fmt.Sprintf("R%d", c.x[o.id]))
			}
		}
		return fmt.Sprintf(format, printed...)
	}
	f.code = append(f.code, in)
}

// Label defines a label to which branches can go.
func (f *Func) Label(name string) { f.code = append(f.code, instruction{label: name}) }

// NewLabel returns a new label, which consists of the given name and a number. To add the label to the code, call
// Label.
func (f *Func) NewLabel(name string) string {
	f.labels++
	return fmt.Sprintf("%s%d", name, f.labels)
}

// Br branches to the label if the condition holds. The condition is written as in Go's assembler: EQ, NE, LT, LE, GT or
// GE.
func (f *Func) Br(condition, label string) { f.branch(label, "B%s %s", []any{condition, label}) }

// IfZero branches to the label if x is 0.
func (f *Func) IfZero(x X, label string) { f.branch(label, "CBZ %s, %s", []any{from(x), label}) }

// Ret emits a return.
func (f *Func) Ret() { f.general("RET", nil) }

// Move copies register a to d. Set sets d to the number n.
func (f *Func) Move(d, a X)      { f.general("MOVD %s, %s", []any{from(a), to(d)}) }
func (f *Func) Set(d X, n int64) { f.general("MOVD $%d, %s", []any{n, to(d)}) }

// Add computes d = a + b; Sub computes d = a − b.
func (f *Func) Add(d, a, b X) { f.general("ADD %s, %s, %s", []any{from(b), from(a), to(d)}) }
func (f *Func) Sub(d, a, b X) { f.general("SUB %s, %s, %s", []any{from(b), from(a), to(d)}) }

// AddN computes d = a + n, and SubN d = a − n. SubsN is like SubN, and also sets the flags for a branch. Shl computes
// d = a << n, and Mul d = a b.
func (f *Func) AddN(d, a X, n int)  { f.general("ADD $%d, %s, %s", []any{n, from(a), to(d)}) }
func (f *Func) SubN(d, a X, n int)  { f.general("SUB $%d, %s, %s", []any{n, from(a), to(d)}) }
func (f *Func) SubsN(d, a X, n int) { f.general("SUBS $%d, %s, %s", []any{n, from(a), to(d)}) }
func (f *Func) Shl(d, a X, n int)   { f.general("LSL $%d, %s, %s", []any{n, from(a), to(d)}) }
func (f *Func) Mul(d, a, b X)       { f.general("MUL %s, %s, %s", []any{from(b), from(a), to(d)}) }

// AddShifted computes d = a + b 2^n.
func (f *Func) AddShifted(d, a, b X, n int) {
	f.general("ADD %s<<%d, %s, %s", []any{from(b), n, from(a), to(d)})
}

// Cmp compares a with b, and CmpN compares a with the number n. Both set the flags for Br and Choose.
func (f *Func) Cmp(a, b X)        { f.general("CMP %s, %s", []any{from(b), from(a)}) }
func (f *Func) CmpN(a X, n int64) { f.general("CMP $%d, %s", []any{n, from(a)}) }

// Choose sets d to a if the condition holds, otherwise to b.
func (f *Func) Choose(condition string, d, a, b X) {
	f.general("CSEL %s, %s, %s, %s", []any{condition, from(a), from(b), to(d)})
}

// LoadX reads into d the 8 bytes at the address base + at. LoadInt32 reads 4 bytes there and extends the sign.
// StoreByte writes the low 8 bits of a register to the address base + at.
func (f *Func) LoadX(d, base X, at int) {
	f.general("MOVD %d(%s), %s", []any{at, from(base), to(d)})
}
func (f *Func) LoadInt32(d, base X, at int) {
	f.general("MOVW %d(%s), %s", []any{at, from(base), to(d)})
}
func (f *Func) StoreByte(a, base X, at int) {
	f.general("MOVB %s, %d(%s)", []any{from(a), at, from(base)})
}
