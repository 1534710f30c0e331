package ram

import (
	"io/fs"
	"runtime"
	"testing"
)

func TestRead(t *testing.T) {
	const machine = "MemTotal:       4194304 kB\nMemFree: 1 kB\nMemAvailable:    2097152 kB\nbad\nx: y\n"
	const gib = 1 << 30
	for _, c := range []struct {
		name        string
		files       map[string]string
		total, free int64
	}{
		{"nothing known", nil, 0, 0},
		{"no control group", map[string]string{"/proc/meminfo": machine}, 4 * gib, 2 * gib},
		{"no limit", map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "max\n"}, 4 * gib, 2 * gib},
		{"a limit above", map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "9999999999\n"}, 4 * gib, 2 * gib},
		{"a limit below", map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "1073741824\n"}, gib, gib},
		{"a limit and its use", map[string]string{"/proc/meminfo": machine,
			"/sys/fs/cgroup/memory.max": "3221225472\n", "/sys/fs/cgroup/memory.current": "2147483648\n"}, 3 * gib, gib},
		{"over the limit", map[string]string{"/proc/meminfo": machine,
			"/sys/fs/cgroup/memory.max": "1073741824\n", "/sys/fs/cgroup/memory.current": "2147483648\n"}, gib, 0},
		{"version 1, no limit", map[string]string{"/proc/meminfo": machine,
			"/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 4 * gib, 2 * gib},
		{"version 1", map[string]string{"/proc/meminfo": machine,
			"/sys/fs/cgroup/memory/memory.limit_in_bytes": "2147483648\n", "/sys/fs/cgroup/memory/memory.usage_in_bytes": "1610612736\n"}, 2 * gib, gib / 2},
	} {
		total, free := read(func(name string) ([]byte, error) {
			if text, ok := c.files[name]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		})
		if total != c.total || free != c.free {
			t.Errorf("%s: %d, %d free, want %d, %d", c.name, total, free, c.total, c.free)
		}
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says what this machine has")
	}
	if total, free := Read(); total < 64<<20 || free <= 0 || free > total {
		t.Errorf("this machine: %d, %d free", total, free)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		bytes          float64
		limit, machine int64
		want           string
	}{
		{1e9, 0, 2e9, ""},
		{1.01e9, 0, 2e9, "x would take about 1.01 GB, more than half of the 2 GB of memory (memory.SetLimit can allow it)"},
		{1e30, 0, 2e9, "x would take about 1e+21 GB, more than half of the 2 GB of memory (memory.SetLimit can allow it)"},
		{1e30, 0, 0, ""},
		{1e30, -1, 2e9, ""},
		{1.9e9, 3e9, 2e9, ""},
		{2e6, 1e5, 0, "x would take about 2 MB, more than the 100000 bytes that memory.SetLimit allows"},
	} {
		got := ""
		if err := check("x", c.bytes, c.limit, c.machine); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%g bytes, limit %d, machine %d: %q, want %q", c.bytes, c.limit, c.machine, got, c.want)
		}
	}
	if before := SetLimit(5); before != 0 || Check("x", 6) == nil || Check("x", 5) != nil {
		t.Errorf("the limit was %d, and does not hold", before)
	}
	if before := SetLimit(0); before != 5 {
		t.Errorf("the limit before was %d, want 5", before)
	}
}
