//go:build unix

package ixengine

import "syscall"

// measuresProcessor says that processorTime is what its name says.
const measuresProcessor = true

// processorTime is that of the process, in nanoseconds.
func processorTime() int64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}
