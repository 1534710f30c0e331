package ixengine

import (
	"context"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

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

var _ = strconv.Itoa
var _ = parser.ParseFile
var _ token.Pos
