package bench

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// processor returns the processor time of the process so far, in seconds, including that of children that have
// ended.
func (p *process) processor() float64 {
	p.tb.Helper()
	var t unix.Timespec
	// The clock of another process; see clock_getcpuclockid(3).
	clock := int32(^p.cmd.Process.Pid<<3 | 2)
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0 // not on Linux, or the process has ended
	}
	s := float64(t.Nano()) * 1e-9
	if f := p.stat(); len(f) > 16 {
		for _, ticks := range f[15:17] { // cutime, cstime: fields 16 and 17
			n, _ := strconv.ParseFloat(ticks, 64)
			s += n / 100
		}
	}
	return s
}

// stat returns the fields of /proc/pid/stat; field k of proc(5) has index k-1.
func (p *process) stat() []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return nil
	}
	s := string(b)
	i := strings.LastIndexByte(s, ')') // the process name in field 2 may contain blanks
	return append([]string{"", ""}, strings.Fields(s[i+1:])...)
}

// resident returns the resident memory of the process, in MB.
func (p *process) resident() float64 {
	p.tb.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.tb.Skipf("no memory of a process to be read here: %v", err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				p.tb.Fatal(err)
			}
			return kb / 1024
		}
	}
	p.tb.Fatal("the kernel has ended: no VmRSS")
	return 0
}

// listeners returns the addresses on which the process listens, in the form of /proc/net/tcp.
func (p *process) listeners() (addrs []string) {
	p.tb.Helper()
	own := map[string]bool{} // inodes
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	if err != nil {
		p.tb.Fatal(err)
	}
	for _, fd := range fds {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", p.cmd.Process.Pid, fd.Name()))
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", p.cmd.Process.Pid, table))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			const listen = "0A" // TCP_LISTEN
			if len(f) > 9 && own[f[9]] && (f[3] == listen || strings.HasPrefix(table, "udp")) {
				addrs = append(addrs, table+" "+f[1])
			}
		}
	}
	return addrs
}

// listening fails the test unless p listens on exactly the five addresses of its connection file.
func listening(t *testing.T, p *process) {
	t.Helper()
	var want []string
	i := p.info
	for _, port := range []int{i.ShellPort, i.ControlPort, i.StdinPort, i.IOPubPort, i.HBPort} {
		want = append(want, fmt.Sprintf("tcp 0100007F:%04X", port)) // 127.0.0.1 in reverse byte order
	}
	got := p.listeners()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("listens on %q, should on %q", got, want)
	}
}
