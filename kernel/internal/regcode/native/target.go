package native

import "overcomplete/internal/wasm"

// A Target is where modules run.
type Target struct {
	// Base is the address that the module's memory begins at.
	Base uint64
	// Memory declares it.
	Memory func(m *wasm.Module)
	// More declares the function that gives more fuel for calls, or is nil if they get no more.
	More func(m *wasm.Module) *wasm.Func
}

// span is how long a window is: 32 bits, as addresses in modules have. Nothing lies in its last part.
const span = 1 << 32

// offset is how far behind the base p points.
func (t *Target) offset(p wasm.Value) wasm.Value {
	if t.Base == 0 {
		return p
	}
	return wasm.I64.Sub(p, wasm.Int64(int64(t.Base)))
}

// bad is 1 if a pointer, less the base, is nil or lies elsewhere.
func (t *Target) bad(p wasm.Value) wasm.Value {
	if t.Base == 0 {
		return wasm.I64.Eqz(p)
	}
	return wasm.I64.GeU(p, wasm.Int64(span))
}

// window is the address that a pointer, less the base, has in the memory, or 0 if it is bad.
func (t *Target) window(p wasm.Value) wasm.Value {
	at := wasm.Op("i32.wrap_i64", p)
	if t.Base == 0 {
		return at
	}
	return wasm.Select(t.bad(p), wasm.Int(0), at)
}

// holds reports whether the memory has what p points to.
func (t *Target) holds(p uint64) bool { return p != 0 && p-t.Base < span }

// What an entry has, at these offsets: the addresses of N and P in the memory, the fuel and the index
// of the exit, and then the pointers that the module leaves with.
const (
	atN        = 0
	atP        = 8
	atFuel     = 16
	atExit     = 24
	atPointers = 32
)

// run is the name under which a module exports its loop.
const run = "run"
