//go:build linux && (amd64 || arm64) && !noasm

package gemm

import (
	"math/rand/v2"
	"testing"

	"overcomplete/kernel-helpers/internal/guard"
)

// A fence is memory between two inaccessible pages.
type fence[T number] struct{ x []T }

func newFence[T number](t *testing.T, n int) fence[T] {
	t.Helper()
	return fence[T]{guard.Slice[T](t, n)}
}

// place copies values to the start or the end of the fence's memory and returns the copy.
func (f fence[T]) place(values []T, end bool) []T {
	x := f.x[:len(values):len(values)]
	if end {
		x = f.x[len(f.x)-len(values):]
	}
	copy(x, values)
	return x
}

// TestGuardPages places operands at the edges of accessible memory, so that a read or write outside an
// operand causes a fault that kills the test.
func TestGuardPages(t *testing.T) {
	eachSet(t, func(t *testing.T, set *isa) {
		rnd := rand.New(rand.NewPCG(21, 22))
		guarded(t, rnd, set.f32, my32)
		guarded(t, rnd, set.f64, my64)
	})
}

func guarded[T number](t *testing.T, rnd *rand.Rand, q *kernels[T], mine blasFor[T]) {
	const most = 130
	fa, fb, fc := newFence[T](t, most*most), newFence[T](t, most*most), newFence[T](t, most*most)
	fx, fy := newFence[T](t, most), newFence[T](t, most)
	step := 0
	product := func(m, n, k int) {
		for end := range 2 {
			step++
			tr := transposes[step%4]
			_, lda := dims(tr[0], m, k)
			_, ldb := dims(tr[1], k, n)
			a := fa.place(integers[T](rnd, m*k), end == 1)
			b := fb.place(integers[T](rnd, k*n), end == 1)
			c := fc.place(integers[T](rnd, m*n), end == 1)
			mine.gemm(tr[0], tr[1], m, n, k, 1, a, lda, b, ldb, T(step/4%2), c, n)
		}
	}
	for m := 1; m <= 2*q.rows+1; m++ {
		for n := 1; n <= 4*q.lanes+1; n++ {
			product(m, n, 1+(m*7+n*3)%40)
			if n%3 == m%3 {
				product(2*q.rows+m, min(most, 2*n), 1+(m+n)%40)
			}
		}
	}
	rounds, others := 4, 1500
	if testing.Short() { // short tests run in an emulator
		rounds, others = 1, 200
	}
	for k := 1; k <= most; k++ {
		for range rounds {
			product(k%13+1, 1+rnd.IntN(most), k)
			product(30+k%13, 1+rnd.IntN(most), k)
		}
	}
	for range others {
		m, n := 1+rnd.IntN(most), 1+rnd.IntN(most)
		end := rnd.IntN(2) == 1
		beta := T(rnd.IntN(2))
		tr, ul, side, diag := trs[rnd.IntN(3)], uplos[rnd.IntN(2)], sides[rnd.IntN(2)], diags[rnd.IntN(2)]
		out, in := dims(tr, m, n)
		a := fa.place(integers[T](rnd, m*n), end)
		mine.gemv(tr, m, n, 1, a, n, fx.place(integers[T](rnd, in), end), 1, beta, fy.place(integers[T](rnd, out), end), 1)
		mine.ger(m, n, 1, fx.place(integers[T](rnd, m), end), 1, fy.place(integers[T](rnd, n), end), 1, a, n)
		square := fb.place(integers[T](rnd, n*n), end)
		mine.symv(ul, n, 1, square, n, fx.place(integers[T](rnd, n), end), 1, beta, fy.place(integers[T](rnd, n), end), 1)
		if m%4 > 0 {
			continue
		}
		rows, cols := dims(tr, n, m)
		c := fc.place(integers[T](rnd, n*n), end)
		mine.syrk(ul, tr, n, m, 1, fa.place(integers[T](rnd, rows*cols), end), cols, beta, c, n)
		mine.syr2k(ul, tr, n, m, 1, a, cols, fb.place(integers[T](rnd, rows*cols), end), cols, beta, c, n)
		k := order(side, m, n)
		s := fb.place(integers[T](rnd, k*k), end)
		for i := range k {
			s[i*k+i] = 64
		}
		c = fc.place(integers[T](rnd, m*n), end)
		mine.symm(side, ul, m, n, 1, s, k, a, n, beta, c, n)
		mine.trmm(side, ul, tr, diag, m, n, 1, s, k, c, n)
		mine.trsm(side, ul, tr, diag, m, n, 1, s, k, c, n)
	}
}
