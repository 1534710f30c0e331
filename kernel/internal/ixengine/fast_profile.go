package ixengine

import (
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"overcomplete/kernel/internal/regcode"
)

// While processor time is profiled, the same code runs as without a profile, native loops included. Register code
// itself says which line runs: at the beginning of a line it stores the line's node as the goroutine's label,
// with two ops. This takes half a nanosecond in native code. But each call has to find its nodes first, so a
// function that is called very often continues with code that marks no lines. From then on its time is credited
// to the line that calls it or, if compiled code calls it, to its first line.

// lineMarks holds the lines of a function, and the registers with which its register code marks, for a profile, the
// line that it is executing.
type lineMarks struct {
	lines []*profileLine
	of    map[ssa.Instruction]*profileLine // the lines of instructions, where they are known
	nodes uint16                           // register of P: the address of the lines' nodes for the current caller
	label uint16                           // register of P: the address of the goroutine's label
	outer uint16                           // register of P: the label of the caller
	node  uint16                           // register of N: the node of a line, as a number
}

// labelOffset is the offset of the label in a runtime.g.
//
//go:linkname labelOffset github.com/timandy/routine.offsetLabels
var labelOffset uintptr

func labelAddress() *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Add(getg(), labelOffset)) }

// takeMarks finds the lines of the function, and assigns the registers that are needed to mark these lines. Those
// registers come after the registers of all values.
func (c *fastCompiler) takeMarks() {
	m := &lineMarks{of: map[ssa.Instruction]*profileLine{}, nodes: c.taken.p, label: c.taken.p + 1, outer: c.taken.p + 2, node: c.taken.n}
	for _, b := range c.f.Blocks {
		for _, in := range b.Instrs {
			i, ok := c.at[in]
			if _, isPhi := in.(*ssa.Phi); !ok || isPhi {
				continue
			}
			at := c.profile.lineOf(c.f, i, in)
			if at == nil {
				continue
			}
			if m.of[in] = at; !slices.Contains(m.lines, at) {
				m.lines = append(m.lines, at)
			}
		}
	}
	if len(m.lines) > 0 {
		c.marks, c.markedAt = m, m.markedLines(c.f.Blocks)
		c.taken.p += 3
		c.taken.n++
	}
}

// markedLines returns, for each block, the line that is marked when the block begins. The line is nil if it is not the
// same on every path to the block.
func (m *lineMarks) markedLines(blocks []*ssa.BasicBlock) map[*ssa.BasicBlock]*profileLine {
	first, end := map[*ssa.BasicBlock]*profileLine{}, map[*ssa.BasicBlock]*profileLine{}
	for changed := true; changed; {
		changed = false
		for _, b := range blocks {
			var line *profileLine
			some := false
			for _, p := range b.Preds {
				before, known := end[p]
				if some && known && before != line {
					line = nil
					break
				}
				if known {
					line, some = before, true
				}
			}
			first[b] = line
			for _, in := range b.Instrs {
				if at := m.of[in]; at != nil {
					line = at
				}
			}
			old, known := end[b]
			end[b], changed = line, changed || !known || old != line
		}
	}
	return first
}

// marksNothing reports whether f runs for a profile without marking its lines.
func (f *fastFunc) marksNothing() bool {
	return f.profile != nil && f.begins != nil && f.Code.Load() == f.unmarked && !f.profile.over.Load()
}

// mark marks f's first line as running, for a call of f by compiled code. It returns the label that the goroutine had
// before, which is the caller's.
func (f *fastFunc) mark() (outer unsafe.Pointer) {
	outer = label()
	setLabel(unsafe.Pointer(f.latest.line(f.profile.current().callerOf(f.begins), f.begins)))
	return outer
}

// markCall emits an op for the beginning of each call. The op finds the profile's nodes that the function's lines have
// for the current caller. It also measures how often the function is called. If that is very often, later calls run
// code that marks no lines.
func (c *fastCompiler) markCall() {
	const (
		few   = 512
		often = few * 2 * time.Microsecond
	)
	f, m, profile := c.fastFunc, c.marks, c.profile
	var last atomic.Pointer[calledLines]
	var calls, since atomic.Int64
	c.help(func(_ *regcode.N, p *regcode.P) bool {
		if k := calls.Add(1); k%few == 1 {
			now := time.Since(profile.begin)
			if took := now - time.Duration(since.Swap(int64(now))); k > 1 && took < often {
				f.Code.Store(f.unmarked)
			}
		}
		label := labelAddress()
		if profile.over.Load() {
			label = &profile.noLabel
		}
		base := profile.current().callerOf(m.lines[0])
		called := last.Load()
		if called == nil || called.by != base {
			called = base.linesOf(m)
			last.Store(called)
		}
		p[m.label], p[m.outer], p[m.nodes] = unsafe.Pointer(label), *label, unsafe.Pointer(&called.nodes[0])
		return true
	}, 0)
}

// markLine emits the ops that mark the line of the given instruction, unless that line is marked already. The argument
// called marked is the line that was marked last. markLine returns the line that is marked afterwards. The ops store
// the address of the line's node as a number, without a write barrier, so that native code can execute them; the
// profile keeps the nodes alive.
func (c *fastCompiler) markLine(in ssa.Instruction, marked *profileLine) *profileLine {
	m := c.marks
	if m == nil {
		return nil
	}
	at := m.of[in]
	if at == nil || at == marked {
		return marked
	}
	c.emit(regcode.Op{Code: regcode.OpLoad64, D: m.node, A: m.nodes, Imm: int32(8 * slices.Index(m.lines, at))})
	c.emit(regcode.Op{Code: regcode.OpStore64, D: m.node, A: m.label})
	return at
}

// markReturn emits an op that sets the goroutine's profiling label back to the caller's label.
func (c *fastCompiler) markReturn() {
	if m := c.marks; m != nil {
		c.emit(regcode.Op{Code: regcode.OpStoreP, D: m.outer, A: m.label})
	}
}
