package lab

import (
	"math"
	"testing"
	"time"
)

// Clocks of browsers move in steps of 5 µs to 100 ms. The time of a short call must not become 0, which has no
// logarithm.
func TestSecondsOfCoarseClocks(t *testing.T) {
	for _, step := range []time.Duration{time.Nanosecond, 5 * time.Microsecond, time.Millisecond, 100 * time.Millisecond} {
		for _, call := range []time.Duration{time.Microsecond, 70 * time.Microsecond, 3 * time.Millisecond, 250 * time.Millisecond} {
			var passed time.Duration
			now := func() time.Time { return time.Unix(0, 0).Add(passed.Truncate(step)) }
			got := seconds(func() { passed += call }, now)
			// A series that lasts s is measured as s − step to s + step.
			slack := float64(max(step, 1)) / float64(max(step, time.Millisecond))
			if got <= 0 || math.Abs(got-call.Seconds()) > slack*max(got, call.Seconds()) {
				t.Errorf("a call of %v by a clock with steps of %v: %g s", call, step, got)
			}
		}
	}
}
