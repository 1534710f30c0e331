package ixengine

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"sync/atomic"
	"time"
)

// overrides replaces, for cells, functions of compiled packages: those that
// would end the process, those that could not be stopped, and those that write,
// so that what goes to the two streams keeps its order.
func (s *Session) overrides() {
	set := s.ctx.RegisterExternal
	set(hostPath+".Poll", s.stop.poll)
	set(hostPath+".Result", func(values ...any) {
		s.stop.poll() // a cell that was left behind has no result
		s.results = values
	})

	set("time.Sleep", s.stop.sleep)
	set("(*sync.Mutex).Lock", s.stop.lock)
	set("(*sync.Mutex).Unlock", unlock)
	set("(*sync.RWMutex).Lock", s.stop.lockRW)
	set("(*sync.RWMutex).RLock", s.stop.rlock)
	set("(*sync.RWMutex).Unlock", unlockRW)
	set("(*sync.RWMutex).RUnlock", runlock)
	set("(*sync.WaitGroup).Wait", s.stop.waitGroup)
	set("(*sync.Cond).Wait", s.stop.waitCond)
	set("time.AfterFunc", s.afterFunc)

	background := &cellContext{s.stop, "context.Background"}
	todo := &cellContext{s.stop, "context.TODO"}
	set("context.Background", func() context.Context { return background })
	set("context.TODO", func() context.Context { return todo })

	exit := func(code int) { panic(exitSignal{code}) }
	set("os.Exit", exit)
	set("syscall.Exit", exit)
	set("log.Fatal", func(v ...any) { log.Print(v...); exit(1) })
	set("log.Fatalf", func(f string, v ...any) { log.Printf(f, v...); exit(1) })
	set("log.Fatalln", func(v ...any) { log.Println(v...); exit(1) })
	set("(*log.Logger).Fatal", func(l *log.Logger, v ...any) { l.Print(v...); exit(1) })
	set("(*log.Logger).Fatalf", func(l *log.Logger, f string, v ...any) { l.Printf(f, v...); exit(1) })
	set("(*log.Logger).Fatalln", func(l *log.Logger, v ...any) { l.Println(v...); exit(1) })

	if s.opt.Stdout == nil || s.opt.Stderr == nil {
		return
	}
	stdout, stderr := os.Stdout, os.Stderr
	// writer leaves alone what a cell has redirected itself.
	writer := func(w io.Writer) io.Writer {
		switch w {
		case io.Writer(stdout):
			return s.opt.Stdout
		case io.Writer(stderr):
			return s.opt.Stderr
		}
		return w
	}
	set("fmt.Print", func(a ...any) (int, error) { return fmt.Fprint(writer(os.Stdout), a...) })
	set("fmt.Printf", func(f string, a ...any) (int, error) { return fmt.Fprintf(writer(os.Stdout), f, a...) })
	set("fmt.Println", func(a ...any) (int, error) { return fmt.Fprintln(writer(os.Stdout), a...) })
	set("fmt.Fprint", func(w io.Writer, a ...any) (int, error) { return fmt.Fprint(writer(w), a...) })
	set("fmt.Fprintf", func(w io.Writer, f string, a ...any) (int, error) { return fmt.Fprintf(writer(w), f, a...) })
	set("fmt.Fprintln", func(w io.Writer, a ...any) (int, error) { return fmt.Fprintln(writer(w), a...) })
	set("io.WriteString", func(w io.Writer, t string) (int, error) { return io.WriteString(writer(w), t) })
	set("(*os.File).Write", func(f *os.File, b []byte) (int, error) { return writer(f).Write(b) })
	set("(*os.File).WriteString", func(f *os.File, t string) (int, error) { return io.WriteString(writer(f), t) })
}

// afterFunc is time.AfterFunc; a panic of f is the cell's, not the end of the process.
func (s *Session) afterFunc(d time.Duration, f func()) *time.Timer {
	run := s.stop.runOf(s.stop.self())
	s.timers.Add(1)
	var again atomic.Bool // a timer that is reset calls more than once
	return time.AfterFunc(d, func() {
		if !again.Swap(true) {
			s.timers.Add(-1)
		}
		g := &goroutine{run: run, cell: run.cell, source: "time.AfterFunc"}
		s.stop.add(g)
		s.runGoroutine(g, nil, func(*frame) { f() })
	})
}
