package kernel

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/txtar"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/ixengine"
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
		testfile.Write(t, file, txtar.Format(a))
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

// check is the assertion of a compiled module. It lists the calls that led to it, as many such modules do.
func check(t interface{ Errorf(string, ...any) }, ok bool) {
	if !reflect.ValueOf(t).MethodByName("Run").IsValid() {
		t.Errorf("%T has no method Run", t)
	}
	if ok {
		return
	}
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var calls []string
	for {
		f, more := frames.Next()
		if !more || f.Function == "testing.tRunner" {
			break
		}
		calls = append(calls, fmt.Sprintf("%s:%d", f.File, f.Line))
	}
	t.Errorf("\n\tError Trace:\t%s\n\tError:\tis false", strings.Join(calls, "\n\t            \t"))
}

// TestAssertionsOfModules: the messages of a module's assertions have the position in the cell, and no calls in the
// kernel.
func TestAssertionsOfModules(t *testing.T) {
	ixgo.RegisterPackage(&ixgo.Package{Name: "checks", Path: "example.org/checks", Funcs: map[string]reflect.Value{"Check": reflect.ValueOf(check)}})
	k := open(t)
	got := steady(executed(k, "In[1]", `%%test
import ("example.org/checks"; "testing")
func TestX(t *testing.T) {
	checks.Check(t, true)
	checks.Check(t, false)
	helper(t)
	t.Run("sub", func(t *testing.T) { checks.Check(t, false) })
}
func helper(t *testing.T) {
	t.Helper()
	checks.Check(t, false)
}`, context.Background()))
	for _, place := range []string{"In[1]:5", "In[1]:6", "In[1]:7"} {
		at := regexp.QuoteMeta(place)
		if want := at + `: \n\s+Error Trace:\t` + at + `\n\s+Error:\tis false\n`; !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if regexp.MustCompile(`\.(go|s):\d`).MatchString(got) {
		t.Errorf("calls in the kernel:\n%s", got)
	}
}

// TestEndedInDeferred: a deferred function may end its test. What was deferred before it runs, and the function does not
// run again. The output is that of go test, with other positions.
func TestEndedInDeferred(t *testing.T) {
	const cell = `%%test -v
import ("fmt"; "iter"; "testing")
func TestA(t *testing.T) { defer fmt.Println("first"); defer func() { t.Fatal("x") }(); fmt.Println("a") }
func TestB(t *testing.T) { defer func() { if recover() == nil { t.Fatal("x") } }(); fmt.Println("a") }
func TestC(t *testing.T) { t.Parallel(); defer func() { if recover() == nil { t.Fatal("x") } }(); fmt.Println("a") }
func TestD(t *testing.T) { for i := range 3 { defer func() { fmt.Println("d", i); if i == 1 { t.FailNow() } }() } }
func TestE(t *testing.T) { func() { defer func() { t.Fatal("inner") }() }(); fmt.Println("not reached") }
func each(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := range n { if !yield(i) { return } } } }
func TestF(t *testing.T) { for i := range each(3) { defer func() { fmt.Println("d", i); if i == 1 { t.FailNow() } }() } }
func TestG(t *testing.T) { defer fmt.Println("first"); defer func() { t.Error(recover()); t.FailNow() }(); panic("p") }
func TestH(t *testing.T) { for i := range each(3) { defer func() { fmt.Println("d", i, recover()); if i == 1 { t.FailNow() } }() }; panic("p") }
func TestI(t *testing.T) { for i := range each(3) { defer func() { fmt.Println("d", i); if i == 1 { t.SkipNow() } }() }; panic("p") }
func TestJ(t *testing.T) { t.Cleanup(func() { fmt.Println("cleanup") }); defer t.FailNow(); defer fmt.Println("last") }
`
	const want = `=== RUN   TestA
a
    In[1]:3: x
first
--- FAIL: TestA (0.00s)
=== RUN   TestB
a
    In[1]:4: x
--- FAIL: TestB (0.00s)
=== RUN   TestC
=== PAUSE TestC
=== RUN   TestD
d 2
d 1
d 0
--- FAIL: TestD (0.00s)
=== RUN   TestE
    In[1]:7: inner
--- FAIL: TestE (0.00s)
=== RUN   TestF
d 2
d 1
d 0
--- FAIL: TestF (0.00s)
=== RUN   TestG
    In[1]:10: p
first
--- FAIL: TestG (0.00s)
=== RUN   TestH
d 2 p
d 1 <nil>
d 0 <nil>
--- FAIL: TestH (0.00s)
=== RUN   TestI
d 2
d 1
d 0
--- SKIP: TestI (0.00s)
=== RUN   TestJ
last
cleanup
--- FAIL: TestJ (0.00s)
=== CONT  TestC
a
    In[1]:5: x
--- FAIL: TestC (0.00s)
`
	for _, l := range ixengine.Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			got := steady(executed(open(t), "In[1]", cell, context.Background()))
			if got, _, _ = strings.Cut(got, "FAIL\nFAIL"); got != want {
				t.Errorf("--- want\n%s--- got\n%s", want, got)
			}
		})
	}
}

// TestBubbles runs two tests with testing/synctest, which use contexts. What one of them makes does not reach the other.
func TestBubbles(t *testing.T) {
	const cell = `%%test
import ("context"; "testing"; "testing/synctest"; "time")
func in(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		go context.AfterFunc(ctx, func() {})
		<-ctx.Done()
		if took := time.Since(begin); took != time.Hour { t.Error(took) }
	})
}
func TestOne(t *testing.T) { in(t) }
func TestOther(t *testing.T) { in(t) }
func TestDeadlock(t *testing.T) { synctest.Test(t, func(t *testing.T) { select {} }) }`
	k := open(t)
	for range 2 {
		got := steady(executed(k, "In[1]", cell, context.Background()))
		for _, want := range []string{"panic: deadlock: all goroutines in bubble are blocked", "ERR TestFailure: TestDeadlock failed"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
}

// TestTestCommandStops: an interrupt or a -timeout ends tests that loop, wait, or run compiled code that
// respects its context. The session continues, and can run tests again.
func TestTestCommandStops(t *testing.T) {
	patience.SkipShort(t, "it stops endless tests")
	k := open(t)
	for i, body := range []string{
		"for {}", "time.Sleep(time.Minute)", "<-t.Context().Done(); select {}",
		`t.Run("sub", func(t *testing.T) { t.Parallel(); for {} })`, "defer func() { recover(); for {} }(); for {}",
		"synctest.Test(t, func(t *testing.T) { for { time.Sleep(time.Second) } })",
		"synctest.Test(t, func(t *testing.T) { go func() { for {} }(); <-t.Context().Done() })",
	} {
		src := fmt.Sprintf("%%%%test\nimport (\"testing\"; \"testing/synctest\"; \"time\")\nvar _, _ = time.Now, synctest.Wait\nfunc TestLoop(t *testing.T) { %s }", body)
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
