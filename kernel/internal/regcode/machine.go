package regcode

import (
	"runtime"
	"sync"
	"unsafe"
)

// A Host executes what register code cannot.
type Host interface {
	// Do executes a site of m's top call. When it returns, the results are in the registers, and the machine
	// continues at the call's PC, which Do may change. Do may panic; then the machine is abandoned. Do must
	// not call register code with the same machine.
	Do(m *Machine, site int32)
	// Left is called when a call with a Frame has returned. For the outermost call it is called by Pop.
	Left(a *Activation)
}

// An Activation is an active call.
type Activation struct {
	Func *Func
	Code *Code
	// N and P do not move while the call is active.
	N  *N
	P  *P
	PC int32 // index of the op after the op that makes a call or runs a site
	// chunk is the index of the chunk that holds the registers.
	chunk int16
	// special is set if Machine.back must handle the return: because the call may have set registers that its
	// ops do not name, because the caller's registers are in another chunk, or because there is no caller.
	special bool
	// Frame is the interpreter's frame of the call, or nil if the call has none yet.
	Frame unsafe.Pointer
	// call is the call that was made, and ret the op at which the caller continues.
	call *Call
	ret  *Op
}

// A Machine runs register code for one goroutine. A call from Go is
//
//	m := Get(host)
//	a := m.Push(f, code, frame)
//	// put the arguments' leaves into the first registers of a.N and a.P
//	m.Run()
//	// take the results' leaves from there
//	m.Pop()
//	m.Put()
//
// If Run panics, the machine must not be used again, except to continue with Unwind and Return.
type Machine struct {
	Host Host
	// Stack holds the active calls, outermost first. It is reallocated when it grows.
	Stack []Activation

	chunks []chunk
	// endN and endP are the end addresses of the registers in the top call's chunk.
	endN, endP uintptr
	// Full reports that the top call could not begin a call, because the machine has no room for it. Then the
	// call's site runs, and the Host clears Full.
	Full bool
	// ticks is the number of loop iterations and calls until the next check; see hot.go.
	ticks int32
}

// MaxDepth is the maximum depth of calls in a machine. The registers have a bound too; see MostChunks.
const MaxDepth = 1 << 21

const (
	firstDepth = 16
	// Put keeps memory for the next call only up to this depth of calls and this number of chunks.
	keepDepth  = 1024
	keepChunks = 3
)

var machines = sync.Pool{New: func() any { return &Machine{Stack: make([]Activation, 0, firstDepth)} }}

// Get returns a machine without calls.
func Get(h Host) *Machine {
	m := machines.Get().(*Machine)
	m.Host = h
	return m
}

// Put returns m to the pool. The machine must have no active calls.
func (m *Machine) Put() {
	if len(m.Stack) > 0 {
		panic("regcode: Put of a machine that has calls")
	}
	m.Host = nil
	if cap(m.Stack) > keepDepth {
		m.Stack = make([]Activation, 0, firstDepth)
	}
	if len(m.chunks) > keepChunks {
		m.chunks = append([]chunk(nil), m.chunks[:keepChunks]...)
	}
	machines.Put(m)
}

// Push begins a call of f, which has the given code, on a machine without calls. The caller must set the
// registers of the parameters; pointer registers are nil at first. The Activation is valid until Run is
// called, its registers until Pop is called.
func (m *Machine) Push(f *Func, code *Code, frame unsafe.Pointer) *Activation {
	if len(m.Stack) > 0 {
		panic("regcode: Push on a machine that has calls: use another one")
	}
	a := m.enter(f, code)
	a.Frame, a.special = frame, true
	return a
}

// Top returns the innermost call.
func (m *Machine) Top() *Activation { return &m.Stack[len(m.Stack)-1] }

// Pop ends the call that Push began.
func (m *Machine) Pop() {
	if len(m.Stack) != 1 {
		panic("regcode: Pop of a machine with other calls than one")
	}
	m.leave()
}

// enter begins a call. Its registers follow those of the top call, or are in the next chunk.
func (m *Machine) enter(f *Func, code *Code) *Activation {
	if len(m.Stack) == cap(m.Stack) {
		m.Stack = append(make([]Activation, 0, min(2*cap(m.Stack), MaxDepth)), m.Stack...) // steps treats the capacity as the limit
	}
	n, p, at := m.room(code)
	m.Stack = m.Stack[:len(m.Stack)+1]
	a := m.Top()
	a.Func, a.Code, a.N, a.P, a.PC, a.chunk = f, code, registersN(n), registersP(p), 0, at
	a.special = len(m.Stack) > 1 && at != m.Stack[len(m.Stack)-2].chunk
	for i, c := range code.ConstN {
		*num(n, uint16(code.AtConstN+i)) = c
	}
	for i, c := range code.ConstP {
		*ptr(p, uint16(code.AtConstP+i)) = c
	}
	return a
}

// leave ends the top call. It clears the call's pointer registers, so that they keep no garbage alive.
func (m *Machine) leave() {
	a := m.Top()
	a.clearAll()
	a.Frame, a.special = nil, false
	m.Stack = m.Stack[:len(m.Stack)-1]
	if len(m.Stack) > 0 {
		m.use(m.Top().chunk)
	}
}

// MostInlined is the maximum number of calls that native code may start in one run, with Enter.
const MostInlined = 4

// Enter adds a call of f to the active calls of m. Native code has already begun this call, at Ops[index] of the top
// call's code. code is f's code. The caller must set the registers that the rest of the call needs; pointer registers
// are nil at first.
func (m *Machine) Enter(index int32, f *Func, code *Code) *Activation {
	a := m.Top()
	o := a.Code.program().op(index)
	a.PC = o.Imm
	k := &a.Code.Calls[o.Or]
	b := m.enter(f, code)
	b.call, b.ret, b.special = k, next(o), true
	code.program()
	return b
}

// Unwind ends the calls above call number i, after Run has panicked. Then Return may end call number i.
func (m *Machine) Unwind(i int) {
	for len(m.Stack)-1 > i {
		m.leave()
	}
}

// Return makes the top call return after Run has panicked. The results must be in the first registers of the call. If
// the call has a caller, the next Run continues there. If the call is the one that Push began, Return changes nothing
// and returns true; Pop then ends the call.
func (m *Machine) Return() (returned bool) {
	if len(m.Stack) == 1 {
		return true
	}
	o := m.back()
	a := m.Top()
	a.PC = a.Code.program().index(o)
	return false
}

// Forget removes the calls whose numbers are at least i and less than end. Afterwards the first call above these must
// not return, because its caller is gone.
func (m *Machine) Forget(i, end int) {
	for k := i; k < end; k++ {
		m.Stack[k].clearAll()
	}
	last := i + copy(m.Stack[i:], m.Stack[end:])
	clear(m.Stack[last:])
	m.Stack = m.Stack[:last]
}

// clearAll sets all pointer registers of the call a to nil, including those of constants.
func (a *Activation) clearAll() {
	a.clear()
	for i := range a.Code.ConstP {
		*ptr(unsafe.Pointer(a.P), uint16(a.Code.AtConstP+i)) = nil
	}
}

// clear sets the pointer registers of the call a to nil, except those of constants.
func (a *Activation) clear() {
	set := a.Code.LocalsP
	if set == 0 {
		set = a.Code.NP - len(a.Code.ConstP)
	}
	for i := range set {
		*ptr(unsafe.Pointer(a.P), uint16(i)) = nil
	}
}

// A chunk holds the registers of some calls. It never moves: calls and native code have pointers into the
// chunk.
type chunk struct {
	n []uint64
	p []unsafe.Pointer
}

const (
	firstN = 512
	firstP = 256
	// Each new chunk is larger than the previous chunk, up to mostN number registers.
	mostN = 1 << 16
)

// ChunkSize is the number of bytes of a chunk; the first few chunks are smaller.
const ChunkSize = 8 * (mostN + mostN*firstP/firstN)

// MostChunks bounds the registers of all calls of a machine to some 400 MB, and to 80 MB in a browser, where addresses
// have 32 bits. If Code.Most is not 0, it is the bound instead. A function with a few variables takes about 300 bytes
// per call.
var MostChunks = func() int16 {
	if runtime.GOOS == "js" {
		return 100
	}
	return 500
}()

// room returns the addresses of the registers for a call of code, and the index of their chunk, which becomes
// the current chunk. All pointer registers there are nil.
func (m *Machine) room(code *Code) (n, p unsafe.Pointer, at int16) {
	if len(m.Stack) > 0 {
		a := m.Top()
		n, p := unsafe.Pointer(a.N), unsafe.Pointer(a.P)
		if uintptr(n)+uintptr(a.Code.NN+code.NN)*8 < m.endN && uintptr(p)+uintptr(a.Code.NP+code.NP)*ptrSize < m.endP {
			return unsafe.Add(n, a.Code.NN*8), unsafe.Add(p, uintptr(a.Code.NP)*ptrSize), a.chunk
		}
		at = a.chunk + 1
	}
	if int(at) == len(m.chunks) {
		size := firstN
		if at > 0 {
			size = min(4*len(m.chunks[at-1].n), mostN)
		}
		m.chunks = append(m.chunks, newChunk(size, size*firstP/firstN))
	}
	if c := &m.chunks[at]; code.NN >= len(c.n) || code.NP >= len(c.p) {
		*c = newChunk(code.NN+1, code.NP+1) // the chunk at this index and the later chunks are unused
	}
	m.use(at)
	return unsafe.Pointer(&m.chunks[at].n[0]), unsafe.Pointer(&m.chunks[at].p[0]), at
}

func newChunk(n, p int) chunk { return chunk{make([]uint64, n), make([]unsafe.Pointer, p)} }

// use makes the chunk with the given index the current chunk. It stores the addresses at which the chunk ends; the
// method room checks them. The last number register and the last pointer register of a chunk are never used, so that
// no pointer points past the memory.
func (m *Machine) use(at int16) {
	c := &m.chunks[at]
	m.endN = uintptr(unsafe.Pointer(&c.n[0])) + uintptr(len(c.n))*8
	m.endP = uintptr(unsafe.Pointer(&c.p[0])) + uintptr(len(c.p))*ptrSize
}

const ptrSize = unsafe.Sizeof(uintptr(0))

// num and ptr return the address of a register. They do not check the index, because the code is trusted; see
// Verify.
func num(n unsafe.Pointer, i uint16) *uint64 { return (*uint64)(unsafe.Add(n, uintptr(i)*8)) }

func ptr(p unsafe.Pointer, i uint16) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(p, uintptr(i)*ptrSize))
}

// registersN and registersP convert an address. They avoid the check that checkptr (Go's check of unsafe conversions)
// would make: it would complain that there are fewer registers than in an N or a P.
func registersN(n unsafe.Pointer) *N { return *(**N)(unsafe.Pointer(&n)) }
func registersP(p unsafe.Pointer) *P { return *(**P)(unsafe.Pointer(&p)) }
