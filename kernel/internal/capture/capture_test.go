package capture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"overcomplete/internal/patience"
)

type sink struct {
	mu   sync.Mutex
	text [2]strings.Builder
	all  strings.Builder
	bad  bool
}

func (s *sink) take(stream Stream, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bad = s.bad || !utf8.ValidString(text)
	s.text[stream].WriteString(text)
	s.all.WriteString(text)
}

func start(t *testing.T) (*Capture, *sink) {
	t.Helper()
	s := &sink{}
	c, err := Start(s.take)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

func TestOrder(t *testing.T) {
	c, s := start(t)
	var want strings.Builder
	for i := range 500 {
		w := c.Writer(Stream(i * i % 2))
		fmt.Fprintf(w, "line %d\n", i)
		fmt.Fprintf(&want, "line %d\n", i)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if s.all.String() != want.String() {
		t.Error("lines are out of order")
	}
}

func TestFlush(t *testing.T) {
	c, s := start(t)
	defer c.Stop()
	for i := range 200 {
		fmt.Print(i, ";")
		c.Flush()
		s.mu.Lock()
		got := s.text[Stdout].String()
		s.mu.Unlock()
		if !strings.HasSuffix(got, fmt.Sprint(i, ";")) {
			t.Fatalf("after Flush %d the sink has %q", i, got)
		}
	}
}

func TestLargeAndUTF8(t *testing.T) {
	if os.Stderr == os.Stdout {
		t.Skip("go test -json makes the two streams one")
	}
	c, s := start(t)
	long := strings.Repeat("日本語☃ and text, ", 200_000)
	fmt.Fprint(os.Stdout, long)
	for _, b := range []byte("päß") { // one byte at a time
		os.Stderr.Write([]byte{b})
	}
	os.Stderr.Write([]byte{0xFF, 0xFE, 'x'})
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if s.text[Stdout].String() != long {
		t.Errorf("%d of %d bytes arrived", s.text[Stdout].Len(), len(long))
	}
	if got := s.text[Stderr].String(); got != "päß\uFFFD\uFFFDx" {
		t.Errorf("stderr has %q", got)
	}
	if s.bad {
		t.Error("the sink was given half a rune")
	}
}

func TestChildAndRuntime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file descriptors are not redirected on Windows")
	}
	if runtime.GOOS == "js" {
		t.Skip("in a browser there are no other programs")
	}
	c, s := start(t)
	cmd := exec.Command("sh", "-c", "echo from a child; echo its errors >&2")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	println("from the runtime")
	if e := c.Stop(); e != nil {
		t.Fatal(e)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := s.text[Stdout].String(); got != "from a child\n" {
		t.Errorf("stdout has %q", got)
	}
	if got := s.text[Stderr].String(); got != "its errors\nfrom the runtime\n" {
		t.Errorf("stderr has %q", got)
	}
}

func TestStopRestores(t *testing.T) {
	out, errs := os.Stdout, os.Stderr
	for range 20 {
		c, _ := start(t)
		fmt.Println("captured")
		if err := c.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if os.Stdout != out || os.Stderr != errs {
		t.Error("the streams were not given back")
	}
}

func TestConcurrent(t *testing.T) {
	c, s := start(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				fmt.Fprintf(c.Writer(Stream(g%2)), "%d:%d\n", g, i)
				if i%50 == 0 {
					c.Flush()
				}
			}
		})
	}
	wg.Wait()
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(s.all.String(), "\n"); n != 8*200 {
		t.Errorf("%d lines of %d", n, 8*200)
	}
}

// TestDeath makes a process die with a trace that is larger than the capacity of any pipe. The process must
// end, and the trace must arrive at the original standard error.
func TestDeath(t *testing.T) {
	const isChild = "CAPTURE_TEST_DIES"
	if os.Getenv(isChild) != "" {
		c, err := Start(func(Stream, string) {})
		if err != nil {
			t.Fatal(err)
		}
		debug.SetCrashOutput(c.Original(Stderr), debug.CrashOptions{})
		debug.SetTraceback("all")
		debug.SetMaxStack(1 << 20)
		for range 5000 {
			go func() { select {} }()
		}
		time.Sleep(50 * time.Millisecond)
		var endless func(n int) int
		endless = func(n int) int { return endless(n+1) + 1 }
		endless(0)
	}
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the trace is kept short")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience.Long)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestDeath$")
	cmd.Env = append(os.Environ(), isChild+"=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatal("the process does not end")
	}
	if err == nil || cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("it ends with %v", err)
	}
	if !strings.Contains(trace.String(), "runtime.throw") || trace.Len() < 500_000 {
		t.Errorf("%d bytes of trace: %.300s", trace.Len(), trace.String())
	}
}
