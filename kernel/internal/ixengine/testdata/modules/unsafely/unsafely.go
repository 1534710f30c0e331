// Package unsafely does what package unsafe allows.
package unsafely

import (
	"math"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Bits and Float convert by way of a pointer.
func Bits(x float64) uint64 { return *(*uint64)(unsafe.Pointer(&x)) }

func Float(b uint64) float64 { return *(*float64)(unsafe.Pointer(&b)) }

// Text shares the memory of b.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes shares the memory of s.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// OldText does it as it was done before there was unsafe.String.
func OldText(b []byte) string { return *(*string)(unsafe.Pointer(&b)) }

// Element computes an address.
func Element(xs []int32, i int) int32 {
	return *(*int32)(unsafe.Add(unsafe.Pointer(&xs[0]), uintptr(i)*unsafe.Sizeof(xs[0])))
}

type Header struct {
	A int8
	B int64
	C string
}

// Field reads a field by its offset.
func Field(h *Header) string {
	return *(*string)(unsafe.Pointer(uintptr(unsafe.Pointer(h)) + unsafe.Offsetof(h.C)))
}

// Word looks into an interface.
func Word(x any) uintptr {
	return (*[2]uintptr)(unsafe.Pointer(&x))[0]
}

// Bad reads what is not there.
func Bad() int { return *(*int)(unsafe.Pointer(uintptr(0x1234567890))) }

// BadWrite writes there.
func BadWrite() { *(*int)(unsafe.Pointer(uintptr(0x1234567890))) = 1 }

// Concurrent writes a map in two goroutines.
func Concurrent() {
	m := map[int]int{}
	for i := range 2 {
		go func() {
			for k := 0; ; k++ {
				m[k%10] = i
			}
		}()
	}
	for len(m) >= 0 {
	}
}

type counter struct {
	atomic.Int64
	p atomic.Pointer[Header]
	v atomic.Value
}

var count counter

// Count counts atomically.
func Count(n int) int64 {
	count.p.Store(&Header{C: "c"})
	count.v.Store(n)
	return count.Add(int64(n)) + int64(len(count.p.Load().C)) + int64(count.v.Load().(int))
}

// Set sets a field by reflection.
func Set(h *Header, s string) { reflect.ValueOf(h).Elem().FieldByName("C").SetString(s) }

// NaN makes one.
func NaN() bool { return math.IsNaN(Float(0x7ff8000000000001)) }
