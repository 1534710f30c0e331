package dictionary

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
	"overcomplete/ui/progress"
)

// runs returns one small run of each kind. Each signal has 12 numbers.
func runs() map[string]struct {
	X   *mat.Dense
	opt Options
} {
	type run = struct {
		X   *mat.Dense
		opt Options
	}
	X, _, _ := planted(12, 18, 230, 2, 0.02, 3)
	var A mat.Dense
	A.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, X)
	P := distributions(12, 60, 4)
	klOpt := klcoding.Options{Lambda: 0.1, P: 0.01, Doubled: true, Tolerance: 1e-7}
	return map[string]run{
		"Online":             {X, Options{Coder: l1(0.1), Atoms: 18, Batch: 32, Passes: 4, Seed: 1}},
		"Online warm unit":   {X, Options{Coder: l1(0.1), Atoms: 18, Batch: 50, Passes: 4, Warm: true, Unit: true, Forget: -1}},
		"Online nonnegative": {&A, Options{Coder: l1(0.1), Atoms: 18, Batch: 32, Passes: 4, NonNegative: true}},
		"Online KL warm":     {X, Options{Coder: KLCoder(&klOpt), Atoms: 14, Batch: 64, Passes: 3, Warm: true}},
		"Online wide":        {X, Options{Coder: l1(0.1), Atoms: 150, Batch: 64, Passes: 3, DeadAfter: 100, Start: Gaussian}},
		"SGD":                {X, Options{Coder: l1(0.1), Atoms: 18, Batch: 16, Passes: 6, Method: SGD}},
		"SGD single":         {X, Options{Coder: l1(0.1), Atoms: 18, Batch: 1, Passes: 3, Method: SGD}},
		"SGD nonnegative":    {&A, Options{Coder: l1(0.1), Atoms: 18, Batch: 16, Passes: 6, Method: SGD, NonNegative: true}},
		"SGD KL":             {X, Options{Coder: KLCoder(&klOpt), Atoms: 14, Batch: 32, Passes: 3, Method: SGD}},
		"SGD softmax warm":   {P, Options{Coder: softmaxCoder(), Atoms: 14, Batch: 10, Passes: 6, Method: SGD, Start: Gaussian, Warm: true}},
		"LagrangeDual":       {X, Options{Coder: l1(0.1), Atoms: 18, Passes: 6, Method: LagrangeDual}},
		"LagrangeDual warm":  {X, Options{Coder: l1(0.1), Atoms: 18, Passes: 6, Method: LagrangeDual, Warm: true, Unit: true}},
		"MOD L0": {X, Options{Coder: SparseCoder(&sparseapprox.Options{Prior: sparseapprox.L0, Nonzeros: 2}), Atoms: 18, Passes: 6, Method: MOD,
			Start: Gaussian}},
	}
}

func TestObjectiveFalls(t *testing.T) {
	for name, c := range runs() {
		t.Run(name, func(t *testing.T) {
			before := mat.DenseCopyOf(c.X)
			zero := c.opt
			zero.Passes, zero.Callback = 1, func(s *State) error { return ErrStop }
			first := learn(t, c.X, zero)
			r := learn(t, c.X, c.opt)
			start := heldOut(t, c.opt.Coder, firstBasis(t, c.X, c.opt), c.X)
			end := heldOut(t, c.opt.Coder, r.B, c.X)
			if !(end < 0.9*start) {
				t.Errorf("mean objective %g at the start, %g at the end", start, end)
			}
			if r.Status != ended.Done || first.Status != ended.Stopped {
				t.Errorf("status %v and %v", r.Status, first.Status)
			}
			if !mat.Equal(before, c.X) {
				t.Error("X was modified")
			}
			if n := len(r.State.Passes); n != c.opt.Passes || r.State.Pass != n {
				t.Errorf("%d passes in the history", n)
			}
			last := r.State.Passes[len(r.State.Passes)-1]
			if _, N := c.X.Dims(); last.Signals != N*c.opt.Passes || len(r.State.Steps) != r.State.Step {
				t.Errorf("history ends with %+v, %d steps", last, len(r.State.Steps))
			}
			d, n := r.B.Dims()
			for j := range n {
				col := mat.Col(nil, j, r.B)
				s := norm(col)
				if s > 1+1e-12 {
					t.Errorf("column %d has norm %g", j, s)
				}
				if (c.opt.Unit || c.opt.Method == SGD || c.opt.Method == MOD) && math.Abs(s-1) > 1e-12 {
					t.Errorf("column %d has norm 1%+g", j, s-1)
				}
				for i := range d {
					if c.opt.NonNegative && col[i] < 0 {
						t.Errorf("B is %g in row %d, column %d", col[i], i, j)
					}
				}
			}
		})
	}
}

// firstBasis returns the B with which a run begins.
func firstBasis(t *testing.T, X mat.Matrix, opt Options) *mat.Dense {
	t.Helper()
	l, err := newLearner(X, &opt)
	if err != nil {
		t.Fatal(err)
	}
	return l.st.B
}

// TestLagrangeDualNeverRises checks that the objective never rises with LagrangeDual and L1, where both
// halves of a pass are exact minimizations.
func TestLagrangeDualNeverRises(t *testing.T) {
	X, _, _ := planted(12, 18, 200, 2, 0.1, 5)
	r := learn(t, X, Options{Coder: SparseCoder(&sparseapprox.Options{Lambda: 0.1, Tolerance: 1e-10}), Atoms: 18, Passes: 25, Method: LagrangeDual})
	for k := 1; k < len(r.State.Passes); k++ {
		if a, b := r.State.Passes[k-1].Objective, r.State.Passes[k].Objective; b > a*(1+1e-9) {
			t.Errorf("pass %d: %g after %g", k+1, b, a)
		}
	}
}

// TestPlanted checks that the planted atoms are found, up to sign and order.
func TestPlanted(t *testing.T) {
	X, B0, _ := planted(16, 24, 2000, 2, 0.01, 11)
	near := gaussian(16, 24, 12)
	near.Scale(0.15, near) // noise of norm 0.6
	near.Add(near, B0)
	for _, c := range []struct {
		opt    Options
		coder  Coder
		enough float64 // smallest |cos| for which an atom counts as found
	}{
		{Options{Method: Online, Passes: 15, Batch: 100}, l1(0.15), 0.98},
		{Options{Method: SGD, Passes: 20, Batch: 50}, l1(0.15), 0.97},
		{Options{Method: LagrangeDual, Passes: 60}, l1(0.15), 0.98},
		// Greedy codes need an initial B near the truth: otherwise two atoms may match the same planted atom.
		{Options{Method: MOD, Passes: 20, Init: near}, SparseCoder(&sparseapprox.Options{Prior: sparseapprox.L0, Nonzeros: 2}), 0.999},
	} {
		c.opt.Coder, c.opt.Atoms, c.opt.Seed = c.coder, 24, 1
		r := learn(t, X, c.opt)
		found := 0
		for _, v := range largestMatch(B0, r.B) {
			if v > c.enough {
				found++
			}
		}
		random := 0
		for _, v := range largestMatch(B0, firstBasis(t, X, c.opt)) {
			if v > c.enough {
				random++
			}
		}
		t.Logf("%v: %d of 24 atoms, %d at the start", c.opt.Method, found, random)
		if found < 22 || random > 8 {
			t.Errorf("%v found %d of 24 atoms, %d at the start", c.opt.Method, found, random)
		}
	}
}

// TestResume stops a run every few steps, and saves, loads and resumes its state. It checks that the result
// has the same bits as an uninterrupted run.
func TestResume(t *testing.T) {
	for name, c := range runs() {
		t.Run(name, func(t *testing.T) {
			whole := learn(t, c.X, c.opt)
			path := filepath.Join(t.TempDir(), "state")
			opt := c.opt
			left := 3
			opt.Callback = func(s *State) error {
				if left--; left == 0 {
					return ErrStop
				}
				return nil
			}
			opt.Checkpoint = path
			for range 2000 {
				left = 3
				if c.opt.Batch == 1 {
					left = 100
				}
				r := learn(t, c.X, opt)
				if r.Status == ended.Done {
					sameRun(t, whole.State, r.State)
					return
				}
				st, err := LoadState(path)
				if err != nil {
					t.Fatal(err)
				}
				sameRun(t, r.State, st)
				opt.Resume, opt.Atoms, opt.Start = st, 0, Signals
			}
			t.Error("no end")
		})
	}
}

// TestInterrupt checks that an interruption during coding leaves the state of the last complete step.
func TestInterrupt(t *testing.T) {
	for _, name := range []string{"Online warm unit", "LagrangeDual warm"} {
		c := runs()[name]
		whole := learn(t, c.X, c.opt)
		ctx, cancel := context.WithCancel(context.Background())
		opt := c.opt
		inner := c.opt.Coder
		calls := 0
		opt.Coder = &wrapped{inner, func() {
			if calls++; calls == 3 {
				cancel()
			}
		}}
		opt.Checkpoint = filepath.Join(t.TempDir(), "state")
		r, err := Fit(ctx, c.X, &opt)
		if !errors.Is(err, context.Canceled) || r.Status != ended.Interrupted {
			t.Fatalf("%v, %v", r, err)
		}
		if r.State.Step != 2 {
			t.Errorf("%s: %d steps", name, r.State.Step)
		}
		st, err := LoadState(opt.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		sameRun(t, r.State, st)
		opt = c.opt
		opt.Resume = st
		keep := st.Clone()
		sameRun(t, whole.State, learn(t, c.X, opt).State)
		sameRun(t, keep, st) // not modified
	}
}

type wrapped struct {
	Coder
	before func()
}

func (w *wrapped) Code(ctx context.Context, B, X, warm *mat.Dense) (*Codes, error) {
	w.before()
	return w.Coder.Code(ctx, B, X, warm)
}

// TestMorePasses checks that finishing a run and resuming it with more passes gives the same result as a
// single run with all passes.
func TestMorePasses(t *testing.T) {
	c := runs()["Online"]
	opt := c.opt
	opt.Passes = 2
	r := learn(t, c.X, opt)
	opt = c.opt
	opt.Resume = r.State
	sameRun(t, learn(t, c.X, c.opt).State, learn(t, c.X, opt).State)
}

func TestDeterminism(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, c := range runs() {
		runtime.GOMAXPROCS(1)
		a := learn(t, c.X, c.opt)
		runtime.GOMAXPROCS(2)
		b := learn(t, c.X, c.opt)
		t.Run(name, func(t *testing.T) { sameRun(t, a.State, b.State) })
		if name != "Online" && name != "SGD" {
			continue
		}
		c.opt.Seed += 5
		if sameBits(learn(t, c.X, c.opt).B.RawMatrix().Data, a.B.RawMatrix().Data) {
			t.Errorf("%s: another seed gave the same B", name)
		}
	}
}

// TestTransposedSignals checks that Fit uses the transposed view of a matrix with one signal per row without
// a copy, and gives the same result.
func TestTransposedSignals(t *testing.T) {
	c := runs()["Online"]
	rows := mat.DenseCopyOf(c.X.T())
	keep := mat.DenseCopyOf(rows)
	sameRun(t, learn(t, c.X, c.opt).State, learn(t, rows.T(), c.opt).State)
	if !mat.Equal(rows, keep) {
		t.Error("X was modified")
	}
}

func TestDeadAtoms(t *testing.T) {
	X, _, _ := planted(10, 12, 300, 2, 0.01, 9)
	// The signals have 9 dimensions, so atoms along the tenth are never used.
	for i := range 300 {
		X.Set(9, i, 0)
	}
	init := gaussian(10, 12, 2)
	for j := range 12 {
		for i := range 10 {
			if (i == 9) != (j < 3) {
				init.Set(i, j, 0)
			}
		}
	}
	for _, m := range []Method{Online, SGD, LagrangeDual, MOD} {
		opt := Options{Coder: l1(0.1), Init: init, Method: m, Passes: 4, Batch: 50}
		r := learn(t, X, opt)
		if r.State.Replaced < 3 {
			t.Errorf("%v: %d atoms replaced", m, r.State.Replaced)
		}
		for j := range 3 {
			if r.B.At(9, j) != 0 || r.Use[j] == 0 {
				t.Errorf("%v: atom %d is still dead: %g in row 9, use %g", m, j, r.B.At(9, j), r.Use[j])
			}
		}
		opt.DeadAfter = -1
		if r := learn(t, X, opt); r.State.Replaced != 0 || math.Abs(r.B.At(9, 0)) != 1 || r.Use[0] != 0 {
			t.Errorf("%v: an atom was replaced all the same", m)
		}
	}
}

func TestTolerance(t *testing.T) {
	c := runs()["LagrangeDual"]
	c.opt.Passes, c.opt.Tolerance = 500, 1e-3
	r := learn(t, c.X, c.opt)
	p := r.State.Passes
	if r.Status != ended.Converged || len(p) < 3 || len(p) > 400 {
		t.Fatalf("%v", r)
	}
	for k := 1; k < len(p); k++ {
		if met := p[k-1].Objective-p[k].Objective <= 1e-3*p[k-1].Objective; met != (k == len(p)-1) {
			t.Errorf("pass %d of %d: %g after %g", k+1, len(p), p[k].Objective, p[k-1].Objective)
		}
	}
}

func TestCallbackAndRecorder(t *testing.T) {
	c := runs()["Online"]
	opt := c.opt
	calls, events := 0, 0
	boom := errors.New("boom")
	opt.Callback = func(s *State) error {
		if calls++; s.Step != calls {
			t.Errorf("step %d in call %d", s.Step, calls)
		}
		if s.PassDone() != (calls%8 == 0) { // 230 signals in batches of 32
			t.Errorf("step %d: PassDone is %t", calls, s.PassDone())
		}
		if calls == 10 {
			return fmt.Errorf("wrapped: %w", boom)
		}
		return nil
	}
	opt.Recorder = progress.Func(func(e progress.Event) {
		if events++; e.Step != events || e.Total != 32 || !(e.Objective > 0) {
			t.Errorf("%+v", e)
		}
	})
	r, err := Fit(bg, c.X, &opt)
	if !errors.Is(err, boom) || r.Status != ended.Failed || r.State.Step != 10 || events != 10 {
		t.Errorf("%v, %v after %d events", r, err, events)
	}
}

func TestBadInput(t *testing.T) {
	X := gaussian(4, 30, 1)
	nan := mat.DenseCopyOf(X)
	nan.Set(2, 17, math.NaN())
	huge := mat.DenseCopyOf(X)
	huge.Scale(1e200, huge)
	c := l1(0.1)
	zeroColumn := gaussian(4, 6, 2)
	for i := range 4 {
		zeroColumn.Set(i, 5, 0)
	}
	good := learn(t, X, Options{Coder: c, Atoms: 5, Passes: 1}).State
	for want, f := range map[string]func() error{
		"Coder is nil":         func() error { _, err := Fit(bg, X, nil); return err },
		"Atoms is 0":           func() error { _, err := Fit(bg, X, &Options{Coder: c}); return err },
		"Atoms is -3":          func() error { _, err := Fit(bg, X, &Options{Coder: c, Atoms: -3}); return err },
		"row 2, column 17":     func() error { _, err := Fit(bg, nan, &Options{Coder: c, Atoms: 5}); return err },
		"scale X":              func() error { _, err := Fit(bg, huge, &Options{Coder: c, Atoms: 5}); return err },
		"column 5 of Init":     func() error { _, err := Fit(bg, X, &Options{Coder: c, Init: zeroColumn}); return err },
		"Init or Resume has 6": func() error { _, err := Fit(bg, X, &Options{Coder: c, Init: zeroColumn, Atoms: 5}); return err },
		"NonNegative is set": func() error {
			_, err := Fit(bg, X, &Options{Coder: c, Init: gaussian(4, 6, 2), NonNegative: true})
			return err
		},
		"unknown method": func() error { _, err := Fit(bg, X, &Options{Coder: c, Atoms: 5, Method: 9}); return err },
		"unknown start":  func() error { _, err := Fit(bg, X, &Options{Coder: c, Atoms: 5, Start: 9}); return err },
		"squared loss":   func() error { _, err := Fit(bg, X, &Options{Coder: softmaxCoder(), Atoms: 5}); return err },
		"non-negative; Online": func() error {
			_, err := Fit(bg, X, &Options{Coder: c, Atoms: 5, Method: MOD, NonNegative: true})
			return err
		},
		"must not be negative": func() error { _, err := Fit(bg, X, &Options{Coder: c, Atoms: 5, Batch: -1}); return err },
		"Rate is":              func() error { _, err := Fit(bg, X, &Options{Coder: c, Atoms: 5, Rate: math.NaN()}); return err },
		"Forget is":            func() error { _, err := Fit(bg, X, &Options{Coder: c, Atoms: 5, Forget: math.Inf(1)}); return err },
		"Tolerance is":         func() error { _, err := Fit(bg, X, &Options{Coder: c, Atoms: 5, Tolerance: -1}); return err },
		"Lambda is":            func() error { _, err := Fit(bg, X, &Options{Coder: l1(0), Atoms: 5}); return err },
		"other settings":       func() error { _, err := Fit(bg, X, &Options{Coder: l1(0.2), Resume: good}); return err },
		"other signals":        func() error { _, err := Fit(bg, gaussian(4, 30, 2), &Options{Coder: c, Resume: good}); return err },
		"both Init and Resume": func() error { _, err := Fit(bg, X, &Options{Coder: c, Resume: good, Init: good.B}); return err },
		"distribution": func() error {
			_, err := Fit(bg, X, &Options{Coder: softmaxCoder(), Atoms: 5, Method: SGD})
			return err
		},
		"X is empty":         func() error { _, err := Fit(bg, &mat.Dense{}, &Options{Coder: c, Atoms: 3}); return err },
		"Batch is -1":        func() error { _, err := Fit(bg, X, &Options{Coder: c, Atoms: 5, Batch: -1}); return err },
		"no such file":       func() error { _, err := LoadState(filepath.Join(t.TempDir(), "x")); return err },
		"B is NaN in row 2":  func() error { return Save(filepath.Join(t.TempDir(), "x"), nan, true) },
		"B is +Inf in row 0": func() error { return Save(filepath.Join(t.TempDir(), "x"), huge, true) },
	} {
		err := f()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "dictionary: ") {
			t.Errorf("want %q, got: %v", want, err)
		}
	}
	for want, f := range map[string]func(){
		"X is nil":    func() { Fit(bg, nil, &Options{Coder: c, Atoms: 3}) },
		"Init is 5×5": func() { Fit(bg, X, &Options{Coder: c, Init: gaussian(5, 5, 1)}) },
		"X is 4×30, a signal per COLUMN, and B has 5 rows": func() { MeanObjective(bg, c, gaussian(5, 5, 1), X) },
	} {
		if m, _ := panics.Value(f).(string); !strings.HasPrefix(m, "dictionary: ") || !strings.Contains(m, want) {
			t.Errorf("want a panic with %q, got %q", want, m)
		}
	}
}

// TestPoorSignals checks that Fit works if all signals are zero, and if there are fewer signals than atoms.
func TestPoorSignals(t *testing.T) {
	for _, m := range []Method{Online, SGD, LagrangeDual, MOD} {
		r := learn(t, mat.NewDense(3, 7, nil), Options{Coder: l1(0.1), Atoms: 5, Method: m, Passes: 2})
		if r.Objective() != 0 {
			t.Errorf("%v: objective %g of zeros", m, r.Objective())
		}
		X := gaussian(6, 3, 2)
		r = learn(t, X, Options{Coder: l1(0.1), Atoms: 9, Method: m, Passes: 5})
		if f := heldOut(t, l1(0.1), r.B, X); !(f < 0.5) {
			t.Errorf("%v: objective %g", m, f)
		}
	}
}

// TestTransposed checks that signals in rows are rejected with a message that suggests the transpose.
func TestTransposed(t *testing.T) {
	const want = "dictionary: Fit: Init is 3×4 and X is 6×3, a signal per COLUMN: want 3×6, is X transposed?"
	if p := panics.Value(func() {
		Fit(t.Context(), gaussian(6, 3, 1), &Options{Coder: SparseCoder(nil), Init: gaussian(3, 4, 2)})
	}); p != want {
		t.Errorf("%v, want %s", p, want)
	}
}
