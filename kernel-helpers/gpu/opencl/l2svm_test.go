//go:build (linux || darwin || windows) && (amd64 || arm64) && !android

package opencl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/ui/progress"
)

// The tests of l2svm's kernels are here, since a test that links this package needs glibc.

// classes returns n points of d features in K overlapping classes, with their labels. The features have different means
// and deviations.
func classes(n, d, K int, seed uint64) (l2svm.Points, []int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	centers, X, y := gaussian(K, d, 2/math.Sqrt(float64(d)), seed), mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		y[i] = i % K
		for j := range d {
			X.Set(i, j, float64(j%7)+math.Exp(float64(j%5)-2)*(centers.At(y[i], j)+rng.NormFloat64()))
		}
	}
	return l2svm.Dense(X), y
}

// tolerance is Options.Tolerance of the tests. Their Gap is +Inf, since a finite gap would be certified, and reached, by
// products in float64 on the processor.
const tolerance = 1e-4

// sameModel compares the model that a device has trained with the processor's. The processor also measures the objective
// and the gradient of the device's model.
func sameModel(t *testing.T, X l2svm.Points, y []int, here, there *l2svm.Model) {
	t.Helper()
	if there.Status != ended.Converged {
		t.Error(there)
	}
	measure := func(m *l2svm.Model) (f, norm []float64) {
		f, dW, db, err := l2svm.Objective(t.Context(), m, X, y, 1)
		if err != nil {
			t.Fatal(err)
		}
		for k := range f {
			norm = append(norm, math.Hypot(mat.Norm(dW.RowView(k), 2), db[k]))
		}
		return f, norm
	}
	K, d := there.W.Dims()
	_, start := measure(&l2svm.Model{W: mat.NewDense(K, d, nil), B: make([]float64, K), Scale: there.Scale})
	f, norm := measure(there)
	for k := range f {
		if off := math.Abs(f[k]-there.Objective[k]) / f[k]; !(off <= 1e-6) {
			t.Errorf("machine %d: the device says that its objective is %v, it is %v", k, there.Objective[k], f[k])
		}
		if off := math.Abs(f[k]-here.Objective[k]) / f[k]; !(off <= 1e-5) {
			t.Errorf("machine %d has the objective %v on the device, %v on the processor", k, f[k], here.Objective[k])
		}
		if g := norm[k] / start[k]; !(g <= 2*tolerance) || math.Abs(g-there.Gradient[k]) > 1e-5 {
			t.Errorf("machine %d: the device says that its gradient is %v, it is %v", k, there.Gradient[k], g)
		}
	}
	if off := mat.Norm(sub(here.W, there.W), 2) / mat.Norm(here.W, 2); !(off <= 1e-2) {
		t.Errorf("W differs by %v", off)
	}
}

func sub(a, b *mat.Dense) *mat.Dense {
	var c mat.Dense
	c.Sub(a, b)
	return &c
}

// A device trains the machines that the processor trains, for sizes on both sides of those of the tiles, whether the
// points stay in its memory or not.
func TestSVM(t *testing.T) {
	device := aDevice(t)
	for _, size := range []struct {
		n, d, K int
		limit   int64 // of the device's memory in bytes; 0 means none
	}{{64, 16, 2, 0}, {65, 1, 2, 0}, {1300, 77, 5, 0}, {700, 530, 17, 0}, {1100, 65, 70, 0}, {1300, 77, 5, 400_000}, {1300, 77, 5, 200_000}} {
		X, y := classes(size.n, size.d, size.K, 11)
		opt := l2svm.Options{Method: l2svm.Primal, Gap: math.Inf(1), Tolerance: tolerance}
		here := must[*l2svm.Model](t)(l2svm.Fit(t.Context(), X, y, &opt))
		opt.Device = device
		if size.limit > 0 {
			opt.Device = gpu.Limit(device, size.limit)
		}
		there := must[*l2svm.Model](t)(l2svm.Fit(t.Context(), X, y, &opt))
		sameModel(t, X, y, here, there)
		if t.Failed() {
			t.Fatalf("%+v", size)
		}
		if size.limit > 0 { // the memory was given back
			must[gpu.Buffer](t)(opt.Device.Alloc(int(size.limit / 4))).Free()
		}
	}
}

// Cross-validation on a device finds the accuracies of the processor.
func TestSVMCrossValidation(t *testing.T) {
	X, y := classes(600, 40, 4, 5)
	opt := l2svm.CVOptions{Options: l2svm.Options{Method: l2svm.Primal}}
	cs := []float64{0.1, 1}
	here := must[*l2svm.CV](t)(l2svm.CrossValidate(t.Context(), X, y, cs, &opt))
	opt.Device = aDevice(t)
	there := must[*l2svm.CV](t)(l2svm.CrossValidate(t.Context(), X, y, cs, &opt))
	for q := range cs {
		if math.Abs(here.Accuracy[q]-there.Accuracy[q]) > 0.005 {
			t.Errorf("C %v: %v on the device, %v on the processor", cs[q], there.Accuracy[q], here.Accuracy[q])
		}
	}
}

// Training on a device ends with its context, and an error says what the device lacks.
func TestSVMErrors(t *testing.T) {
	device := aDevice(t)
	X, y := classes(600, 40, 4, 5)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt := &l2svm.Options{Method: l2svm.Primal, Device: device, Recorder: progress.Func(func(progress.Event) { cancel() })}
	if _, err := l2svm.Fit(ctx, X, y, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	opt = &l2svm.Options{Method: l2svm.Primal, Device: gpu.Limit(device, 1000)}
	if _, err := l2svm.Fit(t.Context(), X, y, opt); !errors.Is(err, gpu.ErrMemory) {
		t.Errorf("without memory: %v", err)
	}
	bad := gaussian(600, 40, 1, 2)
	bad.Set(3, 4, math.NaN())
	scale := must[*l2svm.Scale](t)(l2svm.NewScale(t.Context(), X, 0.01))
	if _, err := l2svm.Fit(t.Context(), l2svm.Dense(bad), y, &l2svm.Options{Method: l2svm.Primal, Device: device, Scale: scale}); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("NaN: %v", err)
	}
}
