package rt

import "unsafe"

// Slices are passed as leaves: data, length and capacity. The type is always the type of the elements.

// Grow copies a slice of length n to a new array with room for at least n+more elements, like append. It returns
// the new array and its capacity, which is the same as in compiled Go. Grow panics like append if n+more is too large.
// If elements of type t contain no pointers, the memory of the new elements is uninitialized, so the caller must set
// them at once.
func Grow(t Type, data unsafe.Pointer, n, capacity, more int) (unsafe.Pointer, int) {
	s := growslice(data, n+more, capacity, more, t)
	return s.data, s.cap
}

// AppendSlice appends the elements that begin at src to a slice, and returns the data pointer and the capacity of the
// result. The parameter more is the number of these elements, and size is the size of one element in bytes. The
// elements may lie in the slice itself.
func AppendSlice(t Type, size uintptr, data unsafe.Pointer, n, capacity int, src unsafe.Pointer, more int) (unsafe.Pointer, int) {
	if more == 0 {
		return data, capacity
	}
	if n+more > capacity || n+more < 0 {
		data, capacity = Grow(t, data, n, capacity, more)
	}
	if size > 0 {
		Copy(t, unsafe.Add(data, uintptr(n)*size), more, src, more)
	}
	return data, capacity
}

// Copy implements the builtin copy for elements of type t. It returns the number of elements copied.
func Copy(t Type, dst unsafe.Pointer, dstLen int, src unsafe.Pointer, srcLen int) int {
	return typedslicecopy(t, slice{dst, dstLen, dstLen}, slice{src, srcLen, srcLen})
}

// Advance returns the data pointer of a slice or string after bytes have been cut off at its beginning. offset is the
// number of these bytes, and rest is the new capacity or, for a string, the new length. If rest is 0, Advance returns
// data unchanged, because no pointer may point past the end of the memory, where another object may lie.
func Advance(data unsafe.Pointer, offset uintptr, rest int) unsafe.Pointer {
	if rest == 0 {
		return data
	}
	return unsafe.Add(data, offset)
}

// slice is the memory layout of a slice.
type slice struct {
	data unsafe.Pointer
	len  int
	cap  int
}

//go:linkname growslice runtime.growslice
func growslice(data unsafe.Pointer, newLen, oldCap, more int, t Type) slice

//go:linkname typedslicecopy reflect.typedslicecopy
//go:noescape
func typedslicecopy(t Type, dst, src slice) int
