package ixengine

import (
	"go/types"
	"math"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

var math1 = map[string]func(float64) float64{
	"Abs": math.Abs, "Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh, "Atan": math.Atan, "Atanh": math.Atanh,
	"Cbrt": math.Cbrt, "Ceil": math.Ceil, "Cos": math.Cos, "Cosh": math.Cosh, "Erf": math.Erf, "Erfc": math.Erfc, "Erfinv": math.Erfinv,
	"Exp": math.Exp, "Exp2": math.Exp2, "Expm1": math.Expm1, "Floor": math.Floor, "Gamma": math.Gamma, "Log": math.Log, "Log10": math.Log10,
	"Log1p": math.Log1p, "Log2": math.Log2, "Round": math.Round, "RoundToEven": math.RoundToEven, "Sin": math.Sin, "Sinh": math.Sinh,
	"Sqrt": math.Sqrt, "Tan": math.Tan, "Tanh": math.Tanh, "Trunc": math.Trunc,
}

var math2 = map[string]func(x, y float64) float64{
	"Atan2": math.Atan2, "Copysign": math.Copysign, "Dim": math.Dim, "Hypot": math.Hypot, "Max": math.Max, "Min": math.Min, "Mod": math.Mod,
	"Pow": math.Pow, "Remainder": math.Remainder,
}

// exact maps functions of package math to the single instructions that implement them.
var exact = map[string]rc.Opcode{"Sqrt": rc.OpSqrt, "Abs": rc.OpFAbs, "Floor": rc.OpFFloor, "Ceil": rc.OpFCeil, "Trunc": rc.OpFTrunc, "RoundToEven": rc.OpFNearest}

// inMath returns f as a Go function if f is a function of package math that register code can call. The first result
// is for functions with one parameter, the second for those with two; the other result is nil. For any other function,
// both are nil.
func inMath(f *ssa.Function) (func(float64) float64, func(x, y float64) float64) {
	if f.Pkg == nil || f.Pkg.Pkg.Path() != "math" || f.Blocks != nil {
		return nil, nil
	}
	return math1[f.Name()], math2[f.Name()]
}

func (c *fastCompiler) call(in *ssa.Call) bool {
	if in.Call.IsInvoke() {
		return c.invoke(in)
	}
	switch f := in.Call.Value.(type) {
	case *ssa.Builtin:
		return c.builtin(in, f.Name())
	case *ssa.Function:
		f1, f2 := inMath(f)
		switch {
		case f1 != nil:
			if code, ok := exact[f.Name()]; ok {
				c.emit(rc.Op{Code: code, D: c.reg(in), A: c.reg(in.Call.Args[0])})
				return true
			}
			c.code.Math1 = append(c.code.Math1, f1)
			c.emit(rc.Op{Code: rc.OpCall1, D: c.reg(in), A: c.reg(in.Call.Args[0]), Or: int32(len(c.code.Math1) - 1)})
			return true
		case f2 != nil:
			c.code.Math2 = append(c.code.Math2, f2)
			c.emit(rc.Op{Code: rc.OpCall2, D: c.reg(in), A: c.reg(in.Call.Args[0]), B: c.reg(in.Call.Args[1]), Or: int32(len(c.code.Math2) - 1)})
			return true
		}
		if hostFunction(in) == "Poll" {
			stop := c.session.stop
			c.emit(rc.Op{Code: rc.OpDo, To: c.ownSite(in, func(at here, _ *rc.N, _ *rc.P) bool {
				stop.poll(at.frame())
				return true
			})})
			return true
		}
		if f.Blocks == nil {
			return c.callCompiled(in, f)
		}
		return c.callFunction(in, f, nil)
	case *ssa.MakeClosure:
		return c.callFunction(in, f.Fn.(*ssa.Function), f.Bindings)
	}
	return c.callValue(in)
}

// callFunction compiles a call of f, a function of the program, and returns false if the interpreter must execute the
// call. If f is a function literal, bindings are the values that it captures.
func (c *fastCompiler) callFunction(in *ssa.Call, f *ssa.Function, bindings []ssa.Value) bool {
	callee := c.known[f]
	if callee == nil || !callee.callable() {
		return false
	}
	k := rc.Call{Func: &callee.Func}
	if !c.passes(&k, in, bindings) {
		return false
	}
	c.emitCall(k, rc.Op{Code: rc.OpCallOf}, in)
	return true
}

func (c *fastCompiler) builtin(in *ssa.Call, name string) bool {
	args := in.Call.Args
	if !c.has(args...) {
		return false
	}
	switch name {
	case "recover":
		c.recover(in)
		return true
	case "close":
		return c.chanBuiltin(in, name)
	case "len", "cap":
		switch u := args[0].Type().Underlying().(type) {
		case *types.Slice:
			i := 1
			if name == "cap" {
				i = 2
			}
			c.emit(rc.Op{Code: rc.OpMove, D: c.reg(in), A: c.all(args[0])[i]})
			return true
		case *types.Basic:
			if u.Kind() == types.String {
				c.emit(rc.Op{Code: rc.OpMove, D: c.reg(in), A: c.all(args[0])[1]})
				return true
			}
		case *types.Chan:
			return c.chanBuiltin(in, name)
		case *types.Map:
			d, m, s := c.reg(in), c.reg(args[0]), c.session
			c.help(func(n *rc.N, p *rc.P) bool {
				if !s.alone() {
					return false
				}
				n[d] = uint64(rt.Len(p[m]))
				return true
			}, c.site(in))
			return true
		}
		return false
	case "append":
		return c.appendTo(in)
	case "clear":
		return c.clearAll(in)
	case "delete":
		return c.delete(in)
	case "copy":
		return c.copyTo(in)
	case "min", "max":
		return c.minMax(in, name)
	case "real", "imag":
		if isComplex(args[0].Type()) {
			x := c.all(args[0])
			i := 0
			if name == "imag" {
				i = 1
			}
			c.emit(rc.Op{Code: rc.OpMove, D: c.reg(in), A: x[i]})
			return true
		}
	case "complex":
		if isComplex(in.Type()) {
			d := c.all(in)
			c.moves([]move{{false, d[0], c.reg(args[0])}, {false, d[1], c.reg(args[1])}})
			return true
		}
	}
	return false
}

// recover compiles a call of the builtin recover. The call can recover a panic only in deferred calls, which the
// interpreter runs during a panic. While no goroutine of the program is running such calls, the code returns nil at
// once; otherwise the interpreter executes the call.
func (c *fastCompiler) recover(in *ssa.Call) {
	d, panics, handed := c.all(in), c.temp(false, 0), c.temp(false, 1)
	c.emit(rc.Op{Code: rc.OpLoad32, D: panics, A: c.pointer(unsafe.Pointer(deferCount(c.interp)))})
	c.emit(rc.Op{Code: rc.OpLoad32, D: handed, A: c.pointer(unsafe.Pointer(&c.session.handovers.n))})
	c.emit(rc.Op{Code: rc.OpOr, D: panics, A: panics, B: handed})
	at := c.emit(rc.Op{Code: rc.OpIf, A: panics})
	c.code.Ops[at].To = c.emit(rc.Op{Code: rc.OpDo, To: c.site(in)})
	skip := c.emit(rc.Op{Code: rc.OpJump})
	c.code.Ops[at].Or = c.emit(rc.Op{Code: rc.OpMoveP, D: d[0], A: c.pointer(nil)})
	c.code.Ops[skip].To = c.emit(rc.Op{Code: rc.OpMoveP, D: d[1], A: c.pointer(nil)}) + 1
}

func (c *fastCompiler) minMax(in *ssa.Call, name string) bool {
	k := numberOf(in.Type())
	args := in.Call.Args
	if k == reflect.Invalid || k == reflect.Float32 {
		return false
	}
	d, acc := c.reg(in), c.reg(args[0])
	if len(args) == 1 {
		c.emit(rc.Op{Code: rc.OpMove, D: d, A: acc})
		return true
	}
	if k == reflect.Float64 {
		code := rc.OpFMin
		if name == "max" {
			code = rc.OpFMax
		}
		for _, a := range args[1:] {
			c.emit(rc.Op{Code: code, D: d, A: acc, B: c.reg(a)})
			acc = d
		}
		return true
	}
	less := rc.OpIfLT
	if !isSigned(k) {
		less = rc.OpIfLTU
	}
	// The register d is not one of the arguments' registers, because the call's result has its own registers.
	c.emit(rc.Op{Code: rc.OpMove, D: d, A: acc})
	for _, a := range args[1:] {
		x, y := c.reg(a), d
		if name == "max" {
			x, y = y, x
		}
		at := c.emit(rc.Op{Code: less, A: x, B: y})
		c.code.Ops[at].To, c.code.Ops[at].Or = at+1, at+2
		c.emit(rc.Op{Code: rc.OpMove, D: d, A: c.reg(a)})
	}
	return true
}
