package wasm

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
)

// A Value is an expression with one number or vector as its result.
type Value interface{ value() value }

// A value is the code of an expression.
type value struct {
	t    Type // storage type of the result
	code []byte
	f    *Func // the function that declares the locals used in the code; nil if none are used
	err  error
}

func (v value) value() value { return v }

// A Local is a variable of a function. Used as a Value, it stands for the variable's content at the time of
// use.
type Local struct {
	f     *Func
	index int
	t     Type
}

func (l Local) value() value {
	if l.f == nil {
		return value{err: mistake("a local that no function has made")}
	}
	return value{t: l.t, f: l.f, code: binary.AppendUvarint([]byte{0x20}, uint64(l.index))}
}

// join concatenates the code of the operands. It checks that they have the given types, and that they use locals of
// only one function. Error messages contain the instruction's name.
func join(what string, want []Type, operands []Value) value {
	if len(operands) != len(want) {
		return value{err: mistake("%s: %d operands, want %d", what, len(operands), len(want))}
	}
	var all value
	for i, o := range operands {
		if o == nil {
			return value{err: mistake("%s: operand %d is nil", what, i+1)}
		}
		v := o.value()
		switch {
		case v.err != nil:
			return value{err: v.err}
		case v.t != want[i]:
			return value{err: mistake("%s: operand %d is %s, not %s", what, i+1, article(v.t), article(want[i]))}
		case v.f != nil && all.f != nil && v.f != all.f:
			return value{err: mistake("%s: operand %d has a local of function %s, another one of %s", what, i+1, v.f.name, all.f.name)}
		}
		if v.f != nil {
			all.f = v.f
		}
		all.code = append(all.code, v.code...)
	}
	return all
}

// article prepends a or an to the name of a type.
func article(t Type) string {
	if t == None {
		return "nothing"
	}
	if n := t.String(); n[0] == 'i' || n[0] == 'f' {
		return "an " + n
	}
	return "a " + t.String()
}

// Int returns a constant i32.
func Int(n int) Value {
	if n != int(int32(n)) && n != int(uint32(n)) {
		return value{err: mistake("i32.const: %d has more than 32 bits", n)}
	}
	return value{t: I32, code: appendSigned([]byte{0x41}, int64(int32(n)))}
}

// Int64 returns a constant i64.
func Int64(n int64) Value { return value{t: I64, code: appendSigned([]byte{0x42}, n)} }

// Float64 returns a constant f64.
func Float64(x float64) Value { return F64.Bits(math.Float64bits(x)) }

// Vector returns a constant v128.
func Vector(b [16]byte) Value { return value{t: V128, code: append([]byte{0xfd, 12}, b[:]...)} }

// Const returns a constant with x in each lane, rounded to the precision of a floating-point type. For an integer
// type, x must be an integer.
func (t Type) Const(x float64) Value {
	switch t.Lane() {
	case F32:
		return t.Bits(uint64(math.Float32bits(float32(x))))
	case F64:
		return t.Bits(math.Float64bits(x))
	case None:
		return value{err: mistake("%s.const: it has no lanes, take a shape", t)}
	}
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return value{err: mistake("%s.const: %v is not an integer", t, x)}
	}
	return t.Bits(uint64(int64(x)))
}

// Bits returns a constant with the low bits of b in each lane.
func (t Type) Bits(b uint64) Value {
	switch t {
	case None, V128:
		return value{err: mistake("%s.const: it has no lanes, take a shape", t)}
	case I32:
		return value{t: I32, code: appendSigned([]byte{0x41}, int64(int32(b)))}
	case I64:
		return value{t: I64, code: appendSigned([]byte{0x42}, int64(b))}
	case F32:
		return value{t: F32, code: binary.LittleEndian.AppendUint32([]byte{0x43}, uint32(b))}
	case F64:
		return value{t: F64, code: binary.LittleEndian.AppendUint64([]byte{0x44}, b)}
	}
	var all [16]byte
	n := shapes[t].bytes
	for i := range all {
		all[i] = byte(b >> (8 * (i % n)))
	}
	return Vector(all)
}

// Call calls a function that has one result, and returns this result as a Value.
func Call(f *Func, arguments ...Value) Value {
	v := f.call(arguments)
	if v.err == nil && len(f.results) != 1 {
		v.err = mistake("call of %s: it has %d results; a Value is one, Func.Call takes the others", f.name, len(f.results))
	}
	if v.err == nil {
		v.t = f.results[0]
	}
	return v
}

// Select returns the value a if the condition, an i32, is not 0, and otherwise the value b. Both values are computed.
func Select(condition, a, b Value) Value {
	var t Type
	if a != nil {
		t = a.value().t
	}
	v := join("select", []Type{t, t, I32}, []Value{a, b, condition})
	v.t, v.code = t, append(v.code, 0x1c, 1, shapes[t].code)
	return v
}

// appendAccess appends the immediate operands of an instruction that reads or writes the given number of bytes in
// memory: the alignment, which is only a hint, and the offset.
func appendAccess(code []byte, size, offset int) []byte {
	align := 0
	for 1<<align < size {
		align++
	}
	return binary.AppendUvarint(append(code, byte(align)), uint64(max(0, offset)))
}

// appendSigned appends a signed number in LEB128.
func appendSigned(b []byte, n int64) []byte {
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// mistake returns an error with the line of the first caller outside of this package.
func mistake(format string, a ...any) error {
	return fmt.Errorf("%s (%s)", fmt.Sprintf(format, a...), caller())
}

// here is the common prefix of the names of this package's functions.
var here = func() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	return name[:strings.LastIndex(name, "/wasm.")] + "/wasm."
}()

// caller returns the file and line of the first caller outside of this package. The package's tests
// count as outside.
func caller() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, here) || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "unknown line"
		}
	}
}
