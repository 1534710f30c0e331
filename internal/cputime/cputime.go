// Package cputime measures how much processor time a process has used. Unlike elapsed time,
// it hardly depends on what else the machine does, so the cost of a piece of work can be
// compared with its earlier cost.
package cputime

import "time"

// Used returns the time that all processors together have spent on this process, and on those
// of its children that have ended, since they began. It returns zero if the system does not
// report it.
func Used() time.Duration { return used() }
