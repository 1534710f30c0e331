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

// LoadNumber loads the number of kind k at the address addr, and returns it extended to 64 bits as in a register.
func LoadNumber(addr unsafe.Pointer, k reflect.Kind) uint64 {
	switch BytesOf(k) {
	case 1:
		return extend(uint64(*(*uint8)(addr)), k)
	case 2:
		return extend(uint64(*(*uint16)(addr)), k)
	case 4:
		return extend(uint64(*(*uint32)(addr)), k)
	}
	return *(*uint64)(addr)
}

// StoreNumber stores v as a number of kind k at the address dst.
func StoreNumber(dst unsafe.Pointer, v uint64, k reflect.Kind) {
	switch BytesOf(k) {
	case 1:
		*(*uint8)(dst) = uint8(v)
	case 2:
		*(*uint16)(dst) = uint16(v)
	case 4:
		*(*uint32)(dst) = uint32(v)
	default:
		*(*uint64)(dst) = v
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
