package native

import "overcomplete/internal/wasm"

// A Target describes the environment in which modules run: their memory, and how they get more fuel. The fuel is the
// approximate number of ops that a module may still execute before it must return.
type Target struct {
	// Base is the address, in this process, of the byte at address 0 of the module's memory.
	Base uint64
	// Memory declares the memory in a module.
	Memory func(m *wasm.Module)
	// More declares the function that returns more fuel for calls. It is nil if calls get no more fuel.
	More func(m *wasm.Module) *wasm.Func
}

// span is the size of a window: 4 GiB, because modules have 32-bit addresses. The last part of a window is unused.
const span = 1 << 32

// offset returns the pointer p minus t.Base.
func (t *Target) offset(p wasm.Value) wasm.Value {
	if t.Base == 0 {
		return p
	}
	return wasm.I64.Sub(p, wasm.Int64(int64(t.Base)))
}

// bad returns an i32 that is 1 if p, a pointer minus the base, stands for nil or for a pointer outside the
// memory.
func (t *Target) bad(p wasm.Value) wasm.Value {
	if t.Base == 0 {
		return wasm.I64.Eqz(p)
	}
	return wasm.I64.GeU(p, wasm.Int64(span))
}

// window returns the address in the memory for p, a pointer minus the base. It returns 0 if the pointer is nil or
// outside the memory. If the base is 0, p is the address itself.
func (t *Target) window(p wasm.Value) wasm.Value {
	at := wasm.Op("i32.wrap_i64", p)
	if t.Base == 0 {
		return at
	}
	return wasm.Select(t.bad(p), wasm.Int(0), at)
}

// holds reports whether the pointer p points into the memory.
func (t *Target) holds(p uint64) bool { return p != 0 && p-t.Base < span }

// The layout of an entry: the addresses of N and P in the memory, the fuel, the index of the exit, and then
// the registers that the module writes there at an exit; see Module.Slots.
const (
	atN     = 0
	atP     = 8
	atFuel  = 16
	atExit  = 24
	atSlots = 32
)

// run is the name under which a module exports its loop.
const run = "run"
