package features

import "math"

//go:generate go run ./gen -out decode_amd64.s -stubs decode_amd64.go -pkg features
//go:generate go run ./gen -isa neon -out decode_arm64.s -stubs decode_arm64.go -pkg features

// Half-precision numbers are IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. The relative
// rounding error is at most 2⁻¹¹ for numbers from 2⁻¹⁴ to 65504. For smaller numbers, the absolute error is
// at most 2⁻²⁵.

// largest16 is the largest finite half. Numbers that round to a larger value become infinite.
const largest16 = 65504

// toHalf returns the bits of the half-precision number that is nearest to x. If two are equally near, it returns the
// one whose last bit is 0. If x is too large, the result is infinite.
func toHalf(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x47800000: // at least 2¹⁶
		return sign | 0x7c00
	case b < 0x38800000: // below 2⁻¹⁴: subnormal
		// Adding ½ moves the bit of weight 2⁻²⁴ to the last place of the fraction. The addition rounds to
		// nearest, ties to even.
		f := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(f)-0x3f000000)
	}
	b += 0xfff + b>>13&1 // ties to even; may carry into the exponent, up to infinity
	return sign | uint16((b-0x38000000)>>13)
}

// fromHalf converts the half-precision number with the bits h to float32. The conversion is exact.
func fromHalf(h uint16) float32 {
	const scale = 1 << 112 // the exponents' biases differ by 112; exact for subnormals too
	b := uint32(h&0x7fff) << 13
	if b >= 0x0f800000 { // Inf, NaN
		b |= 0x7f800000
		return math.Float32frombits(b | uint32(h&0x8000)<<16)
	}
	f := math.Float32frombits(b) * scale
	return math.Float32frombits(math.Float32bits(f) | uint32(h&0x8000)<<16)
}

// halves holds the result of fromHalf for every half: a table lookup in the L2 cache takes less time than the
// arithmetic.
var halves = func() *[1 << 16]float32 {
	var t [1 << 16]float32
	for h := range t {
		t[h] = fromHalf(uint16(h))
	}
	return &t
}()
