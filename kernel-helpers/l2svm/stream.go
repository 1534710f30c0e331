package l2svm

import (
	"context"
	"sync"

	"overcomplete/kernel-helpers/internal/parallel"
)

// lanes is the number of partial sums over the points. It is fixed, so sums do not depend on the number of
// processors.
const lanes = 8

// blockRows returns the number of points decoded at a time: about 4 MB, which stay in the cache between
// decoding and product.
func blockRows(d int) int { return max(16, min(512, (1<<20)/d)) }

// stream passes all points to f, block by block: X holds the points [from, to), row by row. The points are divided
// into a fixed number of ranges, called lanes. f gets the blocks of one lane in order; different lanes run
// concurrently.
func stream(ctx context.Context, P Points, f func(lane int, X []float32, from, to int)) error {
	n, d := P.Dims()
	rows := blockRows(d)
	return inLanes(n, func(lane, from, end int) error {
		w := borrow(rows * d)
		defer blocks.Put(w)
		X := w.x
		for from < end {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(end, from+rows)
			x := X[:(to-from)*d]
			if err := P.Read(x, from, to); err != nil {
				return err
			}
			f(lane, x, from, to)
			from = to
		}
		return nil
	})
}

// inLanes divides n points into a fixed number of ranges, called lanes, and calls f concurrently, once for each lane
// that has points, with its range [from, end).
func inLanes(n int, f func(lane, from, end int) error) error {
	var errs [lanes]error
	parallel.Do(lanes, 0, func(lane int) {
		if from, end := lane*n/lanes, (lane+1)*n/lanes; from < end {
			errs[lane] = f(lane, from, end)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// blocks keeps block buffers from pass to pass, because clearing new buffers took a tenth of the time.
var blocks = sync.Pool{New: func() any { return new(block) }}

type block struct{ x []float32 }

// borrow returns a buffer of n numbers, not cleared.
func borrow(n int) *block {
	w := blocks.Get().(*block)
	if len(w.x) < n {
		w.x = make([]float32, n)
	}
	return w
}
