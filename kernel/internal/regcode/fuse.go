package regcode

import "slices"

//go:generate go run ./gen

// Opcodes used only in the machine's programs.
const (
	opNative     = opcodes + iota // a loop that has native code
	opNativeCall                  // a call that has native code
	opFloatInt64                  // OpFloatInt to a signed 64-bit integer
	// From here on, each opcode executes several ops. It replaces the opcode of the first op; the other ops
	// stay, because jumps, sites and native code may continue at any op.
	opSequences
)

// fusing is false in tests that compare fused sequences with single ops.
var fusing = true

// branchFalse marks a branch in a sequence: the next op of the sequence is the one at which execution continues if the
// branch's condition is false.
const branchFalse Opcode = 1 << 15

// A path is a node in the tree of sequences, which are lists of ops that a single opcode can execute. The sequences
// below a node begin with the same ops.
type path struct {
	next map[Opcode]*path
	// code is the opcode that executes all ops that lead here, or 0 if there is no such opcode.
	code Opcode
}

var paths = func() *path {
	root := &path{}
	for i, s := range sequences {
		at := root
		for _, code := range s {
			if at.next == nil {
				at.next = map[Opcode]*path{}
			}
			if at.next[code] == nil {
				at.next[code] = &path{}
			}
			at = at.next[code]
		}
		at.code = opSequences + Opcode(i)
	}
	return root
}()

// fuse looks for sequences in ops: lists of ops that a single opcode can execute. Each op that begins a sequence gets
// the opcode that executes the longest such sequence. The jumps in ops must already be distances in bytes.
func fuse(ops []Op) {
	was := slices.Clone(ops)
	for i := range ops {
		if code, _ := paths.longest(was, i, 0); code != 0 {
			ops[i].Code = code
		}
	}
}

// longest returns the opcode and the length of the longest sequence that passes through p and matches ops. Such a
// sequence begins with the ops that lead from the root to p, and continues with the ops executed from ops[i] on. If
// there is no such sequence, the opcode is 0. done is the number of ops that lead to p.
func (p *path) longest(ops []Op, i, done int) (code Opcode, length int) {
	if p == nil {
		return 0, 0
	}
	code, length = p.code, done
	if i >= len(ops) || p.next == nil {
		return code, length
	}
	o := &ops[i]
	try := func(as Opcode, distance int32) {
		if c, n := p.next[as].longest(ops, i+int(distance)/int(opSize), done+1); c != 0 && n > length {
			code, length = c, n
		}
	}
	switch {
	case o.Code >= OpIf && o.Code <= OpIfFLE:
		try(o.Code, o.To)
		try(o.Code|branchFalse, o.Or)
	case o.Code == OpJump:
		try(o.Code, o.To)
	default:
		try(o.Code, int32(opSize))
	}
	return code, length
}
