package ixengine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
	"weak"

	"overcomplete/kernel/internal/callers"
	"overcomplete/kernel/internal/cycle"
)

// overrides replaces functions of compiled packages for cells: functions that would end the process,
// functions that could not be stopped, and functions that write. The last group is replaced to keep the order
// of the text on stdout and stderr.
func (s *Session) overrides() {
	set := s.ctx.RegisterExternal
	set(hostPath+".Poll", s.stop.poll)
	set(hostPath+"."+enterName, func() {})
	set(hostPath+".Result", func(values ...any) {
		s.stop.poll(nil) // an abandoned cell has no result
		s.results = values
	})

	set("(reflect.Value).Pointer", pointerOf)
	set("(reflect.Value).UnsafePointer", func(v reflect.Value) unsafe.Pointer {
		p := pointerOf(v)
		return *(*unsafe.Pointer)(unsafe.Pointer(&p))
	})
	set("runtime.FuncForPC", callers.FuncForPC)
	set("(*runtime.Func).FileLine", (*runtime.Func).FileLine)
	set("runtime.Caller", s.caller)
	set("runtime.Callers", s.callersOf)
	set("runtime.CallersFrames", callers.CallersFrames)
	set("(*runtime.Frames).Next", (*runtime.Frames).Next)
	set("runtime.NumGoroutine", s.stop.count)
	set("runtime.Goexit", func(fr *frame) { s.stop.goexit(fr, exited) })
	set("time.Sleep", s.stop.sleep)
	set("(*sync.Mutex).Lock", s.stop.lock)
	set("(*sync.Mutex).Unlock", s.stop.unlock)
	set("(*sync.RWMutex).Lock", s.stop.lockRW)
	set("(*sync.RWMutex).RLock", s.stop.rlock)
	set("(*sync.RWMutex).Unlock", s.stop.unlockRW)
	set("(*sync.RWMutex).RUnlock", runlock)
	set("(*sync.WaitGroup).Wait", s.stop.waitGroup)
	set("(*sync.Cond).Wait", s.stop.waitCond)
	set("time.AfterFunc", s.afterFunc)
	set("context.AfterFunc", s.contextAfterFunc)
	set("(*time.Timer).Stop", s.stopTimer)
	set("(*time.Timer).Reset", s.resetTimer)

	background := &cellContext{s.stop, "context.Background"}
	todo := &cellContext{s.stop, "context.TODO"}
	set("context.Background", func() context.Context { return background })
	set("context.TODO", func() context.Context { return todo })

	set("os.Exit", exit)
	set("syscall.Exit", exit)
	set("flag.Parse", func() { parseFlags(flag.CommandLine, os.Args[1:]) })
	set("(*flag.FlagSet).Parse", parseFlags)
	set("runtime/pprof.StartCPUProfile", startCPUProfile)
	s.logs()
	s.slogs()
	s.allocations(set)
	s.servers(set)
	s.registered()
	set("testing.Testing", s.tests.running.Load)
	set("testing.Main", func(func(pat, str string) (bool, error), []testing.InternalTest, []testing.InternalBenchmark, []testing.InternalExample) {
		panic("testing.Main would end the kernel; %%test runs the tests of cells")
	})

	set("fmt.Sprint", func(a ...any) string { noCycle(a); return fmt.Sprint(a...) })
	set("fmt.Sprintf", func(f string, a ...any) string { noCycleIn(f, a); return fmt.Sprintf(f, a...) })
	set("fmt.Sprintln", func(a ...any) string { noCycle(a); return fmt.Sprintln(a...) })
	set("fmt.Errorf", func(f string, a ...any) error { noCycleIn(f, a); return fmt.Errorf(f, a...) })

	if s.opt.Stdout == nil || s.opt.Stderr == nil {
		return
	}
	var warned sync.Once
	set("math/rand.Seed", func(int64) { // does nothing since Go 1.24
		warned.Do(func() {
			fmt.Fprintln(s.opt.Stderr, "rand.Seed has no effect since Go 1.24: use rng := rand.New(rand.NewPCG(1, 0)) of math/rand/v2, and rng.Float64()")
		})
	})
	stdin, stdout, stderr := os.Stdin, os.Stdout, os.Stderr
	set("(*os.File).Close", func(f *os.File) error {
		if f == stdin || f == stdout || f == stderr {
			return nil // later cells read and print too
		}
		return f.Close()
	})
	// writer maps the process's stdout and stderr to the session's. It returns any other writer unchanged,
	// even if a cell has assigned that writer to os.Stdout.
	writer := func(w io.Writer) io.Writer {
		switch w {
		case io.Writer(stdout):
			return s.opt.Stdout
		case io.Writer(stderr):
			return s.opt.Stderr
		}
		return w
	}
	set("fmt.Print", func(a ...any) (int, error) { noCycle(a); return fmt.Fprint(writer(os.Stdout), a...) })
	set("fmt.Printf", func(f string, a ...any) (int, error) { noCycleIn(f, a); return fmt.Fprintf(writer(os.Stdout), f, a...) })
	set("fmt.Println", func(a ...any) (int, error) { noCycle(a); return fmt.Fprintln(writer(os.Stdout), a...) })
	set("fmt.Fprint", func(w io.Writer, a ...any) (int, error) { noCycle(a); return fmt.Fprint(writer(w), a...) })
	set("fmt.Fprintf", func(w io.Writer, f string, a ...any) (int, error) {
		noCycleIn(f, a)
		return fmt.Fprintf(writer(w), f, a...)
	})
	set("fmt.Fprintln", func(w io.Writer, a ...any) (int, error) { noCycle(a); return fmt.Fprintln(writer(w), a...) })
	set("io.WriteString", func(w io.Writer, t string) (int, error) { return io.WriteString(writer(w), t) })
	set("(*os.File).Write", func(f *os.File, b []byte) (int, error) { return writer(f).Write(b) })
	set("(*os.File).WriteString", func(f *os.File, t string) (int, error) { return io.WriteString(writer(f), t) })
}

func exit(code int) { panic(exitSignal{code}) }

// Exit ends the calling cell; see engine.Session.
func (s *Session) Exit(code int) {
	if s.stop.self() != nil {
		exit(code)
	}
	if s.opt.Stderr != nil {
		fmt.Fprintf(s.opt.Stderr, "os.Exit(%d) in a goroutine that compiled code has started: the goroutine has ended, and the session goes on\n", code)
	}
	runtime.Goexit()
}

// parseFlags implements (*flag.FlagSet).Parse for cells. If the flags are wrong, a set with flag.ExitOnError ends the
// cell instead of the process.
func parseFlags(f *flag.FlagSet, args []string) error {
	if f.ErrorHandling() != flag.ExitOnError {
		return f.Parse(args)
	}
	f.Init(f.Name(), flag.ContinueOnError)
	err := func() error {
		defer f.Init(f.Name(), flag.ExitOnError)
		return f.Parse(args)
	}()
	switch {
	case errors.Is(err, flag.ErrHelp):
		exit(0)
	case err != nil:
		exit(2)
	}
	return nil
}

// noCycle panics if package fmt would never finish printing a value.
func noCycle(values []any) {
	for _, v := range values {
		if cycle.In(v) {
			panic(fmt.Sprintf("a %T that contains itself has no end and cannot be printed", v))
		}
	}
}

// noCycleIn is like noCycle, but for values that are printed with a format. It does not check values for the verbs %T
// and %p, because these verbs do not look inside a value.
func noCycleIn(format string, values []any) {
	n := 0
	for {
		_, rest, more := strings.Cut(format, "%")
		if !more {
			return
		}
		rest = strings.TrimLeft(rest, "+-# .0123456789")
		switch {
		case rest == "":
			return
		case rest[0] == '*' || rest[0] == '[': // the next value does not belong to this verb
			noCycle(values)
			return
		case rest[0] == '%':
			n--
		case rest[0] != 'T' && rest[0] != 'p' && n < len(values):
			noCycle(values[n : n+1])
		}
		format = rest[1:]
		n++
	}
}

// afterFunc implements time.AfterFunc. A panic in f is an error of the cell and does not end the process.
func (s *Session) afterFunc(d time.Duration, f func()) *time.Timer {
	run := s.stop.runOf(s.stop.self())
	a := &timerState{session: s}
	a.set(true)
	t := time.AfterFunc(d, func() {
		g := &goroutine{run: run, cell: run.cell, source: "time.AfterFunc"}
		s.stop.add(g, nil)
		a.set(false) // only after g has been added, so that at each moment either the timer or g is counted
		s.runGoroutine(g, nil, func(*frame) { f() })
	})
	key := weak.Make(t)
	s.timerStates.Store(key, a)
	runtime.AddCleanup(t, func(key weak.Pointer[time.Timer]) { s.timerStates.Delete(key) }, key)
	return t
}

// contextAfterFunc implements context.AfterFunc. As with afterFunc, a panic in f is an error of the cell.
func (s *Session) contextAfterFunc(ctx context.Context, f func()) (stop func() bool) {
	run := s.stop.runOf(s.stop.self())
	return context.AfterFunc(ctx, func() {
		g := &goroutine{run: run, cell: run.cell, source: "context.AfterFunc"}
		s.stop.add(g, nil)
		s.runGoroutine(g, nil, func(*frame) { f() })
	})
}

// A timerState says whether a timer of time.AfterFunc will still call its function; Session.timers counts these
// timers.
type timerState struct {
	session *Session
	on      atomic.Bool
}

func (a *timerState) set(on bool) {
	switch was := a.on.Swap(on); {
	case on && !was:
		a.session.timers.Add(1)
	case was && !on:
		a.session.timers.Add(-1)
	}
}

func (s *Session) timerStateOf(t *time.Timer) *timerState {
	if a, ok := s.timerStates.Load(weak.Make(t)); ok {
		return a.(*timerState)
	}
	return nil // a timer of time.NewTimer
}

// stopTimer implements (*time.Timer).Stop.
func (s *Session) stopTimer(t *time.Timer) bool {
	active := t.Stop()
	if a := s.timerStateOf(t); a != nil && active {
		a.set(false)
	}
	return active
}

// resetTimer implements (*time.Timer).Reset.
func (s *Session) resetTimer(t *time.Timer, d time.Duration) bool {
	if a := s.timerStateOf(t); a != nil {
		a.set(true)
	}
	return t.Reset(d)
}
