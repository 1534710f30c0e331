package ixengine

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goplus/ixgo"

	"overcomplete/kernel/engine"
)

// source describes the package in a folder of testdata/modules, of a local module, as kernel/modules does.
func source(t testing.TB, folder string) engine.Source {
	t.Helper()
	return sourceIn(t, filepath.Join("testdata", "modules", filepath.FromSlash(folder)), "local.test/"+folder)
}

// sourceIn describes the package in dir.
func sourceIn(t testing.TB, dir, importPath string) engine.Source {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	src := engine.Source{Path: importPath, Name: path.Base(importPath), Dir: dir, GoVersion: "go1.24", Module: importPath}
	for _, file := range files {
		src.Files = append(src.Files, filepath.Base(file))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src.Embeds = src.Embeds || strings.Contains(string(text), "//go:embed")
	}
	return src
}

// loadModules loads packages of testdata/modules, and those of these that they import before them.
func loadModules(t testing.TB, s *Session, folders ...string) {
	t.Helper()
	var list []engine.Source
	for _, folder := range folders {
		list = append(list, source(t, folder))
	}
	if err := s.Load(context.Background(), list); err != nil {
		t.Fatal(strings.Join(err.(*engine.Error).Traceback(), "\n"))
	}
}

// fails runs a cell that must fail, and returns the error.
func fails(t testing.TB, s *Session, src string) *engine.Error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := s.Run(ctx, engine.Cell{Name: "In[9]", Source: src})
	if err == nil {
		t.Fatalf("%s\nhas not failed", src)
	}
	return err.(*engine.Error)
}

// shown returns the last value of a cell as text.
func shown(t testing.TB, s *Session, src string) string {
	t.Helper()
	v := run(t, s, "import \"fmt\"\n"+src)
	if len(v) != 1 {
		t.Fatalf("%s\nhas %d values", src, len(v))
	}
	text, ok := v[0].Value.(string)
	if !ok {
		t.Fatalf("%s\nis a %T", src, v[0].Value)
	}
	return text
}

func TestModuleCells(t *testing.T) {
	s := fresh(t, Options{})
	loadModules(t, s, "loopy")
	run(t, s, `import "local.test/loopy"`)
	for _, c := range []struct{ src, want string }{
		{`fmt.Sprint(loopy.Count(10), loopy.N)`, "45 42"},
		{"s := 0\nfor x := range loopy.Ticks(4) { s += x }\nfmt.Sprint(s)", "6"},
		{"type S struct{ n int }\nfunc (s S) Name() string { return fmt.Sprint(\"S\", s.n) }\nloopy.Hello(S{4})", "hello S4"},
		{"var sh loopy.Shape = loopy.Square{2}\n_, ok := sh.(loopy.Square)\nfmt.Sprint(sh.Area(), ok, loopy.Total([]loopy.Shape{sh, loopy.Square{3}}), sh)", "4 true 13 square of 2"},
		{"st := loopy.NewStack[string]()\nst.Push(\"a\")\nst.Push(\"b\")\nx, _ := st.Pop()\nfmt.Sprint(x, st.Len(), loopy.Made())", "b1 1"},
		{"st.Push(\"c\")\nall := \"\"\nfor i, v := range st.All() { all += fmt.Sprint(i, v) }\nfmt.Sprint(all, loopy.MapOf(st, func(s string) int { return len(s) }).Len(), loopy.Made())", "0a1c2 102"},
		{`loopy.Opened`, "embedded text"},
		{"import \"errors\"\nvar e loopy.MyErr\nerr := loopy.Fail()\nfmt.Sprint(errors.As(err, &e), e.Code, errors.Is(err, loopy.ErrBase))", "true 7 true"},
		{`fmt.Sprintf("%T %T", loopy.Deep(3), st)`, "*loopy.node *loopy.Stack[string]"},
		{"v := loopy.Deep(3)\nfmt.Sprint(v.V)", "3"},
		{"fmt.Sprint(v.V)", "3"},
	} {
		if got := shown(t, s, c.src); got != c.want {
			t.Errorf("%s\nis %q, want %q", c.src, got, c.want)
		}
	}
	if e := fails(t, s, "loopy.Exit()"); e.Kind != engine.Exit || e.ExitCode != 3 {
		t.Errorf("%v", e)
	}
}

// TestModuleStops: what a package does is stopped as what a cell does.
func TestModuleStops(t *testing.T) {
	if raceEnabled {
		t.Skip("the stop flag is read without a lock on purpose, see stop.go; the race detector says so")
	}
	s := fresh(t, Options{})
	loadModules(t, s, "runaway")
	run(t, s, `import "local.test/runaway"`+"\nstopped := 0")
	for _, call := range []string{
		"Forever()", "Goto()", "Call()", "Sleep()", "Receive()", "Send()", "Select()", "Lock()", "Wait()", "Workers()",
		"Each(1, func(int) {})", "Range(func(int) bool { return true })", "Deferred(func() { stopped++ })",
	} {
		begin := time.Now()
		if e := fails(t, s, "runaway."+call); e.Kind != engine.Interrupted {
			t.Errorf("%s: %v", call, e)
		}
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("%s was stopped after %v", call, took)
		}
		if left := s.Goroutines(); len(left) > 0 {
			t.Errorf("%s leaves %v", call, left)
		}
	}
	if got := run(t, s, "stopped")[0].Value; got != 1 {
		t.Errorf("the deferred function ran %v times", got)
	}
	run(t, s, "for i := range runaway.Range { if i == 3 { break } }")
}

// TestModuleGoroutines: a goroutine that a package has started is listed with its place, and can be stopped.
func TestModuleGoroutines(t *testing.T) {
	if raceEnabled {
		t.Skip("the stop flag is read without a lock on purpose, see stop.go; the race detector says so")
	}
	s := fresh(t, Options{})
	loadModules(t, s, "runaway")
	run(t, s, `import "local.test/runaway"`)
	run(t, s, "runaway.Start()")
	list := s.Goroutines()
	if len(list) != 1 || list[0].Cell != "local.test/runaway/runaway.go" || list[0].Line != 60 || list[0].Source != "go func() {" {
		t.Fatalf("%+v", list)
	}
	s.StopGoroutines()
	if list := s.Goroutines(); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}

func traceback(e *engine.Error) string { return strings.Join(e.Traceback(), "\n") }

var updateModules = flag.Bool("update-modules", false, "write testdata/modules/*.txt")

// golden compares text with a file of testdata/modules.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", "modules", name)
	if *updateModules {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("got\n%s\nand %s has\n%s\n(if it must be: go test ./kernel/internal/ixengine -run %s -update-modules)", text, file, want, t.Name())
	}
}

func TestModuleTracebacks(t *testing.T) {
	if raceEnabled {
		t.Skip("the stop flag is read without a lock on purpose, see stop.go; the race detector says so")
	}
	s := fresh(t, Options{})
	loadModules(t, s, "runaway")
	run(t, s, `import "local.test/runaway"`)
	var b strings.Builder
	for _, src := range []string{
		"runaway.Crash()",
		"func f() { runaway.Crash() }\nf()",
		"runaway.Each(0, func(x int) { println(1 / x) })",
		"runaway.Recurse(0)",
		"import \"fmt\"\nfmt.Sprint(runaway.Itself{})",
		"import \"time\"\nrunaway.Background()\ntime.Sleep(time.Second)",
		"runaway.Crash(1)",
	} {
		fmt.Fprintf(&b, "%s\n\n%s\n\n", src, traceback(fails(t, s, src)))
	}
	golden(t, "tracebacks.txt", b.String())
}

// state is what a failed Load must leave as it was.
func state(s *Session) string {
	capacity, used, _ := ixgo.IcallStat()
	nested := 0
	for t := range s.nested {
		if strings.HasPrefix(t.Obj().Pkg().Path(), "local.test/") {
			nested++
		}
	}
	return fmt.Sprint(len(s.sources.text), len(*s.source), len(*s.override), len(s.builtin), nested, len(s.loader.own), len(s.loader.typeOf),
		len(s.loader.pins), len(s.modules.byPath), len(s.modules.byPackage), len(s.Loaded()), capacity, used, len(s.Goroutines()))
}

// TestModuleFaults: what cannot be loaded says why, and leaves nothing.
func TestModuleFaults(t *testing.T) {
	if raceEnabled {
		t.Skip("the stop flag is read without a lock on purpose, see stop.go; the race detector says so")
	}
	s := fresh(t, Options{})
	run(t, s, "import \"fmt\"\nx := 1")
	var b strings.Builder
	for _, folders := range [][]string{
		{"asm"}, {"cgo"}, {"linked"}, {"linkedvar"}, {"broken"}, {"syntax"}, {"uses"}, {"missing"}, {"newgo"}, {"huge"},
		{"loopy", "broken"}, {"initexit"}, {"initpanic"}, {"initloop"},
	} {
		before := state(s)
		var list []engine.Source
		for _, f := range folders {
			src := source(t, f)
			if f == "newgo" {
				src.GoVersion = "go1.99"
			}
			list = append(list, src)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		err := s.Load(ctx, list)
		cancel()
		e, ok := err.(*engine.Error)
		if !ok {
			t.Errorf("%s was loaded: %v", folders, err)
			continue
		}
		fmt.Fprintf(&b, "%s\n\n%s\n\n", strings.Join(folders, ", "), regexp.MustCompile(`go1\.2\d+(\.\d+)?`).ReplaceAllString(traceback(e), "goX"))
		if strings.HasPrefix(folders[0], "init") {
			// Its code has run; but it is not importable, and nothing of it goes on.
			if len(s.Goroutines()) > 0 {
				t.Errorf("%s leaves %v", folders, s.Goroutines())
			}
		} else if after := state(s); after != before {
			t.Errorf("%s: the session had %s, and has %s", folders, before, after)
		}
		for _, src := range list {
			if s.Importable(src.Path) {
				t.Errorf("%s is importable", src.Path)
			}
			fails(t, s, fmt.Sprintf("import %q", src.Path))
		}
	}
	golden(t, "faults.txt", b.String())
	loadModules(t, s, "loopy", "uses")
	if got := shown(t, s, "import \"local.test/uses\"\nfmt.Sprint(x, len(uses.Walls(3)))"); got != "1 3" {
		t.Error(got)
	}
}
