// Package ram reports how much main memory the process may use, and refuses calls that would take too much.
package ram

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Read returns how many bytes of memory the process may use, and how many of them are free. The first number
// is the smaller of the machine's memory and the limit of the process's control group. Both are 0 if unknown:
// only Linux has files with these numbers.
func Read() (total, free int64) { return read(os.ReadFile) }

// groups lists the files with a control group's limit and usage, for versions 2 and 1 of control groups.
var groups = [][2]string{
	{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
	{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
}

func read(file func(name string) ([]byte, error)) (total, free int64) {
	text, err := file("/proc/meminfo")
	if err != nil {
		return 0, 0
	}
	total, free = meminfo(string(text))
	number := func(name string) (int64, bool) {
		text, err := file(name)
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		return n, err == nil // "max" means that there is no limit
	}
	for _, g := range groups {
		limit, ok := number(g[0])
		if !ok || limit <= 0 || limit >= total {
			continue
		}
		total, free = limit, min(free, limit)
		if used, ok := number(g[1]); ok {
			free = min(free, max(limit-used, 0))
		}
	}
	return total, free
}

// meminfo returns the total and the available memory in bytes, from the text of Linux's /proc/meminfo.
func meminfo(text string) (total, free int64) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			continue
		}
		switch fields[0] {
		case "MemTotal:":
			total = n << 10
		case "MemAvailable:":
			free = n << 10
		}
	}
	return total, free
}

// limit is the argument of the last SetLimit.
var limit atomic.Int64

// machine is the memory that the process may use, or 0 if unknown.
var machine = sync.OnceValue(func() int64 {
	total, _ := Read()
	return total
})

// SetLimit sets the number of bytes that Check allows for one call, and returns the previous setting. 0 means half of
// the memory that the process may use (no limit if that is unknown). A negative number means no limit.
func SetLimit(bytes int64) (before int64) { return limit.Swap(bytes) }

// Check returns an error if a call would take more memory than SetLimit allows. bytes is the approximate number of
// bytes that the call takes besides its arguments. The error begins with the given name and size of the data, for
// example "the affinities of 50000 points and 49999 neighbors".
func Check(what string, bytes float64) error { return check(what, bytes, limit.Load(), machine()) }

func check(what string, bytes float64, limit, machine int64) error {
	switch {
	case limit < 0 || limit == 0 && machine == 0:
		return nil
	case limit == 0 && bytes > float64(machine)/2:
		return fmt.Errorf("%s would take about %s, more than half of the %s of memory (memory.SetLimit can allow it)", what, size(bytes), size(float64(machine)))
	case limit > 0 && bytes > float64(limit):
		return fmt.Errorf("%s would take about %s, more than the %s that memory.SetLimit allows", what, size(bytes), size(float64(limit)))
	}
	return nil
}

// size formats a number of bytes, for example "1.5 GB".
func size(bytes float64) string {
	switch {
	case bytes < 1e6:
		return fmt.Sprintf("%.0f bytes", bytes)
	case bytes < 1e9:
		return fmt.Sprintf("%.3g MB", bytes/1e6)
	}
	return fmt.Sprintf("%.3g GB", bytes/1e9)
}
