package cputime

import (
	"time"

	"golang.org/x/sys/windows"
)

// used returns only the time of this process: Windows does not add the time of its children.
func used() time.Duration {
	var began, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &began, &ended, &kernel, &user) != nil {
		return 0
	}
	return span(kernel) + span(user)
}

func own() time.Duration { return used() }

// span converts a Filetime that represents a duration; Filetime.Nanoseconds would interpret it as a date.
func span(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
