package regcode

import (
	"sync/atomic"
	"unsafe"
)

// An Op is one operation. The opcode determines what the other fields mean: D, A, B and C are mostly registers of N or
// P; To is a jump target or the number of a site; Or is a jump target or an index into a table of the Code; Imm is a
// number such as an offset. See Opcode.
type Op struct {
	Code       Opcode
	D, A, B, C uint16
	_          uint16
	To, Or     int32
	Imm        int32
}

// Code is the register code of a function. It is immutable after its first call.
type Code struct {
	Ops []Op
	// NN and NP are the numbers of registers. The leaves of the parameters are in the first registers of each register
	// file.
	NN, NP int
	// When a call begins, the constants are copied to the registers that begin at n[AtConstN] and
	// p[AtConstP].
	ConstN             []uint64
	ConstP             []unsafe.Pointer
	AtConstN, AtConstP int
	// ParamsP is the number of P registers for the parameters and the captured values.
	ParamsP int
	// LocalsP is 1 plus the index of the highest P register that a call may set, not counting constants. 0 means all
	// registers before the constants.
	LocalsP int
	// Most is the maximum number of chunks in which the function makes calls; 0 means MostChunks.
	Most int16
	// The field Or of an op is an index into one of these tables.
	Calls   []Call
	Helpers []Helper
	Math1   []func(x float64) float64
	Math2   []func(x, y float64) float64
	Loops   []*Loop
	Itabs   []*Itabs

	run atomic.Pointer[program] // made by the first call
}

// A Func is a function in register code. Its code is compiled when it is first called, or never.
type Func struct {
	Name string
	// Code is nil until the code has been compiled. While it is nil, an op that calls the function fails, and
	// the op's site makes the call.
	Code atomic.Pointer[Code]
	// Host is data of the host.
	Host any
}

// A Call lists the caller's registers: the registers of the leaves of the arguments, in the callee's order,
// and the registers that receive the results. The callee returns the results in its first registers.
type Call struct {
	// Func is the callee of OpCallOf. The other calls find their callee at run time.
	Func *Func
	// Closure returns the closure for a func value, for OpCallFunc. If it returns nil, the site makes the
	// call.
	Closure func(fn unsafe.Pointer) *Closure
	// Layout says where native code finds the closure in a func value. It is nil if native code cannot find the
	// closure.
	Layout *FuncLayout
	// Methods finds the callee of OpCallMethod.
	Methods    *Methods
	ArgN, ArgP []uint16
	ResN, ResP []uint16
}

// A Helper is a Go function that does work for which there is no op. If it returns false, it has changed
// nothing, and the op's site runs.
type Helper func(n *N, p *P) bool

// N and P are the registers of one call. The actual numbers of registers are Code.NN and Code.NP.
type (
	N [1 << 16]uint64
	P [1 << 16]unsafe.Pointer
)

// A Loop is the run-time state of a loop.
type Loop struct {
	At    int32  // index of its op
	Turns uint32 // iterations in the machine, approximately; see Hot
	// Run is the native code, or nil while there is none.
	Run atomic.Pointer[Native]
	// Refused is set if there will be no native code.
	Refused atomic.Bool

	gain gain
}

// Native is the native code of a loop; for that of a call, see CallCompiler. It runs the loop from the loop's op on,
// with the registers n and p of m's top call. It returns the index of the op where the machine continues, and the
// approximate number of ops executed. It returns within about a millisecond. If the loop has not ended by then, the
// index is that of the loop's own op.
//
// The native code may contain functions that the loop calls. If it stops inside such a function, it passes the calls
// that have not returned to Machine.Enter. The index is then that of an op of the innermost function.
type Native func(m *Machine, n *N, p *P) (at, ops int32)

// A Compiler compiles the loop l of c to native code. If it cannot, the error says why.
type Compiler interface {
	Compile(c *Code, l *Loop) (Native, error)
}

// A CallCompiler also compiles single calls, if the called function only computes: it writes no memory, and has no op
// that needs the machine. CompileCall compiles the call at c.Ops[at]. The native code gives up the call if it takes
// too long or if an op in it fails. Native code that gives up changes nothing and returns the index of the call's own
// op; the machine then makes the call.
type CallCompiler interface {
	Compiler
	CompileCall(c *Code, at int32) (Native, error)
}
