package pca

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/parallel"
)

// dims returns the numbers of rows and columns of M. A nil M, or a nil pointer in it, is an error.
func dims(name string, M mat.Matrix) (r, c int, err error) {
	if isNil(M) {
		return 0, 0, fmt.Errorf("%s is nil", name)
	}
	r, c = M.Dims()
	return r, c, nil
}

// mustDims is like dims, but panics. It is for functions without an error result.
func mustDims(what, name string, M mat.Matrix) (r, c int) {
	r, c, err := dims(name, M)
	if err != nil {
		panic(fmt.Sprintf("pca: %s: %v", what, err))
	}
	return r, c
}

func isNil(M any) bool {
	v := reflect.ValueOf(M)
	return M == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// checkRange returns an error unless low <= k <= high. k is a number of axes. The error calls k by the given name.
func checkRange(name string, k, low, high int) error {
	switch {
	case k >= low && k <= high:
		return nil
	case low == high:
		return fmt.Errorf("%s is %d, must be %d", name, k, low)
	}
	return fmt.Errorf("%s is %d, must be from %d to %d", name, k, low, high)
}

// moments returns the mean x̄ of the rows of X (d numbers; zeros if raw is set) and ‖X − x̄‖_F². It returns an error
// if X has NaN or Inf, if squares of the data overflow or underflow, or if ctx is done.
func moments(ctx context.Context, X *mat.Dense, raw bool) (mean []float64, total float64, err error) {
	n, d := X.Dims()
	mean = make([]float64, d)
	if err := finite.Check("X", X); err != nil {
		return nil, 0, err
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if !raw {
		for i := range n {
			for j, x := range X.RawRowView(i) {
				mean[j] += x
			}
		}
		for j := range mean {
			mean[j] /= float64(n)
		}
		// The sum of n equal numbers is rounded n times, so their mean may differ from that number. Adding
		// the mean of the deviations corrects this: constant columns get their own value as the mean, and a
		// variance of exactly 0.
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		rests := make([][]float64, ranges)
		inRanges(n, func(w, from, to int) {
			rest := make([]float64, d)
			for i := from; i < to; i++ {
				for j, x := range X.RawRowView(i) {
					rest[j] += x - mean[j]
				}
			}
			rests[w] = rest
		})
		for j := range mean {
			sum := 0.0
			for _, rest := range rests {
				if rest != nil {
					sum += rest[j]
				}
			}
			mean[j] += sum / float64(n)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	parts := make([]float64, ranges)
	inRanges(n, func(w, from, to int) {
		s := 0.0
		for i := from; i < to; i++ {
			for j, x := range X.RawRowView(i) {
				y := x - mean[j]
				s += y * y
			}
		}
		parts[w] = s
	})
	for _, s := range parts {
		total += s
	}
	if math.IsInf(total, 0) || math.IsNaN(total) {
		return nil, 0, fmt.Errorf("the squares of X overflow: scale X")
	}
	// Each square is rounded to a multiple of 2⁻¹⁰⁷⁴. For a total below the bound tested here, this rounding
	// exceeds the rounding of the sum.
	if total < float64(n)*float64(d)*0x1p-1022 {
		if most := farthest(X, mean); most > 0 {
			return nil, 0, fmt.Errorf("the squares of X underflow (it varies by no more than %.3g): scale X", most)
		}
	}
	return mean, total, nil
}

// farthest returns the largest |x_ij − x̄_j| over all elements of X.
func farthest(X *mat.Dense, mean []float64) float64 {
	n, _ := X.Dims()
	most := 0.0
	for i := range n {
		for j, x := range X.RawRowView(i) {
			most = max(most, math.Abs(x-mean[j]))
		}
	}
	return most
}

// center returns X̄ = X − 1x̄ᵀ. It returns an error if X has NaN or Inf, or if ctx is done.
func center(ctx context.Context, X *mat.Dense, mean []float64) (*mat.Dense, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n, d := X.Dims()
	C := mat.NewDense(n, d, nil)
	for i := range n {
		row, out := X.RawRowView(i), C.RawRowView(i)
		if j := finite.Index(row); j >= 0 {
			return nil, fmt.Errorf("X(%d, %d) is %v", i, j, row[j])
		}
		for j, x := range row {
			out[j] = x - mean[j]
		}
	}
	return C, nil
}

// standardize returns the mean, and Y = X̄/s, where s > 0 is such that the elements of Y have a mean square of 1.
// Iterations run on Y, so that their steps and tolerances do not depend on the unit of X.
func standardize(ctx context.Context, X *mat.Dense) (Y *mat.Dense, mean []float64, s float64, err error) {
	n, d := X.Dims()
	mean, total, err := moments(ctx, X, false)
	if err != nil {
		return nil, nil, 0, err
	}
	if total == 0 {
		return nil, nil, 0, fmt.Errorf("the data have no variance")
	}
	if Y, err = center(ctx, X, mean); err != nil {
		return nil, nil, 0, err
	}
	s = math.Sqrt(total / float64(n) / float64(d))
	Y.Scale(1/s, Y)
	return Y, mean, s, nil
}

// ranges is the number of ranges that inRanges makes. It is fixed so that sums, which are added up range by
// range, do not depend on the number of processors.
const ranges = 16

// inRanges cuts [0, n) into at most 16 ranges, and calls do(k, from, to) for all of them concurrently, where k is the
// number of the range. The cuts depend only on n.
func inRanges(n int, do func(k, from, to int)) {
	p := min(ranges, n)
	parallel.Do(p, 0, func(k int) { do(k, k*n/p, (k+1)*n/p) })
}
