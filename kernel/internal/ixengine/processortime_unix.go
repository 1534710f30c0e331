//go:build unix

package ixengine

import "syscall"

// measuresProcessor reports whether processorTime returns processor time.
const measuresProcessor = true

// processorTime returns the processor time of the process in nanoseconds.
func processorTime() int64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}
