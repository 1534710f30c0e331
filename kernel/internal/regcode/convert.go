package regcode

import (
	"math"
	"reflect"
)

func f64(x uint64) float64    { return math.Float64frombits(x) }
func f32(x uint64) float32    { return math.Float32frombits(uint32(x)) }
func bits(f float64) uint64   { return math.Float64bits(f) }
func bits32(f float32) uint64 { return uint64(math.Float32bits(f)) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func signed64(kind uint16) bool {
	return reflect.Kind(kind) == reflect.Int64 || reflect.Kind(kind) == reflect.Int && reflect.TypeFor[int]().Size() == 8
}

// floatInt converts f to the integer type of the given reflect.Kind, as compiled Go does on this machine, even if f is
// out of the type's range. It returns the integer extended to 64 bits. A float32 may be converted to a float64 first:
// all Go compilers do this or give the same result.
func floatInt(f float64, kind uint16) uint64 {
	switch reflect.Kind(kind) {
	case reflect.Int8:
		return uint64(int8(f))
	case reflect.Int16:
		return uint64(int16(f))
	case reflect.Int32:
		return uint64(int32(f))
	case reflect.Uint8:
		return uint64(uint8(f))
	case reflect.Uint16:
		return uint64(uint16(f))
	case reflect.Uint32:
		return uint64(uint32(f))
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return uint64(f)
	}
	return uint64(int64(f))
}
