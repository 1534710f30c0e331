package gotest

import (
	"bytes"
	"math"
	"reflect"
)

// minimize returns a smaller input for which fails holds, as it does for values, and how often it has
// asked. It stops early when stop holds.
func minimize(values []any, fails func([]any) bool, stop func() bool) ([]any, int) {
	best := append([]any(nil), values...)
	runs := 0
	try := func(i int, v any) bool {
		if stop() {
			return false
		}
		next := append([]any(nil), best...)
		next[i] = v
		runs++
		if !fails(next) {
			return false
		}
		best = next
		return true
	}
	for i := range best {
		switch v := best[i].(type) {
		case string:
			minimizeBytes([]byte(v), func(b []byte) bool { return try(i, string(b)) }, stop)
		case []byte:
			minimizeBytes(v, func(b []byte) bool { return try(i, bytes.Clone(b)) }, stop)
		case bool:
			if v {
				try(i, false)
			}
		default:
			minimizeNumber(reflect.ValueOf(v), func(n reflect.Value) bool { return try(i, n.Interface()) }, stop)
		}
	}
	return best, runs
}

// minimizeBytes removes ever shorter parts, and then replaces bytes by simple ones.
func minimizeBytes(b []byte, try func([]byte) bool, stop func() bool) {
	for size := len(b); size > 0 && !stop(); size /= 2 {
		for at := 0; at+size <= len(b) && !stop(); {
			shorter := append(bytes.Clone(b[:at]), b[at+size:]...)
			if try(shorter) {
				b = shorter
			} else {
				at += size
			}
		}
	}
	for at := range b {
		for _, simple := range []byte("0aA ") {
			if b[at] == simple || stop() {
				break
			}
			next := bytes.Clone(b)
			next[at] = simple
			if try(next) {
				b = next
				break
			}
		}
	}
}

// minimizeNumber brings a number nearer to 0, by halving the distance; where try accepts all larger numbers and
// no smaller ones, it finds the smallest.
func minimizeNumber(v reflect.Value, try func(reflect.Value) bool, stop func() bool) {
	as := func(x any) reflect.Value { return reflect.ValueOf(x).Convert(v.Type()) }
	switch {
	case v.CanInt():
		n := v.Int()
		if n == 0 || try(as(int64(0))) {
			return
		}
		if n < 0 && as(-n).Int() > 0 && try(as(-n)) {
			n = -n
		}
		if n < 0 {
			bisect(-uint64(n), func(m uint64) bool { return try(as(-int64(m))) }, stop)
			return
		}
		bisect(uint64(n), func(m uint64) bool { return try(as(int64(m))) }, stop)
	case v.CanUint():
		if n := v.Uint(); n != 0 && !try(as(uint64(0))) {
			bisect(n, func(m uint64) bool { return try(as(m)) }, stop)
		}
	case v.CanFloat():
		x := v.Float()
		if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) || try(as(0.0)) {
			return
		}
		if x < 0 && try(as(-x)) {
			x = -x
		}
		const exact = 1 << 24 // whole numbers up to here are float32s too
		if whole := math.Trunc(x); whole != 0 && math.Abs(whole) <= exact && (whole == x || try(as(whole))) {
			bisect(uint64(math.Abs(whole)), func(m uint64) bool { return try(as(math.Copysign(float64(m), x))) }, stop)
		}
	}
}

// bisect looks for the smallest number above 0 that try accepts; it accepts n.
func bisect(n uint64, try func(uint64) bool, stop func() bool) {
	for low := uint64(0); n-low > 1 && !stop(); {
		if middle := low + (n-low)/2; try(middle) {
			n = middle
		} else {
			low = middle
		}
	}
}
