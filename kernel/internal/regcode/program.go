package regcode

import "unsafe"

// A program is the machine's form of a Code: the same ops, with jumps as distances in bytes, and with faster
// opcodes where there are any.
type program struct {
	ops []Op
	// lengths holds the number of ops of each loop of the Code.
	lengths []int
	calls   []hotCall // calls, in the order of Code.Calls
	// setP is 1 plus the highest P register that a call or an op sets.
	setP int
}

const opSize = unsafe.Sizeof(Op{})

// program returns the program of c.
func (c *Code) program() *program {
	if p := c.run.Load(); p != nil {
		return p
	}
	p := newProgram(c)
	if !c.run.CompareAndSwap(nil, p) {
		p = c.run.Load() // another goroutine has made the program, and may be using it
	}
	return p
}

// Verifying is set by tests of hosts. If it is true, all code is verified when it is first called, and the call panics
// if the code is invalid.
var Verifying bool

func newProgram(c *Code) *program {
	if Verifying {
		if err := c.Verify(); err != nil {
			panic(err)
		}
	}
	p := &program{ops: append([]Op(nil), c.Ops...), lengths: make([]int, len(c.Loops)), calls: make([]hotCall, len(c.Calls)), setP: c.ParamsP}
	for i := range p.ops {
		o := &p.ops[i]
		p.sets(c, *o)
		switch {
		case o.Code >= OpIf && o.Code <= OpIfFLE:
			p.jump(c, i, &o.To)
			p.jump(c, i, &o.Or)
		case o.Code == OpJump:
			p.jump(c, i, &o.To)
		case o.Code.calls():
			o.Imm = int32(i + 1) // index of the op at which execution continues after the call
		case o.Code == OpFloatInt && signed64(o.B):
			o.Code = opFloatInt64
		}
	}
	if fusing {
		fuse(p.ops)
	}
	return p
}

// sets updates p.setP for the P registers that o sets.
func (p *program) sets(c *Code, o Op) {
	if infos[o.Code].shape&toP != 0 {
		p.setP = max(p.setP, int(o.D)+1)
	}
	if o.Code.calls() {
		for _, r := range c.Calls[o.Or].ResP {
			p.setP = max(p.setP, int(r)+1)
		}
	}
}

// jump converts *to, a jump target of op i, from an index to a distance in bytes. If the jump goes back to the start
// of a loop, jump also updates the length of the loop.
func (p *program) jump(c *Code, i int, to *int32) {
	if at := int(*to); at <= i && c.Ops[at].Code == OpLoop {
		loop := c.Ops[at].Or
		p.lengths[loop] = max(p.lengths[loop], i-at+1)
	}
	*to = (*to - int32(i)) * int32(opSize)
}

// op returns op i.
func (p *program) op(i int32) *Op { return &p.ops[i] }

// index returns the index of o.
func (p *program) index(o *Op) int32 {
	return int32((uintptr(unsafe.Pointer(o)) - uintptr(unsafe.Pointer(&p.ops[0]))) / opSize)
}
