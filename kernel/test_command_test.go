package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// steady returns the output of %%test without the parts that differ between runs.
func steady(text string) string {
	for _, r := range [][2]string{
		{`\d+\.\d+s\b`, "0.00s"}, {`(?m)^cpu: .*\n`, ""}, {`(?m)^goos: .*\n`, ""}, {`(?m)^goarch: .*\n`, ""},
		{`(?m)^(Benchmark\S+?)-\d+\b`, "$1"}, {`[ \t]*\d+\t +[\d.]+ ns/op`, "\tN\tT ns/op"}, {` *\d+ B/op\t +\d+ allocs/op`, "     B B/op\tA allocs/op"},
		{`\(\d+(?:\.\d+)?m?s\)`, "(0.00s)"},
	} {
		text = regexp.MustCompile(r[0]).ReplaceAllString(text, r[1])
	}
	return text
}

// TestTestCommand compares the output of %%test with testdata/commands/test.txtar: cells (in), each followed by
// its expected output (out).
func TestTestCommand(t *testing.T) {
	const file = "testdata/commands/test.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k := open(t)
	for i := range a.Files {
		if a.Files[i].Name != "in" {
			continue
		}
		src := strings.TrimSuffix(string(a.Files[i].Data), "\n")
		got := steady(executed(k, fmt.Sprintf("In[%d]", i/2+1), src, context.Background()))
		if i+1 == len(a.Files) || a.Files[i+1].Name != "out" {
			t.Fatalf("%s: cell %d has no out", file, i/2+1)
		}
		if want := string(a.Files[i+1].Data); got != want && !*update {
			t.Errorf("%s\n--- want\n%s--- got\n%s", src, want, got)
		}
		a.Files[i+1].Data = []byte(got)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// executed returns a cell's output and its traceback.
func executed(k *Kernel, name, src string, ctx context.Context) string {
	out := &transcript{}
	err := k.Execute(ctx, engine.Cell{Name: name, Source: src}, out)
	text := out.String()
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	var e *engine.Error
	if errors.As(err, &e) {
		text += "ERR " + strings.Join(e.Traceback(), "\n") + "\n"
	}
	return text
}

// TestTestCommandStops: an interrupt or a -timeout ends tests that loop, wait, or run compiled code that
// respects its context. The session continues, and can run tests again.
func TestTestCommandStops(t *testing.T) {
	patience.SkipShort(t, "it stops endless tests")
	k := open(t)
	for i, body := range []string{
		"for {}", "time.Sleep(time.Minute)", "<-t.Context().Done(); select {}",
		`t.Run("sub", func(t *testing.T) { t.Parallel(); for {} })`, "defer func() { recover(); for {} }(); for {}",
	} {
		src := fmt.Sprintf("%%%%test\nimport (\"testing\"; \"time\")\nvar _ = time.Now\nfunc TestLoop(t *testing.T) { %s }", body)
		patience.Try(t, func() string {
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			begin := time.Now()
			got := executed(k, "In[1]", src, ctx)
			if took := time.Since(begin); took > 3*time.Second || !strings.Contains(got, "ERR Interrupted") {
				return fmt.Sprintf("%s: after %v\n%s", body, took, got)
			}
			return ""
		})
		patience.Try(t, func() string {
			begin := time.Now()
			got := executed(k, "In[1]", strings.Replace(src, "%%test", "%%test -timeout 200ms", 1), context.Background())
			if took := time.Since(begin); took > 3*time.Second || !strings.Contains(got, "ERR TestFailure: test timed out after 200ms; running: TestLoop") {
				return fmt.Sprintf("%s: after %v\n%s", body, took, got)
			}
			return ""
		})
		if got := executed(k, "In[2]", fmt.Sprintf("%%%%test\nfunc TestOK%d(t *testing.T) {}", i), context.Background()); !strings.Contains(got, "PASS\nok") {
			t.Errorf("after %s:\n%s", body, got)
		}
	}
	before := runtime.NumGoroutine()
	for range 20 {
		executed(k, "In[3]", "%%test\nfunc TestOK(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.FailNow() }) }", context.Background())
	}
	if !patience.Wait(func() bool { return runtime.NumGoroutine() <= before+5 }) {
		t.Errorf("20 runs have left %d goroutines", runtime.NumGoroutine()-before)
	}
}
