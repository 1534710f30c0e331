package ixengine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/gob"
	"expvar"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
)

// TestPatternHint: registering two handlers for one pattern with the same mux panics, and the hint says to make
// a new mux.
func TestPatternHint(t *testing.T) {
	defer func() {
		msg, _ := recover().(error)
		if text := panicText(msg); !strings.Contains(panicHint(text), "http.NewServeMux()") {
			t.Errorf("%q has the hint %q", text, panicHint(text))
		}
	}()
	mux := http.NewServeMux()
	for range 2 {
		mux.HandleFunc("/hello", func(http.ResponseWriter, *http.Request) {})
	}
}

// TestRegisteredTwice: packages whose registries accept a name only once panic when a cell runs again with another value,
// and the hint says what to do.
func TestRegisteredTwice(t *testing.T) {
	type a struct{ X int }
	type b struct{ X int }
	for _, register := range []func(){
		func() { gob.RegisterName("twice", a{}); gob.RegisterName("twice", b{}) },
		func() { sql.Register("twice", nilDriver{}); sql.Register("twice", nilDriver{}) },
		func() { expvar.NewInt("twice"); expvar.NewInt("twice") },
	} {
		func() {
			defer func() {
				if text := panicText(recover()); !strings.Contains(panicHint(text), "register under another name") {
					t.Errorf("%q has the hint %q", text, panicHint(text))
				}
			}()
			register()
		}()
	}
}

type nilDriver struct{}

func (nilDriver) Open(string) (driver.Conn, error) { return nil, nil }

// TestWordsInText: words in a string or a comment give no hint.
func TestWordsInText(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		`import "fmt"; fmt.Println("this or that in there", 1 2)`: "separate arguments by commas",
		"x := 3 4 // this or that":                                "",
		"y := 3 4 + \"range(5) or not in lambda\"":                "",
		`ok := "a \" in" in s`:                                    "strings.Contains",
		`if a or b { }`:                                           "&&, || and !",
	} {
		_, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src})
		e, ok := err.(*engine.Error)
		if !ok || e.Kind != engine.Syntax || want == "" && e.Hints[0] != "" || !strings.Contains(e.Hints[0], want) {
			t.Errorf("%s: %v has the hint %v", src, err, e)
		}
	}
}

// TestFirstSteps: mistakes of people who are new to Go have hints.
func TestFirstSteps(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import \"fmt\"\nn := 3")
	for src, want := range map[string]string{
		`if (n > 2) fmt.Println("a")`:         "write the body in braces",
		"var z int := 5":                      "var n int = 5, or n := 5",
		"var z := 5":                          "var n int = 5, or n := 5",
		`import "fmt" as f`:                   `import f "fmt"`,
		"func add(a, b) int { return a + b }": "func f(a, b int)",
		"[]int{1} == []int{1}":                "slices.Equal",
		"map[int]int{} == map[int]int{}":      "maps.Equal",
		"var arr [n]int":                      "make([]T, n)",
		"func F[T any](x T) { x.Foo() }":      "constraint must have the method",
		"if n > 2 {\n%who\n}":                 "a line by itself",
		"p := &5":                             "new(x)",
		"n++ + 1":                             "are statements",
		"type T struct { a int, b int }":      "struct { a int; b int }",
		"type A interface { X int }":          "methods, not fields",
		"if x := 5 { }":                       "a condition follows the assignment",
		"for { break } else { }":              "only an if has an else",
		"func f(a int = 3) {}":                "no default values",
		"func f[T](x T) T { return x }":       "func f[T any]",
		"for i := range 2 {\n\t$ ls\n}":       "exec.Command",
		"out := !ls":                          "exec.Command",
		`"ab" * 3`:                            "strings.Repeat",
	} {
		_, err := s.Run(context.Background(), engine.Cell{Name: "In[2]", Source: src})
		if e, ok := err.(*engine.Error); !ok || !strings.Contains(strings.Join(e.Hints, "\n"), want) {
			t.Errorf("%s: %v has the hints %q, want %q", src, err, e.Hints, want)
		}
	}
}

// TestHiddenName: Forget removes a variable that shadows a type, and after that no hint mentions it.
func TestHiddenName(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	do := func(n, src string) string {
		if _, err := s.Run(context.Background(), engine.Cell{Name: n, Source: src}); err != nil {
			return strings.Join(err.(*engine.Error).Traceback(), "\n")
		}
		return ""
	}
	const use = `func f(b []byte) string { return "" }`
	if got := do("In[1]", `string := "abc"`); got != "" {
		t.Fatal(got)
	}
	if got := do("In[2]", use); !strings.Contains(got, "hint: string has been a variable since In[1]; %reset string") {
		t.Error(got)
	}
	if err := s.Forget("string"); err != nil {
		t.Fatal(err)
	}
	if got := do("In[3]", use); got != "" {
		t.Error(got)
	}
}

// TestHiddenPackage: hints for a variable with the name of a package, while it hides the package and afterwards.
func TestHiddenPackage(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "import \"path\"\npath := \"a/b\"")
	if e := fails(t, s, `path.Base("x/y")`); !strings.Contains(e.Hints[0], `and hides the package: import it under another name, as in import path_ "path"`) {
		t.Error(e.Hints)
	}
	if err := s.Forget("path"); err != nil {
		t.Fatal(err)
	}
	if e := fails(t, s, `path.Base("x/y")`); !strings.Contains(e.Hints[0], `add import "path"`) {
		t.Error(e.Hints)
	}
	for src, want := range map[string]string{
		"fact := func(n int) int { return n * fact(n-1) }":                "write var fact func(...) ... first",
		"var fib func(int) int = func(n int) int { return fib(n-1) + 1 }": "write var fib func(...) ... first",
		"type file struct { data []bytes }":                               "did you mean byte?",
		"var u uint = -1":                                                 "an unsigned type has no negative numbers",
		"uint32(2) - uint32(26)":                                          "an unsigned type has no negative numbers",
		"var i int8 = -300":                                               "too large for the type",
	} {
		if e := fails(t, s, src); !strings.Contains(e.Hints[0], want) {
			t.Errorf("%s: %v", src, e.Hints)
		}
	}
}

// TestLabels: Python's try: parses as a label. A cell must not run the blocks after it.
func TestLabels(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "ran := 0")
	for src, want := range map[string]string{
		"try:\n\tran = 1\nexcept:\n\tran = 2":                 "recover()",
		"func f() {\ntry:\n\tran = 1\nfinally:\n\tran = 2\n}": "recover()",
		"try:\n\tran = 1\nexcept ValueError:\n\tran = 2":      "errors are values",
		"again:\n\tran = 1":                                   "is a label",
	} {
		_, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src})
		if e, ok := err.(*engine.Error); !ok || !strings.Contains(strings.Join(e.Hints, " "), want) {
			t.Errorf("%s: %v", src, err)
		}
	}
	if got := run(t, s, "unused := 1\nagain:\n\tfor { break again }\nran")[0].Value; got != 0 {
		t.Errorf("ran is %v", got)
	}
}

// TestModuleHints: the hint names a missing package. It lists loaded packages before packages that
// Options.Suggest knows, and does not take a variable with a package's name for the package.
func TestModuleHints(t *testing.T) {
	asked := map[string]int{}
	s, err := New(Options{Suggest: func(name string) string {
		asked[name]++
		return map[string]string{"cobra": `add import "example.com/cobra"`, "shapes": "no", "word": "no"}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var list []engine.Source
	for path, name := range map[string]string{"example.com/go-shapes": "shapes", "example.com/internal/secret": "secret"} {
		testfile.Write(t, filepath.Join(dir, name+".go"), "package "+name+"\n\nfunc New() int { return 1 }\n")
		list = append(list, engine.Source{Path: path, Name: name, Dir: dir, Files: []string{name + ".go"}, Module: path, Version: "v1.0.0"})
	}
	if err := s.Load(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		"shapes.New()":     `add import "example.com/go-shapes"`,
		"cobra.New()":      `add import "example.com/cobra"`,
		"x := cobra.NewV7": `add import "example.com/cobra"`,
		"x := word":        "",
		"unknown.Thing()":  "",
		"secret.Whisper()": "",
	} {
		_, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src})
		e, ok := err.(*engine.Error)
		if !ok || len(e.Hints) == 0 {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := e.Hints[0]; got != want && (want != "" || got == "no" || asked["word"] > 0) {
			t.Errorf("%s has the hint %q, want %q", src, got, want)
		}
	}
	if asked["shapes"] > 0 || asked["cobra"] == 0 {
		t.Errorf("asked for %v", asked)
	}
}

// TestImportHints: an almost correct path of a module's package is corrected, and if cells cannot import
// modules, no hint says that they can.
func TestImportHints(t *testing.T) {
	hint := func(s *Session, src string) string {
		_, err := s.Run(context.Background(), engine.Cell{Name: "In[1]", Source: src})
		e, ok := err.(*engine.Error)
		if !ok || len(e.Hints) == 0 {
			t.Fatalf("%s: %v", src, err)
		}
		return e.Hints[0]
	}
	with := fresh(t, Options{Suggest: func(string) string { return "" }})
	without := fresh(t, Options{})
	cobra := `import "github.com/spf13/cobra"`
	for src, want := range map[string]string{
		`import "spf13/cobra"`:                           "did you mean " + cobra + "?",
		`import "cobra"`:                                 "did you mean " + cobra + "?",
		`import "https://github.com/spf13/cobra"`:        "leave out the text before the host name: " + cobra,
		`import "https://github.com/spf13/cobra.git/"`:   "leave out the text before the host name: " + cobra,
		`import "github.com/spf13/cobra@v1.6.0"`:         "an import path has no version: write %get github.com/spf13/cobra@v1.6.0 above the import, then " + cobra,
		`import "https://github.com/spf13/cobra@v1.6.0"`: "an import path has no version: write %get github.com/spf13/cobra@v1.6.0 above the import, then " + cobra,
		`import "github.com/spf13/cobra@"`:               "an import path has no version: write %get github.com/spf13/cobra@latest above the import, then " + cobra,
		`import "gonum.org/v1/gonum/matt"`:               "did you mean gonum.org/v1/gonum/mat?",
		`import "random"`:                                `use import "math/rand/v2" here`,
		`import "./mypkg"`:                               `imports have no relative paths: write the module's path in go.mod and then the folder, as in import "example.com/study/mypkg", ` + pasted,
		`import "someone/thing"`:                         ofModules,
		`mypkg.Double(4)`:                                ofModules,
	} {
		if got := hint(with, src); got != want {
			t.Errorf("%s has the hint %q, want %q", src, got, want)
		}
		want := want
		if want == ofModules || strings.Contains(want, "cobra") || strings.Contains(want, "mypkg") {
			want = builtInOnly
		}
		if got := hint(without, src); got != want {
			t.Errorf("without modules %s has the hint %q, want %q", src, got, want)
		}
	}
}

// TestGenericOfCompiled: there is a special error message for a generic function of a compiled package.
func TestGenericOfCompiled(t *testing.T) {
	bind.Register(&bind.Package{Path: "example.test/parquet", Name: "parquet", Generic: []string{"NewGenericWriter", "Read"},
		Funcs: []bind.Object{{Name: "NewWriter", Value: func() int { return 1 }}}})
	s := fresh(t, Options{})
	if got := run(t, s, "import \"example.test/parquet\"\nparquet.NewWriter()")[0].Value; got != 1 {
		t.Error(got)
	}
	want := "parquet.Read is generic and example.test/parquet is compiled in: cells can use those of its generic functions and types that use no unexported fields or methods, and no packages that cells cannot import; use another function, a cell that begins with %%native, or, in a session that has not used the package yet, %mod source example.test/parquet"
	for _, src := range []string{"parquet.Read[int](1)", "func f() { parquet.Read(1) }", "x := parquet.Read[string]"} {
		if e := fails(t, s, src); e.Message != want {
			t.Errorf("%s: %s", src, e.Message)
		}
	}
	if e := fails(t, s, "parquet.Reed(1)"); !strings.HasPrefix(e.Message, "undefined: parquet.Reed") {
		t.Error(e)
	}
}
