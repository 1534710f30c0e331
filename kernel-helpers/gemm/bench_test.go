package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

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

// peerSizes holds the product sizes that matter most in this project: squares, and patches times bases.
var peerSizes = []struct{ m, k, n int }{
	{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048},
	{10000, 108, 1600}, {10000, 1600, 108}, {50000, 180, 512}, {100, 20000, 100},
}

// BenchmarkPeer races the BLAS that numpy is linked with. Both sides multiply the same numbers and write to
// preallocated memory. BenchmarkPeer reports the rates in Gflop/s and the largest difference of corresponding
// elements, relative to the sum of the absolute values of the products that make up the element.
func BenchmarkPeer(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, s := range peerSizes {
			name := fmt.Sprintf("%dx%d,%dx%d/threads=%d", s.m, s.k, s.k, s.n, threads)
			b.Run("f32/"+name, func(b *testing.B) {
				racePeer(b, threads, s.m, s.n, s.k, "float32", func(x, y, c []float32) {
					BLAS{}.Sgemm(blas.NoTrans, blas.NoTrans, s.m, s.n, s.k, 1, x, s.k, y, s.n, 0, c, s.n)
				})
			})
			b.Run("f64/"+name, func(b *testing.B) {
				racePeer(b, threads, s.m, s.n, s.k, "float64", func(x, y, c []float64) {
					BLAS{}.Dgemm(blas.NoTrans, blas.NoTrans, s.m, s.n, s.k, 1, x, s.k, y, s.n, 0, c, s.n)
				})
			})
		}
	}
}

func racePeer[T number](b *testing.B, threads, m, n, k int, dtype string, product func(x, y, c []T)) {
	defer SetWorkers(SetWorkers(threads))
	rnd := rand.New(rand.NewPCG(1, uint64(m)))
	x, y, c := random[T](rnd, m*k), random[T](rnd, k*n), make([]T, m*n)
	dir := b.TempDir()
	write(b, filepath.Join(dir, "x"), x)
	write(b, filepath.Join(dir, "y"), y)
	py := peer.Start(b, threads, fmt.Sprintf(`
import numpy as np
t = np.%s
x = np.fromfile(%q, t).reshape(%d, %d)
y = np.fromfile(%q, t).reshape(%d, %d)
c = np.zeros((%d, %d), t)
`, dtype, filepath.Join(dir, "x"), m, k, filepath.Join(dir, "y"), k, n, m, n), "numpy")
	rate := 2e-9 * float64(m) * float64(n) * float64(k)
	// A turn is a tenth of a second of successive products. It is that long because waking a thread on an
	// idle processor can take some milliseconds, which should not affect the result.
	repeat := max(1, int(15/rate))
	// OpenBLAS's threads spin for a while after their last product, waiting for the next one. Start each turn
	// when all threads sleep.
	rested := func(turn peer.Turn) peer.Turn {
		return func() peer.Time {
			if threads > 1 {
				time.Sleep(100 * time.Millisecond)
			}
			return turn()
		}
	}
	r := peer.Race(9, rested(peer.Timer(func() {
		for range repeat {
			product(x, y, c)
		}
	})), rested(py.Timer(fmt.Sprintf("for _ in range(%d): np.dot(x, y, out=c)", repeat))))

	write(b, filepath.Join(dir, "c"), c)
	diff := py.Float(fmt.Sprintf("float(np.max(np.abs(c - np.fromfile(%q, t).reshape(c.shape)) / (np.abs(x) @ np.abs(y))))", filepath.Join(dir, "c")))
	if math.IsNaN(diff) || diff > float64(k)*float64(epsilon[T]()) {
		b.Errorf("differs from numpy by %g", diff)
	}
	b.ReportMetric(0, "ns/op") // suppresses the total time of the race
	b.ReportMetric(r.Speed, "x-peer")
	b.ReportMetric(r.Processor, "x-peer-cpu")
	b.ReportMetric(rate*float64(repeat)/r.Mine, "Gflop/s")
	b.ReportMetric(rate*float64(repeat)/r.Peer, "peer-Gflop/s")
	b.ReportMetric(diff/float64(epsilon[T]()), "difference-eps")
}

// epsilon is the distance from 1 to the next number.
func epsilon[T number]() T {
	e := T(1)
	for 1+e/2 > 1 {
		e /= 2
	}
	return e
}

func write[T number](b *testing.B, name string, x []T) {
	b.Helper()
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
	if err := os.WriteFile(name, raw, 0o600); err != nil {
		b.Fatal(err)
	}
}
