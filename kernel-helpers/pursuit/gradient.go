package pursuit

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/kernel-helpers/internal/size"
	"overcomplete/kernel-helpers/internal/vector"
	"overcomplete/ui/progress"
)

// GradientOptions are the options of GradientDescent. The zero value and nil mean the
// defaults.
type GradientOptions struct {
	// ReLU sets negative coefficients to 0 after every step, which makes the method a projected gradient for
	// s >= 0. Otherwise the subgradient alpha·sign(s) of the penalty is used, with sign(0) = 0.
	ReLU bool
	// Step is the length of a step. 0 means 1/‖A‖₂², half the limit below which a gradient step always lowers ½‖x − A s‖².
	Step float64
	// Steps is the number of steps; there is no early stop. 0 means 200.
	Steps int
	// Start holds the initial coefficients, n×p. nil means 0.
	Start *mat.Dense
	// Recorder receives each step, with the mean objective.
	Recorder progress.Recorder
}

// A GradientResult is the outcome of a gradient descent.
type GradientResult struct {
	Status    ended.Status // Done, or Diverged if the objective became infinite or NaN
	S         *mat.Dense   // n×p
	Objective []float64    // per signal at the end, p
	History   []float64    // mean objective before each step and at the end, Steps+1
	Step      float64      // the step used
}

// String returns a one-line summary.
func (r *GradientResult) String() string {
	n, p := size.Of(r.S)
	return fmt.Sprintf("%d coefficients of %d signals after %d steps (%v)", n, p, max(0, len(r.History)-1), r.Status)
}

// GradientDescent takes a fixed number of steps of fixed length on the objective of Lasso, for all columns x of X
// (m×p) at once:
//
//	s <- s + step (A'(x − A s) − alpha·sign(s))       plain
//	s <- ReLU(s + step (A'(x − A s) − alpha))          with ReLU
//
// With ReLU this is the proximal gradient method for s >= 0 and converges for steps up to 2/‖A‖₂². Without ReLU, it is
// a subgradient method with a constant step, which ends in a neighborhood of the optimum. If the objective diverges,
// Status says so, and the error is nil. If ctx is done, the error wraps that of ctx, and the result so far, if there is
// one, is returned too.
//
// For a Laplacian prior of scale b and noise of variance σ², the objective with alpha = σ²/b is σ² times the negative
// log posterior, up to a constant.
func GradientDescent(ctx context.Context, a, x mat.Matrix, alpha float64, opt *GradientOptions) (*GradientResult, error) {
	m, n := dims("GradientDescent", "A", a)
	mx, p, err := points("GradientDescent", "X", x)
	if err != nil {
		return nil, err
	}
	if mx != m {
		panic(fmt.Sprintf("pursuit: GradientDescent: A has %d rows and X is %d×%d, a signal per COLUMN%s", m, mx, p, transposeHint(mx, p, m)))
	}
	A, X := given.Dense("pursuit: GradientDescent", "A", a), given.Dense("pursuit: GradientDescent", "X", x)
	if ctx == nil {
		ctx = context.Background()
	}
	if !(alpha >= 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("pursuit: GradientDescent: alpha is %v, must be finite and not negative", alpha)
	}
	if err := checkMatrix("GradientDescent", "A", a); err != nil {
		return nil, err
	}
	if err := checkMatrix("GradientDescent", "X", x); err != nil {
		return nil, err
	}
	var set GradientOptions
	if opt != nil {
		set = *opt
	}
	if !(set.Step >= 0) || math.IsInf(set.Step, 0) {
		return nil, fmt.Errorf("pursuit: GradientDescent: Step is %v, must be positive and finite", set.Step)
	}
	if set.Steps < 0 {
		return nil, fmt.Errorf("pursuit: GradientDescent: Steps is %d, must be positive", set.Steps)
	}
	if set.Step == 0 {
		set.Step = 1
		l, err := awaitSpectralBound(ctx, A)
		if err != nil {
			return nil, fmt.Errorf("pursuit: GradientDescent: %w", err)
		}
		if l > 0 {
			set.Step = 1 / l
		}
	}
	if set.Steps == 0 {
		set.Steps = 200
	}
	s := mat.NewDense(n, p, nil)
	if set.Start != nil {
		if r, c := set.Start.Dims(); r != n || c != p {
			panic(fmt.Sprintf("pursuit: GradientDescent: Start is %d×%d, must be %d×%d", r, c, n, p))
		}
		if err := checkMatrix("GradientDescent", "Start", set.Start); err != nil {
			return nil, err
		}
		s.Copy(set.Start)
	}
	res := &GradientResult{S: s, Step: set.Step, Status: ended.Done}
	var e, g mat.Dense // e = X − A S, m×p; g = A'e, n×p
	sd := s.RawMatrix().Data
	interrupted := func(steps int) (*GradientResult, error) {
		res.Status = ended.Interrupted
		return res, fmt.Errorf("pursuit: GradientDescent: %w after %d steps", ctx.Err(), steps)
	}
	for it := 0; ; it++ {
		if product.Mul(ctx, &e, A, s) != nil {
			return interrupted(it)
		}
		e.Sub(X, &e)
		ed := e.RawMatrix().Data
		f := (0.5*vector.DotInOrder(ed, ed) + alpha*norm1(sd)) / float64(p)
		res.History = append(res.History, f)
		progress.Report(set.Recorder, progress.Event{What: "gradient descent", Step: it, Total: set.Steps, Objective: f})
		if math.IsNaN(f) || math.IsInf(f, 0) {
			res.Status = ended.Diverged
			break
		}
		if it == set.Steps {
			break
		}
		if product.Mul(ctx, &g, A.T(), &e) != nil {
			return interrupted(it)
		}
		gd := g.RawMatrix().Data
		if set.ReLU {
			for k, gv := range gd {
				v := sd[k] + set.Step*(gv-alpha)
				if v <= 0 { // max would check for NaN first, which takes longer
					v = 0
				}
				sd[k] = v
			}
			continue
		}
		for k, gv := range gd {
			v := sd[k]
			if v != 0 { // avoids an unpredictable branch on the sign
				gv -= math.Copysign(alpha, v)
			}
			sd[k] = v + set.Step*gv
		}
	}
	if product.Mul(ctx, &e, A, s) != nil {
		return interrupted(len(res.History) - 1)
	}
	res.Objective = objectives(X, &e, s, alpha)
	return res, nil
}
