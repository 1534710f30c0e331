//go:build !linux

package main

import "time"

// processorTime is unknown on this system.
func processorTime(int) (time.Duration, bool) { return 0, false }
