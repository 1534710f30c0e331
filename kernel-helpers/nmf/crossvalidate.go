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
	Ranks []int // the numbers of components to compare
	// RowFolds and ColumnFolds are the numbers of groups of rows and of columns. 0 means 3. Each pair of a row group
	// and a column group is held out once.
	RowFolds, ColumnFolds int
	// Repeats is how many times rows and columns are divided at random into groups. 0 means 1.
	Repeats int
	Seed    uint64 // for the random groups
	// Fit holds the options of each fit. Its Components is not used; its U and W must be nil. The errors are squared
	// errors for every loss. The factors Û and Ŵ (see CrossValidate) are computed without penalties.
	Fit      Options
	Recorder progress.Recorder // receives an event after each fit. May be nil.
}

// CV holds the error on held-out data for each number of components.
type CV struct {
	Ranks []int
	// Error is, for each rank, the mean squared error of the held-out elements. StdErr is the standard error of Error
	// over folds; it is a rough estimate, because folds share data.
	Error, StdErr []float64
	// Folds holds the errors of the folds, one row per rank.
	Folds *mat.Dense
	Best  int // the rank with the smallest error
	// Simplest is the smallest rank whose error is within one standard error of the smallest error.
	Simplest int
}

// CrossValidate chooses the rank by the bi-cross-validation of A. Owen and P. Perry, Annals of Applied Statistics 3
// (2009), section 5. Rows and columns are divided at random into groups. If the elements in one group of rows and one
// group of columns are held out, A (with rows and columns reordered) is
//
//	A = [ E  B ]   E: held out
//	    [ C  D ]
//
// CrossValidate factors D ≈ U W'. By nonnegative least squares it then finds Û with B ≈ Û W', and Ŵ with C ≈ U Ŵ'. It
// compares Û Ŵ' with E, which no step has used. (If whole rows were held out, finding Û would use the elements that
// are to be predicted.)
//
// Since D is smaller than A, the rank found is the best rank for a somewhat smaller matrix. Fits that reach
// MaxIterations count too.
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

// groups assigns n items at random to groups of nearly equal size, numbered from 0 to folds−1.
func groups(n, folds int, rng *rand.Rand) []int {
	g := make([]int, n)
	for place, i := range rng.Perm(n) {
		g[i] = place % folds
	}
	return g
}

// heldOutBlocks holds the four blocks into which CrossValidate divides A.
type heldOutBlocks struct {
	E       *mat.Dense
	B, D, C mat.Matrix // C is stored transposed: its rows are parts of columns of A
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

// error fits k components to D, and returns the mean squared error of the prediction of E.
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

// transformOrZero does what Transform does, but returns zeros if A has only zeros.
func transformOrZero(ctx context.Context, r *Model, A mat.Matrix) (*mat.Dense, error) {
	if mat.Sum(A) == 0 {
		n, _ := A.Dims()
		_, k := r.W.Dims()
		return mat.NewDense(n, k, nil), nil
	}
	return r.Transform(ctx, A)
}
