// Package cputime tells how much processor time a process has used. Unlike the time by the
// clock it hardly depends on what else the machine does, so that what a piece of work costs
// can be compared with what it cost before.
package cputime

import "time"

// Used is the time that this process, and those children of it that have ended, have had on all
// processors together since they began. Zero: the system does not tell.
func Used() time.Duration { return used() }
