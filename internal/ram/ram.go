// Package ram reports how much main memory the process may use, and refuses calls that would take too much.
package ram

import (
	"os"
	"strconv"
	"strings"
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
