//go:build (linux || darwin || windows) && (amd64 || arm64) && !android

package opencl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/features"
	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel-helpers/vision"
)

// The tests of s3c's kernels are here, since a test that links this package needs glibc.

func gaussian(r, c int, scale float64, seed uint64) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 7)), r, c, scale)
}

// aModel returns a model with all parameters different, and β diagonal.
func aModel(t testing.TB, d, n int, seed uint64) *s3c.Model {
	t.Helper()
	m := must[*s3c.Model](t)(s3c.NewModel(gaussian(d, n, 1, seed), -2, 1, 3))
	rng := rand.New(rand.NewPCG(seed, 9))
	for i := range n {
		m.Bias[i] += rng.NormFloat64()
		m.Mu[i] = rng.NormFloat64()
		m.Alpha[i] = math.Exp(0.5 * rng.NormFloat64())
	}
	m.Beta = make([]float64, d)
	for k := range d {
		m.Beta[k] = 3 * math.Exp(0.5*rng.NormFloat64())
	}
	return m
}

func apart(a []float32, b *mat.Dense) float64 {
	_, c := b.Dims()
	var x float64
	for i, v := range a {
		d := math.Abs(float64(v) - b.At(i/c, i%c))
		if !(d <= x) { // also for NaN
			x = d
		}
	}
	return x
}

func single(a *mat.Dense) []float32 {
	var x []float32
	for _, v := range a.RawMatrix().Data {
		x = append(x, float32(v))
	}
	return x
}

// The device finds what Infer finds in float64, for sizes on both sides of those of the tiles.
func TestEncoder(t *testing.T) {
	device := aDevice(t)
	for _, size := range []struct{ d, N, n int }{{1, 1, 1}, {21, 45, 75}, {16, 128, 64}, {128, 130, 65}, {130, 40, 300}} {
		m := aModel(t, size.d, size.N, 91)
		V := gaussian(size.n, size.d, 0.7, 92)
		X := single(V)
		r := must[*s3c.Inference](t)(m.Infer(t.Context(), V, nil))
		e := must[*s3c.Encoder](t)(m.NewEncoder(&s3c.EncoderOptions{Device: device}))
		h, s := make([]float32, size.n*size.N), make([]float32, size.n*size.N)
		e.EncodeBoth(h, s, X, size.n)
		a, b := apart(h, r.Q.H()), apart(s, r.Q.S)
		t.Logf("%+v: differs by %.2g in ĥ, %.2g in ŝ", size, a, b)
		if !(a <= 2e-5 && b <= 1e-4) {
			t.Errorf("%+v: differs by %g in ĥ, %g in ŝ", size, a, b)
		}
		// A patch's code does not depend on the batch, to the last bit.
		if last := (size.n - 1) * size.d; size.n > 1 {
			g := make([]float32, size.N)
			e.Fork().Encode(g, X[last:], 1)
			for i, v := range g {
				if v != h[(size.n-1)*size.N+i] {
					t.Errorf("%+v: alone, unit %d is %v, with others %v", size, i, v, h[(size.n-1)*size.N+i])
					break
				}
			}
		}
		e.Encode(nil, nil, 0)
	}
}

// Bad patches have NaN codes, and do not touch others; Transform refuses numbers that float32 does not hold.
func TestBadPatches(t *testing.T) {
	m := aModel(t, 6, 10, 3)
	e := must[*s3c.Encoder](t)(m.NewEncoder(&s3c.EncoderOptions{Device: aDevice(t)}))
	X := single(gaussian(5, 6, 1, 4))
	want, h, s := make([]float32, 50), make([]float32, 50), make([]float32, 50)
	e.Encode(want, X, 5)
	X[6*3+2] = float32(math.Inf(-1))
	e.EncodeBoth(h, s, X, 5)
	for i := range h {
		if bad := i/10 == 3; bad != (h[i] != h[i]) || bad != (s[i] != s[i]) || !bad && h[i] != want[i] {
			t.Errorf("patch %d, unit %d: %v and %v, without the bad one %v", i/10, i%10, h[i], s[i], want[i])
		}
	}
	V := gaussian(40, 6, 1, 2)
	V.Set(37, 2, 1e39)
	if _, err := m.Transform(t.Context(), V, &s3c.EncodeOptions{EncoderOptions: s3c.EncoderOptions{Device: aDevice(t)}}); err == nil || !strings.Contains(err.Error(), "row 37") {
		t.Errorf("too large: %v", err)
	}
}

// With less memory the batches are smaller, and the bits the same. With too little there is an error.
func TestMemory(t *testing.T) {
	device := aDevice(t)
	const d, N, n = 20, 100, 1000
	m := aModel(t, d, N, 5)
	V := gaussian(n, d, 1, 6)
	transform := func(d gpu.Device) (*mat.Dense, error) {
		return m.Transform(t.Context(), V, &s3c.EncodeOptions{EncoderOptions: s3c.EncoderOptions{Device: d}})
	}
	want := must[*mat.Dense](t)(transform(device))
	counted := &counting{Device: gpu.Limit(device, 400<<10)}
	got := must[*mat.Dense](t)(transform(counted))
	if !mat.Equal(got, want) {
		t.Error("the codes depend on the memory")
	}
	if counted.largest == 0 || counted.largest > 400<<8 {
		t.Errorf("the largest buffer has %d numbers", counted.largest)
	}
	// A device that says that it has more than it gives.
	lying := &counting{Device: gpu.Limit(device, 400<<10), memory: 1 << 30}
	if got = must[*mat.Dense](t)(transform(lying)); !mat.Equal(got, want) {
		t.Error("the codes depend on refused buffers")
	}
	if lying.refused == 0 {
		t.Error("no buffer was refused")
	}
	_, err := transform(gpu.Limit(device, 50<<10))
	if !errors.Is(err, gpu.ErrMemory) || !strings.HasPrefix(err.Error(), "s3c: Transform: 64 patches of 20 numbers and 100 units need ") {
		t.Errorf("too little memory: %v", err)
	}
}

// A counting device notes what is asked of it.
type counting struct {
	gpu.Device
	memory           int64 // 0: the device's
	largest, refused int
}

func (c *counting) Info() gpu.Info {
	i := c.Device.Info()
	if c.memory > 0 {
		i.Memory, i.Largest = c.memory, c.memory
	}
	return i
}

func (c *counting) Alloc(n int) (gpu.Buffer, error) {
	b, err := c.Device.Alloc(n)
	if err != nil {
		c.refused++
	} else {
		c.largest = max(c.largest, n)
	}
	return b, err
}

// A run ends with its context, and with the error of a device that fails midway.
func TestEnds(t *testing.T) {
	m := aModel(t, 6, 10, 3)
	V := gaussian(500, 6, 1, 4)
	lost := errors.New("the device is lost")
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		what string
		at   func() error
		want error
	}{
		{"canceled", func() error { cancel(); return nil }, context.Canceled},
		{"lost", func() error { return lost }, lost},
	} {
		d := &failing{Device: aDevice(t), at: c.at, after: 20}
		before := ctx
		if c.want == lost {
			before = t.Context()
		}
		H, err := m.Transform(before, V, &s3c.EncodeOptions{EncoderOptions: s3c.EncoderOptions{Device: d}})
		if H != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "s3c: Transform: ") {
			t.Errorf("%s: %v", c.what, err)
		}
		if d.runs > 2*d.after {
			t.Errorf("%s: %d more kernels ran", c.what, d.runs-d.after)
		}
	}
	e := must[*s3c.Encoder](t)(m.NewEncoder(&s3c.EncoderOptions{Device: &failing{Device: aDevice(t), at: func() error { return lost }, after: 20}}))
	if err, ok := panics.Value(func() { e.Encode(make([]float32, 50*10), make([]float32, 50*6), 50) }).(error); !ok || !errors.Is(err, lost) {
		t.Errorf("Encode panicked with %v", err)
	}
}

// A failing device calls at instead of each kernel after a number of them.
type failing struct {
	gpu.Device
	at          func() error
	after, runs int
	before      func() // may be nil; is called before each kernel
}

func (f *failing) Build(source, options string) (gpu.Program, error) {
	p, err := f.Device.Build(source, options)
	return failingProgram{p, f}, err
}

type failingProgram struct {
	gpu.Program
	f *failing
}

func (p failingProgram) Run(kernel string, groups, size int, args ...any) error {
	if p.f.before != nil {
		p.f.before()
	}
	p.f.runs++
	if p.f.runs > p.f.after {
		return p.f.at()
	}
	return p.Program.Run(kernel, groups, size, args...)
}

// Features of images from a device are those from the processor, and a lost device is an error that leaves the files
// made before.
func TestExtract(t *testing.T) {
	device := aDevice(t)
	m := aModel(t, 12, 20, 11) // patches of 2×2×3
	rng := rand.New(rand.NewPCG(1, 2))
	pixels := make([]byte, 16*3*7*7)
	for i := range pixels {
		pixels[i] = byte(rng.IntN(256))
	}
	im := vision.NewImages(pixels, 3, 7, 7) // 36 positions
	w := must[*vision.Whitening](t)(vision.FitWhitening(t.Context(), vision.NewPatches(im, 2, 400, 1), nil))
	wraps := map[string]func(first *s3c.Encoder) vision.Encoder{
		"h": func(first *s3c.Encoder) vision.Encoder {
			return vision.Wrap("h", 12, 20, func() vision.PatchEncoder { return first.Fork() })
		},
		"hs": func(first *s3c.Encoder) vision.Encoder {
			return vision.SplitSigns(vision.WrapProduct("hs", 12, 20, func() vision.SpikeSlabEncoder { return first.Fork() }))
		},
	}
	for name, wrap := range wraps {
		extract := func(d gpu.Device, workers int) (*features.Matrix, *features.Report, error) {
			t.Helper()
			e := wrap(must[*s3c.Encoder](t)(m.NewEncoder(&s3c.EncoderOptions{Device: d})))
			o := &vision.ExtractOptions{Folder: t.TempDir(), Workers: workers, ShardRows: 8}
			r, err := vision.ExtractShards(t.Context(), im, w, e, o)
			if err != nil {
				return nil, r, err
			}
			X, err := features.OpenShards([]string{o.Folder}, nil)
			return X, r, err
		}
		want, _, err := extract(nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := extract(device, 8)
		if err != nil {
			t.Fatal(err)
		}
		rows, cols := want.Dims()
		a, b := make([]float32, rows*cols), make([]float32, rows*cols)
		if err := errors.Join(want.Read(a, 0, rows), got.Read(b, 0, rows)); err != nil {
			t.Fatal(err)
		}
		for i := range a {
			if math.Abs(float64(a[i]-b[i])) > 1e-4 {
				t.Fatalf("%s: image %d, feature %d: %v on the processor, %v on the device", name, i/cols, i%cols, a[i], b[i])
			}
		}
		counted := &failing{Device: device, after: math.MaxInt}
		if _, _, err := extract(counted, 1); err != nil {
			t.Fatal(err)
		}
		lost := errors.New("the device is lost")
		_, r, err := extract(&failing{Device: device, at: func() error { return lost }, after: counted.runs - 1}, 1)
		if !errors.Is(err, lost) || r == nil || len(r.Made) != 1 {
			t.Errorf("%s: lost: %v, %+v", name, err, r)
		}
	}
}

// The sums of cells are those of the processor: for runs that go from one batch to the next, for cells in any order, and
// for several goroutines at once. A bad patch makes its cell NaN. A lost device adds nothing.
func TestPool(t *testing.T) {
	const d, N, n, cells = 6, 10, 700, 5 // three batches
	m := aModel(t, d, N, 3)
	X := single(gaussian(n, d, 1, 4))
	rng := rand.New(rand.NewPCG(5, 6))
	cell := make([]int, n)
	for i := range cell {
		cell[i] = cell[max(i-1, 0)]
		if rng.IntN(40) == 0 {
			cell[i] = rng.IntN(cells)
		}
	}
	add := func(device gpu.Device, X []float32, calls int) ([]float32, error) {
		e := must[*s3c.Encoder](t)(m.NewEncoder(&s3c.EncoderOptions{Device: device}))
		sums, errs := make([][]float32, calls), make([]error, calls)
		var wait sync.WaitGroup
		for k := range calls {
			sums[k] = slices.Repeat([]float32{1}, cells*N)
			from, to := n*k/calls, n*(k+1)/calls
			wait.Go(func() {
				errs[k] = e.Fork().AddContext(t.Context(), sums[k], cell[from:to], X[from*d:to*d], to-from)
			})
		}
		wait.Wait()
		for _, s := range sums[1:] {
			for i, v := range s {
				sums[0][i] += v - 1
			}
		}
		return sums[0], errors.Join(errs...)
	}
	want, err := add(nil, X, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, device := range map[string]gpu.Device{"alone": aDevice(t), "little memory": gpu.Limit(aDevice(t), 300<<10)} {
		for _, calls := range []int{1, 7} {
			got, err := add(device, X, calls)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i, v := range want {
				if math.Abs(float64(v-got[i])) > 1e-5*float64(n) || v == 1 {
					t.Errorf("%s, %d calls: cell %d, unit %d: %v on the processor, %v on the device", name, calls, i/N, i%N, v, got[i])
					break
				}
			}
		}
	}
	bad := slices.Clone(X)
	bad[d*300+2] = float32(math.NaN())
	for _, device := range []gpu.Device{nil, aDevice(t)} {
		got, err := add(device, bad, 1)
		for i, v := range got {
			if err != nil || (i/N == cell[300]) != (v != v) {
				t.Errorf("on %v: cell %d with a bad patch in cell %d: %v, %v", device, i/N, cell[300], v, err)
				break
			}
		}
	}
	lost := errors.New("the device is lost")
	got, err := add(&failing{Device: aDevice(t), at: func() error { return lost }, after: 200}, X, 1)
	if !errors.Is(err, lost) || slices.ContainsFunc(got, func(v float32) bool { return v != 1 }) {
		t.Errorf("lost: %v, %v", err, got)
	}
}

// Requests of several goroutines that wait for the device are served together, with the same bits.
func TestTogether(t *testing.T) {
	const d, N, n, calls = 6, 10, 70, 5
	m := aModel(t, d, N, 3)
	first, go1 := make(chan bool), make(chan bool)
	hold := &failing{Device: aDevice(t), after: math.MaxInt}
	e := must[*s3c.Encoder](t)(m.NewEncoder(&s3c.EncoderOptions{Device: hold}))
	X := single(gaussian(n, d, 1, 4))
	want := make([]float32, n*N)
	e.Encode(want, X, n)
	alone := hold.runs
	hold.before = sync.OnceFunc(func() { close(first); <-go1 })
	var wait sync.WaitGroup
	call := func() {
		h := make([]float32, n*N)
		e.Fork().Encode(h, X, n)
		if !slices.Equal(h, want) {
			t.Error("together the codes are others")
		}
	}
	wait.Go(call)
	<-first
	for range calls {
		wait.Go(call)
	}
	time.Sleep(100 * time.Millisecond) // until they wait
	close(go1)
	wait.Wait()
	if got := (hold.runs - alone) / alone; got > 1+calls/2 {
		t.Errorf("%d calls took %d batches", 1+calls, got)
	}
}

// The moments and energies of batches on both sides of the number of patches in a sum are the processor's, and so the
// model after a step. All its parameters depend on the moments.
func TestMoments(t *testing.T) {
	card := asCard{aDevice(t)} // its batches are larger
	for _, size := range []struct{ d, N, n int }{{12, 30, 70}, {17, 130, 1024}, {130, 20, 2500}} {
		m := aModel(t, size.d, size.N, 31)
		src := must[*s3c.RowSource](t)(s3c.Rows(gaussian(size.n, size.d, 1, 8), 1))
		var r [2]*s3c.Result
		for k, d := range []gpu.Device{nil, card} {
			r[k] = must[*s3c.Result](t)(s3c.Fit(t.Context(), src, &s3c.Options{Init: m, Batch: size.n, Steps: 1, Device: d}))
		}
		here, there := r[0].Model, r[1].Model
		for _, c := range []struct {
			name string
			a, b []float64
		}{
			{"energy", []float64{r[0].State.Energy()}, []float64{r[1].State.Energy()}}, {"use", r[0].State.Use, r[1].State.Use},
			{"W", here.W.RawMatrix().Data, there.W.RawMatrix().Data}, {"b", here.Bias, there.Bias}, {"μ", here.Mu, there.Mu},
			{"α", here.Alpha, there.Alpha}, {"β", here.Beta, there.Beta},
		} {
			for i, v := range c.a {
				if math.Abs(v-c.b[i]) > 1e-5*(1+math.Abs(v)) {
					t.Errorf("%+v: %s[%d] is %v on the device, %v on the processor", size, c.name, i, c.b[i], v)
					break
				}
			}
		}
		if mat.Equal(here.W, m.W) || slices.Equal(here.Alpha, m.Alpha) || slices.Equal(here.Mu, m.Mu) {
			t.Error("the step changed nothing")
		}
	}
}

type asCard struct{ gpu.Device }

func (c asCard) Info() gpu.Info {
	i := c.Device.Info()
	i.Processor = false
	return i
}

// Training on a device is training on the processor but for rounding, and goes on with the same bits after a stop.
func TestFit(t *testing.T) {
	device := aDevice(t)
	src := must[*s3c.RowSource](t)(s3c.Rows(gaussian(400, 12, 1, 8), 1))
	fit := func(steps int, d gpu.Device, resume *s3c.State) *s3c.Result {
		t.Helper()
		return must[*s3c.Result](t)(s3c.Fit(t.Context(), src, &s3c.Options{Units: 30, Batch: 70, Steps: steps, Device: d, Resume: resume}))
	}
	here, there := fit(5, nil, nil), fit(5, device, nil)
	for k, r := range here.State.History {
		if e := there.State.History[k].Energy; math.Abs(e-r.Energy) > 1e-5*math.Abs(r.Energy) {
			t.Errorf("step %d: energy %v on the device, %v on the processor", k+1, e, r.Energy)
		}
	}
	a, b := there.Model, here.Model
	if !mat.EqualApprox(a.W, b.W, 1e-4) || mat.Equal(a.W, fit(0, nil, nil).Model.W) {
		t.Error("W is another than on the processor, or was not trained")
	}
	parts := fit(5, device, fit(3, device, nil).State)
	if !mat.Equal(parts.Model.W, a.W) || parts.State.Energy() != there.State.Energy() {
		t.Error("in two parts the result is another")
	}
	if _, err := s3c.Fit(t.Context(), src, &s3c.Options{Units: 30, Batch: 70, Steps: 5, Resume: there.State}); err == nil || !strings.Contains(err.Error(), "device=") {
		t.Errorf("a run on a device was resumed on the processor: %v", err)
	}
	// A device that is lost leaves the last complete step.
	lost := errors.New("the device is lost")
	d := &failing{Device: device, at: func() error { return lost }, after: 250}
	r, err := s3c.Fit(t.Context(), src, &s3c.Options{Units: 30, Batch: 70, Steps: 5, Device: d})
	if !errors.Is(err, lost) || r == nil || r.State.Step == 0 || !mat.Equal(r.Model.W, fit(r.State.Step, device, nil).Model.W) {
		t.Errorf("a lost device: %v, %v", r, err)
	}
}

// What excludes each other is refused.
func TestRefused(t *testing.T) {
	m := aModel(t, 6, 10, 3)
	src := must[*s3c.RowSource](t)(s3c.Rows(gaussian(40, 6, 1, 8), 1))
	if _, err := s3c.Fit(t.Context(), src, &s3c.Options{Units: 5, Device: aDevice(t), Double: true}); err == nil || !strings.Contains(err.Error(), "Device excludes") {
		t.Error(err)
	}
	if _, err := m.NewEncoder(&s3c.EncoderOptions{Device: aDevice(t), Skip: &s3c.SkipOptions{}}); err == nil || !strings.Contains(err.Error(), "Skip and Device") {
		t.Error(err)
	}
	none := gpu.First()
	if none.Info().Memory == 0 {
		if _, err := m.NewEncoder(&s3c.EncoderOptions{Device: none}); err == nil || !strings.Contains(err.Error(), "no card") {
			t.Error(err)
		}
	}
}
