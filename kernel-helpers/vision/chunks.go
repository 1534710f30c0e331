package vision

import (
	"context"

	"overcomplete/kernel-helpers/internal/parallel"
)

const (
	// chunk is the number of rows processed at a time; lanes is the number of partial sums. Both are fixed,
	// so sums do not depend on the number of processors.
	chunk = 512
	lanes = 8
)

// inChunks divides n rows into lanes, and each lane into ranges of rows. A constant called chunk is the greatest length
// of a range. It calls f for each range. The ranges of a lane are processed in order; the lanes run concurrently.
func inChunks(ctx context.Context, n int, f func(lane, from, to int) error) error {
	var errs [lanes]error
	parallel.Do(lanes, 0, func(lane int) {
		for from, end := lane*n/lanes, (lane+1)*n/lanes; from < end; {
			to := min(from+chunk, end)
			if errs[lane] = ctx.Err(); errs[lane] == nil {
				errs[lane] = f(lane, from, to)
			}
			if errs[lane] != nil {
				return
			}
			from = to
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
