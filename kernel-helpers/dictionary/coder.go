package dictionary

import (
	"context"
	"errors"
	"fmt"
	"hash/crc64"
	"math"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/klcoding"
	"overcomplete/kernel-helpers/sparseapprox"
)

// A Coder computes the codes of signals in a given basis B. This is problem (3): for each signal x, find the w that
// minimizes (2) of the package comment. Fit calls Code for one batch after another, never concurrently. Learning is
// deterministic only if the Coder is.
type Coder interface {
	// Code computes W (n×m) for the columns of X (D×m) in the basis B (D×n). The argument warm (k×m, where k depends on
	// the coder) may be nil. Otherwise column i of warm is the column of Codes.Warm that an earlier call returned for
	// signal i. For a signal without an earlier call, the column is 0. Signals that missed a tolerance are counted in
	// Codes.Missed and do not cause an error.
	Code(ctx context.Context, B, X, warm *mat.Dense) (*Codes, error)
	// Squared reports whether D_L, the loss in (2), is ½‖x − Bw‖².
	Squared() bool
	// String describes all settings on which W depends: a run can be resumed only with a coder that has the
	// same String.
	String() string
}

// Codes are the coefficients of a batch of m signals.
type Codes struct {
	W *mat.Dense // n×m
	// Objective is (2) at W for each signal (m).
	Objective []float64
	// Residual is x − f(Bw) for each signal (D×m). It may be nil for the squared loss.
	Residual *mat.Dense
	// Warm (k×m) is passed back to the coder when it codes the same signals again. Warm is nil if the coder
	// does not use warm starts.
	Warm *mat.Dense
	// Missed is the number of signals that missed the coder's tolerance.
	Missed int
}

// Mean returns the mean objective.
func (c *Codes) Mean() float64 {
	var s float64
	for _, v := range c.Objective {
		s += v
	}
	return s / float64(len(c.Objective))
}

// SparseCoder returns the Coder of package sparseapprox, which supports all of that package's priors. It ignores
// opt.Warm. If opt is nil, it uses the defaults of sparseapprox.
func SparseCoder(opt *sparseapprox.Options) Coder {
	var o sparseapprox.Options
	if opt != nil {
		o = *opt
	}
	o.Warm = nil
	return sparseCoder{o}
}

type sparseCoder struct{ opt sparseapprox.Options }

func (s sparseCoder) Squared() bool { return true }

func (s sparseCoder) String() string {
	o := s.opt
	name := fmt.Sprintf("sparseapprox %v λ=%v p=%v %v tolerance=%v iterations=%d nonzeros=%d error=%v",
		o.Prior, o.Lambda, o.P, o.Method, o.Tolerance, o.MaxIterations, o.Nonzeros, o.MaxError)
	if o.Ridge != 0 {
		name += fmt.Sprintf(" ridge=%v", o.Ridge)
	}
	return name
}

func (s sparseCoder) Code(ctx context.Context, B, X, warm *mat.Dense) (*Codes, error) {
	opt := s.opt
	d, n := B.Dims()
	own := mat.DenseCopyOf(B)
	var c *sparseapprox.Coder
	var failure error
	// The Gram matrix, or a decomposition of it.
	err := parallel.Await(ctx, float64(n)*float64(n)*float64(d), func() { c, failure = sparseapprox.NewCoder(own, &opt) })
	if err == nil {
		err = failure
	}
	if err != nil {
		return nil, err
	}
	r, err := c.CodeFrom(ctx, X, warm)
	if err != nil {
		// Learning continues even if signals miss their tolerance.
		if r == nil || r.Status == ended.Interrupted {
			return nil, err
		}
	}
	codes := &Codes{W: r.W, Objective: r.Objective, Warm: r.W}
	for _, st := range r.Signals {
		if st == ended.NoProgress || st == ended.IterationLimit {
			codes.Missed++
		}
	}
	return codes, nil
}

// KLCoder returns the Coder of package klcoding, which supports both losses of klcoding. nil means the
// defaults of klcoding.
func KLCoder(opt *klcoding.Options) Coder {
	var o klcoding.Options
	if opt != nil {
		o = *opt
	}
	for _, v := range []*[]float64{&o.PVec, &o.Offset, &o.Typical} {
		*v = append([]float64(nil), *v...)
	}
	return klCoder{o}
}

type klCoder struct{ opt klcoding.Options }

func (k klCoder) Squared() bool { return k.opt.Loss == klcoding.Squared }

func (k klCoder) String() string {
	o := k.opt
	p := fmt.Sprint(o.P)
	if len(o.PVec) > 0 {
		p = fmt.Sprintf("vector %016x", checksum(o.PVec))
	}
	return fmt.Sprintf("klcoding %v λ=%v p=%s doubled=%t %v tolerance=%v steps=%d α=%v single=%t offset=%x",
		o.Loss, o.Lambda, p, o.Doubled, o.Method, o.Tolerance, o.MaxIterations, o.Alpha, o.Single, checksum(o.Offset, o.Typical))
}

func checksum(vectors ...[]float64) uint64 {
	h := crc64.New(crcTable)
	for _, x := range vectors {
		for _, v := range x {
			fmt.Fprintf(h, "%x ", math.Float64bits(v))
		}
		fmt.Fprint(h, ";")
	}
	return h.Sum64()
}

func (k klCoder) Code(ctx context.Context, B, X, warm *mat.Dense) (*Codes, error) {
	opt := k.opt
	if len(opt.PVec) == 0 {
		opt.PVec = nil
	}
	c, err := klcoding.New(B, &opt)
	if err != nil {
		return nil, err
	}
	var R mat.Matrix
	if warm != nil {
		R = warm
	}
	r, err := c.CodeFrom(ctx, X, R)
	if err != nil && !(errors.Is(err, klcoding.ErrNotConverged) && r != nil) {
		return nil, err
	}
	codes := &Codes{W: r.W, Residual: r.R, Warm: r.R}
	for _, st := range r.Status {
		if st == ended.IterationLimit || st == ended.NoProgress && opt.Tolerance >= 0 {
			codes.Missed++
		}
	}
	n, m := r.W.Dims()
	d, _ := X.Dims()
	codes.Objective = make([]float64, m)
	errs := make([]error, (m+63)/64)
	stop := parallel.DoContext(ctx, len(errs), 0, func(b int) {
		from, to := b*64, min(m, b*64+64)
		f, err := c.Objective(X.Slice(0, d, from, to), r.W.Slice(0, n, from, to))
		copy(codes.Objective[from:], f)
		errs[b] = err
	})
	if stop != nil {
		return nil, stop
	}
	return codes, errors.Join(errs...)
}

// MeanObjective returns the mean of objective (2) over the columns of X (D×N), coded in the basis B (D×n)
// from a cold start. Use it to compare bases with the same coder, preferably on held-out signals.
func MeanObjective(ctx context.Context, c Coder, B, X mat.Matrix) (float64, error) {
	given.Args("dictionary: MeanObjective", "c", c)
	if ctx == nil {
		ctx = context.Background()
	}
	d, _ := dims("MeanObjective", "B", B)
	r, N, err := points("MeanObjective", "X", X)
	if err != nil {
		return 0, err
	}
	if r != d {
		panic(fmt.Sprintf("dictionary: MeanObjective: X is %d×%d, a signal per COLUMN, and B has %d rows%s", r, N, d, transposeHint(r, N, d)))
	}
	for from := 0; from < N && ctx.Err() == nil; from += chunk { // before any is coded
		if _, err := columns("MeanObjective", X, from, min(N, from+chunk)); err != nil {
			return 0, err
		}
	}
	basis := mat.DenseCopyOf(B)
	var sum float64
	for from := 0; from < N; from += chunk {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("dictionary: MeanObjective: %w", err)
		}
		X, err := columns("MeanObjective", X, from, min(N, from+chunk))
		if err != nil {
			return 0, err
		}
		codes, err := c.Code(ctx, basis, X, nil)
		if err != nil {
			return 0, err
		}
		for _, v := range codes.Objective {
			sum += v
		}
	}
	return sum / float64(N), ctx.Err()
}
