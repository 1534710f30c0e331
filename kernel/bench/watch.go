package main

import "time"

// A watch measures what a process takes for something: the smaller of the time by the
// clock and the time of the processors. On an idle machine a program that does one thing at a
// time takes the same by both. On a busy one the clock contains waiting for others, and
// the more the longer the program runs, so that ratios would be wrong too. Where
// several processors work on one thing, the clock shows less.
type watch struct {
	pid   int
	begin time.Time
	used  time.Duration
	known bool
}

func startWatch(pid int) watch {
	w := watch{pid: pid}
	w.used, w.known = processorTime(pid)
	w.begin = time.Now()
	return w
}

// ms returns the time since the watch was started.
func (w watch) ms() float64 {
	took := time.Since(w.begin)
	if used, known := processorTime(w.pid); known && w.known {
		took = min(took, used-w.used)
	}
	return milliseconds(took)
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }
