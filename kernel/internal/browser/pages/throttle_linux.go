package pages

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Throttle slows the browser's page processes until the test ends, so that they are as slow as on a phone. The
// parameter times is a factor: each thread of these processes gets at most the share 1/times of a core. If other work
// already slows the threads that much, Throttle does nothing more.
//
// The throttling in Chromium's own protocol is no use here. It slows only a page's own thread, but Go runs in a
// worker, whose speed did not change when we measured it.
func (p Page) Throttle(times float64) {
	p.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		slowed := map[int]bool{}
		done := make(chan struct{})
		for ctx.Err() == nil {
			for _, pid := range p.renderers() {
				if slowed[pid] {
					continue
				}
				slowed[pid] = true
				go func() {
					slow(ctx, pid, times)
					done <- struct{}{}
				}()
			}
			wait(ctx, 500*time.Millisecond) // new processes are rare
		}
		for range slowed {
			<-done
		}
	}()
	p.Cleanup(func() {
		cancel()
		<-ended // no process stays stopped
	})
}

// slow stops a process from time to time, so that no thread gets more than the share 1/times of a core. It returns when
// ctx or the process ends.
func slow(ctx context.Context, pid int, times float64) {
	const turn = 20 * time.Millisecond
	defer syscall.Kill(pid, syscall.SIGCONT)
	for before := ran(pid); ctx.Err() == nil; {
		begin := time.Now()
		wait(ctx, turn)
		after, most := ran(pid), time.Duration(0)
		if after == nil {
			return
		}
		for thread, t := range after {
			most = max(most, t-before[thread])
		}
		if rest := time.Duration(times*float64(most)) - time.Since(begin); rest > 0 {
			if syscall.Kill(pid, syscall.SIGSTOP) != nil {
				return
			}
			wait(ctx, rest)
			syscall.Kill(pid, syscall.SIGCONT)
		}
		before = after
	}
}

// ran returns how much processor time each thread of a process has used, or nil if the process has ended.
func ran(pid int) map[string]time.Duration {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is valid, so Glob cannot fail
	var out map[string]time.Duration
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		ns, _ := strconv.ParseInt(first, 10, 64)
		if out == nil {
			out = map[string]time.Duration{}
		}
		out[name] = time.Duration(ns)
	}
	return out
}

// wait sleeps for the duration d, or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
