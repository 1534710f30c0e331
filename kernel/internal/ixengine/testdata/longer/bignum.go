package main

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/cmplx"
	"strings"
)

// Big numbers, bit twiddling, hashes by hand, fixed point, complex numbers, wrap-around.

type Fixed int32

const one Fixed = 1 << 16

func (f Fixed) Mul(g Fixed) Fixed { return Fixed(int64(f) * int64(g) >> 16) }
func (f Fixed) Div(g Fixed) Fixed { return Fixed(int64(f) << 16 / int64(g)) }
func (f Fixed) String() string    { return fmt.Sprintf("%.4f", float64(f)/float64(one)) }

func fib(n int) *big.Int {
	a, b := big.NewInt(0), big.NewInt(1)
	for range n {
		a.Add(a, b)
		a, b = b, a
	}
	return a
}

func pi(digits int) string {
	unity := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits+5)), nil)
	arctan := func(x int64) *big.Int {
		sum, term := new(big.Int), new(big.Int).Div(unity, big.NewInt(x))
		square := big.NewInt(x * x)
		for n := int64(1); term.Sign() != 0; n += 2 {
			d := new(big.Int).Div(term, big.NewInt(n))
			if n%4 == 1 {
				sum.Add(sum, d)
			} else {
				sum.Sub(sum, d)
			}
			term.Div(term, square)
		}
		return sum
	}
	p := new(big.Int).Mul(big.NewInt(16), arctan(5))
	p.Sub(p, new(big.Int).Mul(big.NewInt(4), arctan(239)))
	s := p.String()
	return s[:1] + "." + s[1:digits+1]
}

func fnv1a(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h ^= uint64(s[i])
		h *= 1099511628211
	}
	return h
}

func murmur(data []byte, seed uint32) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	h := seed
	n := len(data)
	for ; len(data) >= 4; data = data[4:] {
		k := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		k *= c1
		k = k<<15 | k>>17
		k *= c2
		h ^= k
		h = bits.RotateLeft32(h, 13)
		h = h*5 + 0xe6546b64
	}
	var k uint32
	switch len(data) {
	case 3:
		k ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		k ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		k ^= uint32(data[0])
		k *= c1
		k = bits.RotateLeft32(k, 15)
		h ^= k * c2
	}
	h ^= uint32(n)
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

type xorshift struct{ a, b uint64 }

func (x *xorshift) next() uint64 {
	t, s := x.a, x.b
	x.a = s
	t ^= t << 23
	t ^= t >> 18
	t ^= s ^ s>>5
	x.b = t
	return t + s
}

func md5ish(msg string) (out [4]uint32) {
	k := [64]uint32{}
	for i := range k {
		k[i] = uint32(math.Floor(math.Abs(math.Sin(float64(i+1))) * (1 << 32)))
	}
	out = [4]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}
	var block [16]uint32
	for i, c := range []byte(msg) {
		block[i/4%16] ^= uint32(c) << (8 * (i % 4))
	}
	a, b, c, d := out[0], out[1], out[2], out[3]
	for i := range 64 {
		var f uint32
		var g int
		switch i / 16 {
		case 0:
			f, g = b&c|^b&d, i
		case 1:
			f, g = d&b|^d&c, (5*i+1)%16
		case 2:
			f, g = b^c^d, (3*i+5)%16
		default:
			f, g = c^(b|^d), 7*i%16
		}
		f += a + k[i] + block[g]
		a, d, c = d, c, b
		b += bits.RotateLeft32(f, [...]int{7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21}[i/16*4+i%4])
	}
	for i, v := range []uint32{a, b, c, d} {
		out[i] += v
	}
	return out
}

func main() {
	fmt.Println(fib(200), pi(50))
	f := new(big.Int).MulRange(1, 30)
	q, r := new(big.Int).QuoRem(f, big.NewInt(1<<40-87), new(big.Int))
	fmt.Println(f, q, r, f.BitLen(), f.Cmp(q), new(big.Int).GCD(nil, nil, f, big.NewInt(1001)))
	m := new(big.Int).Exp(big.NewInt(3), big.NewInt(1000), big.NewInt(1_000_000_007))
	p, ok := new(big.Int).SetString("ffffffffffffffffffffffffffffff61", 16)
	fmt.Printf("%v %x %t %t %v\n", m, p, ok, p.ProbablyPrime(10), new(big.Int).ModInverse(big.NewInt(3), big.NewInt(11)))
	h := new(big.Rat)
	for i := int64(1); i <= 12; i++ {
		h.Add(h, big.NewRat(1, i))
	}
	fmt.Println(h, h.FloatString(10), new(big.Rat).Quo(h, big.NewRat(-3, 7)))
	bf, _, _ := big.ParseFloat("1.5e-3", 10, 100, big.ToNearestEven)
	sq := new(big.Float).SetPrec(120).Sqrt(big.NewFloat(2).SetPrec(120))
	fmt.Println(bf.Text('g', 20), sq.Text('f', 30), sq.Cmp(bf))
	x, y := Fixed(3*one/2), Fixed(-one/3)
	fmt.Println(x, y, x.Mul(y), x.Div(y), x*y)
	fmt.Printf("%#x %#x %#x\n", fnv1a("hello, 世界"), murmur([]byte("hello world!!!"), 42), md5ish("The quick brown fox"))
	rng := &xorshift{1, 2}
	var hist [8]int
	for range 4000 {
		hist[rng.next()>>61]++
	}
	fmt.Println(hist, rng.next())
	var i8 int8 = 127
	var u8 uint8
	i8++
	u8--
	var i32 int32 = math.MinInt32
	fmt.Println(i8, u8, -i32, i32/-1, i32%-1, uint16(70000&0xffff), int8(u8), -7/2, -7%2, -7>>1, 7&^5, ^7)
	var s uint = 70
	fmt.Println(1<<(s%64), int32(1)<<s, int64(-1)>>s, i8<<1>>1, bits.OnesCount64(0xf0f0), bits.Reverse8(0x12), bits.Len(1023), bits.TrailingZeros16(0))
	hi, lo := bits.Mul64(math.MaxUint64, 3)
	sum, carry := bits.Add64(lo, math.MaxUint64, 0)
	fmt.Println(hi, lo, sum, carry)
	z := cmplx.Sqrt(-2 + 0i)
	var c64 complex64 = complex(1, -2)
	fmt.Printf("%.3f %v %v %.3f %t\n", z, c64*c64, real(c64)+imag(c64), cmplx.Exp(1i*math.Pi), c64 == complex64(complex(1, -2)))
	nan, inf := math.NaN(), math.Inf(1)
	fmt.Println(nan == nan, inf > math.MaxFloat64, -1/inf, math.Float32bits(float32(math.Copysign(0, -1))), min(nan, 1), max(-inf, 2), math.Round(-2.5), math.RoundToEven(2.5), math.Trunc(-2.7))
	const huge = 1 << 100
	fmt.Println(huge>>98, float64(huge), huge/(1<<97)*1.5, 'a'+1, "s"[0]-'a', len("héllo"), math.MaxUint32, uint64(math.MaxUint64))
	fmt.Println(strings.Repeat("=", int(huge>>98)), 0b1010, 0o17, 0x1p-2, 1_000, 'é', '\x41', 1e3, .5i)
}
