package s3c

import (
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"overcomplete/kernel-helpers/gemm"
)

// seconds returns the processor time of this thread, because the machine may be shared.
func seconds() float64 {
	var s unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &s); err != nil {
		panic(err)
	}
	return float64(s.Sec) + 1e-9*float64(s.Nsec)
}

// BenchmarkEStep compares the products alone, the E step, and the E step with skipping, in one run and on one thread,
// for 1600 units and patches of 108 numbers. The model is from the state file in $S3C_STATE, or is trained for 300
// steps.
//
//	go test -run '^$' -bench EStep -benchtime 5x ./kernel-helpers/s3c
func BenchmarkEStep(b *testing.B) {
	gemm.SetWorkers(1)
	defer gemm.SetWorkers(0)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	X, from := whitened(b, 20_000)
	var m *Model
	steps := 300
	if file := os.Getenv("S3C_STATE"); file != "" {
		st := must[*State](b)(LoadState(file))
		m, steps = st.Model, st.Step
	} else {
		m = train(b, must[*RowSource](b)(Rows(X, 1)), Options{Steps: steps}).Model
	}
	d, N := m.Dims()
	const n, width = 256, blockPatches
	x := single(X)[:n*d]
	sch := DefaultSchedule()
	plain, turned := newSystem(m, sch), newSystem(m, sch)
	if err := turned.response(b.Context()); err != nil {
		b.Fatal(err)
	}
	skip, _ := SkipOptions{}.complete()
	dense, sparse := &block{}, &block{skip: &skipBuffers{opt: skip}}
	variance := m.slabVariances()
	h, g := make([]float32, n*N), make([]float32, n*N)
	// An update has four products; the first update has only three.
	products := func() {
		y := plain
		for k := range 2*len(sch.H) - 1 {
			dense.residual()
			blas32.Implementation().Sgemm(blas.NoTrans, blas.NoTrans, N, width, d, 1, y.w, y.stride, dense.r, width, 0, dense.p, width)
			if k == 0 {
				blas32.Implementation().Sgemm(blas.NoTrans, blas.NoTrans, N, width, d, 1, y.w, y.stride, dense.r, width, 0, dense.p, width)
			}
		}
	}
	var tProducts, tDense, tSkip []float64
	var F, G float64
	// Run the three variants one after the other, each long enough to fill the caches with its own data.
	each := func(f func(k int, part []float32)) float64 {
		t := seconds()
		for k := 0; k < n; k += width {
			f(k, x[k*d:(k+width)*d])
		}
		return seconds() - t
	}
	for b.Loop() {
		F, G = 0, 0
		dense.load(plain, x[:width*d], width)
		fill(dense.m, 0.1)
		tProducts = append(tProducts, each(func(int, []float32) { products() }))
		tDense = append(tDense, each(func(k int, part []float32) {
			dense.load(plain, part, width)
			dense.infer()
			dense.store(h[k*N:(k+width)*N], dense.h)
		}))
		tSkip = append(tSkip, each(func(k int, part []float32) {
			sparse.load(turned, part, width)
			sparse.infer()
			sparse.store(g[k*N:(k+width)*N], sparse.h)
		}))
		b.StopTimer()
		each(func(k int, part []float32) {
			dense.load(plain, part, width)
			dense.infer()
			_, f := dense.moments(m, variance)
			F += f
			sparse.load(turned, part, width)
			sparse.infer()
			_, f = sparse.moments(m, variance)
			G += f
		})
		b.StartTimer()
	}
	median := func(x []float64) float64 {
		x = slices.Sorted(slices.Values(x))
		return x[len(x)/2]
	}
	flops := float64(4*len(sch.H)-1) * 2 * float64(d) * float64(N) * n
	p, e, s := median(tProducts), median(tDense), median(tSkip)
	var sum, worst float64
	off := 0
	for i := range h {
		v := math.Abs(float64(h[i] - g[i]))
		sum += v
		worst = max(worst, v)
		if v > 0.05 {
			off++
		}
	}
	b.ReportMetric(flops/p/1e9, "products-Gflop/s")
	b.ReportMetric(flops/e/1e9, "E-step-Gflop/s")
	b.ReportMetric(p/e, "of-products")
	b.ReportMetric(e/s, "skip-factor")
	b.ReportMetric(s/n*1e6, "skip-µs/patch")
	b.ReportMetric((G-F)/math.Abs(F), "skip-energy")
	b.ReportMetric(sum/float64(len(h)), "skip-mean-Δh")
	b.ReportMetric(float64(off)/n, "skip-Δh>.05/patch")
	k := sparse.skip
	b.Logf("%s, model of %d steps: dense energy %.4f, skipping %.4f; ĥ differs by %.2g on average, %.2g at most; %.1f active units in a screening",
		from, steps, F/n, G/n, sum/float64(len(h)), worst, float64(k.active)/float64(k.screened))
}
