package nmf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/internal/product"
	"overcomplete/ui/progress"
)

// CVOptions are the options of CrossValidate. Ranks must be given.
type CVOptions struct {
	Ranks []int // numbers of components to compare
	// RowFolds and ColumnFolds are the numbers of groups of rows and of columns. 0: 3.
	// Each pair of groups is held out once.
	RowFolds, ColumnFolds int
	// Repeats is the number of random divisions into groups. 0: 1.
	Repeats int
	Seed    uint64 // for the random groups
	// Fit holds the options of each fit; Components, U and W are not used. The errors are
	// squared errors whatever the loss, and Û and Ŵ have no penalty.
	Fit      Options
	Recorder progress.Recorder // receives an event after each fit. May be nil.
}

// CV holds the error on held-out data for each number of components.
type CV struct {
	Ranks []int
	// Error is the mean squared error of a held-out element. StdErr is its standard error over folds, a rough
	// estimate because folds share data.
	Error, StdErr []float64
	// Folds holds the errors of the folds, one row per rank.
	Folds *mat.Dense
	Best  int // the rank with the least error
	// Simplest is the smallest rank with an error within one standard error of the best.
	Simplest int
}

// CrossValidate chooses the rank by the bi-cross-validation of A. Owen and P. Perry, Annals of Applied
// Statistics 3 (2009), section 5. Rows and columns are divided at random into groups; with one group of rows
// and one group of columns held out, A is
//
//	A = [ E  B ]   E: held out
//	    [ C  D ]
//
// D ≈ U W' is factored. Then B ≈ Û W' yields Û and C ≈ U Ŵ' yields Ŵ, by nonnegative
// least squares, and Û Ŵ' is compared with E, which no step has used. Leaving out
// single elements instead would need a solver with weights; leaving out rows alone
// would let each held-out row fit its own Û.
//
// D is smaller than A, so the best rank is that of a somewhat smaller matrix. Fits that run out of iterations
// count too.
func CrossValidate(ctx context.Context, A mat.Matrix, opt *CVOptions) (*CV, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	var o CVOptions
	if opt != nil {
		o = *opt
	}
	if isNil(A) {
		return nil, fmt.Errorf("nmf: CrossValidate: A is nil")
	}
	n, d := A.Dims()
	for _, v := range []*int{&o.RowFolds, &o.ColumnFolds} {
		if *v == 0 {
			*v = 3
		}
	}
	if o.Repeats == 0 {
		o.Repeats = 1
	}
	if len(o.Ranks) == 0 || slices.Min(o.Ranks) < 1 {
		return nil, fmt.Errorf("nmf: CrossValidate: Ranks is %v, must be one or more positive numbers", o.Ranks)
	}
	if o.RowFolds < 2 || o.RowFolds > n || o.ColumnFolds < 2 || o.ColumnFolds > d || o.Repeats < 1 {
		return nil, fmt.Errorf("nmf: CrossValidate: %d × %d folds, %d repeats: impossible for a %d×%d matrix", o.RowFolds, o.ColumnFolds, o.Repeats, n, d)
	}
	if o.Fit.U != nil || o.Fit.W != nil {
		return nil, fmt.Errorf("nmf: CrossValidate: U and W must not be given: each fit has a matrix of its own")
	}
	if _, err := prepare(A, true); err != nil {
		return nil, err
	}
	folds := o.Repeats * o.RowFolds * o.ColumnFolds
	cv := &CV{Ranks: slices.Clone(o.Ranks), Folds: mat.NewDense(len(o.Ranks), folds, nil)}
	rng := rand.New(rand.NewPCG(o.Seed, 0xc5))
	f := 0
	for range o.Repeats {
		rows, columns := groups(n, o.RowFolds, rng), groups(d, o.ColumnFolds, rng)
		for g := range o.RowFolds {
			for h := range o.ColumnFolds {
				out := blocksOf(A, rows, columns, g, h)
				for i, k := range o.Ranks {
					e, err := out.error(ctx, k, o.Fit)
					if err != nil {
						return nil, fmt.Errorf("nmf: CrossValidate: rank %d: %w", k, err)
					}
					cv.Folds.Set(i, f, e)
					progress.Report(o.Recorder, progress.Event{What: "cross-validation", Step: f*len(o.Ranks) + i + 1, Total: folds * len(o.Ranks), Objective: e})
				}
				f++
			}
		}
	}
	best := 0
	for i := range o.Ranks {
		row := cv.Folds.RawRowView(i)
		mean, ss := 0.0, 0.0
		for _, e := range row {
			mean += e / float64(folds)
		}
		for _, e := range row {
			ss += (e - mean) * (e - mean)
		}
		cv.Error = append(cv.Error, mean)
		cv.StdErr = append(cv.StdErr, math.Sqrt(ss/float64(folds-1)/float64(folds)))
		if mean < cv.Error[best] {
			best = i
		}
	}
	cv.Best, cv.Simplest = o.Ranks[best], o.Ranks[best]
	for i, k := range o.Ranks {
		if k < cv.Simplest && cv.Error[i] <= cv.Error[best]+cv.StdErr[best] {
			cv.Simplest = k
		}
	}
	return cv, nil
}

// groups assigns n items at random to groups 0 to folds−1 of nearly equal size.
func groups(n, folds int, rng *rand.Rand) []int {
	g := make([]int, n)
	for place, i := range rng.Perm(n) {
		g[i] = place % folds
	}
	return g
}

// heldOutBlocks holds A in four blocks.
type heldOutBlocks struct {
	E       *mat.Dense
	B, D, C mat.Matrix // C is transposed: its rows are columns of A
}

func blocksOf(A mat.Matrix, rows, columns []int, g, h int) heldOutBlocks {
	S, sparse := A.(*Sparse)
	part := func(rowIn, colIn bool) mat.Matrix {
		var r, c []int
		for i, v := range rows {
			if (v == g) == rowIn {
				r = append(r, i)
			}
		}
		for j, v := range columns {
			if (v == h) == colIn {
				c = append(c, j)
			}
		}
		if sparse {
			return S.Rows(r).Columns(c)
		}
		M := mat.NewDense(len(r), len(c), nil)
		for i, from := range r {
			for j, col := range c {
				M.Set(i, j, A.At(from, col))
			}
		}
		return M
	}
	out := heldOutBlocks{E: mat.DenseCopyOf(part(true, true)), B: part(true, false), D: part(false, false), C: part(false, true)}
	if s, ok := out.C.(*Sparse); ok {
		out.C = s.Transpose()
	} else {
		out.C = mat.DenseCopyOf(out.C.T())
	}
	return out
}

// error fits k components and returns the mean squared error on E.
func (h heldOutBlocks) error(ctx context.Context, k int, o Options) (float64, error) {
	o.Components = k
	r, err := Fit(ctx, h.D, &o)
	if ended.Accept(err) != nil {
		return 0, err
	}
	r.Loss, r.Beta, r.PenaltyU = Frobenius, 0, Penalty{}
	U, err := transformOrZero(ctx, r, h.B)
	if err != nil {
		return 0, err
	}
	W, err := transformOrZero(ctx, &Model{U: r.W, W: r.U}, h.C)
	if err != nil {
		return 0, err
	}
	var P mat.Dense
	if err := product.Mul(ctx, &P, U, W.T()); err != nil {
		return 0, err
	}
	P.Sub(h.E, &P)
	n, d := P.Dims()
	e := mat.Norm(&P, 2)
	return e * e / float64(n*d), nil
}

// transformOrZero is like Transform, but returns zeros for a block of zeros.
func transformOrZero(ctx context.Context, r *Model, A mat.Matrix) (*mat.Dense, error) {
	if mat.Sum(A) == 0 {
		n, _ := A.Dims()
		_, k := r.W.Dims()
		return mat.NewDense(n, k, nil), nil
	}
	return r.Transform(ctx, A)
}
