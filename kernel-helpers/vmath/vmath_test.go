package vmath

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/twofloat"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// same64 reports whether a and b have the same bits, or are both NaN.
func same64(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func same32(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// mixed returns n numbers of all sizes, some of them special.
func mixed(rng *rand.Rand, n int) []float64 {
	special := []float64{0, math.Copysign(0, -1), inf, -inf, nan, 1, -1, 5e-324, -5e-324, 1e-310, 709.7, -745.1, 88.72, -103.9}
	x := make([]float64, n)
	for i := range x {
		switch rng.IntN(10) {
		case 0:
			x[i] = special[rng.IntN(len(special))]
		case 1:
			x[i] = math.Float64frombits(rng.Uint64())
		default:
			x[i] = 20 * rng.NormFloat64()
		}
	}
	return x
}

func to32(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// TestLimit checks that a name limits the instruction set: it never permits more than the machine has.
func TestLimit(t *testing.T) {
	for i := range names {
		best := instructions(i)
		if got := limit("", best); got != best {
			t.Errorf("limit(\"\", %v) = %v", best, got)
		}
		for k, name := range names {
			if got, want := limit(name, best), min(instructions(k), best); got != want {
				t.Errorf("limit(%q, %v) = %v, want %v", name, best, got, want)
			}
		}
	}
	if s, ok := panics.Value(func() { limit("sse", portable) }).(string); !ok || !strings.Contains(s, "OVERCOMPLETE_VMATH=sse") {
		t.Errorf("an unknown name: %q", s)
	}
}

// TestSpecial checks the special values of each version, given by limits and package math, including the sign
// of zero.
func TestSpecial(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, c := range []struct {
		name    string
		x, want []float64
	}{
		{"Exp", []float64{0, zero, inf, -inf, nan, 1e300, -1e300, 5e-324}, []float64{1, 1, inf, 0, nan, inf, 0, 1}},
		{"Log", []float64{0, zero, inf, -inf, nan, 1, -1, -1e-40}, []float64{-inf, -inf, inf, nan, nan, 0, nan, nan}},
		{"Sigmoid", []float64{0, zero, inf, -inf, nan, 1e300, -1e300}, []float64{0.5, 0.5, 1, 0, nan, 1, 0}},
		{"Softplus", []float64{inf, -inf, nan, 1e30, -1e300, 0}, []float64{inf, 0, nan, 1e30, 0, math.Ln2}},
	} {
		for _, f := range functions {
			if f.name != c.name {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				versions(t, func(t *testing.T) {
					y, x32, want32 := make([]float64, len(c.x)), to32(c.x), to32(c.want)
					f.f64(y, c.x)
					y32 := make([]float32, len(c.x))
					f.f32(y32, x32)
					for i, x := range c.x {
						if !same64(y[i], c.want[i]) {
							t.Errorf("%s(%v) = %v, want %v", c.name, x, y[i], c.want[i])
						}
						if !same32(y32[i], want32[i]) {
							t.Errorf("%s32(%v) = %v, want %v", c.name, x32[i], y32[i], want32[i])
						}
					}
				})
			})
		}
	}
}

// TestPlace checks that an element's result has the same bits alone and at every
// place of slices of every length from 0 to 100, in place or not, and that
// nothing beyond the slice is written.
func TestPlace(t *testing.T) {
	versions(t, func(t *testing.T) {
		x := mixed(rand.New(rand.NewPCG(5, 5)), 140)
		x32 := to32(x)
		for _, f := range functions {
			alone, alone32 := make([]float64, len(x)), make([]float32, len(x))
			for i := range x {
				f.f64(alone[i:i+1], x[i:i+1])
				f.f32(alone32[i:i+1], x32[i:i+1])
			}
			for n := range 101 {
				for _, begin := range []int{0, 1, 3, 6} {
					y, y32 := slices.Clone(x), slices.Clone(x32)
					dst, dst32 := y[begin:begin+n], y32[begin:begin+n]
					if n%2 == 0 { // not in place, and shifted
						f.f64(dst, x[begin+20:begin+20+n])
						f.f32(dst32, x32[begin+20:begin+20+n])
					} else {
						f.f64(dst, dst)
						f.f32(dst32, dst32)
					}
					for i := range y {
						want, want32 := x[i], x32[i]
						if i >= begin && i < begin+n {
							j := i
							if n%2 == 0 {
								j += 20
							}
							want, want32 = alone[j], alone32[j]
						}
						if !same64(y[i], want) || !same32(y32[i], want32) {
							t.Fatalf("%s: length %d from %d: element %d is %v and %v, want %v and %v", f.name, n, begin, i, y[i], y32[i], want, want32)
						}
					}
				}
			}
		}
	})
}

func TestLogSumExp(t *testing.T) {
	versions(t, func(t *testing.T) {
		for _, c := range []struct {
			x    []float64
			want float64
		}{
			{nil, -inf}, {[]float64{-inf}, -inf}, {[]float64{-inf, -inf, -inf}, -inf},
			{[]float64{inf}, inf}, {[]float64{1, inf, -inf}, inf}, {[]float64{inf, inf}, inf},
			{[]float64{nan}, nan}, {[]float64{nan, inf}, nan}, {[]float64{inf, 1, nan}, nan},
			{[]float64{-inf, nan}, nan}, {[]float64{1, nan, 3}, nan},
			{[]float64{3.5}, 3.5}, {[]float64{-700, -inf}, -700}, {[]float64{0, 0}, math.Ln2},
			{[]float64{math.MaxFloat64, 0}, math.MaxFloat64},
			{slices.Repeat([]float64{1000}, 1024), 1000 + 10*math.Ln2},
			{slices.Repeat([]float64{-2000}, 2048), -2000 + 11*math.Ln2},
		} {
			if y := LogSumExp(c.x); !(same64(y, c.want) || math.Abs(y-c.want) < 1e-15*math.Abs(c.want)) {
				t.Errorf("LogSumExp of %d with %v = %v, want %v", len(c.x), c.x[:min(3, len(c.x))], y, c.want)
			}
			w := float32(c.want)
			if y := LogSumExp32(to32(c.x)); !same32(y, w) {
				t.Errorf("LogSumExp32 of %d with %v = %v, want %v", len(c.x), c.x[:min(3, len(c.x))], y, w)
			}
		}
		// Compare with sums in twice the precision of the terms, for every length.
		rng := rand.New(rand.NewPCG(7, 7))
		for n := 1; n < 150; n++ {
			x := make([]float64, n)
			for i := range x {
				x[i] = 5 + 10*rng.NormFloat64()
			}
			x32 := to32(x)
			m, sum := slices.Max(x), twofloat.Number{}
			for _, v := range x {
				e := expValue(v - m)
				sum = sum.Add(e.m.Scale(e.k))
			}
			want := m + math.Log(sum.Hi)
			if y := LogSumExp(x); math.Abs(y-want) > 2e-15*math.Max(math.Abs(m), 1) {
				t.Fatalf("length %d: %v, want %v", n, y, want)
			}
			s := 0.0
			for _, v := range x32 {
				s += math.Exp(float64(v))
			}
			if y := LogSumExp32(x32); math.Abs(float64(y)-math.Log(s)) > 2e-7*math.Max(math.Abs(m), 1) {
				t.Fatalf("length %d: %v, want %v", n, y, math.Log(s))
			}
		}
	})
}

// TestLongSum checks that a long float32 sum does not lose small terms: with sums in float32 the error would
// be far larger.
func TestLongSum(t *testing.T) {
	versions(t, func(t *testing.T) {
		x := slices.Repeat([]float32{-12}, 1<<20)
		x[0] = 0
		want := math.Log(1 + (1<<20-1)*math.Exp(-12))
		if y := LogSumExp32(x); ulps32(y, want) > 2 {
			t.Errorf("%v, want %v", y, want)
		}
	})
}

func TestSoftmax(t *testing.T) {
	versions(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 8))
		for n := range 130 {
			x := make([]float64, n)
			for i := range x {
				x[i] = 300 + 10*rng.NormFloat64()
			}
			x32, before := to32(x), slices.Clone(x)
			p, p32 := make([]float64, n), make([]float32, n)
			Softmax(p, x)
			Softmax32(p32, x32)
			if !slices.Equal(x, before) {
				t.Fatal("Softmax changed its argument")
			}
			lse := LogSumExp(x)
			sum, sum32, lse32 := 0.0, 0.0, 0.0
			for _, v := range x32 {
				lse32 += math.Exp(float64(v) - 300)
			}
			lse32 = 300 + math.Log(lse32)
			for i := range x {
				sum, sum32 = sum+p[i], sum32+float64(p32[i])
				if d := p[i] - math.Exp(x[i]-lse); math.Abs(d) > 1e-13*p[i] {
					t.Fatalf("length %d: element %d is %v, off by %v", n, i, p[i], d)
				}
				if d := float64(p32[i]) - math.Exp(float64(x32[i])-lse32); math.Abs(d) > 3e-7 {
					t.Fatalf("length %d: element %d is %v, off by %v", n, i, p32[i], d)
				}
			}
			if n > 0 && (math.Abs(sum-1) > 1e-15*float64(n+3) || math.Abs(sum32-1) > 1e-6) {
				t.Fatalf("length %d: sums %v and %v", n, sum, sum32)
			}
			Softmax(x, x)
			Softmax32(x32, x32)
			if !slices.Equal(x, p) || !slices.Equal(x32, p32) {
				t.Fatalf("length %d: in place it is another result", n)
			}
		}
		for _, x := range [][]float64{{nan, 1}, {1, inf, 0}, {-inf, -inf}, {-inf}} {
			p, p32 := make([]float64, len(x)), make([]float32, len(x))
			Softmax(p, x)
			Softmax32(p32, to32(x))
			for i := range p {
				if p[i] == p[i] || p32[i] == p32[i] {
					t.Errorf("Softmax of %v is %v and %v, want NaN", x, p, p32)
				}
			}
		}
		p := make([]float64, 3)
		if Softmax(p, []float64{-inf, 4, 4}); !slices.Equal(p, []float64{0, 0.5, 0.5}) {
			t.Errorf("Softmax of (-Inf, 4, 4) is %v", p)
		}
	})
}

func TestLengths(t *testing.T) {
	for name, f := range map[string]func(){
		"Exp":       func() { Exp(make([]float64, 3), make([]float64, 4)) },
		"Exp32":     func() { Exp32(make([]float32, 5), nil) },
		"Softmax32": func() { Softmax32(nil, make([]float32, 1)) },
		"Log":       func() { Log(nil, make([]float64, 1)) },
	} {
		if s, ok := panics.Value(f).(string); !ok || !strings.HasPrefix(s, "vmath: "+name+": ") {
			t.Errorf("%s with different lengths: %q", name, s)
		}
	}
}

func TestAllocations(t *testing.T) {
	versions(t, func(t *testing.T) {
		x, x32 := make([]float64, 37), make([]float32, 37)
		if n := testing.AllocsPerRun(10, func() {
			var a [11]float64 // stays on the stack
			Exp(a[:], a[:])
			Sigmoid(x, x)
			Softmax32(x32, x32)
			x[0] = LogSumExp(x)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// FuzzVersions compares the assembly with the portable version on four numbers.
func FuzzVersions(f *testing.F) {
	f.Add(0.0, 1.0, -1.0, 1e-310)
	f.Add(709.78, -745.13, inf, nan)
	f.Fuzz(func(t *testing.T, a, b, c, d float64) {
		defer func(v instructions) { inUse = v }(inUse)
		best, x := inUse, []float64{a, b, c, d}
		y, z := make([]float64, 4), make([]float64, 4)
		for _, g := range functions {
			inUse = best
			g.f64(y, x)
			inUse = portable
			g.f64(z, x)
			for i := range x {
				// 7 ulp exceeds both bounds together.
				if !same64(y[i], z[i]) && !(math.Abs(y[i]-z[i]) <= 7*math.Max(math.Abs(z[i])*0x1p-52, 0x1p-1074)) {
					t.Errorf("%s(%v) = %v, portable %v", g.name, x[i], y[i], z[i])
				}
			}
		}
	})
}
