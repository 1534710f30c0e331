//go:build !linux

package main

import "time"

// processorTime returns 0 and false: the processor time is unknown on this system.
func processorTime(int) (time.Duration, bool) { return 0, false }
