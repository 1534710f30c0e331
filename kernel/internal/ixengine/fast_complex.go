package ixengine

import (
	"go/token"
	"go/types"
	"math"
	"reflect"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
)

func isComplex(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Complex128 || b.Kind() == types.Complex64)
}

// complexOp compiles complex arithmetic that gives the same results as compiled Go. Sums, differences and
// products of complex128 are computed by ops, without fused multiply-add; all other operations call compiled
// Go.
func (c *fastCompiler) complexOp(in *ssa.BinOp) bool {
	x, y, d := c.all(in.X), c.all(in.Y), c.all(in)
	if c.shapes.get(in.Type()).leaves[0].kind == reflect.Float32 {
		return c.complex64Op(in)
	}
	op := func(code rc.Opcode, d, a, b uint16) { c.emit(rc.Op{Code: code, D: d, A: a, B: b}) }
	switch in.Op {
	case token.ADD:
		op(rc.OpFAdd, d[0], x[0], y[0])
		op(rc.OpFAdd, d[1], x[1], y[1])
	case token.SUB:
		op(rc.OpFSub, d[0], x[0], y[0])
		op(rc.OpFSub, d[1], x[1], y[1])
	case token.MUL:
		t, u := c.temp(false, 0), c.temp(false, 1)
		op(rc.OpFMul, d[0], x[0], y[0])
		op(rc.OpFMul, t, x[1], y[1])
		op(rc.OpFSub, d[0], d[0], t)
		op(rc.OpFMul, d[1], x[0], y[1])
		op(rc.OpFMul, u, x[1], y[0])
		op(rc.OpFAdd, d[1], d[1], u)
	case token.QUO:
		c.help(func(n *rc.N, _ *rc.P) bool {
			z := complexIn(n, x) / complexIn(n, y)
			n[d[0]], n[d[1]] = math.Float64bits(real(z)), math.Float64bits(imag(z))
			return true
		}, c.site(in))
	default:
		return false
	}
	return true
}

func complexIn(n *rc.N, regs []uint16) complex128 {
	return complex(math.Float64frombits(n[regs[0]]), math.Float64frombits(n[regs[1]]))
}

func (c *fastCompiler) complex64Op(in *ssa.BinOp) bool {
	compute := map[token.Token]func(x, y complex64) complex64{
		token.ADD: func(x, y complex64) complex64 { return x + y },
		token.SUB: func(x, y complex64) complex64 { return x - y },
		token.MUL: func(x, y complex64) complex64 { return x * y },
		token.QUO: func(x, y complex64) complex64 { return x / y },
	}[in.Op]
	if compute == nil {
		return false
	}
	x, y, d := c.all(in.X), c.all(in.Y), c.all(in)
	c.help(func(n *rc.N, _ *rc.P) bool {
		z := compute(complex64In(n, x), complex64In(n, y))
		n[d[0]], n[d[1]] = uint64(math.Float32bits(real(z))), uint64(math.Float32bits(imag(z)))
		return true
	}, c.site(in))
	return true
}

func complex64In(n *rc.N, regs []uint16) complex64 {
	return complex(math.Float32frombits(uint32(n[regs[0]])), math.Float32frombits(uint32(n[regs[1]])))
}

// negateComplex compiles the negation of a complex number.
func (c *fastCompiler) negateComplex(in *ssa.UnOp) {
	code := rc.OpFNeg
	if c.shapes.get(in.Type()).leaves[0].kind == reflect.Float32 {
		code = rc.OpNeg32
	}
	d, x := c.all(in), c.all(in.X)
	c.emit(rc.Op{Code: code, D: d[0], A: x[0]})
	c.emit(rc.Op{Code: code, D: d[1], A: x[1]})
}
