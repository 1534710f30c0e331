package main

import "time"

// A watch measures the time that a process takes: the smaller of wall-clock time and processor time. On an idle
// machine both are the same for a sequential program. On a busy machine the wall-clock time includes waiting for other
// programs. Long programs wait more, so even ratios of wall-clock times would be wrong. If a program uses several
// processors in parallel, the wall-clock time is smaller.
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

// ms returns the measured time since the watch was started, in milliseconds.
func (w watch) ms() float64 {
	took := time.Since(w.begin)
	if used, known := processorTime(w.pid); known && w.known {
		took = min(took, used-w.used)
	}
	return milliseconds(took)
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }
