package peer

import "golang.org/x/sys/unix"

// processor returns the processor time of this process so far, in seconds.
func processor() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // only for invalid arguments
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}
