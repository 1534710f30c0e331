package twofloat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func exact(a Number) *big.Float {
	b := new(big.Float).SetPrec(500).SetFloat64(a.Hi)
	return b.Add(b, new(big.Float).SetFloat64(a.Lo))
}

// TestBig compares each operation with math/big in 500 bits.
func TestBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	number := func() Number {
		x := math.Ldexp(rng.NormFloat64(), rng.IntN(60)-30)
		return Sum(x, x*rng.NormFloat64()*0x1p-53)
	}
	check := func(what string, got Number, want *big.Float, size float64, bits int) {
		t.Helper()
		e, _ := new(big.Float).Sub(exact(got), want).Float64()
		if !(math.Abs(e) <= math.Ldexp(size, -bits)) {
			t.Errorf("%s: off by %g of %g", what, e, size)
		}
		if got.Hi+got.Lo != got.Hi {
			t.Errorf("%s: %v overlap", what, got)
		}
	}
	op := func() *big.Float { return new(big.Float).SetPrec(500) }
	for range 2000 {
		a, b := number(), number()
		x, y := exact(a), exact(b)
		check("sum", Sum(a.Hi, b.Hi), op().Add(exact(Of(a.Hi)), exact(Of(b.Hi))), 0, 0)
		check("product", Product(a.Hi, b.Hi), op().Mul(exact(Of(a.Hi)), exact(Of(b.Hi))), 0, 0)
		check("a + b", a.Add(b), op().Add(x, y), math.Abs(a.Hi)+math.Abs(b.Hi), 103)
		check("ab", a.Mul(b), op().Mul(x, y), math.Abs(a.Hi*b.Hi), 101)
		check("a/b", a.Quo(b), op().Quo(x, y), math.Abs(a.Hi/b.Hi), 100)
		check("2^7 (−a)", a.Neg().Scale(7), op().Mul(x, big.NewFloat(-128)), 0, 0)
		if a.Hi > 0 {
			check("√a", a.Sqrt(), op().Sqrt(x), math.Sqrt(a.Hi), 100)
		}
	}
}
