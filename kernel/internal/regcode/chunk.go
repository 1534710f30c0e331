package regcode

import (
	"runtime"
	"unsafe"
)

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
// have 32 bits. If Code.Most is not 0, it is the bound instead. A function with a few variables takes about 300 bytes a
// call.
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

// use is the method that makes the chunk with the given index the current chunk. It stores the addresses at which the
// chunk ends, which are checked by the method room. The last number register and the last pointer register of a chunk
// are never used, so that no pointer points past the memory.
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
