package gotest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"unicode/utf8"
)

// longest is the length to which a string or a slice of bytes grows.
const longest = 1 << 12

// mutate returns an input made from another, of which it changes one value, as a rule, in one to
// five steps.
func mutate(r *rand.Rand, values []any) []any {
	out := append([]any(nil), values...)
	if len(out) == 0 {
		return out
	}
	for range 1 + r.IntN(5) {
		i := r.IntN(len(out))
		out[i] = mutateValue(r, out[i])
		if r.IntN(4) == 0 {
			break
		}
	}
	return out
}

func mutateValue(r *rand.Rand, value any) any {
	v := reflect.New(reflect.TypeOf(value)).Elem()
	switch old := reflect.ValueOf(value); v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.String:
		v.SetString(mutateString(r, old.String()))
	case reflect.Slice: // []byte
		v.SetBytes(mutateBytes(r, old.Bytes()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(mutateFloat(r, old.Float()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(mutateInt(r, uint64(old.Int()), v.Type().Bits())) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	default:
		bits := v.Type().Bits()
		v.SetUint(mutateInt(r, old.Uint(), bits) << (64 - bits) >> (64 - bits))
	}
	return v.Interface()
}

// mutateInt returns a number near x, one with a bit changed, or one at the edge of its type.
func mutateInt(r *rand.Rand, x uint64, bits int) uint64 {
	switch r.IntN(5) {
	case 0:
		return x + uint64(1+r.IntN(10))
	case 1:
		return x - uint64(1+r.IntN(10))
	case 2:
		return x ^ 1<<r.IntN(bits)
	case 3:
		edges := []uint64{0, 1, math.MaxUint64, 1 << (bits - 1), 1<<(bits-1) - 1, 10, 16, 100, 127, 128, 255, 256, 1000, 1024}
		return edges[r.IntN(len(edges))]
	}
	return r.Uint64()
}

func mutateFloat(r *rand.Rand, x float64) float64 {
	switch r.IntN(6) {
	case 0:
		return x + float64(1+r.IntN(10))
	case 1:
		return x - float64(1+r.IntN(10))
	case 2:
		return -x * float64(1+r.IntN(10))
	case 3:
		return x / float64(1+r.IntN(10))
	case 4:
		edges := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, 1e16}
		return edges[r.IntN(len(edges))]
	}
	return math.Float64frombits(r.Uint64())
}

// interesting are parts of texts that programs treat specially.
var interesting = []string{"", " ", "\n", "\t", "\x00", "0", "-1", "a", "A", "é", "世", "\xff", "\u0301", "😀", "%", "\"", "'", "\\", "/", ",", ".", "=", "<", "(", "[", "{", "nil", "NaN"}

// mutateString changes a text as bytes, or by whole characters.
func mutateString(r *rand.Rand, s string) string {
	if r.IntN(2) == 0 {
		return string(mutateBytes(r, []byte(s)))
	}
	list := []rune(s)
	at := r.IntN(len(list) + 1)
	piece := []rune(interesting[r.IntN(len(interesting))])
	switch {
	case r.IntN(3) == 0 && at < len(list):
		list[at] = rune(r.IntN(utf8.MaxRune))
	case r.IntN(2) == 0 && at < len(list):
		return string(list[:at]) + string(piece) + string(list[at+1:])
	case len(s) < longest:
		return string(list[:at]) + string(piece) + string(list[at:])
	}
	return string(list)
}

// mutateBytes returns a changed copy.
func mutateBytes(r *rand.Rand, old []byte) []byte {
	b := append([]byte(nil), old...)
	at, to := r.IntN(len(b)+1), r.IntN(len(b)+1)
	at, to = min(at, to), max(at, to)
	switch k := r.IntN(8); {
	case k == 0 || len(b) == 0: // insert
		piece := []byte(interesting[r.IntN(len(interesting))])
		if r.IntN(2) == 0 {
			piece = []byte{byte(r.IntN(256))}
		}
		if len(b)+len(piece) <= longest {
			b = append(b[:at:at], append(piece, b[at:]...)...)
		}
	case k == 1: // remove
		b = append(b[:at], b[to:]...)
	case k == 2 && len(b)+to-at <= longest: // double
		b = append(b[:to:to], b[at:]...)
	case k == 3: // swap
		i, j := r.IntN(len(b)), r.IntN(len(b))
		b[i], b[j] = b[j], b[i]
	case k == 4:
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	case k == 5:
		b[r.IntN(len(b))] += byte(1 + r.IntN(10))
	default:
		b[r.IntN(len(b))] = byte(r.IntN(256))
	}
	return b
}
