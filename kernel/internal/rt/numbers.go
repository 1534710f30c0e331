package rt

import (
	"reflect"
	"unsafe"
)

// BytesOf returns the size of numbers of kind k.
func BytesOf(k reflect.Kind) int {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}

// LoadNumber loads a number of kind k, and returns it extended to 64 bits as in a register. The argument from is the
// address of the number.
func LoadNumber(from unsafe.Pointer, k reflect.Kind) uint64 {
	switch BytesOf(k) {
	case 1:
		return extend(uint64(*(*uint8)(from)), k)
	case 2:
		return extend(uint64(*(*uint16)(from)), k)
	case 4:
		return extend(uint64(*(*uint32)(from)), k)
	}
	return *(*uint64)(from)
}

// StoreNumber stores v as a number of kind k. The argument to is the address at which it stores the number.
func StoreNumber(to unsafe.Pointer, v uint64, k reflect.Kind) {
	switch BytesOf(k) {
	case 1:
		*(*uint8)(to) = uint8(v)
	case 2:
		*(*uint16)(to) = uint16(v)
	case 4:
		*(*uint32)(to) = uint32(v)
	default:
		*(*uint64)(to) = v
	}
}

// extend takes a number of kind k from the low bits of v, ignores the other bits, and returns the number extended to
// 64 bits as in a register.
func extend(v uint64, k reflect.Kind) uint64 {
	switch k {
	case reflect.Int8:
		return uint64(int8(v))
	case reflect.Int16:
		return uint64(int16(v))
	case reflect.Int32:
		return uint64(int32(v))
	case reflect.Uint8, reflect.Bool:
		return uint64(uint8(v))
	case reflect.Uint16:
		return uint64(uint16(v))
	case reflect.Uint32:
		return uint64(uint32(v))
	}
	return v
}
