package taskdict

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/adam"
	"overcomplete/kernel-helpers/internal/trial"
	"overcomplete/kernel-helpers/klcoding"
)

func gaussian(r, c int, seed uint64) *mat.Dense {
	return trial.Normal(rand.New(rand.NewPCG(seed, 7)), r, c, 1)
}

// task returns signals of three classes that differ in the atoms they use.
func task(D, n, N int, seed uint64) (B, X *mat.Dense, y []int) {
	B = gaussian(D, n, seed)
	if err := unitColumns(B); err != nil {
		panic(err)
	}
	rng := rand.New(rand.NewPCG(seed, 8))
	W := mat.NewDense(n, N, nil)
	y = make([]int, N)
	for i := range N {
		y[i] = rng.IntN(3)
		for range 3 {
			j := rng.IntN(n)
			if rng.Float64() < 0.7 {
				j = y[i] + 3*rng.IntN(n/3)
			}
			W.Set(j, i, W.At(j, i)+rng.ExpFloat64())
		}
	}
	X = mat.NewDense(D, N, nil)
	X.Mul(B, W)
	noise := gaussian(D, N, seed+1)
	noise.Scale(0.2, noise)
	X.Add(X, noise)
	return B, X, y
}

var coding = klcoding.Options{Lambda: 0.2, P: 0.02, Doubled: true, Tolerance: 1e-11}

func start(B, X mat.Matrix, y []int, parts bool) *classify.Maxent {
	W, err := CodeSignals(context.Background(), B, X, parts, &coding)
	if err != nil {
		panic(err)
	}
	m, err := classify.FitMaxent(context.Background(), W.T(), y, &classify.MaxentOptions{Alpha: 1e-2})
	if err != nil {
		panic(err)
	}
	return m
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// One plain step on all signals is −rate times the gradient of the head's loss through the coding. The
// reference is central differences with the paper's own solver, EGD, which shares no code with Newton's
// method.
func TestStepIsTheGradient(t *testing.T) {
	B, X, y := task(4, 6, 7, 1)
	slow := coding
	slow.Method, slow.Tolerance = klcoding.EGD, 1e-12
	for _, parts := range []bool{false, true} {
		heads := map[string]func() Head{
			"maxent": func() Head { return NewMaxent(y, start(B, X, y, parts), 0.1) },
			"linear": func() Head {
				m := 6
				if parts {
					m = 12
				}
				r := make([]float64, len(y))
				for i, v := range y {
					r[i] = float64(v)
				}
				return NewLinear(r, gaussian(m, 1, 5).RawMatrix().Data, 0.3, 0.1)
			},
		}
		for name, make1 := range heads {
			const rate = 1e-6
			h := make1()
			theta := slices.Clone(h.Theta())
			r, err := Fit(context.Background(), B, X, h, &Options{Coding: coding, Parts: parts, Epochs: 1, Batch: 7, Method: SGD, Decay: Constant,
				Rate: rate, HeadRate: rate})
			if err != nil {
				t.Fatal(err)
			}
			loss := func(B *mat.Dense, head Head) float64 {
				W, err := CodeSignals(context.Background(), B, X, parts, &slow)
				if err != nil {
					t.Fatal(err)
				}
				l, _ := head.Loss(W, all(7), make([]float64, len(theta)))
				return l
			}
			const h2 = 1e-5
			difference := func(x *float64, f func() float64) float64 {
				was := *x
				*x = was + h2
				up := f()
				*x = was - h2
				down := f()
				*x = was
				return (up - down) / (2 * h2)
			}
			head, C := make1(), mat.DenseCopyOf(B)
			raw := C.RawMatrix().Data
			G := mat.NewDense(4, 6, nil)
			for k := range raw {
				G.RawMatrix().Data[k] = difference(&raw[k], func() float64 { return loss(C, head) })
			}
			// Normalizing a column removes the part along it from a small step.
			for j := range 6 {
				b := B.ColView(j)
				along := mat.Dot(b, G.ColView(j))
				for i := range 4 {
					want := G.At(i, j) - along*b.AtVec(i)
					got := (B.At(i, j) - r.B.At(i, j)) / rate
					if math.Abs(got-want) > 2e-4*(1+math.Abs(want)) {
						t.Errorf("%s, parts %v: dl/dB[%d,%d] %v, central difference %v", name, parts, i, j, got, want)
					}
				}
			}
			for k := range theta {
				want := difference(&head.Theta()[k], func() float64 { return loss(C, head) })
				if got := (theta[k] - h.Theta()[k]) / rate; math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("%s, parts %v: dl/dθ[%d] %v, central difference %v", name, parts, k, got, want)
				}
			}
		}
	}
}

func TestTrainingHelps(t *testing.T) {
	B, X, y := task(8, 12, 600, 2)
	train, test := X.Slice(0, 8, 0, 400), X.Slice(0, 8, 400, 600)
	m := start(B, train, y[:400], true)
	errorRate := func(B mat.Matrix, m *classify.Maxent, X mat.Matrix, y []int) float64 {
		W, err := CodeSignals(context.Background(), B, X, true, &coding)
		if err != nil {
			t.Fatal(err)
		}
		return classify.ErrorRate(m.Predict(W.T()), y)
	}
	for method, rate := range map[Method]float64{Adam: 0.02, SGD: 1} {
		h := NewMaxent(y[:400], m, 1e-3)
		r, err := Fit(context.Background(), B, train, h, &Options{Coding: coding, Parts: true, Epochs: 20, Batch: 20, Method: method, Rate: rate, HeadRate: rate})
		if err != nil {
			t.Fatal(err)
		}
		first, last := r.History[1].Loss, r.History[len(r.History)-1].Loss
		before, after := errorRate(B, m, train, y[:400]), errorRate(r.B, h.Model(), train, y[:400])
		if last >= 0.9*first || after >= before || r.Status != ended.Done || len(r.History) != 21 {
			t.Errorf("%v: loss from %.3f to %.3f, training error from %.3f to %.3f, %v, %d lines", method, first, last, before, after, r.Status, len(r.History))
		}
		t.Logf("%v: loss %.3f to %.3f, training error %.3f to %.3f, test %.3f to %.3f", method, first, last, before, after,
			errorRate(B, m, test, y[400:]), errorRate(r.B, h.Model(), test, y[400:]))
		for j := range 12 {
			if s := mat.Norm(r.B.ColView(j), 2); math.Abs(s-1) > 1e-12 {
				t.Errorf("column %d has norm %v", j, s)
			}
		}
	}
}

// Steps that share eigenvectors (Options.Near) lead to the same result.
func TestNear(t *testing.T) {
	B, X, y := task(8, 12, 120, 2)
	m := start(B, X, y, true)
	exact := coding
	exact.Tolerance = 1e-11
	var found [2]*Result
	for k, near := range []bool{false, true} {
		r, err := Fit(context.Background(), B, X, NewMaxent(y, m, 1e-3), &Options{Coding: exact, Parts: true, Epochs: 3, Batch: 10, Rate: 0.01, HeadRate: 0.01, Near: near})
		if err != nil {
			t.Fatal(err)
		}
		found[k] = r
	}
	var d mat.Dense
	d.Sub(found[0].B, found[1].B)
	if e := mat.Norm(&d, 2); e > 1e-6 || e == 0 {
		t.Errorf("after 36 steps B is %g apart", e)
	}
}

// A run that is stopped after any epoch and resumed ends with the same bits, on one processor or two.
func TestResume(t *testing.T) {
	for _, near := range []bool{false, true} {
		t.Run(fmt.Sprintf("near %v", near), func(t *testing.T) { testResume(t, near) })
	}
}

func testResume(t *testing.T, near bool) {
	B, X, y := task(5, 9, 60, 3)
	m := start(B, X, y, false)
	path := filepath.Join(t.TempDir(), "c")
	run := func(path string, each func(Epoch) error) (*Result, error) {
		return Fit(context.Background(), B, X, NewMaxent(y, m, 1e-3), &Options{Coding: coding, Epochs: 4, Batch: 7, Near: near, Checkpoint: path, Each: each,
			Score: func(B *mat.Dense, _ Head) (float64, error) { return B.At(0, 0), nil }})
	}
	want, err := run("", nil)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough for today")
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	for range 3 {
		if r, err := run(path, func(Epoch) error { return enough }); !errors.Is(err, enough) || r.Status != ended.Stopped {
			t.Fatal(r.Status, err)
		}
	}
	got, err := run(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got.B, want.B) || !slices.Equal(got.Theta, want.Theta) || got.Best != want.Best || len(got.History) != len(want.History) {
		t.Errorf("resumed run ends elsewhere")
	}
	if _, err := Fit(context.Background(), B, X, NewMaxent(y, m, 1e-3), &Options{Coding: coding, Epochs: 5, Checkpoint: path}); err == nil || !strings.Contains(err.Error(), "other options") {
		t.Errorf("other options: %v", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(path, nil); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("broken checkpoint: %v", err)
	}
}

func TestBestEpochAndPatience(t *testing.T) {
	B, X, y := task(5, 9, 40, 4)
	scores := []float64{5, 3, 4, 4, 4, 0}
	h := NewMaxent(y, start(B, X, y, false), 1e-3)
	var theta []float64
	k := 0
	r, err := Fit(context.Background(), B, X, h, &Options{Coding: coding, Epochs: 5, Batch: 10, Patience: 2,
		Score: func(_ *mat.Dense, head Head) (float64, error) {
			if k == 1 {
				theta = slices.Clone(head.Theta())
			}
			k++
			return scores[k-1], nil
		}})
	if err != nil || r.Best != 1 || r.Status != ended.EarlyStop || k != 4 || !slices.Equal(theta, h.Theta()) {
		t.Errorf("best %d, %v, %d scores, %v", r.Best, r.Status, k, err)
	}
}

func TestRefusals(t *testing.T) {
	B, X, y := task(3, 4, 5, 5)
	h := func() Head { return NewMaxent(y, start(B, X, y, false), 1e-3) }
	bad := mat.DenseCopyOf(X)
	bad.Set(1, 2, math.NaN())
	zero := mat.DenseCopyOf(B)
	zero.SetCol(1, make([]float64, 3))
	single := coding
	single.Doubled = false
	for want, f := range map[string]func() error{
		"X[1,2]":   func() error { _, err := Fit(context.Background(), B, bad, h(), &Options{Coding: coding}); return err },
		"column 1": func() error { _, err := Fit(context.Background(), zero, X, h(), &Options{Coding: coding}); return err },
		"Parts": func() error {
			_, err := Fit(context.Background(), B, X, h(), &Options{Coding: single, Parts: true})
			return err
		},
		"negative": func() error {
			_, err := Fit(context.Background(), B, X, h(), &Options{Coding: coding, Epochs: -1})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Fit(ctx, B, X, h(), &Options{Coding: coding}); !errors.Is(err, context.Canceled) || r == nil || r.Status != ended.Interrupted {
		t.Errorf("cancelled: %v", err)
	}
}

// A fabricated checkpoint with a correct checksum is rejected if its parts are inconsistent.
func TestContradiction(t *testing.T) {
	good := func() *state {
		return &state{D: 2, Atoms: 3, Signals: 4, B: make([]float64, 6), R: make([]float64, 8), Basis: adam.New(6), BestB: make([]float64, 6),
			Theta: make([]float64, 5), Head: adam.New(5), BestTheta: make([]float64, 5)}
	}
	try := func(s *state) error {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(s); err != nil {
			t.Fatal(err)
		}
		_, err := decode(b.Bytes())
		return err
	}
	if err := try(good()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*state){
		"D":       func(s *state) { s.D = 0 },
		"minus D": func(s *state) { s.D = -2 },
		"atoms":   func(s *state) { s.Atoms = 2 },
		"signals": func(s *state) { s.Signals = 5 },
		"B":       func(s *state) { s.B = s.B[:5] },
		"V":       func(s *state) { s.Basis.V = nil },
		"best B":  func(s *state) { s.BestB = nil },
		"theta":   func(s *state) { s.BestTheta = s.BestTheta[1:] },
		"head":    func(s *state) { s.Head.V = s.Head.V[1:] },
	} {
		s := good()
		spoil(s)
		if try(s) == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	path := filepath.Join(f.TempDir(), "c")
	B, X, y := task(2, 3, 5, 6)
	if _, err := Fit(context.Background(), B, X, NewMaxent(y, start(B, X, y, false), 1e-3), &Options{Coding: coding, Epochs: 1, Checkpoint: path}); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte(magic))
	f.Add([]byte("something else"))
	// The checksum protects gob, which is not designed for hostile input.
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := parse(b); err == nil && !bytes.Equal(b, good) {
			t.Errorf("taken for a checkpoint: %d bytes that differ from one", len(b))
		}
	})
}
