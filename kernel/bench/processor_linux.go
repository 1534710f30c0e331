package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of a process and its terminated children, and whether the time is
// known.
func processorTime(pid int) (time.Duration, bool) {
	var t unix.Timespec
	clock := int32(^pid<<3 | 2) // of another process: clock_getcpuclockid(3)
	if unix.ClockGettime(clock, &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()) + ofChildren(pid), true
}

// ofChildren returns the processor time of the terminated children of process pid, or 0 if it is unknown. The
// resolution is 10 ms. The time is in fields 16 and 17 of proc_pid_stat(5).
func ofChildren(pid int) (d time.Duration) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	s := string(text)
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:]) // from field 3 on
	if len(fields) < 15 {
		return 0
	}
	for _, ticks := range fields[13:15] {
		n, _ := strconv.Atoi(ticks)
		d += time.Duration(n) * 10 * time.Millisecond
	}
	return d
}
