//go:build !linux

package bench

import "testing"

// processor returns 0, because the time of another process is not known on this system.
func (p *process) processor() float64 { return 0 }

// resident skips the test, because the memory of another process is not known on this system.
func (p *process) resident() float64 {
	p.tb.Helper()
	p.tb.Skip("no memory of another process to be read here")
	return 0
}

// listening does nothing, because it needs Linux's lists of sockets.
func listening(*testing.T, *process) {}
