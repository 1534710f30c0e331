package regcode

import (
	"sync/atomic"
	"unsafe"
)

// An Op is one operation. Its fields are registers of N or P (depending on the opcode), jump targets, and
// sites.
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
	// NN and NP are the numbers of registers. The parameters are in the first ones of each file, leaf by leaf.
	NN, NP int
	// When a call begins, the constants are copied to the registers from AtConstN and AtConstP on.
	ConstN             []uint64
	ConstP             []unsafe.Pointer
	AtConstN, AtConstP int
	// ParamsP is the number of P registers for the parameters and the captured values.
	ParamsP int
	// Tables that ops index by Or.
	Calls   []Call
	Helpers []Helper
	Math1   []func(x float64) float64
	Math2   []func(x, y float64) float64
	Loops   []*Loop
	// Reads, if not nil, returns the registers that the host reads to execute a site, or a helper with that
	// site; those that nothing writes after the call has begun may be omitted. Native code keeps other
	// registers only for ops. The results are then in registers ResN and ResP.
	Reads      func(site int32) (n, p []uint16)
	ResN, ResP int

	run atomic.Pointer[program] // made at the first call
}

// A Func is a function that OpCallOf calls. Its code is compiled at its first call, or never.
type Func struct {
	Name string
	// Code is nil until the code has been compiled; until then the machine runs the op's site.
	Code atomic.Pointer[Code]
	// Host is the host's own data.
	Host any
}

// A Call lists the caller's registers for the leaves of the arguments, in the callee's order, and for the
// results, which the callee leaves in its first registers.
type Call struct {
	// Func is the callee of OpCallOf. The other calls find their callee at run time.
	Func *Func
	// Closure returns the closure for a func value, for OpCallFunc; nil leaves the call to the site.
	Closure func(fn unsafe.Pointer) *Closure
	// Methods finds the callee of OpCallMethod.
	Methods    *Methods
	ArgN, ArgP []uint16
	ResN, ResP []uint16
}

// A Helper does in Go what no op does. It reports whether it did it; if not, it has changed nothing, and the
// op's site runs.
type Helper func(n *N, p *P) bool

// N and P are the registers of one call. Their real sizes are Code.NN and Code.NP.
type (
	N [1 << 16]uint64
	P [1 << 16]unsafe.Pointer
)

// A Loop is the run-time state of a loop.
type Loop struct {
	At    int32  // index of its op
	Turns uint32 // turns in the machine, approximately; see Hot
	// Run is the native code, or nil while there is none.
	Run atomic.Pointer[Native]
	// Refused is set if there will be no native code.
	Refused atomic.Bool

	gain gain
}

// Native runs a loop from its op on, on the registers of a call. It returns the index of the op where the
// machine continues, and the approximate number of ops executed. It returns within about a millisecond: at the
// loop's own op if the loop has not ended.
type Native func(n *N, p *P) (at, ops int32)

// A Compiler compiles loops of c to native code; an error says why it cannot.
type Compiler interface {
	Compile(c *Code, l *Loop) (Native, error)
}

// A CallCompiler also compiles calls of functions that only compute. The native code returns at the call
// itself, with nothing changed, if the machine must make the call: because it takes too long, or because
// something in it fails.
type CallCompiler interface {
	Compiler
	CompileCall(c *Code, at int32) (Native, error)
}
