// Package cputime measures how much processor time a process has used. Unlike elapsed time, processor time hardly
// depends on what else runs on the machine, so the cost of a piece of work can be compared with its cost in an earlier
// run.
package cputime

import "time"

// Used returns the processor time that this process and its finished children have used, summed
// over all processors. It returns zero if the system does not report it.
func Used() time.Duration { return used() }

// Own returns the processor time that this process has used, without its children. It returns zero if the system does
// not report it.
func Own() time.Duration { return own() }
