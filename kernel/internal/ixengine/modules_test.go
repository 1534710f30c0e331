package ixengine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/goplus/ixgo"

	"overcomplete/internal/nested"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/ixengine/testdata/modules/corners"
)

// source returns the engine.Source of a package of the local module, as kernel/modules would return it. The package is
// in testdata/modules.txtar or in a folder of testdata/modules.
func source(t testing.TB, folder string) engine.Source {
	t.Helper()
	dir := filepath.Join("testdata", "modules", folder)
	a, err := nested.Read("testdata/modules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if pkg := a.Archive(folder); pkg != nil {
		dir = t.TempDir()
		for _, f := range pkg.Files {
			testfile.Write(t, filepath.Join(dir, f.Name), f.Data)
		}
	}
	return sourceIn(t, dir, "local.test/"+folder)
}

// sourceIn returns the engine.Source of the package in dir.
func sourceIn(t testing.TB, dir, importPath string) engine.Source {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	src := engine.Source{Path: importPath, Name: path.Base(importPath), Dir: dir, GoVersion: "go1.24", Module: importPath}
	for _, file := range files {
		src.Files = append(src.Files, filepath.Base(file))
		text := testfile.Read(t, file)
		src.Embeds = src.Embeds || strings.Contains(string(text), "//go:embed")
	}
	return src
}

// write writes the text of a package to a folder of its own, and returns the package's engine.Source.
func write(t testing.TB, name, text string) engine.Source {
	t.Helper()
	dir := t.TempDir()
	testfile.Write(t, filepath.Join(dir, name+".go"), text)
	return sourceIn(t, dir, "local.test/"+name)
}

func loadSources(t testing.TB, s *Session, list ...engine.Source) {
	t.Helper()
	if err := s.Load(context.Background(), list); err != nil {
		t.Fatal(traceback(err.(*engine.Error)))
	}
}

// loadModules loads packages of the local module; a package must come after the packages that it imports.
func loadModules(t testing.TB, s *Session, folders ...string) {
	t.Helper()
	var list []engine.Source
	for _, folder := range folders {
		list = append(list, source(t, folder))
	}
	loadSources(t, s, list...)
}

// fails runs a cell that must fail, and returns the error.
func fails(t testing.TB, s *Session, src string) *engine.Error {
	t.Helper()
	return failsWithin(t, s, patience.Long, src)
}

// failsWithin is like fails, but interrupts the cell after the time limit.
func failsWithin(t testing.TB, s *Session, limit time.Duration, src string) *engine.Error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
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

// TestModuleStops: code of a package can be stopped like code of a cell.
func TestModuleStops(t *testing.T) {
	s := fresh(t, Options{Grace: patience.Long})
	loadModules(t, s, "runaway")
	run(t, s, `import "local.test/runaway"`+"\nstopped := 0")
	for _, call := range []string{
		"Forever()", "Goto()", "Call()", "Sleep()", "Receive()", "Send()", "Select()", "Lock()", "Wait()", "Workers()",
		"Each(1, func(int) {})", "Range(func(int) bool { return true })", "Deferred(func() { stopped++ })",
	} {
		patience.Try(t, func() string {
			run(t, s, "stopped = 0")
			e, took := stopAfter(t, s, 30*time.Millisecond, "runaway."+call)
			if e.Kind != engine.Interrupted {
				t.Errorf("%s: %v", call, e)
			}
			if !patience.Wait(func() bool { return len(s.Goroutines()) == 0 }) {
				t.Fatalf("%s leaves %v", call, s.Goroutines())
			}
			if took > time.Second {
				return fmt.Sprintf("%s was stopped after %v", call, took)
			}
			if got := run(t, s, "stopped")[0].Value; strings.HasPrefix(call, "Deferred") && got != 1 {
				return fmt.Sprintf("the deferred function ran %v times", got)
			}
			return ""
		})
	}
	run(t, s, "for i := range runaway.Range { if i == 3 { break } }")
}

// TestModuleGoroutines: a goroutine started by a package is listed with its place, and can be stopped.
func TestModuleGoroutines(t *testing.T) {
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
		testfile.Write(t, file, text)
	}
	want := testfile.Read(t, file)
	if text != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("got\n%s\nand %s has\n%s\n(if it must be: go test ./kernel/internal/ixengine -run %s -update-modules)", text, file, want, t.Name())
	}
}

func TestModuleTracebacks(t *testing.T) {
	patience.SkipShort(t, "it fills the stack")
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
		"import \"time\"\nrunaway.Background()\ntime.Sleep(time.Hour)",
		"runaway.Crash(1)",
	} {
		fmt.Fprintf(&b, "%s\n\n%s\n\n", src, traceback(fails(t, s, src)))
	}
	golden(t, "tracebacks.txt", b.String())
}

// state describes the parts of a session that a failed Load must leave unchanged.
func state(s *Session) string {
	capacity, used, _ := ixgo.IcallStat()
	nested := 0
	for t := range s.nested {
		if strings.HasPrefix(t.Obj().Pkg().Path(), "local.test/") {
			nested++
		}
	}
	return fmt.Sprint(len(s.sources.text), len(*s.source), len(s.builtin), nested, len(s.loader.own), len(s.loader.typeOf),
		len(s.loader.pins), len(s.modules.byPath), len(s.modules.byPackage), len(s.Loaded()), capacity, used, len(s.Goroutines()))
}

// TestModuleFaults: loading a faulty package returns an error that gives the reason, and leaves nothing
// behind.
func TestModuleFaults(t *testing.T) {
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
			var src engine.Source
			if f == "syntax" {
				src = write(t, f, "package syntax\n\nfunc F() {\n\tx := = 1\n}\n")
			} else {
				src = source(t, f)
			}
			if f == "newgo" {
				src.GoVersion = "go1.99"
			}
			list = append(list, src)
		}
		ctx, cancel := context.WithCancel(context.Background())
		if folders[0] == "initloop" {
			go func() {
				patience.Wait(s.stop.hasBegun)
				time.Sleep(100 * time.Millisecond)
				cancel()
			}()
		}
		err := s.Load(ctx, list)
		cancel()
		e, ok := err.(*engine.Error)
		if !ok {
			t.Errorf("%s was loaded: %v", folders, err)
			continue
		}
		fmt.Fprintf(&b, "%s\n\n%s\n\n", strings.Join(folders, ", "), regexp.MustCompile(`go1\.2\d+(\.\d+)?`).ReplaceAllString(traceback(e), "goX"))
		if strings.HasPrefix(folders[0], "init") {
			// The package's code has run, but the package is not importable, and no goroutine of the package
			// continues.
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

// TestModuleFaultPlace: the message about a fault in a package contains its position.
func TestModuleFaultPlace(t *testing.T) {
	s := fresh(t, Options{})
	for _, test := range []struct{ folder, version, want string }{
		{"broken", "", "local.test/broken does not compile: broken.go line 5: invalid operation"},
		{"broken", "v1.0.0", "local.test/broken cannot be run from source: broken.go line 5: invalid operation"},
		{"asm", "", "local.test/asm cannot be run from source: asm.go line 4: uses assembly"}, // the package compiles in Go
	} {
		src := source(t, test.folder)
		src.Version = test.version
		err := s.Load(context.Background(), []engine.Source{src})
		var e *engine.Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Message, test.want) {
			t.Errorf("%s %s: %v, want %s", test.folder, test.version, err, test.want)
		}
	}
}

// TestModuleStates: the state of a package is shared by all cells and packages.
func TestModuleStates(t *testing.T) {
	s := fresh(t, Options{})
	loadModules(t, s, "loopy")
	loadModules(t, s, "loopy", "uses") // loopy is skipped, because it is already loaded
	if got := len(s.Loaded()); got != 2 || s.Loaded()[1].Path != "local.test/uses" {
		t.Errorf("%v are loaded", s.Loaded())
	}
	run(t, s, `import ("local.test/loopy"; "local.test/uses")`)
	for _, c := range []struct{ src, want string }{
		{"loopy.N++\nfmt.Sprint(loopy.N)", "43"},
		{"fmt.Sprint(loopy.N)", "43"},
		{"n := uses.Add(loopy.Square{A: 2})\nfmt.Sprint(n, uses.Squares.Len())", "1 1"},
		// The type is the same in the cell and in the package.
		{"uses.Squares.Push(loopy.Square{A: 5})\ntop, _ := uses.Top()\nvar whole any = uses.Squares\n_, same := whole.(*loopy.Stack[loopy.Square])\nfmt.Sprint(top, same)", "square of 5 true"},
		{"_, again := whole.(*loopy.Stack[loopy.Square])\nfmt.Sprint(again, uses.Squares.Len())", "true 1"},
		{"mine := loopy.NewStack[loopy.Square]()\nmine.Push(top)\nuses.Squares = mine\nlast, _ := uses.Top()\nfmt.Sprint(last)", "square of 5"},
		{"walls := uses.Walls(3)\n_, ok := walls[2].(uses.Wall)\nfmt.Sprint(loopy.Total(walls), ok, walls[1].(uses.Wall).A)", "5 true 1"},
		{"f := loopy.Square.Area\ng := top.Area\nfmt.Sprint(f(loopy.Square{A: 3}), g())", "9 25"},
		{"type Room struct { loopy.Square; name string }\nvar shape loopy.Shape = Room{loopy.Square{A: 2}, \"r\"}\nfmt.Sprint(shape.Area(), shape)", "4 square of 2"},
		{"fmt.Sprint(shape.(Room).name, shape.Area())", "r4"},
		{"st := loopy.NewStack[Room]()\nst.Push(shape.(Room))\nfmt.Sprint(st.Len())", "1"},
		{"r, _ := st.Pop()\nfmt.Sprint(r.name)", "r"},
	} {
		if got := shown(t, s, c.src); got != c.want {
			t.Errorf("%s\nis %q, want %q", c.src, got, c.want)
		}
	}
}

// TestModuleSessionsAreApart: a session sees neither the packages of another session nor their state.
func TestModuleSessionsAreApart(t *testing.T) {
	a, b := fresh(t, Options{}), fresh(t, Options{})
	loadModules(t, a, "loopy")
	if b.Importable("local.test/loopy") || !a.Importable("local.test/loopy") || !b.Importable("fmt") || !b.Importable("unsafe") || b.Importable("local.test/nothing") {
		t.Error("importable")
	}
	fails(t, b, `import "local.test/loopy"`)
	loadModules(t, b, "loopy")
	run(t, a, "import \"local.test/loopy\"\nloopy.N = 1")
	run(t, b, "import \"local.test/loopy\"\nloopy.N = 2")
	if x, y := run(t, a, "loopy.N")[0].Value, run(t, b, "loopy.N")[0].Value; x != 1 || y != 2 {
		t.Errorf("%v and %v", x, y)
	}
	for _, s := range []*Session{a, b} {
		if got := shown(t, s, "var sh loopy.Shape = loopy.Square{A: 2}\nfmt.Sprint(sh, sh.Area(), loopy.NewStack[loopy.Shape]().Len())"); got != "square of 2 4 0" {
			t.Error(got)
		}
	}
}

// TestModuleAgain: an edited package is loaded again, together with the types of cells that depend on it; old
// values remain valid.
func TestModuleAgain(t *testing.T) {
	s := fresh(t, Options{})
	first := write(t, "edited", "package edited\n\nimport \"fmt\"\n\ntype T struct{ A int }\n\nfunc (t T) String() string { return fmt.Sprint(\"first \", t.A) }\n\nfunc New(a int) T { return T{a} }\n\nfunc Gen[P any](p P) string { return fmt.Sprint(\"gen first \", p) }\n")
	on := write(t, "on", "package on\n\nimport \"local.test/edited\"\n\nfunc Twice(t edited.T) edited.T { return edited.New(2 * t.A) }\n")
	loadSources(t, s, first, on)
	run(t, s, "import (\"local.test/edited\"; \"local.test/on\"; \"fmt\")\ntype W struct{ edited.T; n int }\nold := edited.New(1)\nw := W{old, 3}\nfunc twice(t edited.T) string { return on.Twice(t).String() }\nvar any1 any = old")
	if got := shown(t, s, "fmt.Sprint(old, w, twice(old), edited.Gen(old))"); got != "first 1 first 1first 2gen first first 1" {
		t.Error(got)
	}
	s.Unload([]string{"local.test/edited"})
	if s.Importable("local.test/edited") || s.Importable("local.test/on") || len(s.Loaded()) > 0 {
		t.Error("still importable")
	}
	fails(t, s, "edited.New(1)")
	second := write(t, "edited", "package edited\n\nimport \"fmt\"\n\ntype T struct{ A int; B string }\n\nfunc (t T) String() string { return fmt.Sprint(\"second \", t.A, t.B) }\n\nfunc (t T) More() bool { return true }\n\nfunc New(a int) T { return T{a, \"b\"} }\n\nfunc Gen[P any](p P) string { return fmt.Sprint(\"gen second \", p) }\n")
	loadSources(t, s, second, on)
	if got := shown(t, s, "fmt.Sprint(edited.New(7), edited.New(7).More(), W{edited.New(8), 1}, twice(edited.New(2)), edited.Gen(old))"); got != "second 7b true second 8bsecond 4bgen second first 1" {
		t.Error(got)
	}
	if got := shown(t, s, "_, isNew := any1.(edited.T)\nfmt.Sprint(old, old.A, any1, isNew)"); got != "first 1 1 first 1 false" {
		t.Error(got)
	}
	if e := fails(t, s, "on.Twice(old)"); !strings.Contains(e.Message, "old is of a type from before its package was loaded again; make it again") {
		t.Error(e)
	}
	if e := fails(t, s, "w.n"); !strings.Contains(e.Message, "lost") {
		t.Error(e)
	}
	run(t, s, "old := edited.New(3)\nw := W{old, 4}")
	if got := shown(t, s, "fmt.Sprint(on.Twice(old), w.T, w.B)"); got != "second 6b second 3bb" {
		t.Error(got)
	}
	s.Unload([]string{"local.test/nothing"})
}

// TestModulePrefer: a compiled-in package can be run from source if no cell has used it yet.
func TestModulePrefer(t *testing.T) {
	s := fresh(t, Options{})
	src := write(t, "floats", "package floats\n\nfunc Sum[T int | float64](list []T) (sum T) {\n\tfor _, x := range list {\n\t\tsum += x\n\t}\n\treturn sum\n}\n")
	src.Path = "gonum.org/v1/gonum/floats"
	loadSources(t, s, src)
	if got := run(t, s, "import \"gonum.org/v1/gonum/floats\"\nfloats.Sum([]float64{1, 2})")[0].Value; got != 3.0 {
		t.Error("the compiled package was passed over wrongly")
	}
	src.Prefer = true
	if err := s.Load(context.Background(), []engine.Source{src}); err == nil || !strings.Contains(err.Error(), "uses it already") {
		t.Error(err)
	}
	s = fresh(t, Options{})
	loadSources(t, s, src)
	if got := run(t, s, "import \"gonum.org/v1/gonum/floats\"\nfloats.Sum([]int{1, 2})")[0].Value; got != 3 {
		t.Error(got)
	}
	src.Path = "gonum.org/v1/gonum/mat"
	if err := s.Load(context.Background(), []engine.Source{src}); err == nil || !strings.Contains(err.Error(), "the compiled package") {
		t.Error(err)
	}
}

// TestModuleGenerics: generic code of packages is built for each cell.
func TestModuleGenerics(t *testing.T) {
	s := fresh(t, Options{})
	loadModules(t, s, "loopy")
	run(t, s, `import "local.test/loopy"`)
	for _, c := range []struct{ src, want string }{
		{"fmt.Sprint(loopy.Keep(1, 2, 3), loopy.Keep(\"a\"))", "3 4"},
		{"loopy.Pair(1, \"b\")", "{A:1 B:b}"},
		{"loopy.Pair(1, \"b\") + loopy.Pair(2.5, []int{3}) + loopy.Pair(\"b\", 1)", "{A:1 B:b}{A:2.5 B:[3]}{A:b B:1}"},
		{"type Celsius float64\nfmt.Sprint(loopy.Sum(1, 2, 3), loopy.Sum(Celsius(1), 2.5))", "6 3.5"},
		{"n := 0\nfor k := range loopy.Sorted(map[string]int{\"a\": 1, \"bc\": 2}) { n += len(k) }\nfmt.Sprint(n)", "3"},
		{"l := &loopy.List[Celsius]{1, &loopy.List[Celsius]{2, nil}}\nfmt.Sprint(l.Len(), l.Any())", "2 wrapped 2"},
		{"w := l.Any()\n_, ok := w.(loopy.Wrapped[Celsius])\nfmt.Sprint(l.Len(), w, ok)", "2 wrapped 2 true"},
		{"_, still := w.(loopy.Wrapped[Celsius])\n_, other := w.(loopy.Wrapped[float64])\nfmt.Sprint(w, still, other)", "wrapped 2 true false"},
		{"type Mine[T any] struct { loopy.List[T] }\nm := &Mine[int]{}\nfmt.Sprint(m.Len(), m.Any())", "1 wrapped 1"},
		{"fmt.Sprint(m.Len())", "1"},
		{"f := loopy.Sum[int]\nfmt.Sprint(f(4, 5))", "9"},
		{"fmt.Sprint(f(4, 5))", "9"},
		{"f = loopy.Sum[int]\ng := (*loopy.List[Celsius]).Len\nfmt.Sprint(f(4), g(l))", "4 2"},
	} {
		if got := shown(t, s, c.src); got != c.want {
			t.Errorf("%s\nis %q, want %q", c.src, got, c.want)
		}
	}
}

// TestModuleUnsafe: valid uses of package unsafe work, and invalid uses do not end the process.
func TestModuleUnsafe(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector ends the process for bad addresses, before anybody can recover")
	}
	s := fresh(t, Options{})
	loadModules(t, s, "unsafely")
	run(t, s, `import "local.test/unsafely"`)
	if got := shown(t, s, `h := unsafely.Header{A: 1, B: 2, C: "c"}
unsafely.Set(&h, "field")
fmt.Sprint(unsafely.Float(unsafely.Bits(2.5)), unsafely.Text([]byte("ab")), unsafely.Bytes("xy"), unsafely.OldText([]byte("old")),
	unsafely.Element([]int32{3, 4, 5}, 2), unsafely.Field(&h), unsafely.Word(1) == unsafely.Word(2), unsafely.Count(3), unsafely.Count(4), unsafely.NaN())`); got != "2.5ab[120 121]old5fieldtrue 7 12 true" {
		t.Error(got)
	}
	for _, call := range []string{"Bad()", "BadWrite()", "Concurrent()"} {
		e := failsWithin(t, s, patience.Long, "unsafely."+call)
		t.Log(traceback(e))
		if e.Kind != engine.Panic || len(e.Frames) == 0 || !strings.HasPrefix(e.Frames[0].Cell, "local.test/unsafely") {
			t.Errorf("%s: %s", call, traceback(e))
		}
	}
}

// TestModuleCorners compares a package that runs from source with the same package compiled.
func TestModuleCorners(t *testing.T) {
	s := fresh(t, Options{})
	loadModules(t, s, "corners")
	got := run(t, s, "import \"local.test/corners\"\ncorners.Report()")[0].Value.([]string)
	want := corners.Report()
	for _, list := range [][]string{got, want} {
		for i, line := range list {
			list[i] = strings.ReplaceAll(line, reflect.TypeFor[corners.Package]().PkgPath(), "local.test/corners")
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("\n%s\nwant\n%s", got[i], want[i])
		}
	}
}

// TestModuleMethods: when the entry points for methods run out, Load refuses the packages and frees their
// entry points.
func TestModuleMethods(t *testing.T) {
	if !alone(t) {
		return
	}
	s := fresh(t, Options{})
	loadModules(t, s, "manymethods")
	if got := run(t, s, "import \"local.test/manymethods\"\nlen(manymethods.Use())")[0].Value; got != 13 {
		t.Error(got)
	}
	var text strings.Builder
	text.WriteString("package toomany\n\ntype T int\n\n")
	capacity, _, _ := ixgo.IcallStat()
	for i := range capacity {
		fmt.Fprintf(&text, "func (T) M%d() {}\n", i)
	}
	src := write(t, "toomany", text.String())
	before := state(s)
	err := s.Load(context.Background(), []engine.Source{src})
	if err == nil || !strings.Contains(err.Error(), "entry points that are free, of "+fmt.Sprint(capacity)+"; restart the kernel") {
		t.Error(err)
	}
	if after := state(s); after != before {
		t.Errorf("the session had %s, and has %s", before, after)
	}
	loadModules(t, s, "loopy")
}

// TestModuleLimits: a package that loops forever, or allocates all memory, is stopped like a cell.
func TestModuleLimits(t *testing.T) {
	if !alone(t) {
		return
	}
	runtime.GC() // free the garbage of other tests
	s := fresh(t, Options{MemoryLimit: used() + 150<<20})
	s.standstill = 200 * time.Millisecond
	loadModules(t, s, "runaway")
	run(t, s, `import "local.test/runaway"`)
	for call, want := range map[string]string{"Receive()": deadlock, "Lock()": deadlock, "Wait()": deadlock, "Grow()": "out of memory", "Make(1 << 40)": "out of memory"} {
		e := failsWithin(t, s, patience.Long, "runaway."+call)
		if e.Kind != engine.Panic || !strings.HasPrefix(e.Message, want) || len(e.Frames) == 0 || e.Frames[0].Cell != "local.test/runaway/runaway.go" {
			t.Errorf("%s: %s", call, traceback(e))
		}
	}
}

// TestModuleImports imports packages in all ways, including under a mapped path.
func TestModuleImports(t *testing.T) {
	s := fresh(t, Options{})
	mapped := write(t, "mapped", "package mapped\n\nimport (\n\tl \"example.test/other\"\n\t. \"fmt\"\n)\n\nfunc F() string { return Sprint(l.Count(4)) }\n")
	mapped.ImportMap = map[string]string{"example.test/other": "local.test/loopy"}
	named := write(t, "go-named", "package named\n\nconst Typed, Untyped uint8 = 7, 1 << 3\n\ntype Alias = map[string]int\n\ntype Of[T any] = []T\n")
	named.Name = "named"
	loadSources(t, s, source(t, "loopy"), mapped, named)
	run(t, s, "import l \"local.test/loopy\"\nimport . \"local.test/mapped\"")
	if got := shown(t, s, "fmt.Sprint(l.Count(3), F())"); got != "36" {
		t.Error(got)
	}
	if got := shown(t, s, "import \"local.test/go-named\"\nfmt.Sprint(named.Typed, named.Untyped, named.Alias{\"a\": 1}, named.Of[int]{2})"); got != "7 8 map[a:1] [2]" {
		t.Error(got)
	}
	if got := shown(t, s, "import . \"local.test/loopy\"\nfunc Total(list []Shape) string { return \"mine\" }\nfmt.Sprint(Count(4), Total(nil), Square{2}, Sum(1, 2), NewStack[Shape]().Len())"); got != "6minesquare of 2 3 0" {
		t.Error(got)
	}
	// A cell may redeclare the name of an imported package.
	if got := shown(t, s, "import \"local.test/mapped\"\nfmt.Sprint(mapped.F())"); got != "6" {
		t.Error(got)
	}
	if got := shown(t, s, "mapped := 3\nfmt.Sprint(mapped)"); got != "3" {
		t.Error(got)
	}
}

// FuzzEmbedPatterns: unquoted patterns are returned unchanged, and quoted patterns without their quotes.
func FuzzEmbedPatterns(f *testing.F) {
	f.Add("a.txt", "b c", true)
	f.Add("all:dir", "`", false)
	f.Fuzz(func(t *testing.T, a, b string, quote bool) {
		if strings.ContainsAny(a, "\"`") || len(strings.Fields(a)) != 1 || strings.Fields(a)[0] != a || strings.ContainsFunc(a, func(r rune) bool { return unicode.IsSpace(r) }) {
			t.Skip()
		}
		second := b
		if quote || len(strings.Fields(b)) != 1 || strings.ContainsAny(b, "\"`") || strings.Fields(b)[0] != b {
			second = strconv.Quote(b)
		}
		if got := embedPatterns(" " + a + "\t" + second + " "); len(got) != 2 || got[0] != a || got[1] != b {
			t.Errorf("%q and %q are %q", a, second, got)
		}
	})
}

// TestModuleBeyond uses instances of generic types from packages that the code does not import.
func TestModuleBeyond(t *testing.T) {
	s := fresh(t, Options{})
	loadModules(t, s, "loopy")
	loadModules(t, s, "uses")
	loadModules(t, s, "beyond")
	run(t, s, `import "local.test/beyond"`)
	for _, c := range []struct{ src, want string }{
		{"import (\"local.test/uses\"; \"local.test/loopy\")\nuses.Add(loopy.Square{A: 2})\nfmt.Sprint(beyond.Push(3))", "6"},
		{"beyond.New(3).Show()", "wrapped 1"},
		{"type T struct{ a int }\no := beyond.New(T{4})\no.Show()", "wrapped 1"},
		{"var x any = o.Inside\nfmt.Sprint(o.Show(), x, o.Inside.Value.a)", "wrapped 1wrapped 1 4"},
		{"fmt.Sprint(x)", "wrapped 1"},
	} {
		if got := shown(t, s, c.src); got != c.want {
			t.Errorf("%s\nis %q, want %q", c.src, got, c.want)
		}
	}
	// All of it at once in another session.
	s = fresh(t, Options{})
	loadModules(t, s, "loopy", "uses", "beyond")
	if got := shown(t, s, "import \"local.test/beyond\"\nbeyond.New(\"a\").Show()"); got != "wrapped 1" {
		t.Error(got)
	}
}

// TestModuleRecursiveInterface: an instance of a generic interface is one type in the module and in cells.
func TestModuleRecursiveInterface(t *testing.T) {
	for _, l := range Levels {
		undo := l.Force()
		s := fresh(t, Options{})
		loadModules(t, s, "links")
		if got := shown(t, s, "import (\"fmt\"; \"local.test/links\")\nfmt.Sprint(links.Keys(&links.Link[int]{1, &links.Link[int]{2, nil}}, nil))"); got != "[1 2]" {
			t.Errorf("%s: %s", l.Name, got)
		}
		undo()
	}
}
