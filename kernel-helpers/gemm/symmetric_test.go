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
