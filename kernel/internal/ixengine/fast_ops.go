package ixengine

import (
	"go/token"
	"reflect"

	"golang.org/x/tools/go/ssa"

	rc "overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// instr emits the ops of one instruction of block b.
func (c *fastCompiler) instr(b *ssa.BasicBlock, in ssa.Instruction) {
	if v, ok := in.(ssa.Value); ok && c.pinned[v] && c.defers == nil {
		c.leave(in)
		return
	}
	if c.onLocal(b, in) {
		return
	}
	if !c.translate(b, in) {
		c.leave(in)
	}
}

// translate emits the ops of in, an instruction of block b. It returns false if there are no ops for in.
func (c *fastCompiler) translate(b *ssa.BasicBlock, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Phi, *ssa.DebugRef: // phis are handled on the edges into the block
	case *ssa.Jump:
		c.jump(b, 0, -1, false)
	case *ssa.If:
		c.branch(b, in)
	case *ssa.Return:
		c.ret(in)
	case *ssa.Panic:
		c.inRegisters(in.X)
		c.emit(rc.Op{Code: rc.OpDo, To: c.panicking(in)})
	case *ssa.Field:
		if c.isOfBox(in) {
			return c.fieldOfBox(in)
		}
		return c.has(in)
	case *ssa.Extract, *ssa.ChangeType, *ssa.ChangeInterface:
		return c.has(in.(ssa.Value))
	case *ssa.BinOp:
		return c.binOp(in)
	case *ssa.UnOp:
		if !c.isCopy(in) {
			return c.copyValue(b, in) || c.unOp(in)
		}
		c.copyArray(in, c.copies[in])
	case *ssa.Go:
		return c.goStatement(in)
	case *ssa.Defer:
		if !c.deferCall(in) {
			c.cannotDefer(in)
		}
	case *ssa.RunDefers:
		return c.runDefers(in)
	case *ssa.Send:
		return c.send(in)
	case *ssa.Select:
		return c.selectStatement(in)
	case *ssa.MakeChan:
		return c.makeChan(in)
	case *ssa.SliceToArrayPointer:
		return c.arrayOfSlice(in)
	case *ssa.Convert:
		return c.convert(in)
	case *ssa.Store:
		return c.store(in)
	case *ssa.Alloc:
		return c.takeSingle(b, in) || c.alloc(in)
	case *ssa.IndexAddr:
		return c.indexAddr(b, in)
	case *ssa.FieldAddr:
		return c.fieldAddr(in)
	case *ssa.Index:
		array, ok := in.X.(*ssa.UnOp)
		if !ok || !c.isCopy(array) {
			return c.index1(in)
		}
		c.elementOfCopy(in, c.copies[array])
	case *ssa.Slice:
		return c.slice(in)
	case *ssa.MakeSlice:
		return c.makeSlice(in)
	case *ssa.MakeMap:
		return c.makeMap(in)
	case *ssa.MakeInterface:
		return c.makeInterface(in)
	case *ssa.TypeAssert:
		return c.typeAssert(in)
	case *ssa.Lookup:
		return c.lookup(b, in)
	case *ssa.MapUpdate:
		return c.mapUpdate(in)
	case *ssa.Range:
		return c.rangeOver(in)
	case *ssa.Next:
		return c.next(in)
	case *ssa.MakeClosure:
		return c.makeClosure(in)
	case *ssa.Call:
		return c.call(in)
	default:
		return false
	}
	return true
}

func (c *fastCompiler) ret(in *ssa.Return) {
	var moves []move
	for i, v := range in.Results {
		regs, ok := c.regs(v)
		if !ok {
			c.refuse("%v has no registers", v)
		}
		moves = append(moves, c.moveTo(c.results[i].shape, c.results[i].regs, regs)...)
	}
	c.markReturn()
	c.moves(moves)
	c.emit(rc.Op{Code: rc.OpReturn})
}

func (c *fastCompiler) branch(b *ssa.BasicBlock, in *ssa.If) {
	op, not := rc.Op{Code: rc.OpIf, A: c.reg(in.Cond)}, false
	if cmp, ok := in.Cond.(*ssa.BinOp); ok && c.done[cmp] {
		op, not = c.comparing(cmp)
		op.Code -= rc.OpEQ - rc.OpIfEQ // the branch with the same comparison
	}
	at := c.emit(op)
	c.jump(b, 0, at, not)
	c.jump(b, 1, at, !not)
}

// joined reports whether b, a comparison of numbers, can form one op with the If instruction that directly follows it.
// The If must be the comparison's only use.
func (c *fastCompiler) joined(b *ssa.BinOp) bool {
	if len(*b.Referrers()) != 1 || numberOf(b.X.Type()) == reflect.Float32 {
		return false
	}
	in, ok := (*b.Referrers())[0].(*ssa.If)
	list := b.Block().Instrs
	return ok && in.Block() == b.Block() && len(list) > 1 && list[len(list)-2] == ssa.Instruction(b)
}

// comparing returns the op for a comparison of numbers, and whether its result must be negated.
func (c *fastCompiler) comparing(in *ssa.BinOp) (op rc.Op, not bool) {
	k := numberOf(in.X.Type())
	o, x, y := in.Op, c.reg(in.X), c.reg(in.Y)
	if o == token.GTR || o == token.GEQ {
		o = map[token.Token]token.Token{token.GTR: token.LSS, token.GEQ: token.LEQ}[o]
		x, y = y, x
	}
	codes := [...]rc.Opcode{rc.OpEQ, rc.OpLT, rc.OpLE}
	switch {
	case k == reflect.Float64:
		codes = [...]rc.Opcode{rc.OpFEQ, rc.OpFLT, rc.OpFLE}
	case k == reflect.Float32:
		codes = [...]rc.Opcode{rc.OpEQ32, rc.OpLT32, rc.OpLE32}
	case !isSigned(k):
		codes = [...]rc.Opcode{rc.OpEQ, rc.OpLTU, rc.OpLEU}
	}
	op = rc.Op{A: x, B: y, Code: codes[0]}
	switch o {
	case token.LSS:
		op.Code = codes[1]
	case token.LEQ:
		op.Code = codes[2]
	}
	return op, o == token.NEQ
}

func isComparison(o token.Token) bool {
	switch o {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

func (c *fastCompiler) binOp(in *ssa.BinOp) bool {
	if !c.has(in, in.X, in.Y) {
		return false
	}
	k := numberOf(in.X.Type())
	d := c.reg(in)
	switch {
	case isComparison(in.Op) && k != reflect.Invalid:
		if c.joined(in) {
			c.done[in] = true
			return true
		}
		op, not := c.comparing(in)
		op.D = d
		c.emit(op)
		if not {
			c.emit(rc.Op{Code: rc.OpNot, D: d, A: d})
		}
		return true
	case isComparison(in.Op):
		return c.compareOthers(in)
	case isString(in.Type()):
		return c.concat(in)
	case isComplex(in.Type()):
		return c.complexOp(in)
	case k == reflect.Invalid:
		return false
	}
	op := rc.Op{D: d, A: c.reg(in.X), B: c.reg(in.Y)}
	switch in.Op {
	case token.SHL, token.SHR:
		op.Code = rc.OpShl
		if in.Op == token.SHR {
			op.Code = rc.OpShrU
			if isSigned(k) {
				op.Code = rc.OpShr
			}
		}
		if isSigned(numberOf(in.Y.Type())) {
			op.C = 1
		}
		if y, ok := in.Y.(*ssa.Const); ok && (op.C == 0 || y.Int64() >= 0) {
			op.C = 0
		} else if op.C == 1 {
			op.To = c.panicking(in)
		}
		c.emit(op)
		c.cut(d, d, k)
		return true
	}
	switch k {
	case reflect.Float64:
		op.Code = map[token.Token]rc.Opcode{token.ADD: rc.OpFAdd, token.SUB: rc.OpFSub, token.MUL: rc.OpFMul, token.QUO: rc.OpFDiv}[in.Op]
	case reflect.Float32:
		op.Code = map[token.Token]rc.Opcode{token.ADD: rc.OpAdd32, token.SUB: rc.OpSub32, token.MUL: rc.OpMul32, token.QUO: rc.OpDiv32}[in.Op]
	default:
		op.Code = map[token.Token]rc.Opcode{token.ADD: rc.OpAdd, token.SUB: rc.OpSub, token.MUL: rc.OpMul, token.AND: rc.OpAnd, token.OR: rc.OpOr,
			token.XOR: rc.OpXor, token.AND_NOT: rc.OpAndNot, token.QUO: rc.OpDivU, token.REM: rc.OpRemU}[in.Op]
		if in.Op == token.QUO || in.Op == token.REM {
			if isSigned(k) {
				op.Code = map[token.Token]rc.Opcode{token.QUO: rc.OpDiv, token.REM: rc.OpRem}[in.Op]
			}
			op.To = c.panicking(in)
		}
	}
	if op.Code == 0 {
		return false
	}
	c.emit(op)
	c.cut(d, d, k)
	return true
}

// help emits an op that calls the helper h, and runs the site if h returns false.
func (c *fastCompiler) help(h rc.Helper, site int32) {
	c.code.Helpers = append(c.code.Helpers, h)
	c.emit(rc.Op{Code: rc.OpHelp, Or: int32(len(c.code.Helpers) - 1), To: site})
}

func (c *fastCompiler) concat(in *ssa.BinOp) bool {
	if in.Op != token.ADD {
		return false
	}
	x, y, d := c.all(in.X), c.all(in.Y), c.all(in)
	xp, xn, yp, yn, dp, dn := x[0], x[1], y[0], y[1], d[0], d[1]
	c.help(func(n *rc.N, p *rc.P) bool {
		if n[xn]+n[yn] > refuseFrom {
			return false // at the site, the interpreter checks the memory first
		}
		p[dp], n[dn] = rt.StringLeaves(rt.String(p[xp], n[xn]) + rt.String(p[yp], n[yn]))
		return true
	}, c.site(in))
	return true
}

// cut emits an op that truncates the number in register a to kind k and puts the result into register d.
func (c *fastCompiler) cut(d, a uint16, k reflect.Kind) {
	code := map[reflect.Kind]rc.Opcode{reflect.Int8: rc.OpInt8, reflect.Int16: rc.OpInt16, reflect.Int32: rc.OpInt32,
		reflect.Uint8: rc.OpUint8, reflect.Uint16: rc.OpUint16, reflect.Uint32: rc.OpUint32}[k]
	if code != 0 {
		c.emit(rc.Op{Code: code, D: d, A: a})
	} else if d != a {
		c.emit(rc.Op{Code: rc.OpMove, D: d, A: a})
	}
}

func (c *fastCompiler) unOp(in *ssa.UnOp) bool {
	if in.Op == token.MUL {
		return c.load(in)
	}
	if in.Op == token.ARROW {
		return c.receive(in)
	}
	if !c.has(in, in.X) {
		return false
	}
	k := numberOf(in.Type())
	if k == reflect.Invalid {
		if isComplex(in.Type()) && in.Op == token.SUB {
			c.negateComplex(in)
			return true
		}
		return false
	}
	code := rc.OpNot
	switch {
	case in.Op == token.SUB && k == reflect.Float64:
		code = rc.OpFNeg
	case in.Op == token.SUB && k == reflect.Float32:
		code = rc.OpNeg32
	case in.Op == token.SUB:
		code = rc.OpNeg
	case in.Op == token.XOR:
		code = rc.OpCom
	}
	d := c.reg(in)
	c.emit(rc.Op{Code: code, D: d, A: c.reg(in.X)})
	c.cut(d, d, k)
	return true
}

func (c *fastCompiler) convert(in *ssa.Convert) bool {
	if !c.has(in, in.X) {
		return false
	}
	to, from := numberOf(in.Type()), numberOf(in.X.Type())
	if to == reflect.Invalid || from == reflect.Invalid {
		return c.convertPointer(in) || c.convertText(in)
	}
	op := rc.Op{D: c.reg(in), A: c.reg(in.X)}
	switch {
	case to == from:
		op.Code = rc.OpMove
	case isInteger(from) && isInteger(to):
		c.cut(op.D, op.A, to)
		return true
	case isInteger(from) && to == reflect.Float64:
		op.Code = rc.OpUintFloat
		if isSigned(from) {
			op.Code = rc.OpIntFloat
		}
	case isInteger(from):
		op.Code = rc.OpUintFloat32
		if isSigned(from) {
			op.Code = rc.OpIntFloat32
		}
	case to == reflect.Float32:
		op.Code = rc.OpFloatFloat32
	case to == reflect.Float64:
		op.Code = rc.OpFloat32Float
	case from == reflect.Float64:
		op.Code, op.B = rc.OpFloatInt, uint16(to)
	default:
		op.Code, op.B = rc.OpFloat32Int, uint16(to)
	}
	c.emit(op)
	return true
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
