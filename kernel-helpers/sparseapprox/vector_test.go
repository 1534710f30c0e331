package sparseapprox

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"overcomplete/internal/simd"
	"overcomplete/kernel-helpers/internal/avogen/avogentest"
)

func random[T float32 | float64](rng *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

// difference returns the largest difference between elements of a and b. Each is taken relative to the number, or to 1
// if that is larger. If a difference is NaN, the result is NaN.
func difference[T float32 | float64](a, b []T) (worst float64) {
	for i, v := range a {
		worst = max(worst, math.Abs(float64(v)-float64(b[i]))/max(1, math.Abs(float64(v))))
	}
	return worst
}

// sumsOfRows tests the functions that add multiples of 1 and of 4 rows of n numbers to y, and returns its test data.
func sumsOfRows[T float32 | float64](t *testing.T, name string, rng *rand.Rand, n int, one func(a T, x, y []T), four func(f *[4]T, a, b, c, d, y []T), tol float64) (x, y []T) {
	t.Helper()
	x = random[T](rng, 4*n)
	y = random[T](rng, n+2) // the numbers on both sides must not change
	f := [4]T(random[T](rng, 4))
	want := slices.Clone(y)
	axpyPortable(f[0], x[:n], want[1:n+1])
	axpy4Portable(&f, x[:n], x[n:2*n], x[2*n:3*n], x[3*n:], want[1:n+1])
	one(f[0], x[:n], y[1:n+1])
	four(&f, x[:n], x[n:2*n], x[2*n:3*n], x[3*n:], y[1:n+1])
	if d := difference(want, y); !(d <= tol) || y[0] != want[0] || y[n+1] != want[n+1] {
		t.Errorf("%s: sums of rows of %d: off by %g", name, n, d)
	}
	return x, y
}

func TestVectors(t *testing.T) {
	simd.Each(func(name string) {
		rng := rand.New(rand.NewPCG(6, 6))
		for n := range 140 {
			x, y := sumsOfRows(t, name, rng, n, axpy, axpy4, 1e-14)
			if d, want := dot(x[:n], y[1:n+1]), dotPortable(x[:n], y[1:n+1]); !(math.Abs(d-want) <= 1e-13*float64(n+1)) {
				t.Errorf("%s: dot of %d: %v, want %v", name, n, d, want)
			}
		}
	})
}

func TestVectors32(t *testing.T) {
	simd.Each(func(name string) {
		rng := rand.New(rand.NewPCG(8, 8))
		for n := range 300 {
			x, _ := sumsOfRows(t, name, rng, n, axpy32, axpy4x32, 5e-6)
			bound := random[float32](rng, n)
			for _, sign := range []float32{-1, 1} {
				for shift := range 3 { // with larger shifts, few or no numbers exceed their bounds
					for j := range bound {
						bound[j] += float32(shift)
					}
					worst := excess(x[:n], bound, sign)
					if want := excessPortable(x[:n], bound, sign); worst != want {
						t.Errorf("%s: excess of %d: %v, want %v", name, n, worst, want)
					}
					words := (n + 63) / 64
					got, bits := make([]uint64, words), make([]uint64, words)
					for i := range got {
						got[i] = rng.Uint64()
					}
					above(x[:n], bound, sign, 0.7, got)
					abovePortable(x[:n], bound, sign, 0.7, bits)
					if !slices.Equal(got, bits) {
						t.Errorf("%s: above of %d: %b, want %b", name, n, got, bits)
					}
				}
			}
		}
	})
}

// A sweep of the assembly equals sweepPortable up to rounding, and so does a second sweep. The padding does not matter.
func TestSweep(t *testing.T) {
	simd.Each(func(name string) {
		for m := 1; m < 100; m += 1 + m/7 {
			B, _ := problem(30, m, 1, uint64(m))
			c, err := NewCoder(B, &Options{Lambda: 1})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(9, uint64(m)))
			set := rng.Perm(m)
			for _, low := range []float32{-1, float32(math.Inf(-1))} {
				q, w := random[float32](rng, m), make([]float32, m)
				for i := range q {
					q[i] *= 4
				}
				var a, b block32
				s := c.newGram32()
				a.load(s, m, set[:m/2], q, w) // in two parts, as it grows
				a.load(s, m, set, q, w)
				b.load(s, m, set, q, w)
				for i := range a.stride - m {
					a.q[m+i], a.w[m+i] = 1e30, -1e30
				}
				for range 5 {
					got, want := a.run(low), b.sweepPortable(low)
					d := max(difference(b.w[:m], a.w[:m]), difference(b.q[:m], a.q[:m]))
					if !(d <= 2e-5 && math.Abs(float64(got-want)) <= 2e-5) {
						t.Fatalf("%s: %d atoms, low %v: off by %g, changes %v and %v", name, m, low, d, got, want)
					}
				}
			}
		}
	})
}

// The instruction set affects the result only by rounding.
func TestInstructionSets(t *testing.T) {
	for _, prior := range []Prior{L1, L1NonNegative} {
		B, X := problem(40, 90, 30, 45)
		opt := Options{Prior: prior, Lambda: 0.1, Tolerance: 1e-9}
		var first *Result
		simd.Each(func(name string) {
			r := solve(t, B, X, opt)
			if first == nil {
				first = r
			}
			if d := largestDifference(r.W, first.W); !(d <= 1e-9) {
				t.Errorf("%v, %s: w differs by %g", prior, name, d)
			}
		})
	}
}

// The package's assembly equals the generator's output.
func TestGenerated(t *testing.T) { avogentest.Current(t, "sparseapprox") }
