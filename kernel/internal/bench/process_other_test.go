//go:build !linux

package bench

import "testing"

// processor returns 0: the time is not known here.
func (p *process) processor() float64 { return 0 }

// resident skips the test: the memory of another process is not known here.
func (p *process) resident() float64 {
	p.tb.Helper()
	p.tb.Skip("no memory of another process to be read here")
	return 0
}

// listening does nothing: it needs Linux's lists of sockets.
func listening(*testing.T, *process) {}
