package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

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
