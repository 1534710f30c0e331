package regcode

import (
	"sync/atomic"
	"unsafe"
)

// An Op is one step. Its fields are registers of N or P, as the opcode says, jumps, and sites.
type Op struct {
	Code       Opcode
	D, A, B, C uint16
	_          uint16
	To, Or     int32
	Imm        int32
}

// Code is the register code of a function. Nothing changes in it after its first call.
type Code struct {
	Ops []Op
	// NN and NP are how many registers there are. The parameters are in the first ones of each file,
	// leaf by leaf.
	NN, NP int
	// The constants are copied to the registers from AtConstN and AtConstP on, when a call begins.
	ConstN             []uint64
	ConstP             []unsafe.Pointer
	AtConstN, AtConstP int
	// ParamsP is how many registers of P the parameters have, and what a closure captures.
	ParamsP int
	// What ops refer to by Or.
	Calls   []Call
	Helpers []Helper
	Math1   []func(x float64) float64
	Math2   []func(x, y float64) float64
	Loops   []*Loop
	// Reads says, if it is not nil, which registers the host reads to do a site, or a helper whose site it is;
	// those that nothing writes after the call has begun may be left out. Native code keeps others only for ops.
	// The results are then ResN and ResP registers.
	Reads      func(site int32) (n, p []uint16)
	ResN, ResP int

	run atomic.Pointer[program] // what the machine runs, made at the first call
}

// A Func is a function that OpCallOf calls. Its code is made at its first call, or never.
type Func struct {
	Name string
	// Code is nil until the code has been made; the machine calls the op's site until then.
	Code atomic.Pointer[Code]
	// Host is what the host keeps with it.
	Host any
}

// A Call says which registers of the caller are the leaves of the arguments, in the callee's order,
// and where the results go, which the callee leaves in its first registers.
type Call struct {
	// Func is what OpCallOf calls. The other calls find what they call.
	Func *Func
	// Closure finds what a func value is, for OpCallFunc; nil leaves the call to the site.
	Closure func(fn unsafe.Pointer) *Closure
	// Methods are what OpCallMethod may call.
	Methods    *Methods
	ArgN, ArgP []uint16
	ResN, ResP []uint16
}

// A Helper does in Go what no op does. It reports whether it has done it; if not, it has changed
// nothing, and the op's site is run.
type Helper func(n *N, p *P) bool

// N and P are the registers of one call. Their true size is Code.NN and Code.NP.
type (
	N [1 << 16]uint64
	P [1 << 16]unsafe.Pointer
)

// A Loop is what is known of a loop.
type Loop struct {
	At    int32  // where its op stands
	Turns uint32 // in the machine, about: see Hot
	// Run is the native code, nil as long as there is none.
	Run atomic.Pointer[Native]
	// Refused is set when there will be none.
	Refused atomic.Bool

	gain gain
}

// Native runs a loop from its op on, on the registers of a call, and returns the index of the op at
// which the machine goes on, and about how many ops it has done. It comes back within about a
// millisecond: at the loop's own op if the loop has not ended.
type Native func(n *N, p *P) (at, ops int32)

// A Compiler makes native code of a loop of c; an error says why not.
type Compiler interface {
	Compile(c *Code, l *Loop) (Native, error)
}

// A CallCompiler makes native code of calls, too, of functions that only compute. It comes back at the call
// itself, with nothing changed, if the call is to be done by the machine after all: it takes too long, or
// something in it fails.
type CallCompiler interface {
	Compiler
	CompileCall(c *Code, at int32) (Native, error)
}
