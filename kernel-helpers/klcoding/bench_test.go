//lint:file-ignore SA1012 a nil context is allowed, and tested here

package klcoding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/mnist"
	"overcomplete/data/synth"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/internal/peer"
	"overcomplete/kernel-helpers/pca"
)

// digits returns N MNIST digits in 180 principal components (180×N), and a basis of n columns: the directions
// of other digits, as at the start of learning.
func digits(b *testing.B, N, n int) (B, X *mat.Dense) {
	b.Helper()
	set, err := mnist.Load()
	if err != nil {
		b.Skip("MNIST: ", err)
	}
	gemm.Use()
	b.Cleanup(func() { gemm.SetWorkers(0) })
	all := set.Train.First(3000 + N + n)
	m, err := pca.Fit(b.Context(), all, &pca.Options{Components: 180, Method: pca.ByCovariance})
	if err != nil {
		b.Fatal(err)
	}
	var z mat.Dense // N × 180
	all.Apply(func(_, j int, v float64) float64 { return v - m.Mean[j] }, all)
	z.Mul(all, m.Components)
	X, B = mat.NewDense(180, N, nil), mat.NewDense(180, n, nil)
	X.Copy(z.Slice(0, N, 0, 180).T())
	B.Copy(z.Slice(3000+N, 3000+N+n, 0, 180).T())
	for j := range n {
		c := mat.Col(nil, j, B)
		s := norm(c)
		for i, v := range c {
			B.Set(i, j, v/s)
		}
	}
	gemm.SetWorkers(1) // the coder has its own goroutines
	return B, X
}

var paperOptions = Options{Lambda: 0.1, P: 1e-2, Doubled: true, Tolerance: 1e-8}

func seconds(f func()) float64 {
	t := time.Now()
	f()
	return time.Since(t).Seconds()
}

// steps returns the mean number of steps.
func steps(r *Result) float64 {
	var t float64
	for _, v := range r.Iterations {
		t += float64(v)
	}
	return t / float64(len(r.Iterations))
}

// BenchmarkMNIST codes 500 digits and reports the time for 10,000.
func BenchmarkMNIST(b *testing.B) {
	B, X := digits(b, 500, 512)
	c := coder(b, B, paperOptions)
	for b.Loop() {
		var res *Result
		s := seconds(func() { res = code(b, c, X) })
		b.ReportMetric(s*20, "s/10000")
		b.ReportMetric(steps(res), "steps/signal")
	}
}

// BenchmarkEGD reports the ratio of EGD's time to Newton's for the same tolerance.
func BenchmarkEGD(b *testing.B) {
	for _, v := range []struct{ lambda, p float64 }{{0.1, 1e-2}, {0.03, 1e-3}, {0.01, 1e-3}, {0.01, 1e-4}} {
		b.Run(fmt.Sprintf("λ=%g,p=%g", v.lambda, v.p), func(b *testing.B) {
			B, X := digits(b, 32, 512)
			opt := paperOptions
			opt.Lambda, opt.P = v.lambda, v.p
			newton := coder(b, B, opt)
			opt.Method = EGD
			egd := coder(b, B, opt)
			var slow, fast *Result
			race := peer.Race(3, peer.Timer(func() {
				for range 5 {
					fast = code(b, newton, X)
				}
			}), peer.Timer(func() { slow = code(b, egd, X) }))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(5*race.Speed, "EGD/Newton")
			b.ReportMetric(steps(slow), "EGD-steps")
			b.ReportMetric(steps(fast), "Newton-steps")
			if e := difference(slow.W, fast.W); e > 1e-4 {
				b.Errorf("the results differ by %g", e)
			}
		})
	}
}

// BenchmarkWhole divides the time with all columns in H by the time with only the significant columns.
func BenchmarkWhole(b *testing.B) {
	B, X := digits(b, 100, 512)
	fewer := coder(b, B, paperOptions)
	fewer.alone = true
	whole := *fewer
	whole.whole = true
	var a, z *Result
	race := peer.Race(7, peer.Timer(func() { a = code(b, fewer, X) }), peer.Timer(func() { z = code(b, &whole, X) }))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(race.Speed, "whole/restricted")
	b.ReportMetric(steps(z), "steps-whole")
	b.ReportMetric(steps(a), "steps-restricted")
}

// BenchmarkAlone divides the time to code each signal alone, by dual and adjoint, by the time in batches.
func BenchmarkAlone(b *testing.B) {
	B, X := digits(b, 100, 512)
	batches := coder(b, B, paperOptions)
	alone := *batches
	alone.alone = true
	G := normal(rand.New(rand.NewPCG(1, 1)), 512, 100, 1)
	W := code(b, batches, X).W
	back := func(c *Coder) peer.Turn {
		return peer.Timer(func() {
			if _, err := c.VJP(nil, X, W, G); err != nil {
				b.Fatal(err)
			}
		})
	}
	race := peer.Race(7, peer.Timer(func() { code(b, batches, X) }), peer.Timer(func() { code(b, &alone, X) }))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(race.Speed, "Code")
	b.ReportMetric(peer.Race(7, back(batches), back(&alone)).Speed, "VJP")
}

// BenchmarkEpoch measures one epoch of back-propagation, extrapolated from 500 digits to 50,000: warm-started
// codes after changing B by 1 %, and VJP.
func BenchmarkEpoch(b *testing.B) {
	B, X := digits(b, 500, 512)
	old := code(b, coder(b, B, paperOptions), X)
	rng := rand.New(rand.NewPCG(1, 1))
	var moved mat.Dense
	moved.Add(B, normal(rng, 180, 512, 0.01/13.4)) // √180: so that columns move by 0.01
	c := coder(b, &moved, paperOptions)
	G := normal(rng, 512, 500, 1)
	for b.Loop() {
		var res *Result
		warm := seconds(func() {
			var err error
			if res, err = c.CodeFrom(nil, X, old.R); err != nil {
				b.Fatal(err)
			}
		})
		back := seconds(func() {
			if _, err := c.VJP(nil, X, res.W, G); err != nil {
				b.Fatal(err)
			}
		})
		b.ReportMetric((warm+back)*100, "s/epoch")
		b.ReportMetric(back*100, "s-of-it-VJP")
		b.ReportMetric(steps(res), "steps/signal")
	}
}

// BenchmarkTopics codes generated documents of 5000 words on 64 columns.
func BenchmarkTopics(b *testing.B) {
	gemm.Use()
	defer gemm.SetWorkers(gemm.SetWorkers(1))
	docs, err := synth.Topics(b.Context(), synth.TopicsOptions{Documents: 40, Topics: 20, Vocabulary: 5000, Length: 300})
	if err != nil {
		b.Fatal(err)
	}
	X := mat.NewDense(5000, 40, nil)
	for i := range 40 {
		row := docs.Counts.RawRowView(i)
		total := 0.0
		for _, v := range row {
			total += v
		}
		for j, v := range row {
			X.Set(j, i, v/total)
		}
	}
	B := normal(rand.New(rand.NewPCG(2, 2)), 5000, 64, 1)
	c := coder(b, B, Options{Lambda: 1e-3, P: 1e-2, Doubled: true, Loss: Softmax, Tolerance: 1e-8})
	for b.Loop() {
		var res *Result
		s := seconds(func() { res = code(b, c, X) })
		b.ReportMetric(s/40*1000, "ms/document")
		b.ReportMetric(steps(res), "steps/document")
	}
}

// BenchmarkCrowd reports the speedup of NewtonCG, in float64 and in float32, over Newton's method with a
// Hessian for each step and document. It uses 5000 words and 256 columns that are sums of documents.
func BenchmarkCrowd(b *testing.B) {
	gemm.Use()
	const words, columns, N = 5000, 256, 128
	docs, err := synth.Topics(b.Context(), synth.TopicsOptions{Documents: N + 5*columns, Topics: 40, Vocabulary: words, Length: 200})
	if err != nil {
		b.Fatal(err)
	}
	X, B, rates := mat.NewDense(words, N, nil), mat.NewDense(words, columns, nil), make([]float64, words)
	for i := range N + 5*columns {
		row := docs.Counts.RawRowView(i)
		total := 0.0
		for _, v := range row {
			total += v
		}
		for j, v := range row {
			rates[j] += v/total/(N+5*columns) + 1e-9
			if i < N {
				X.Set(j, i, v/total)
			} else {
				B.Set(j, (i-N)/5, B.At(j, (i-N)/5)+v)
			}
		}
	}
	offset := make([]float64, words)
	for j, r := range rates {
		offset[j] = math.Log(r)
	}
	for j := range columns {
		size := mat.Norm(B.ColView(j), 2)
		for i := range words {
			B.Set(i, j, B.At(i, j)/size)
		}
	}
	opt := Options{Lambda: 1e-3, P: 0.1, Loss: Softmax, Offset: offset}
	few := X.Slice(0, words, 0, 16)
	exact := coder(b, B, opt)
	opt.Method, opt.Typical = NewtonCG, rates
	crowd := coder(b, B, opt)
	opt.Single, opt.Tolerance = true, 1e-6
	single := coder(b, B, opt)
	W := code(b, crowd, X).W
	slow := seconds(func() { code(b, exact, few) }) / 16
	slowBack := seconds(func() { backward(b, exact, few, W.Slice(0, columns, 0, 16)) }) / 16
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(1000*slow, "ms/document-exact")
	b.ReportMetric(slow/seconds(func() { code(b, crowd, X) })*N, "Code")
	b.ReportMetric(slow/seconds(func() { code(b, single, X) })*N, "Code-single")
	b.ReportMetric(slowBack/seconds(func() { backward(b, crowd, X, W) })*N, "VJP")
	b.ReportMetric(slowBack/seconds(func() { backward(b, single, X, W) })*N, "VJP-single")
}

func backward(b *testing.B, c *Coder, X, W mat.Matrix) {
	if _, err := c.VJP(nil, X, W, W); err != nil {
		b.Fatal(err)
	}
}
