package kernel

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/provision"
	"overcomplete/kernel/modules"
)

// openBeside opens a kernel for a notebook in a folder with the given files. Nothing is downloaded, because the
// notebook imports packages of the module in the folder.
func openBeside(t *testing.T, files map[string]string) (*Kernel, Options) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("other modules need the go command")
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	dir, cache := t.TempDir(), t.TempDir()
	testfile.WriteAll(t, dir, files)
	opt := Options{Modules: func(state []byte) (Modules, error) {
		if state != nil {
			return modules.Resume(state)
		}
		return modules.Open(modules.Options{Folder: dir, Cache: cache})
	}}
	k, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return k, opt
}

var mine = map[string]string{
	"go.mod":         "module example.org/mine\n\ngo 1.24\n",
	"tools/tools.go": "package tools\n\nimport \"example.org/mine/deep\"\n\ntype Pair struct{ A, B int }\n\nfunc Sum(p Pair) int { return deep.Add(p.A, p.B) }\n",
	"deep/deep.go":   "package deep\n\nfunc Add(a, b int) int { return a + b }\n",
}

// TestOwnPackages imports packages of the module in the notebook's folder, edits one, and imports it again.
func TestOwnPackages(t *testing.T) {
	k, opt := openBeside(t, mine)
	env, err := opt.Modules(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(env.Ruling())
	for i, test := range []struct{ src, want string }{
		{"x := 40", ""},
		{"import \"example.org/mine/tools\"\ntools.Sum(tools.Pair{x, 2})", "[display ] 42\n"},
		{"func f() int { return tools.Sum(tools.Pair{1, 2}) }\nf()", "[display ] 3\n"},
		{"@deep/deep.go package deep\n\nfunc Add(a, b int) int { return a * b }\n", ""},
		{"f()", "[display ] 3\n"}, // an edit has no effect without a new import
		{"import \"example.org/mine/tools\"\ntools.Sum(tools.Pair{x, 2})", "[stderr] example.org/mine/deep was reloaded from its current files; values created earlier keep the old types\n[display ] 80\n"},
		{"f()", "[display ] 2\n"},
		{"@deep/deep.go package deep\n\nfunc Add(a, b int) int { return a - }\n", ""},
		{"%mod reload", "CommandError: example.org/mine/deep does not compile: deep.go line 3: expected operand, found '}'\n  In[9] line 1\n    %mod reload\n"},
		{"f()", "[display ] 2\n"},
		{"@deep/deep.go package deep\n\nfunc Add(a, b int) int { return a - b }\n", ""},
		{"%mod reload\nf()", "[stderr] example.org/mine/deep was reloaded from its current files; values created earlier keep the old types\n[display ] -1\n"},
		{"@deep/deep.go package deep\n\nfunc Add(a, b int) int { return a - t }\n", ""},
		{"import \"example.org/mine/tools\"", "TypeError: In[14] line 1: example.org/mine/deep does not compile: deep.go line 3: undefined: t\n    import \"example.org/mine/tools\"\n           ^\n"},
		{"@deep/deep.go package deep\n\nfunc Add(a, b int) int { return a - b }\n", ""},
		{"import \"example.org/mine/tools\"\ntools.Sum(tools.Pair{44, 2})", "[display ] 42\n"},
		{"%mod reload", "no package in use has changed\n"},
		{"%mod reload example.org/other", "CommandError: no cell has imported example.org/other; %mod lists the modules in use\n  In[18] line 1\n    %mod reload example.org/other\n"},
		{"%mod", "[display text/html] module            version  how          note\nexample.org/mine           from source  in DIR\nDIR/go.mod determines the versions; the kernel does not change that file.\n"},
		{"%mod of", "CommandError: usage: %mod [tidy|reload [PACKAGE...]|source PACKAGE...|off|on|cgo on|cgo off]\n  In[20] line 1\n    %mod of\n"},
		{"%mod off", "imports of other modules are refused; earlier imports stay\n"},
		{"import \"github.com/google/uuid\"", "TypeError: In[22] line 1: github.com/google/uuid is not in this kernel, and other modules are disabled\n    import \"github.com/google/uuid\"\n           ^\n"},
		{"%mod on", "imports of other modules are allowed\n"},
		{"import \"example.org/mine/nothing\"", "@"},
		{"import \"tabwritr\"", "TypeError: In[25] line 1: package tabwritr is not built into this kernel\n    import \"tabwritr\"\n           ^\n"},
	} {
		if file, text, ok := strings.Cut(strings.TrimPrefix(test.src, "@"), " "); ok && test.src[0] == '@' {
			testfile.WriteAll(t, dir, map[string]string{file: text})
			continue
		}
		got := command(t, k, i+1, test.src)
		got = strings.ReplaceAll(got, dir, "DIR")
		if got != test.want && test.want != "@" {
			t.Errorf("In[%d] %s\n got:\n%s\nwant:\n%s", i+1, test.src, got, test.want)
		}
		if test.want == "@" && !strings.Contains(got, "example.org/mine/nothing") {
			t.Errorf("In[%d] %s\n got:\n%s", i+1, test.src, got)
		}
	}
}

// A fixed is an Env with one program in its cache.
type fixed struct{ *modules.Env }

func (fixed) Known(packages []string) *modules.Program {
	return &modules.Program{Path: "/cache/kernel", Packages: packages, Known: true}
}

// TestReplace: Execute returns a Replace when another program must run the cell. The other program can start
// with the data in the Replace. If the replacement fails, the session continues.
func TestReplace(t *testing.T) {
	k, opt := openBeside(t, mine)
	env, err := opt.Modules(nil)
	if err != nil {
		t.Fatal(err)
	}
	k.modules = provision.New(provision.Options{
		Open: func([]byte) (Modules, error) { return fixed{env.(*modules.Env)}, nil }, Check: func(*modules.Program) error { return nil },
		Loader: k.session, Held: k.sessionContents, Replaceable: true, Stdout: k.commands.Stdout, Stderr: k.commands.Stderr,
	})
	for _, src := range []string{"import \"strings\"\ntype T struct{ A int }\nfunc (t T) Double() int { return 2 * t.A }\nconst c = 3", "strings.Repeat(\"a\", c)", "%time T{4}.Double()"} {
		command(t, k, 1, src)
	}
	cell := engine.Cell{Name: "In[4]", Source: "fmt.Println(T{1}.Double())\nimport \"fmt\"\nimport \"example.org/mine/tools\"\ntools.Sum(tools.Pair{1, 2})"}
	out := &transcript{}
	var r *Replace
	if err := k.Execute(context.Background(), cell, out); !errors.As(err, &r) {
		t.Fatalf("it is not replaced: %v", err)
	}
	if out.String() != "" || r.Program != "/cache/kernel" {
		t.Errorf("replaced by %s, and shows\n%s", r.Program, out)
	}
	// The program could not be replaced, so the cell runs in this program.
	if err := k.Execute(Stay(context.Background(), errors.New("no such program")), cell, out); err != nil {
		t.Error(err)
	}
	if got := out.String(); got != "2\n[display ] 3\n" {
		t.Errorf("then it shows\n%s", got)
	}
	k.Close()

	// Continue as the other program.
	again, err := New(Options{Modules: opt.Modules, Resume: r.State, Declared: r.Declarations})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := command(t, again, 4, cell.Source); got != "2\n[display ] 3\n" {
		t.Errorf("there it shows\n%s", got)
	}
	if got := command(t, again, 5, "strings.Repeat(\"a\", c)"); got != "[display ] aaa\n" {
		t.Errorf("earlier declarations: %s", got)
	}
}

// TestHeld checks which session state prevents a replacement.
func TestHeld(t *testing.T) {
	k := open(t)
	for _, test := range []struct{ src, want string }{
		{"import \"fmt\"\nfunc f() {}\ntype T int\nconst c = 1", ""},
		{"fmt.Sprint(1)\n%time f()", ""},
		{"a := 1", "the variable a"},
		{"var b, d int", "the variables a, b and d"},
		{"e := 1", "the variables a, b and 2 more"},
		{"import \"time\"\n%reset\ngo func() { for { time.Sleep(time.Millisecond) } }()", "goroutines"},
		{"%goroutines stop", ""},
	} {
		command(t, k, 1, test.src)
		patience.Wait(func() bool { return k.sessionContents() == test.want }) // goroutines end with some delay
		if got := k.sessionContents(); got != test.want {
			t.Errorf("after %q the session holds %q, want %q", test.src, got, test.want)
		}
	}
}

// TestNoModulesNoCost checks that cells without imports of other modules do not open the Env. Every kernel
// has some packages of other modules compiled in. Cells that import such a package might need another
// version, so they open the Env, but they run no command.
func TestNoModulesNoCost(t *testing.T) {
	opened := 0
	k, err := New(Options{Modules: func([]byte) (Modules, error) { opened++; return nil, errors.New("no") }})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for _, src := range []string{"import \"fmt\"\nfmt.Sprint(1)", "import m \"math\"\nm.Sqrt(2)", "s := \"import x\"", "%%time\nimport \"overcomplete/kernel-helpers/vmath\"", "import \"github.com/a/b\"\n)"} {
		command(t, k, 1, src)
	}
	if opened != 0 {
		t.Errorf("opened %d times", opened)
	}
	if got := command(t, k, 1, "import \"gonum.org/v1/gonum/mat\"\nmat.Sum(mat.NewDense(1, 1, nil))"); opened != 1 || strings.Contains(got, "no") {
		t.Errorf("opened %d times, and shows\n%s", opened, got)
	}
	opened = 0
	if got := command(t, k, 1, "import \"github.com/a/b\""); opened != 1 || !strings.Contains(got, "no") {
		t.Errorf("opened %d times, and shows\n%s", opened, got)
	}
}

// BenchmarkImports compares the time of cells in kernels with and without access to other modules.
func BenchmarkImports(b *testing.B) {
	for name, opt := range map[string]Options{"without": {}, "with": {Modules: func([]byte) (Modules, error) { return nil, errors.New("no") }}} {
		b.Run(name, func(b *testing.B) {
			k, err := New(opt)
			if err != nil {
				b.Fatal(err)
			}
			defer k.Close()
			for b.Loop() {
				if err := k.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: "import \"math\"\nmath.Sqrt(2)"}, &transcript{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestVersions: completion can ask for versions before a cell has needed a module, and while a cell runs. Hints
// name modules that the notebook's go.mod requires.
func TestVersions(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("OVERCOMPLETE_MODULES", "")
	dir := t.TempDir()
	testfile.WriteAll(t, dir, map[string]string{"go.mod": "module shed\n\ngo 1.26\n", "rake/rake.go": "package rake\n"})
	opens := 0
	k, err := New(Options{Modules: func([]byte) (Modules, error) {
		opens++
		return modules.Open(modules.Options{Folder: dir, Cache: t.TempDir()})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for range 2 {
		if file, mod, rules := k.Versions(); filepath.Base(file) != "go.mod" || filepath.Dir(file) != dir || mod != "" || !rules {
			t.Errorf("%s %q %v", file, mod, rules)
		}
	}
	if opens != 1 {
		t.Errorf("opened %d times", opens)
	}
	var e *engine.Error
	err = k.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: "rake.Teeth()"}, new(transcript))
	if e, _ = err.(*engine.Error); e == nil || len(e.Hints) == 0 || e.Hints[0] != `add import "shed/rake"` {
		t.Errorf("%v", err)
	}
	err = k.Execute(context.Background(), engine.Cell{Name: "In[2]", Source: "cobra.New()"}, new(transcript))
	if e, _ = err.(*engine.Error); e == nil || !strings.Contains(strings.Join(e.Hints, " "), "%get github.com/spf13/cobra") {
		t.Errorf("%v %v", err, e)
	}
	if file, _, rules := k.Versions(); filepath.Dir(file) != dir || !rules || opens != 2 {
		t.Errorf("%s %v, opened %d times", file, rules, opens)
	}
}

// TestNoVersions: a kernel without access to other modules offers no versions and suggests no modules.
func TestNoVersions(t *testing.T) {
	k, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if file, mod, rules := k.Versions(); file != "" || mod != "" || !rules {
		t.Errorf("%s %q %v", file, mod, rules)
	}
	err = k.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: "cobra.New()"}, new(transcript))
	if e, _ := err.(*engine.Error); e == nil || strings.Contains(strings.Join(e.Hints, " "), "github.com") {
		t.Errorf("%v %v", err, e)
	}
}

// TestMoved: a notebook that imports a package by its old path still works, together with cells that use the
// new path.
func TestMoved(t *testing.T) {
	k, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	out := &transcript{}
	for _, cell := range []string{
		"import \"" + module.Package("kernel-helpers/display") + "\"\nvar old display.Data = display.Markdown(\"x\")",
		"import new \"" + module.Package("ui/display") + "\"\nvar one new.Data = old",
		"import . \"" + module.Package("kernel-helpers/slider") + "\"\nvar fresh = New",
		"println(len(one.Data) > 0)",
	} {
		if err := k.Execute(t.Context(), engine.Cell{Source: cell}, out); err != nil {
			t.Fatalf("%s\n%v", cell, err)
		}
	}
	if got := out.String(); !strings.Contains(got, "true") {
		t.Errorf("%q", got)
	}
}
