package lab

import "time"

// Seconds returns the time of one call to f in seconds. It is never 0: a browser's clock may stand still for
// milliseconds, so Seconds calls f again, twice as often each time, until at least a millisecond has passed, and
// returns the mean of the last series.
func Seconds(f func()) float64 {
	return seconds(f, time.Now)
}

func seconds(f func(), now func() time.Time) float64 {
	for calls := 1; ; calls *= 2 {
		begin := now()
		for range calls {
			f()
		}
		if took := now().Sub(begin); took >= time.Millisecond {
			return took.Seconds() / float64(calls)
		}
	}
}
