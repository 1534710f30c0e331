//go:build !linux

package peer

// processor returns 0: the processor time is unknown on this system.
func processor() float64 { return 0 }
