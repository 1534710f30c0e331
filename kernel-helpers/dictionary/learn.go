package dictionary

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/ui/progress"
)

// chunk is the number of signals coded at once by the methods that use all signals in a step. It is a
// constant so that results do not depend on the machine.
const chunk = 4096

// A Result is the outcome of Fit.
type Result struct {
	Status ended.Status
	B      *mat.Dense // D×n
	// Use is the mean of |w_j| over the last complete pass (n). It is nil before the first pass ends.
	Use []float64
	// State holds the history. Passed as Options.Resume, State continues the run from this point.
	State *State
}

// Objective returns the mean objective of the last complete pass, or of the last step if no pass is complete. Each
// step's objective uses B as it was before that step. For held-out signals use MeanObjective.
func (r *Result) Objective() float64 { return r.State.Objective() }

// String summarizes the result in a line.
func (r *Result) String() string {
	d, n := r.B.Dims()
	s := r.State
	if s.Step == 0 {
		return fmt.Sprintf("%v: B %d×%d, no step done", r.Status, d, n)
	}
	return fmt.Sprintf("%v: B %d×%d after %d passes, %d steps, %.3g s: objective %.6g, %d atoms replaced",
		r.Status, d, n, s.Pass, s.Step, s.second, s.Objective(), s.Replaced)
}

// A learner is one run of Fit.
type learner struct {
	opt   Options
	st    *State
	x     blas64.General // X', N×D
	bt    blas64.General // B', n×D: an atom is contiguous
	order []int          // order of the signals in this pass; nil means order of the columns of X
	begun time.Time
	clock float64 // seconds of earlier runs

	full  []float64      // objective of each signal of the step
	a, ct blas64.General // accumulators: Σww' (n×n) and Σwx' (n×D)
}

// Fit learns B (D×n) from the columns of X (D×N), one signal per column. It minimizes the mean of (2) in the package
// comment over B and the codes of the signals. The error is nil if all passes were completed, the tolerance was met, or
// the callback returned ErrStop. If learning fails or is interrupted, Fit returns an error and also a result, which
// holds the state of the last complete step. If learning cannot begin, because X or an option is invalid, the result is
// nil.
func Fit(ctx context.Context, X mat.Matrix, opt *Options) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	l, err := newLearner(X, opt)
	if err != nil {
		return nil, err
	}
	status, err := l.run(ctx)
	if status == ended.Failed && ctx.Err() != nil {
		status = ended.Interrupted
	}
	l.st.second = l.seconds()
	r := &Result{Status: status, B: mat.DenseCopyOf(l.st.B), State: l.st}
	if l.st.lastUse != nil {
		r.Use = append([]float64(nil), l.st.lastUse...)
	}
	if l.opt.Checkpoint != "" && (status == ended.Stopped || status == ended.Interrupted || status == ended.Failed) {
		err = errors.Join(err, l.st.Save(l.opt.Checkpoint))
	}
	return r, err
}

func newLearner(X mat.Matrix, opt *Options) (*learner, error) {
	d, N, err := points("Fit", "X", X)
	if err != nil {
		return nil, err
	}
	if opt == nil || opt.Coder == nil {
		return nil, errors.New("dictionary: Fit: Options.Coder is nil")
	}
	o := *opt
	n := o.Atoms
	given := 0
	switch {
	case o.Init != nil && o.Resume != nil:
		return nil, errors.New("dictionary: Fit: both Init and Resume are given")
	case o.Init != nil:
		r, c := dims("Fit", "Init", o.Init)
		if r != d {
			panic(fmt.Sprintf("dictionary: Fit: Init is %d×%d and X is %d×%d, a signal per COLUMN%s", r, c, d, N, transposeHint(d, N, r)))
		}
		given = c
	case o.Resume != nil:
		r, c := dims("Fit", "Resume.B", o.Resume.B)
		if r != d {
			return nil, fmt.Errorf("dictionary: Fit: the state to resume has B %d×%d, and X is %d×%d", r, c, d, N)
		}
		given = c
	}
	if n == 0 {
		n = given
	}
	if n <= 0 || given > 0 && n != given {
		return nil, fmt.Errorf("dictionary: Fit: Atoms is %d, Init or Resume has %d", o.Atoms, given)
	}
	o, err = o.complete(N, n)
	if err != nil {
		return nil, err
	}
	x, err := signals("Fit", X)
	if err != nil {
		return nil, err
	}
	l := &learner{opt: o, x: x, begun: time.Now()}
	set, data := o.settings(d, N), fingerprint(x)
	if o.Resume != nil {
		if o.Resume.set != set {
			return nil, fmt.Errorf("dictionary: Fit: the state to resume has other settings; give its B as Init to go on with new ones\nstate: %s\nnow:   %s", o.Resume.set, set)
		}
		if o.Resume.data != data {
			return nil, errors.New("dictionary: Fit: the state to resume was learned from other signals; give its B as Init to go on with new ones")
		}
		if !o.Resume.fits(&o, d, N) {
			return nil, errors.New("dictionary: Fit: the state to resume contradicts itself; give its B as Init, or learn again")
		}
		l.st = o.Resume.Clone()
		l.clock = l.st.second
		l.bt = transpose(l.st.B)
	} else {
		if l.bt, err = initialBasis(x, &o); err != nil {
			return nil, err
		}
		l.st = &State{B: mat.NewDense(d, n, nil), set: set, data: data,
			use: make([]float64, n), window: make([]float64, n)}
		if o.Warm {
			l.st.warm = make([]cell, N)
		}
		if err := ram.Check(fmt.Sprintf("the moments of %d atoms", n), 16*float64(n)*float64(n)); err != nil {
			return nil, fmt.Errorf("dictionary: Fit: %w", err)
		}
		if o.Method == Online {
			l.st.a, l.st.ct = make([]float64, n*n), make([]float64, n*d)
		}
		l.store()
	}
	if o.Method == Online {
		l.a = blas64.General{Rows: n, Cols: n, Stride: n, Data: l.st.a}
		l.ct = blas64.General{Rows: n, Cols: d, Stride: d, Data: l.st.ct}
	}
	return l, nil
}

// transpose returns B' (n×D) as a copy.
func transpose(B *mat.Dense) blas64.General {
	d, n := B.Dims()
	m := mat.NewDense(n, d, nil)
	m.Copy(B.T())
	return m.RawMatrix()
}

// store copies the transpose of l.bt to the state's B.
func (l *learner) store() {
	l.st.B.Copy(mat.NewDense(l.bt.Rows, l.bt.Cols, l.bt.Data).T())
}

func (l *learner) seconds() float64 { return l.clock + time.Since(l.begun).Seconds() }

func (l *learner) run(ctx context.Context) (ended.Status, error) {
	o, st, N := &l.opt, l.st, l.x.Rows
	perPass := (N + o.Batch - 1) / o.Batch
	for st.Pass < o.Passes {
		if o.Method.isBatched() && (l.order == nil || st.at == 0) {
			// The order of the signals depends only on the seed and the pass number, so that a resumed run
			// uses the same order.
			l.order = rand.New(rand.NewPCG(o.Seed, uint64(st.Pass)+1)).Perm(N)
		}
		if err := ctx.Err(); err != nil {
			return ended.Interrupted, fmt.Errorf("dictionary: Fit: %w after %d of %d passes", err, st.Pass, o.Passes)
		}
		if err := l.step(ctx); err != nil {
			status := ended.Failed
			if ctx.Err() != nil {
				status = ended.Interrupted
			}
			return status, fmt.Errorf("dictionary: Fit: pass %d, step %d: %w", st.Pass+1, st.Step+1, err)
		}
		last := st.Steps[len(st.Steps)-1]
		progress.Report(o.Recorder, progress.Event{What: "dictionary", Step: st.Step, Total: perPass * o.Passes, Objective: last.Objective})
		if st.PassDone() && o.Checkpoint != "" {
			if err := st.Save(o.Checkpoint); err != nil {
				return ended.Failed, err
			}
		}
		if o.Callback != nil {
			if err := o.Callback(st); errors.Is(err, ErrStop) {
				return ended.Stopped, nil
			} else if err != nil {
				return ended.Failed, err
			}
		}
		if k := len(st.Passes); st.PassDone() && k > 1 && o.Tolerance > 0 {
			was, is := st.Passes[k-2].Objective, st.Passes[k-1].Objective
			if was-is <= o.Tolerance*was {
				return ended.Converged, nil
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return ended.Interrupted, fmt.Errorf("dictionary: Fit: %w after %d of %d passes", err, st.Pass, o.Passes)
	}
	return ended.Done, nil
}

// step codes the next batch, or all signals, and updates B. If it fails, the state is as it was before the step.
func (l *learner) step(ctx context.Context) error {
	st, N := l.st, l.x.Rows
	from := st.at
	to := min(N, from+l.opt.Batch)
	var err error
	var missed int
	switch l.opt.Method {
	case SGD:
		missed, err = l.stepSGD(ctx, from, to)
	case Online:
		missed, err = l.stepOnline(ctx, from, to)
	default:
		missed, err = l.alternate(ctx)
	}
	if err != nil {
		return err
	}
	var sum float64
	for _, v := range l.full {
		sum += v
	}
	m := to - from
	st.Missed += missed
	st.since += m
	st.coded += m
	st.Step++
	st.second = l.seconds()
	if l.opt.DeadAfter > 0 && st.since >= l.opt.DeadAfter {
		l.replaceDead(from)
	}
	l.store()
	st.Steps = append(st.Steps, Record{st.Step, st.coded, st.second, sum / float64(m)})
	st.sum += sum
	if st.at = to; to == N {
		st.Passes = append(st.Passes, Record{st.Step, st.coded, st.second, st.sum / float64(N)})
		st.lastUse = make([]float64, len(st.use))
		for j, v := range st.use {
			st.lastUse[j] = v / float64(N)
		}
		clear(st.use)
		st.Pass, st.at, st.sum = st.Pass+1, 0, 0
	}
	return nil
}

// code computes, in the basis B, the codes of the signals at the positions from..to-1 of the pass. It returns these
// codes as c, and the signals themselves, both as the rows of xr and as the columns of X.
func (l *learner) code(ctx context.Context, from, to int) (xr blas64.General, X *mat.Dense, c *Codes, err error) {
	xr, X = gather(l.x, l.order, from, to)
	c, err = l.opt.Coder.Code(ctx, l.st.B, X, l.warmStart(from, to))
	if err != nil {
		return xr, X, nil, err
	}
	if c == nil || c.W == nil || len(c.Objective) != to-from {
		panic("dictionary: the Coder returned no W, or not one objective for each signal")
	}
	if r, m := c.W.Dims(); r != l.bt.Rows || m != to-from {
		panic(fmt.Sprintf("dictionary: the Coder returned W %d×%d, want %d×%d", r, m, l.bt.Rows, to-from))
	}
	if k := finite.Index(c.Objective); k >= 0 {
		return xr, X, nil, fmt.Errorf("the objective of signal %d is %v: scale X", l.signal(from+k), c.Objective[k])
	}
	return xr, X, c, nil
}

// signal returns the index of the column of X at position k of the pass.
func (l *learner) signal(k int) int {
	if l.order != nil {
		return l.order[k]
	}
	return k
}

// tally adds to the state how much the codes W (n×m) use each atom j. It adds Σ|w_j| to the state's field use, and
// Σw_j² to its field window.
func (l *learner) tally(W *mat.Dense) {
	parallel.Do(l.bt.Rows, 0, func(j int) {
		var s, q float64
		for _, v := range W.RawRowView(j) {
			s += max(v, -v)
			q += v * v
		}
		l.st.use[j] += s
		l.st.window[j] += q
	})
}
