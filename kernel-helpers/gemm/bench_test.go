package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"overcomplete/kernel-helpers/internal/peer"
)

// raceGonum reports how much faster the function mine is than gonum's code.
func raceGonum(b *testing.B, repeat int, mine, theirs func()) {
	loop := func(f func()) peer.Turn {
		return peer.Timer(func() {
			for range repeat {
				f()
			}
		})
	}
	r := peer.Race(15, loop(mine), loop(theirs))
	b.ReportMetric(0, "ns/op") // suppresses the total time of the race
	b.ReportMetric(r.Speed, "x-gonum")
	b.ReportMetric(r.Mine/float64(repeat)*1e9, "ns")
	b.ReportMetric(r.Peer/float64(repeat)*1e9, "gonum-ns")
}

// BenchmarkSmall races gonum at the sizes where a product is mostly overhead.
func BenchmarkSmall(b *testing.B) {
	defer SetWorkers(SetWorkers(1))
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, s := range [][3]int{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {6, 6, 6}, {8, 8, 8}, {12, 12, 12}, {16, 16, 16}, {32, 32, 32}, {64, 64, 64}, {128, 128, 128}, {1, 64, 64}, {64, 1, 64}, {64, 64, 1}, {1, 1, 256}, {1, 500, 500}, {500, 1, 500}, {500, 500, 1}} {
		m, n, k := s[0], s[1], s[2]
		a, x, c := random[float64](rnd, m*k), random[float64](rnd, k*n), random[float64](rnd, m*n)
		a32, x32, c32 := random[float32](rnd, m*k), random[float32](rnd, k*n), random[float32](rnd, m*n)
		for _, t := range []struct {
			tA, tB blas.Transpose
		}{{'N', 'N'}, {'T', 'N'}, {'N', 'T'}} {
			lda, ldb := k, n
			if t.tA == 'T' {
				lda = m
			}
			if t.tB == 'T' {
				ldb = k
			}
			name := fmt.Sprintf("%dx%dx%d/%c%c", m, n, k, t.tA, t.tB)
			repeat := max(10, 1000000/(100+m*n*k/4))
			b.Run("f64/"+name, func(b *testing.B) {
				raceGonum(b, repeat, func() { BLAS{}.Dgemm(t.tA, t.tB, m, n, k, 1, a, lda, x, ldb, 0, c, n) },
					func() { gonum.Implementation{}.Dgemm(t.tA, t.tB, m, n, k, 1, a, lda, x, ldb, 0, c, n) })
			})
			b.Run("f32/"+name, func(b *testing.B) {
				raceGonum(b, repeat, func() { BLAS{}.Sgemm(t.tA, t.tB, m, n, k, 1, a32, lda, x32, ldb, 0, c32, n) },
					func() { gonum.Implementation{}.Sgemm(t.tA, t.tB, m, n, k, 1, a32, lda, x32, ldb, 0, c32, n) })
			})
		}
	}
}

// BenchmarkVector races gonum's matrix-vector products.
func BenchmarkVector(b *testing.B) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var mine BLAS
	var theirs gonum.Implementation
	for _, n := range []int{16, 24, 32, 100, 300, 1000, 2000} {
		a, x, y := random[float64](rnd, n*n), random[float64](rnd, n), random[float64](rnd, n)
		a32, x32, y32 := random[float32](rnd, n*n), random[float32](rnd, n), random[float32](rnd, n)
		repeat := max(2, 2000000/n/n)
		b.Run(fmt.Sprint("f64/gemvN/", n), func(b *testing.B) {
			raceGonum(b, repeat, func() { mine.Dgemv('N', n, n, 1, a, n, x, 1, 0, y, 1) },
				func() { theirs.Dgemv('N', n, n, 1, a, n, x, 1, 0, y, 1) })
		})
		b.Run(fmt.Sprint("f64/gemvT/", n), func(b *testing.B) {
			raceGonum(b, repeat, func() { mine.Dgemv('T', n, n, 1, a, n, x, 1, 0, y, 1) },
				func() { theirs.Dgemv('T', n, n, 1, a, n, x, 1, 0, y, 1) })
		})
		b.Run(fmt.Sprint("f32/gemvN/", n), func(b *testing.B) {
			raceGonum(b, repeat, func() { mine.Sgemv('N', n, n, 1, a32, n, x32, 1, 0, y32, 1) },
				func() { theirs.Sgemv('N', n, n, 1, a32, n, x32, 1, 0, y32, 1) })
		})
		b.Run(fmt.Sprint("f32/gemvT/", n), func(b *testing.B) {
			raceGonum(b, repeat, func() { mine.Sgemv('T', n, n, 1, a32, n, x32, 1, 0, y32, 1) },
				func() { theirs.Sgemv('T', n, n, 1, a32, n, x32, 1, 0, y32, 1) })
		})
		b.Run(fmt.Sprint("f64/ger/", n), func(b *testing.B) {
			raceGonum(b, repeat, func() { mine.Dger(n, n, 1e-9, x, 1, y, 1, a, n) },
				func() { theirs.Dger(n, n, 1e-9, x, 1, y, 1, a, n) })
		})
		b.Run(fmt.Sprint("f64/gemvT/gaps/", n), func(b *testing.B) {
			raceGonum(b, repeat, func() { mine.Dgemv('T', n, n/2, 1, a, n, a[n-1:], n, 0, y, 1) },
				func() { theirs.Dgemv('T', n, n/2, 1, a, n, a[n-1:], n, 0, y, 1) })
		})
		b.Run(fmt.Sprint("f64/symv/", n), func(b *testing.B) {
			raceGonum(b, repeat, func() { mine.Dsymv('U', n, 1, a, n, x, 1, 0, y, 1) },
				func() { theirs.Dsymv('U', n, 1, a, n, x, 1, 0, y, 1) })
		})
	}
}
