package rt

import "unsafe"

// Slices are given by their leaves: data, length and capacity. The type is that of the elements.

// Grow returns the data and the capacity of a slice that append makes of one of length n for more
// elements: a copy with room for n+more, with the capacity that compiled Go gives it. It panics as
// append does if that is too many. The new elements are not set, and not even zero if they have no
// pointers: the caller sets them at once.
func Grow(t Type, data unsafe.Pointer, n, capacity, more int) (unsafe.Pointer, int) {
	s := growslice(data, n+more, capacity, more, t)
	return s.data, s.cap
}

// Append64 appends an element of 8 bytes without pointers, and returns the data and the capacity.
func Append64(t Type, data unsafe.Pointer, n, capacity int, v uint64) (unsafe.Pointer, int) {
	if n == capacity {
		data, capacity = Grow(t, data, n, capacity, 1)
	}
	*(*uint64)(unsafe.Add(data, n*8)) = v
	return data, capacity
}

// Append32 appends an element of 4 bytes without pointers.
func Append32(t Type, data unsafe.Pointer, n, capacity int, v uint32) (unsafe.Pointer, int) {
	if n == capacity {
		data, capacity = Grow(t, data, n, capacity, 1)
	}
	*(*uint32)(unsafe.Add(data, n*4)) = v
	return data, capacity
}

// Append16 appends an element of 2 bytes.
func Append16(t Type, data unsafe.Pointer, n, capacity int, v uint16) (unsafe.Pointer, int) {
	if n == capacity {
		data, capacity = Grow(t, data, n, capacity, 1)
	}
	*(*uint16)(unsafe.Add(data, n*2)) = v
	return data, capacity
}

// Append8 appends an element of one byte.
func Append8(t Type, data unsafe.Pointer, n, capacity int, v uint8) (unsafe.Pointer, int) {
	if n == capacity {
		data, capacity = Grow(t, data, n, capacity, 1)
	}
	*(*uint8)(unsafe.Add(data, n)) = v
	return data, capacity
}

// AppendPtr appends an element that is a pointer, map, channel or function.
func AppendPtr(t Type, data unsafe.Pointer, n, capacity int, v unsafe.Pointer) (unsafe.Pointer, int) {
	if n == capacity {
		data, capacity = Grow(t, data, n, capacity, 1)
	}
	*(*unsafe.Pointer)(unsafe.Add(data, uintptr(n)*unsafe.Sizeof(v))) = v
	return data, capacity
}

// AppendValue appends the value of type t, of so many bytes, that v points to.
func AppendValue(t Type, size uintptr, data unsafe.Pointer, n, capacity int, v unsafe.Pointer) (unsafe.Pointer, int) {
	if n == capacity {
		data, capacity = Grow(t, data, n, capacity, 1)
	}
	if size > 0 {
		Move(t, unsafe.Add(data, uintptr(n)*size), v)
	}
	return data, capacity
}

// AppendSlice appends more elements of so many bytes from src on, which may lie in the slice itself.
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

// Copy is the builtin copy of elements of type t. It returns how many it has copied.
func Copy(t Type, dst unsafe.Pointer, dstLen int, src unsafe.Pointer, srcLen int) int {
	return typedslicecopy(t, slice{dst, dstLen, dstLen}, slice{src, srcLen, srcLen})
}

// Advance returns the data of what is left of a slice or string after so many bytes, if left is its new
// capacity or, of a string, length. Nothing may point behind the end of memory, where another object may
// lie: if nothing is left, the data stays.
func Advance(data unsafe.Pointer, by uintptr, left int) unsafe.Pointer {
	if left == 0 {
		return data
	}
	return unsafe.Add(data, by)
}

// slice is how a slice lies in memory.
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
