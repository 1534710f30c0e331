//go:build !linux

package main

import "time"

// processorTime is not known here.
func processorTime(int) (time.Duration, bool) { return 0, false }
