package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// kind classifies a number as finite, NaN or an infinity.
func kind[T number](x T) string {
	switch v := float64(x); {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return "finite"
}

// TestNaNAndInf checks that a product has a NaN or Inf wherever IEEE arithmetic prescribes it, which includes all NaN
// and Inf in gonum's result. gonum hides 0·NaN and 0·Inf, because it skips elements of A that are 0 (unless only B is
// transposed). The test also checks that gonum does this.
func TestNaNAndInf(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(12, 13))
		more := 0
		for range 60 {
			more += specials(t, rnd, my32, ref32)
			more += specials(t, rnd, my64, ref64)
		}
		if more == 0 {
			t.Error("gonum hid nothing: the package comment is wrong")
		}
	})
}

// specials compares a product with gonum's, and returns the number of NaN and Inf that gonum hides.
func specials[T number](t *testing.T, rnd *rand.Rand, mine, theirs blasFor[T]) (more int) {
	m, n, k := 1+rnd.IntN(40), 1+rnd.IntN(80), 1+rnd.IntN(40)
	inf := T(math.Inf(1))
	sprinkle := func(x []T) {
		for range 1 + len(x)/200 {
			x[rnd.IntN(len(x))] = []T{nan[T](), inf, -inf, 0, 0}[rnd.IntN(5)]
		}
	}
	a, b, c := integers[T](rnd, m*k), integers[T](rnd, k*n), integers[T](rnd, m*n)
	sprinkle(a)
	sprinkle(b)
	sprinkle(c)
	alpha := []T{1, -0.5}[rnd.IntN(2)]
	beta := []T{0, 1, -2}[rnd.IntN(3)]
	for _, tr := range transposes {
		_, lda := dims(tr[0], m, k)
		_, ldb := dims(tr[1], k, n)
		got, gonums := slices.Clone(c), slices.Clone(c)
		mine.gemm(tr[0], tr[1], m, n, k, alpha, a, lda, b, ldb, beta, got, n)
		theirs.gemm(tr[0], tr[1], m, n, k, alpha, a, lda, b, ldb, beta, gonums, n)
		A, B := viewOf(tr[0] != 'N', a, lda), viewOf(tr[1] != 'N', b, ldb)
		for i := range m {
			for j := range n {
				var ieee T
				for p := range k {
					ieee += A.data[i*A.rs+p*A.cs] * B.data[p*B.rs+j*B.cs]
				}
				ieee *= alpha
				if beta != 0 {
					ieee += beta * c[i*n+j]
				}
				g, w, h := kind(got[i*n+j]), kind(ieee), kind(gonums[i*n+j])
				small := isTiny(tr[1], m, n, k) // gonum's code computes small products
				if g != w && !(small && g == h) {
					t.Fatalf("%s %c%c %d×%d×%d: c[%d,%d] is %s, want %s", typeName[T](), tr[0], tr[1], m, n, k, i, j, g, w)
				}
				if h != "finite" && g == "finite" {
					t.Fatalf("%s %c%c: c[%d,%d]: gonum has %s, here it is finite", typeName[T](), tr[0], tr[1], i, j, h)
				}
				if h != g {
					more++
				}
			}
		}
	}
	return more
}

// TestSpecialAlpha checks that products with an alpha of 0, NaN or Inf have gonum's bits, because gonum
// computes them.
func TestSpecialAlpha(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(14, 15))
		const n = 30
		a, b, c := random[float64](rnd, n*n), random[float64](rnd, n*n), random[float64](rnd, n*n)
		a[7], b[11], c[13] = math.NaN(), math.Inf(1), math.NaN()
		for _, alpha := range []float64{0, math.NaN(), math.Inf(-1)} {
			for _, beta := range []float64{0, 1, 0.5, math.NaN()} {
				for _, tr := range transposes {
					got, want := slices.Clone(c), slices.Clone(c)
					my.Dgemm(tr[0], tr[1], n, n, n, alpha, a, n, b, n, beta, got, n)
					ref.Dgemm(tr[0], tr[1], n, n, n, alpha, a, n, b, n, beta, want, n)
					if !sameBits(got, want) {
						t.Fatalf("alpha %v, beta %v, %c%c: not what gonum gives", alpha, beta, tr[0], tr[1])
					}
				}
			}
		}
	})
}

// TestOtherTriangle checks that NaN in the unused triangle of a matrix does not affect the result.
func TestOtherTriangle(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(16, 17))
		const n, m = 70, 90
		for _, ul := range []blas.Uplo{'U', 'L'} {
			a := integers[float64](rnd, n*n)
			dirty := slices.Clone(a)
			for i := range n {
				for j := range n {
					if (ul == 'U' && j < i) || (ul == 'L' && j > i) {
						dirty[i*n+j] = math.NaN()
					}
				}
			}
			b := integers[float64](rnd, n*m)
			both := func(name string, f func(a, c []float64)) {
				c, d := slices.Clone(b), slices.Clone(b)
				f(a, c)
				f(dirty, d)
				if !sameBits(c, d) {
					t.Errorf("%s %c reads the other triangle", name, ul)
				}
			}
			both("symm left", func(a, c []float64) { my.Dsymm('L', ul, n, m, 1, a, n, b, m, 0, c, m) })
			both("symm right", func(a, c []float64) { my.Dsymm('R', ul, m, n, 1, a, n, b, n, 0, c, n) })
			both("symv", func(a, c []float64) { my.Dsymv(ul, n, 1, a, n, b, 1, 0, c, 1) })
			for _, tr := range []blas.Transpose{'N', 'T'} {
				both("trmm left", func(a, c []float64) { my.Dtrmm('L', ul, tr, 'N', n, m, 1, a, n, c, m) })
				both("trmm right", func(a, c []float64) { my.Dtrmm('R', ul, tr, 'N', m, n, 1, a, n, c, n) })
			}
		}
	})
}

// TestMinusZero checks that a beta of −0 does not read C, like a beta of 0.
func TestMinusZero(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		minusZero[float32](t, my32)
		minusZero[float64](t, my64)
	})
}

func minusZero[T number](t *testing.T, mine blasFor[T]) {
	const n = 5
	a, c := make([]T, n*n), make([]T, n*n)
	for i := range c {
		a[i], c[i] = 1, T(math.NaN())
	}
	mine.gemm('N', 'N', n, n, n, 1, a, n, a, n, T(math.Copysign(0, -1)), c, n)
	for i, v := range c {
		if v != n {
			t.Fatalf("element %d is %v, want %d", i, v, n)
		}
	}
}
