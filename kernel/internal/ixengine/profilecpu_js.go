package ixengine

import (
	"io"
	"runtime/pprof"
	"time"

	"overcomplete/kernel/engine"
)

// clocked is the time profile in progress, or nil.
var clocked *clock

// A clock measures the time of a profile in a browser, where nothing interrupts a program to take samples. Instead it
// uses the fact that cells read the time often, in breatheIfDue. The time since the last reading is credited to the
// line that is running. The time of a compiled function is credited to the line that called it.
type clock struct {
	of   *activeProfile
	time map[*node]time.Duration
}

// tick credits the duration d to the current node of the calling goroutine. It ignores the time in which the cell is
// built, before the cell's first line begins.
func (c *clock) tick(d time.Duration) {
	c.of.mu.Lock()
	start := c.of.start
	c.of.mu.Unlock()
	if !start.IsZero() {
		c.time[c.of.current()] += min(d, time.Since(start))
	}
}

// cpu starts a profile of time. The returned function stops it and returns the profile, in which a sample stands for
// 1/rate seconds.
func (p *activeProfile) cpu(rate int) (finish func() *engine.Profile, err error) {
	c := &clock{p, map[*node]time.Duration{}}
	clocked = c
	return func() *engine.Profile {
		clocked = nil
		counts := map[cpuSample]int64{}
		period := time.Second / time.Duration(rate)
		for n, took := range c.time {
			if count := int64((took + period/2) / period); count > 0 {
				counts[cpuSample{node: n}] = count
			}
		}
		return p.cpuProfile(rate, counts)
	}, nil
}

// startCPUProfile implements pprof.StartCPUProfile for cells. In a browser, the cpu method does not use the runtime's
// profiler, so startCPUProfile need not share the profiler with cpu.
func startCPUProfile(w io.Writer) error { return pprof.StartCPUProfile(w) }
