package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"

	"overcomplete/internal/patience"
)

var transposes = [][2]blas.Transpose{{'N', 'N'}, {'T', 'N'}, {'N', 'T'}, {'C', 'T'}}

// compareProduct multiplies matrices of small integers, with exact products, and compares with gonum for
// equality. It uses random strides, alpha and beta, and canaries.
func compareProduct[T number](t *testing.T, rnd *rand.Rand, mine, theirs blasFor[T], tA, tB blas.Transpose, m, n, k int) {
	t.Helper()
	alpha := []T{1, -1, 0.5, 2}[rnd.IntN(4)]
	beta := []T{0, 1, -0.5}[rnd.IntN(3)]
	ar, ac := dims(tA, m, k)
	br, bc := dims(tB, k, n)
	a := newRegion(rnd, ar, ac, nan[T](), integers[T](rnd, m*k))
	b := newRegion(rnd, br, bc, nan[T](), integers[T](rnd, k*n))
	values := integers[T](rnd, m*n)
	if beta == 0 {
		for i := range values {
			values[i] = nan[T]() // must be overwritten
		}
	}
	c := newRegion(rnd, m, n, canary, values)
	want := slices.Clone(c.x)
	aWas, bWas := slices.Clone(a.all), slices.Clone(b.all)
	mine.gemm(tA, tB, m, n, k, alpha, a.x, a.ld, b.x, b.ld, beta, c.x, c.ld)
	theirs.gemm(tA, tB, m, n, k, alpha, a.x, a.ld, b.x, b.ld, beta, want, c.ld)
	what := fmt.Sprintf("%s %c%c %d×%d×%d, strides %d %d %d, alpha %v, beta %v", typeName[T](), tA, tB, m, n, k, a.ld, b.ld, c.ld, alpha, beta)
	for i, v := range want {
		if c.x[i] != v {
			t.Fatalf("%s: c[%d,%d] is %v, want %v", what, i/c.ld, i%c.ld, c.x[i], v)
		}
	}
	c.check(t, canary, what)
	if !sameBits(a.all, aWas) || !sameBits(b.all, bWas) {
		t.Fatalf("%s: changed its input", what)
	}
}

func sameBits[T number](x, y []T) bool {
	return slices.EqualFunc(x, y, func(a, b T) bool {
		return math.Float64bits(float64(a)) == math.Float64bits(float64(b))
	})
}

// coverProducts tests all tile remainders: up to two tiles of rows and of columns, both without packing and,
// for sizes from the packing threshold on, with packing. It also tests values of k around the edges of
// vectors and blocks.
func coverProducts[T number](t *testing.T, rnd *rand.Rand, q *kernels[T], mine, theirs blasFor[T]) {
	step := 0
	ks := []int{1, 2, 3, 5, q.lanes - 1, q.lanes, q.lanes + 1, 2*q.lanes + 3, 40}
	each := func(m, n, k int) {
		step++
		tr := transposes[step%4]
		compareProduct(t, rnd, mine, theirs, tr[0], tr[1], m, n, k)
	}
	for m := 1; m <= 2*q.rows+1; m++ {
		for n := 1; n <= 4*q.lanes+1; n++ {
			each(m, n, ks[(m*7+n)%len(ks)])
			each(2*q.rows+m, n, ks[(m*5+n)%len(ks)])
			each(m, 4*q.lanes+n, ks[(m*3+n)%len(ks)])
			if n%5 == m%5 {
				each(2*q.rows+m, 4*q.lanes+n, ks[(m+n)%len(ks)])
			}
		}
	}
	block := blockBytes / q.size()
	for k := 1; k <= 2*block+3; k++ {
		if k > 4*q.lanes && k%block > 2 && k%block < block-2 {
			continue
		}
		for _, tr := range transposes {
			compareProduct(t, rnd, mine, theirs, tr[0], tr[1], 5, 7, k)
			compareProduct(t, rnd, mine, theirs, tr[0], tr[1], 2*q.rows+2, 4*q.lanes+3, k)
		}
	}
}

func TestProductCover(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(1, 2))
		coverProducts(t, rnd, set.f32, my32, ref32)
		coverProducts(t, rnd, set.f64, my64, ref64)
	})
}

// TestProductLarge tests products that pack B in several parts: several blocks of columns and several groups
// of blocks of k.
func TestProductLarge(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(2, 3))
		for i, tr := range transposes {
			SetWorkers(1 + i%2*2)
			compareProduct(t, rnd, my32, ref32, tr[0], tr[1], 26, blockColumns+70, packedBytes/4/blockColumns*5/4)
			compareProduct(t, rnd, my64, ref64, tr[0], tr[1], 26, blockColumns+70, packedBytes/8/blockColumns*5/4)
		}
	})
}

func TestProductRandom(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(3, 4))
		rounds := 40
		if testing.Short() {
			rounds = 8
		}
		for i := range rounds {
			SetWorkers(1 + i%3)
			m, n, k := 1+rnd.IntN(300), 1+rnd.IntN(300), 1+rnd.IntN(300)
			if i%4 == 0 { // long and thin
				m, n, k = []int{m, n, 1 + k%9}[i/4%3], []int{n, 1 + k%9, m}[i/4%3], []int{1 + k%9, m, n}[i/4%3]
			}
			for _, tr := range transposes {
				compareProduct(t, rnd, my32, ref32, tr[0], tr[1], m, n, k)
				compareProduct(t, rnd, my64, ref64, tr[0], tr[1], m, n, k)
			}
		}
	})
}

// TestProductError checks that the rounding error of a product, compared with a compensated float64 sum, is
// within the usual bound |error| <= k ε |A||B|.
func TestProductError(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		productError(t, my32)
		productError(t, my64)
	})
}

func productError[T number](t *testing.T, mine blasFor[T]) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const m, n, k = 37, 70, 500
	a, b, c := random[T](rnd, m*k), random[T](rnd, k*n), make([]T, m*n)
	mine.gemm('N', 'N', m, n, k, 1, a, k, b, n, 0, c, n)
	eps := float64(epsilon[T]())
	for i := range m {
		for j := range n {
			var sum, low, size float64
			for p := range k {
				x, y := float64(a[i*k+p]), float64(b[p*n+j])
				v := x * y
				low += math.FMA(x, y, -v)
				s := sum + v
				if math.Abs(sum) > math.Abs(v) {
					low += (sum - s) + v
				} else {
					low += (v - s) + sum
				}
				sum = s
				size += math.Abs(v)
			}
			if d := math.Abs(float64(c[i*n+j]) - (sum + low)); d > k*eps*size {
				t.Fatalf("%s: c[%d,%d] is off by %g, the bound is %g", typeName[T](), i, j, d, k*eps*size)
			}
		}
	}
}

// TestDeterminism checks that the bits do not depend on the number of threads or on the instruction set.
func TestDeterminism(t *testing.T) {
	sets := assembly()
	if len(sets) == 0 {
		t.Skip("no assembly here")
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, s := range [][3]int{{300, 300, 700}, {257, 130, 1000}, {20, 2000, 300}, {2000, 20, 300}, {1100, 1100, 40}} {
		m, n, k := s[0], s[1], s[2]
		determinism(t, rnd, sets, my32, m, n, k)
		determinism(t, rnd, sets, my64, m, n, k)
	}
}

func determinism[T number](t *testing.T, rnd *rand.Rand, sets []*isa, mine blasFor[T], m, n, k int) {
	a, b := random[T](rnd, m*k), random[T](rnd, k*n)
	for _, tr := range transposes {
		_, lda := dims(tr[0], m, k)
		_, ldb := dims(tr[1], k, n)
		var first []T
		for _, set := range sets {
			for _, threads := range []int{1, 2, 3, 8} {
				use(t, set, threads)
				c := make([]T, m*n)
				mine.gemm(tr[0], tr[1], m, n, k, 1.25, a, lda, b, ldb, 0, c, n)
				if first == nil {
					first = c
				} else if !sameBits(c, first) {
					t.Fatalf("%s %c%c %d×%d×%d: %s on %d threads gives other bits", typeName[T](), tr[0], tr[1], m, n, k, set.name, threads)
				}
			}
		}
	}
}

// TestConcurrentCallers multiplies in several goroutines at the same time, each with several threads.
func TestConcurrentCallers(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		SetWorkers(3)
		var wait sync.WaitGroup
		for g := range 6 {
			wait.Go(func() {
				rnd := rand.New(rand.NewPCG(9, uint64(g)))
				for range 3 {
					m, n, k := 150+rnd.IntN(50), 150+rnd.IntN(50), 150+rnd.IntN(50)
					tr := transposes[rnd.IntN(4)]
					_, lda := dims(tr[0], m, k)
					_, ldb := dims(tr[1], k, n)
					a, b := integers[float64](rnd, m*k), integers[float64](rnd, k*n)
					c, want := make([]float64, m*n), make([]float64, m*n)
					my.Dgemm(tr[0], tr[1], m, n, k, 1, a, lda, b, ldb, 0, c, n)
					ref.Dgemm(tr[0], tr[1], m, n, k, 1, a, lda, b, ldb, 0, want, n)
					if !slices.Equal(c, want) {
						t.Errorf("goroutine %d: wrong product", g)
					}
					my.Dsyrk('U', 'N', 100, 50, 1, a, 60, 0, c, n)
					ref.Dsyrk('U', 'N', 100, 50, 1, a, 60, 0, want, n)
					if !slices.Equal(c, want) {
						t.Errorf("goroutine %d: wrong syrk", g)
					}
				}
			})
		}
		wait.Wait()
	})
}

// TestAllocations checks that a product allocates nothing once its buffers exist.
func TestAllocations(t *testing.T) {
	if patience.RaceDetector {
		t.Skip("the race detector makes sync.Pool forget at random")
	}
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(10, 11))
		const n = 200
		a, b, c := random[float64](rnd, n*n), random[float64](rnd, n*n), make([]float64, n*n)
		for _, threads := range []int{1, 3} {
			SetWorkers(threads)
			for _, tr := range transposes {
				// A garbage collection may empty the pool once or twice.
				patience.Try(t, func() string {
					if got := testing.AllocsPerRun(50, func() { my.Dgemm(tr[0], tr[1], n, n, n, 1, a, n, b, n, 0, c, n) }); got > 0.5 {
						return fmt.Sprintf("%d threads, %c%c: %v allocations", threads, tr[0], tr[1], got)
					}
					return ""
				})
			}
			patience.Try(t, func() string {
				if got := testing.AllocsPerRun(50, func() { my.Dsyrk('U', 'N', n, n, 1, a, n, 0, c, n) }); got > 0.5 {
					return fmt.Sprintf("%d threads, syrk: %v allocations", threads, got)
				}
				return ""
			})
		}
	})
}
