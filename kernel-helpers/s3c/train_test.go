package s3c

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/statefile"
	"overcomplete/ui/progress"
)

func train(t testing.TB, src Source, o Options) *Result {
	t.Helper()
	return must[*Result](t)(Fit(bg, src, &o))
}

// planted returns a model with 12 well-separated units in 8 dimensions, and n patches sampled from it.
func planted(t testing.TB, n int) (*Model, *RowSource, *mat.Dense) {
	t.Helper()
	m, err := NewModel(gaussian(8, 12, 1, 151), -2.5, 10, 30)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Mu {
		m.Mu[i] = 2
	}
	x := must[*Draw](t)(m.Sample(n, 3))
	return m, must[*RowSource](t)(Rows(x.V, 1)), x.V
}

func sameRun(t *testing.T, a, b *State) {
	t.Helper()
	strip := func(s *State) []byte {
		s = s.Clone()
		s.second = 0
		for i := range s.History {
			s.History[i].Seconds = 0
		}
		return s.encode()
	}
	if !bytes.Equal(strip(a), strip(b)) {
		t.Errorf("states differ: step %d and %d", a.Step, b.Step)
	}
}

// Training raises the energy, finds the planted directions, and keeps the columns at norm 1.
func TestTrain(t *testing.T) {
	patience.SkipShort(t, "it trains")
	truth, src, V := planted(t, 4000)
	start := train(t, src, Options{Units: 12, Steps: 1, Batch: 100})
	calls := 0
	r := train(t, src, Options{Units: 12, Steps: 1200, Batch: 100, Beta: 10, Alpha: 10, MStep: MStepOptions{RateBeta: 1, PenaltyH: -1, PenaltyAlpha: -1, PenaltyBeta: -1},
		Recorder: progress.Func(func(progress.Event) { calls++ })})
	if calls != 1200 || r.Status != ended.Done || len(r.State.History) != 1200 || r.State.History[1199].Patches != 120_000 {
		t.Errorf("%v, %d events", r, calls)
	}
	before, after := mean(infer(t, start.Model, V, InferOptions{}).Energy), mean(infer(t, r.Model, V, InferOptions{}).Energy)
	best := mean(infer(t, truth, V, InferOptions{}).Energy)
	if after < before+0.7*(best-before) {
		t.Errorf("energy %v at the start, %v after training, %v with the truth", before, after, best)
	}
	found := 0
	for i := range 12 {
		near := 0.0
		for j := range 12 {
			near = max(near, math.Abs(mat.Dot(truth.W.ColView(i), r.Model.W.ColView(j))))
		}
		if near > 0.9 {
			found++
		}
		if n := mat.Norm(r.Model.W.ColView(i), 2); math.Abs(n-1) > 1e-12 {
			t.Errorf("column %d has norm %v", i, n)
		}
	}
	if found < 8 {
		t.Errorf("%d of 12 directions were found", found)
	}
	if s := r.String(); !strings.Contains(s, "done: W 8×12 after 1200 steps") {
		t.Error(s)
	}
}

// The defaults are the published settings. The test checks the initial model, and computes one step by itself.
func TestFirstStep(t *testing.T) {
	_, src, _ := planted(t, 300)
	o, err := Options{}.complete(8)
	if err != nil || o.Units != 1600 || o.Batch != 100 || o.Steps != 8620 || o.Bias != -4 || o.Beta != 3 || o.Alpha != 1 {
		t.Errorf("defaults %+v, %v", o, err)
	}
	for _, diagonal := range []bool{false, true} {
		start, err := newTrainer(src, &Options{Units: 20, Diagonal: diagonal})
		if err != nil {
			t.Fatal(err)
		}
		m := start.st.Model
		first, X := make([]float32, 20*8), make([]float32, 100*8)
		if err := errors.Join(src.Patches(first, 0, 20), src.Patches(X, 20, 100)); err != nil {
			t.Fatal(err)
		}
		V := mat.NewDense(100, 8, nil)
		for i, v := range X {
			V.Set(i/8, i%8, float64(v))
		}
		for i := range 20 {
			norm := 0.0
			for _, v := range first[i*8 : (i+1)*8] {
				norm = math.Hypot(norm, float64(v))
			}
			for k := range 8 {
				if math.Abs(m.W.At(k, i)-float64(first[i*8+k])/norm) > 1e-12 {
					t.Fatalf("column %d is not patch %d", i, i)
				}
			}
		}
		r := infer(t, m, V, InferOptions{})
		want := must[*Model](t)(m.MStep(must[*Moments](t)(m.Moments(V, r.Q)), nil))
		for _, o := range []Options{{Double: true}, {}} {
			o.Units, o.Steps, o.Diagonal = 20, 1, diagonal
			got := train(t, src, o)
			tolerance := 1e-12
			if !o.Double {
				tolerance = 1e-5
			}
			x, y := got.Model.encode(nil), want.encode(nil)
			gx, gy := &statefile.Decoder{B: x[24:]}, &statefile.Decoder{B: y[24:]}
			for len(gx.B) > 0 {
				if a, b := gx.Finite(), gy.Finite(); math.Abs(a-b) > tolerance*(1+math.Abs(b)) {
					t.Fatalf("double %t, diagonal %t: a parameter is %v, by hand %v", o.Double, diagonal, a, b)
				}
			}
			if e := got.State.History[0].Energy; math.Abs(e-mean(r.Energy)) > 1e-5*math.Abs(e) {
				t.Errorf("energy %v, want %v", e, mean(r.Energy))
			}
		}
	}
}

// Training gives the same bits for any number of processors and goroutines, and if a run is saved to a file and
// resumed.
func TestDeterminism(t *testing.T) {
	_, src, _ := planted(t, 500)
	for _, skip := range []*SkipOptions{nil, {Threshold: 0.05}} {
		o := Options{Units: 15, Steps: 7, Batch: 90, Skip: skip}
		one := train(t, src, o)
		was := runtime.GOMAXPROCS(1)
		sameRun(t, one.State, train(t, src, o).State)
		runtime.GOMAXPROCS(was)
		o.Workers = 5
		sameRun(t, one.State, train(t, src, o).State)

		path := filepath.Join(t.TempDir(), "state")
		first := o
		first.Steps, first.Checkpoint, first.CheckpointEvery = 3, path, 2
		train(t, src, first)
		st, err := LoadState(path)
		if err != nil || st.Step != 3 {
			t.Fatal(st, err)
		}
		second := o
		second.Resume = st
		sameRun(t, one.State, train(t, src, second).State)
		if st.Step != 3 || len(st.History) != 3 {
			t.Error("the state given was changed")
		}
	}
}

// A run can be ended in every way, and resumed from there.
func TestEnds(t *testing.T) {
	_, src, _ := planted(t, 500)
	path := filepath.Join(t.TempDir(), "state")
	o := Options{Units: 15, Steps: 6, Batch: 50}
	whole := train(t, src, o)
	ctx, cancel := context.WithCancel(bg)
	c := o
	c.Checkpoint = path
	c.Callback = func(s *State) error {
		if s.Step == 2 {
			cancel()
		}
		return nil
	}
	r, err := Fit(ctx, src, &c)
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != ended.Interrupted || r.State.Step != 2 {
		t.Fatal(r, err)
	}
	c = o
	c.Resume, err = LoadState(path)
	if err != nil {
		t.Fatal(err)
	}
	c.Callback = func(s *State) error {
		if s.Step == 4 {
			return ErrStop
		}
		return nil
	}
	r = train(t, src, c)
	if r.Status != ended.Stopped || r.State.Step != 4 {
		t.Fatal(r)
	}
	c = o
	c.Resume = r.State
	sameRun(t, whole.State, train(t, src, c).State)
	// Other options or another source are errors.
	other := must[*RowSource](t)(Rows(gaussian(50, 8, 1, 1), 1))
	for want, f := range map[string]func() error{
		"other settings": func() error { x := c; x.Batch = 60; _, err := Fit(bg, src, &x); return err },
		"another source": func() error { _, err := Fit(bg, other, &c); return err },
		"both":           func() error { x := c; x.Init = whole.Model; _, err := Fit(bg, src, &x); return err },
		"inconsistent": func() error {
			x := c
			x.Resume = r.State.Clone()
			x.Resume.Use = nil
			_, err := Fit(bg, src, &x)
			return err
		},
		"Units is":     func() error { _, err := Fit(bg, src, &Options{Units: 3, Init: whole.Model}); return err },
		"Double":       func() error { _, err := Fit(bg, src, &Options{Double: true, Skip: &SkipOptions{}}); return err },
		"cannot start": func() error { _, err := Fit(bg, src, &Options{Beta: -1}); return err },
		"my mistake": func() error {
			_, err := Fit(bg, src, &Options{Units: 4, Callback: func(*State) error { return errors.New("my mistake") }})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	// Init continues with other options.
	init := train(t, src, Options{Init: whole.Model, Steps: 1, Batch: 20})
	if n, _ := init.Model.Dims(); n != 8 || mat.Equal(init.Model.W, whole.Model.W) {
		t.Error("Init")
	}
}

// badSource is a source with a NaN in patch 120.
type badSource struct{ *RowSource }

func (s badSource) Patches(dst []float32, first, n int) error {
	err := s.RowSource.Patches(dst, first, n)
	if 120 >= first && 120 < first+n {
		dst[(120-first)*8+3] = float32(math.NaN())
	}
	return err
}

func TestSource(t *testing.T) {
	_, src, V := planted(t, 100)
	all, again := make([]float32, 250*8), make([]float32, 8)
	if err := src.Patches(all, 0, 250); err != nil {
		t.Fatal(err)
	}
	seen := map[float32]int{}
	for k := range 250 {
		if err := src.Patches(again, (k*77)%250, 1); err != nil {
			t.Fatal(err)
		}
		at := (k * 77) % 250
		for i, v := range again {
			if all[at*8+i] != v {
				t.Fatalf("patch %d is another the second time", at)
			}
		}
		if k < 200 {
			seen[all[k*8]]++
		}
	}
	for k := range 100 {
		if seen[float32(V.At(k, 0))] != 2 {
			t.Fatalf("row %d came %d times in two passes", k, seen[float32(V.At(k, 0))])
		}
	}
	if all[0] == all[800] && all[8] == all[808] && all[16] == all[816] {
		t.Error("the second pass has the order of the first")
	}
	if src.Fingerprint() == must[*RowSource](t)(Rows(V, 2)).Fingerprint() || src.Fingerprint() != must[*RowSource](t)(Rows(V, 1)).Fingerprint() {
		t.Error("the fingerprint does not tell sources apart")
	}
	_, err := Fit(bg, badSource{src}, &Options{Units: 5, Steps: 3, Batch: 50})
	if err == nil || !strings.Contains(err.Error(), "patch 120 of the source is NaN in place 3") {
		t.Error(err)
	}
	zero := must[*RowSource](t)(Rows32(make([]float32, 80), 8, 1))
	if _, err := Fit(bg, zero, &Options{Units: 5}); err == nil || !strings.Contains(err.Error(), "are 0") {
		t.Error(err)
	}
}

// Every change to a single bit and every truncation of a file is detected.
func TestFile(t *testing.T) {
	_, src, _ := planted(t, 100)
	r := train(t, src, Options{Units: 3, Steps: 2, Batch: 20, Diagonal: true})
	path := filepath.Join(t.TempDir(), "x")
	if err := r.Model.Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := Load(path)
	if err != nil || !bytes.Equal(m.encode(nil), r.Model.encode(nil)) {
		t.Errorf("a model: %v", err)
	}
	if _, err := LoadState(path); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), "Options.Init") {
		t.Errorf("a model for a state: %v", err)
	}
	if err := r.State.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), "LoadState") {
		t.Errorf("a state for a model: %v", err)
	}
	st, err := LoadState(path)
	if err != nil || !bytes.Equal(st.encode(), r.State.encode()) {
		t.Errorf("a state: %v", err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for k := range good {
		b := bytes.Clone(good)
		b[k] ^= 1 << (k % 8)
		if _, err := format.Unpack(stateFile, b); !errors.Is(err, ErrFile) {
			t.Fatalf("byte %d changed: %v", k, err)
		}
		if _, err := format.Unpack(stateFile, good[:k]); !errors.Is(err, ErrFile) {
			t.Fatalf("%d bytes left: %v", k, err)
		}
	}
	content := r.State.encode()
	for k := range content { // even if its checksum is corrected
		if _, err := decodeState(content[:k]); !errors.Is(err, ErrFile) {
			t.Fatalf("%d bytes of content: %v", k, err)
		}
	}
	if err := r.State.Save(filepath.Join(t.TempDir(), "no", "folder")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
