package gotest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/kernel/engine"
)

// A Suite is a set of tests, benchmarks, fuzz targets and examples.
type Suite struct {
	Name       string // name in the last line of the output, where go test prints the package
	Tests      []testing.InternalTest
	Benchmarks []testing.InternalBenchmark
	Fuzz       []testing.InternalFuzzTarget
	Examples   []testing.InternalExample
	Main       func(*testing.M) // TestMain, or nil

	mu      sync.Mutex
	running map[string]time.Time
	failed  []string // names for Failed
}

// ErrFailed is returned by Run when tests have failed.
var ErrFailed = errors.New("tests failed")

var errTimeout = errors.New("test timed out")

// A Caller calls f in the same way that the method Test of engine.Tester calls its argument run.
type Caller func(ctx context.Context, f func()) error

// Run runs the suite, and writes to out what go test would print. All code that runs functions of cells is passed to
// call(), which runs it. The error is ErrFailed if tests have failed, and an *engine.Error if the time given in opt is
// up or ctx is canceled. It may also be an error from call().
func (s *Suite) Run(ctx context.Context, opt Options, call Caller, out io.Writer) error {
	began := time.Now()
	s.running, s.failed = map[string]time.Time{}, nil
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if opt.Timeout > 0 {
		defer time.AfterFunc(opt.Timeout, func() { cancel(fmt.Errorf("%w after %v%s", errTimeout, opt.Timeout, s.stillRunning())) }).Stop()
	}
	code := 0
	err := printing(out, s.reported, func() (err error) {
		code, err = s.main(ctx, opt, call)
		// Package testing treats a stopped test as failed.
		switch cause := context.Cause(ctx); {
		case cause == nil:
		case errors.Is(cause, errTimeout):
			err = &engine.Error{Kind: engine.Test, Message: cause.Error()}
		case err == nil:
			err = &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
		}
		return err
	})
	if opt.flags["list"] != "" && err == nil {
		return nil
	}
	word := "ok  "
	if code != 0 || err != nil {
		word = "FAIL"
	}
	fmt.Fprintf(out, "%s\t%s\t%.3fs\n", word, s.Name, time.Since(began).Seconds())
	if err == nil && code != 0 {
		return ErrFailed
	}
	return err
}

// Failed returns the names of the tests, examples, fuzz targets and benchmarks that failed, in the order in
// which they were reported; subtests are not included.
func (s *Suite) Failed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.failed)
}

// main runs package testing's main program, and returns its exit code.
func (s *Suite) main(ctx context.Context, opt Options, call Caller) (code int, err error) {
	defer opt.apply()()
	what := s.all()
	m := testing.MainStart(deps{}, what.Tests, what.Benchmarks, what.Fuzz, what.Examples)
	err = call(ctx, func() {
		if s.Main == nil {
			code = m.Run()
			return
		}
		s.Main(m)
		code = exitCode(m)
	})
	var e *engine.Error
	if errors.As(err, &e) && e.Kind == engine.Exit && s.Main != nil { // TestMain may end with os.Exit
		return e.ExitCode, nil
	}
	return code, err
}

// exitCode returns the result of the last call to m.Run. A test program exits with this code after TestMain.
func exitCode(m *testing.M) int {
	if f := reflect.ValueOf(m).Elem().FieldByName("exitCode"); f.IsValid() && f.CanInt() {
		return int(f.Int())
	}
	return 0
}

// all returns a copy of the suite for package testing. In the copy, each test, benchmark and fuzz target is recorded
// as running until it ends.
func (s *Suite) all() *Suite {
	w := &Suite{}
	for _, t := range s.Tests {
		w.Tests = append(w.Tests, testing.InternalTest{Name: t.Name, F: func(x *testing.T) { s.note(x); t.F(x) }})
	}
	for _, t := range s.Benchmarks {
		w.Benchmarks = append(w.Benchmarks, testing.InternalBenchmark{Name: t.Name, F: func(x *testing.B) { s.note(x); t.F(x) }})
	}
	for _, t := range s.Fuzz {
		w.Fuzz = append(w.Fuzz, testing.InternalFuzzTarget{Name: t.Name, Fn: func(x *testing.F) { s.note(x); t.Fn(x) }})
	}
	w.Examples = s.Examples
	return w
}

// reported adds to s.failed the names that the given lines of the output report as failed.
func (s *Suite) reported(lines []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range failLine.FindAllSubmatch(lines, -1) {
		if name := string(m[1]); !slices.Contains(s.failed, name) {
			s.failed = append(s.failed, name)
		}
	}
}

var failLine = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

func (s *Suite) note(t testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := t.Name()
	s.running[name] = time.Now()
	t.Cleanup(func() { // runs last, when subtests have ended
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, name)
	})
}

func (s *Suite) stillRunning() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name, since := range s.running {
		names = append(names, fmt.Sprintf("%s (%v)", name, time.Since(since).Round(time.Millisecond)))
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "; running: " + strings.Join(names, ", ")
}

// printing calls f. What is written to os.Stdout during the call is copied to out, with corrected positions.
// As in copyWithPositions, seen(lines) is called with the complete lines.
func printing(out io.Writer, seen func([]byte), f func() error) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		copyWithPositions(out, r, seen)
		r.Close()
	}()
	stdout := os.Stdout
	os.Stdout = w
	defer func() {
		os.Stdout = stdout
		w.Close()
		select {
		case <-done:
		case <-time.After(time.Second): // a process started by a test still holds the pipe
		}
	}()
	return f()
}

// corpusEntry is identical to package testing's unexported type of the same name. That type occurs in the signatures
// that the methods of deps must have.
type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

// deps implements the interface that the standard package testing requires of the test programs that go test builds.
type deps struct{}

func (deps) MatchString(pattern, s string) (bool, error) {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(s), err
}

// CheckCorpus returns an error if the values of a seed do not have the types of the fuzz target's parameters.
func (deps) CheckCorpus(values []any, types []reflect.Type) error {
	if len(values) != len(types) {
		return fmt.Errorf("wrong number of values in corpus entry: %d, want %d", len(values), len(types))
	}
	for i, v := range values {
		if reflect.TypeOf(v) != types[i] {
			return fmt.Errorf("mismatched types in corpus entry: %T, want %v", v, types[i])
		}
	}
	return nil
}

// The remaining methods do nothing: there are no corpus files, no fuzzing, no profiles, no log and no
// coverage.

func (deps) CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []corpusEntry, []reflect.Type, string, string) error {
	return nil
}
func (deps) RunFuzzWorker(func(corpusEntry) error) error { return nil }

func (deps) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) { return nil, nil }
func (deps) ImportPath() string                                       { return "" }
func (deps) ModulePath() string                                       { return "" }
func (deps) SetPanicOnExit0(bool)                                     {}
func (deps) StartCPUProfile(io.Writer) error                          { return nil }
func (deps) StopCPUProfile()                                          {}
func (deps) StartTestLog(io.Writer)                                   {}
func (deps) StopTestLog() error                                       { return nil }
func (deps) WriteProfileTo(string, io.Writer, int) error              { return nil }
func (deps) ResetCoverage()                                           {}
func (deps) SnapshotCoverage()                                        {}
func (deps) InitRuntimeCoverage() (mode string, tearDown func(string, string) (string, error), snapshot func() float64) {
	return "", nil, nil
}
