package ram

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// limit is the argument of the last SetLimit.
var limit atomic.Int64

// machine is the memory that the process may use, or 0 if unknown.
var machine = sync.OnceValue(func() int64 {
	total, _ := Read()
	return total
})

// SetLimit sets the number of bytes that Check allows for one call, and returns the previous setting. 0 means half of
// the memory that the process may use (no limit if that is unknown). A negative number means no limit.
func SetLimit(bytes int64) (before int64) { return limit.Swap(bytes) }

// Check returns an error if a call would take more memory than SetLimit allows. bytes is the approximate number of
// bytes that the call takes besides its arguments. The error begins with the given name and size of the data, for
// example "the affinities of 50000 points and 49999 neighbors".
func Check(what string, bytes float64) error { return check(what, bytes, limit.Load(), machine()) }

func check(what string, bytes float64, limit, machine int64) error {
	switch {
	case limit < 0 || limit == 0 && machine == 0:
		return nil
	case limit == 0 && bytes > float64(machine)/2:
		return fmt.Errorf("%s would take about %s, more than half of the %s of memory (memory.SetLimit can allow it)", what, size(bytes), size(float64(machine)))
	case limit > 0 && bytes > float64(limit):
		return fmt.Errorf("%s would take about %s, more than the %s that memory.SetLimit allows", what, size(bytes), size(float64(limit)))
	}
	return nil
}

// size formats a number of bytes, for example "1.5 GB".
func size(bytes float64) string {
	switch {
	case bytes < 1e6:
		return fmt.Sprintf("%.0f bytes", bytes)
	case bytes < 1e9:
		return fmt.Sprintf("%.3g MB", bytes/1e6)
	}
	return fmt.Sprintf("%.3g GB", bytes/1e9)
}
