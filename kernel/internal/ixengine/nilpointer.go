package ixengine

import (
	"go/types"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
)

// nilPointer is Go's message about the use of a nil pointer, without the prefix that all Go runtime errors have.
const nilPointer = ixgo.RuntimeError("invalid memory address or nil pointer dereference")

// assign returns an instruction for an assignment through a pointer. If the pointer is nil, the instruction panics as
// in Go. The interpreter's own instruction panics with a message of package reflect, and a cell that recovers this
// panic does not get a runtime error. assign returns nil if the pointer cannot be nil.
func assign(in *ssa.Store, r *registers, old instruction) instruction {
	switch in.Addr.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.FreeVar:
		return nil // the address cannot be nil
	}
	to := r.slotOf(in.Addr)
	return func(fr *frame) {
		if isNilPointer(&stackOf(fr)[to]) {
			panic(nilPointer)
		}
		old(fr)
	}
}

// sliceArray returns an instruction for a slice expression. If the operand is a nil pointer to an array, the
// instruction panics as in Go. mended is an instruction that already replaces old for another reason, or nil.
// sliceArray returns mended if the operand cannot be such a pointer.
func sliceArray(in *ssa.Slice, r *registers, mended, old instruction) instruction {
	if _, ok := in.X.Type().Underlying().(*types.Pointer); !ok {
		return mended
	}
	if _, ok := in.X.(*ssa.Alloc); ok {
		return mended // the address cannot be nil
	}
	if mended == nil {
		mended = old
	}
	of := r.slotOf(in.X)
	return func(fr *frame) {
		if isNilPointer(&stackOf(fr)[of]) {
			panic(nilPointer)
		}
		mended(fr)
	}
}

// isNilPointer reports whether the pointer in v is nil. The second word of v is the pointer itself.
func isNilPointer(v *any) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(v))[1] == nil }
