package gemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// TestTriangleBits checks that syrk and syr2k give the same bits for every number of threads and every
// instruction set with fused multiply-adds, on and off the diagonal of C. The other half of C must not
// change.
func TestTriangleBits(t *testing.T) {
	t.Run("f64", func(t *testing.T) { testTriangleBits(t, my64) })
	t.Run("f32", func(t *testing.T) { testTriangleBits(t, my32) })
}

func testTriangleBits[T number](t *testing.T, mine blasFor[T]) {
	for _, n := range []int{squareLeaf + 1, 75, 200} {
		for _, k := range []int{7, 300} {
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				for _, beta := range []T{0, 1, 0.3} {
					rnd := rand.New(rand.NewPCG(11, uint64(n)))
					a, b, old := random[T](rnd, n*k), random[T](rnd, n*k), random[T](rnd, n*n)
					var syrk, syr2k []T
					eachSet(t, func(t *testing.T, set *isa) {
						for workers := 1; workers <= 3; workers++ {
							SetWorkers(workers)
							what := fmt.Sprintf("n %d, k %d, %c, beta %v, %d workers", n, k, ul, beta, workers)
							c := slices.Clone(old)
							mine.syrk(ul, blas.NoTrans, n, k, 0.7, a, k, beta, c, n)
							syrk = mustRepeat(t, "syrk, "+what, syrk, c)
							c = slices.Clone(old)
							mine.syr2k(ul, blas.Trans, n, k, 0.7, a, n, b, n, beta, c, n)
							syr2k = mustRepeat(t, "syr2k, "+what, syr2k, c)
							for i := range n {
								for j := range n {
									if above := i < j; above == (ul == blas.Lower) && i != j && c[i*n+j] != old[i*n+j] {
										t.Fatalf("syr2k, %s: changes (%d, %d)", what, i, j)
									}
								}
							}
						}
					})
				}
			}
		}
	}
}

// mustRepeat fails the test unless got has the same bits as first. It returns the first result: first, or got if first
// is nil.
func mustRepeat[T number](t *testing.T, what string, first, got []T) []T {
	t.Helper()
	if first != nil && !sameBits(first, got) {
		t.Fatalf("%s: other bits", what)
	}
	if first == nil {
		return got
	}
	return first
}

// TestSharedSymv checks a large symv, which is divided into parts: it must read only its triangle, and must
// give the same bits for any number of threads.
func TestSharedSymv(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		t.Run("f64", func(t *testing.T) { testSharedSymv(t, my64, ref64) })
		t.Run("f32", func(t *testing.T) { testSharedSymv(t, my32, ref32) })
	})
}

func testSharedSymv[T number](t *testing.T, mine, theirs blasFor[T]) {
	rnd := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{sharedSymmetric - 1, sharedSymmetric, sharedSymmetric + 1, sharedSymmetric + 91} {
		for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
			for _, exact := range []bool{true, false} {
				a, x := random[T](rnd, n*n), random[T](rnd, n)
				if exact { // sums of integers are the same in any order
					a, x = integers[T](rnd, n*n), integers[T](rnd, n)
				}
				for i := range n {
					for j := range i {
						if ul == blas.Upper {
							a[i*n+j] = nan[T]()
						} else {
							a[j*n+i] = nan[T]()
						}
					}
				}
				var first []T
				for workers := 1; workers <= 3; workers++ {
					SetWorkers(workers)
					y := make([]T, n)
					mine.symv(ul, n, 1, a, n, x, 1, 0, y, 1)
					if first == nil {
						first = y
					}
					if !slices.Equal(y, first) {
						t.Errorf("%d rows, %c: %d workers give other bits than one", n, ul, workers)
					}
				}
				if exact {
					want := make([]T, n)
					theirs.symv(ul, n, 1, a, n, x, 1, 0, want, 1)
					if !slices.Equal(first, want) {
						t.Errorf("%d rows, %c: wrong", n, ul)
					}
				}
			}
		}
	}
}

// TestSymmetricRows checks that the parts cover each element of a triangle once and have nearly the same
// size.
func TestSymmetricRows(t *testing.T) {
	for _, upper := range []bool{true, false} {
		for _, n := range []int{sharedSymmetric, 1000, 1023} {
			at := 0
			for p := range symmetricParts {
				from, to := symmetricRows(upper, n, p, symmetricParts)
				area := 0
				for i := from; i < to; i++ {
					if area += i + 1; upper {
						area += n - 2*i - 1
					}
				}
				if even := n * n / 2 / symmetricParts; from != at || area < even*95/100 || area > even*105/100 {
					t.Errorf("upper %t, %d rows, part %d: %d to %d, area %d of %d", upper, n, p, from, to, area, even)
				}
				at = to
			}
			if at != n {
				t.Errorf("upper %t: the parts of %d rows end at %d", upper, n, at)
			}
		}
	}
}
