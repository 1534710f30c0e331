//go:build (linux || darwin || windows) && (amd64 || arm64) && !android

package opencl

import (
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"overcomplete/data/cifar"
	"overcomplete/internal/cputime"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
)

// cifarModel returns the model in the file $S3C_STATE, and n whitened patches of CIFAR-10 as it was trained on.
func cifarModel(t testing.TB, n int) (*s3c.Model, []float32) {
	file := os.Getenv("S3C_STATE")
	images, err := cifar.Load()
	if file == "" || err != nil {
		t.Skip("needs a trained model in the file $S3C_STATE, and CIFAR-10: ", err)
	}
	st := must[*s3c.State](t)(s3c.LoadState(file))
	p := vision.NewPatches(vision.NewImages(images.Train.Pixels, 3, 32, 32), 6, 100_000, 1)
	w := must[*vision.Whitening](t)(vision.FitWhitening(t.Context(), p, nil))
	d, _ := st.Model.Dims()
	X := make([]float32, n*d)
	if err := w.Patches(p).Read(X, 0, n); err != nil {
		t.Fatal(err)
	}
	return st.Model, X
}

// BenchmarkEncode compares the dense encoder on one processor thread with the device, in one run: patches a second of
// processor time (for a card, of the clock), and how far ĥ is apart. An update takes 8DN operations for a patch, and
// what is added to D and N for the tiles is not counted.
//
//	S3C_STATE=model.state go test -run '^$' -bench Encode -benchtime 5x ./kernel-helpers/gpu/opencl
func BenchmarkEncode(b *testing.B) {
	gemm.Use()
	gemm.SetWorkers(1)
	defer gemm.SetWorkers(0)
	device := aDevice(b)
	n := 256
	if !device.Info().Processor {
		n = 1 << 15
	}
	m, X := cifarModel(b, n)
	d, N := m.Dims()
	here := must[*s3c.Encoder](b)(m.NewEncoder(nil))
	there := must[*s3c.Encoder](b)(m.NewEncoder(&s3c.EncoderOptions{Device: device}))
	const few = 256 // on the processor
	h, g := make([]float32, few*N), make([]float32, n*N)
	var tHere, tThere []float64
	there.Encode(g, X, n) // the first run may compile
	for b.Loop() {
		t := cputime.Used()
		here.Encode(h, X[:few*d], few)
		tHere = append(tHere, (cputime.Used()-t).Seconds()/few)
		t, clock := cputime.Used(), time.Now()
		there.Encode(g, X, n)
		if device.Info().Processor {
			tThere = append(tThere, (cputime.Used()-t).Seconds()/float64(n))
		} else {
			tThere = append(tThere, time.Since(clock).Seconds()/float64(n))
		}
	}
	median := func(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }
	a, c := median(tHere), median(tThere)
	flop := 8 * float64(d) * float64(N) * float64(len(s3c.DefaultSchedule().H))
	b.ReportMetric(1/a, "patches/s-here")
	b.ReportMetric(1/c, "patches/s-device")
	b.ReportMetric(a/c, "device/here")
	b.ReportMetric(flop/1e6, "Mflop/patch")
	b.ReportMetric(flop/a/1e9, "Gflop/s-here")
	b.ReportMetric(flop/c/1e9, "Gflop/s-device")
	var sum, most float64
	over, patches := 0, 0
	for j := range few {
		found := false
		for i := range N {
			x := math.Abs(float64(h[j*N+i]) - float64(g[j*N+i]))
			sum, most = sum+x, max(most, x)
			if x > 1e-4 {
				over++
				found = true
			}
		}
		if found {
			patches++
		}
	}
	b.Logf("ĥ of %d patches: %.2g apart on average, %.2g at most; %d numbers in %d patches by more than 1e-4", few, sum/float64(few*N), most, over, patches)
}
