package ixengine

import (
	"time"

	"overcomplete/kernel/engine"
)

// clocked is the profile that is being taken of time, nil if there is none.
var clocked *clock

// A clock counts the time of a profile. In a browser nothing interrupts a program to take samples. But
// cells look at the clock all the time: what has passed since the last look counts for the line
// that looks. A compiled function is known as the line that has called it.
type clock struct {
	of   *profiling
	time map[*node]time.Duration
}

// tick counts time that the calling goroutine has used: since the cell began, not while it was built.
func (c *clock) tick(took time.Duration) {
	c.of.mu.Lock()
	start := c.of.start
	c.of.mu.Unlock()
	if !start.IsZero() {
		c.time[c.of.current()] += min(took, time.Since(start))
	}
}

// cpu begins to count time, until the returned function is called.
func (p *profiling) cpu(rate int) (finish func() *engine.Profile) {
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
	}
}
