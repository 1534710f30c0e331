package bind_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/txtar"

	_ "overcomplete/cmd/overcomplete/bindings"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/apidoc"
	_ "overcomplete/kernel/internal/bindings"
)

func newContext() *ixgo.Context {
	ctx := ixgo.NewContext(ixgo.SupportMultipleInterp)
	// Allow only compiled-in packages, as the engine does. By default the interpreter asks the go command for
	// packages, or reads them from GOROOT.
	ctx.Lookup = func(root, path string) (dir string, found bool) { return "", false }
	ctx.BuildContext.IsDir = func(path string) bool { return false }
	return ctx
}

// run interprets a program and returns the result of the program's function Result.
func run(src string) (result string, err error) {
	ctx := newContext()
	pkg, err := ctx.LoadFile("main.go", src)
	if err != nil {
		return "", err
	}
	interp, err := ctx.NewInterp(pkg)
	if err != nil {
		return "", err
	}
	if err := interp.RunInit(); err != nil {
		return "", err
	}
	v, err := interp.RunFunc("Result")
	if err != nil {
		return "", err
	}
	return v.(string), nil
}

// TestPrograms runs the programs in testdata/programs.txtar. Each program ends with a comment "want: TEXT", the expected
// result of its function Result.
func TestPrograms(t *testing.T) {
	programs, err := txtar.ParseFile("testdata/programs.txtar")
	if err != nil || len(programs.Files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range programs.Files {
		t.Run(strings.TrimSuffix(file.Name, ".go"), func(t *testing.T) {
			src := string(file.Data)
			_, want, ok := strings.Cut(src, "// want: ")
			if !ok {
				t.Fatal("no want comment")
			}
			got, err := run(src)
			if err != nil {
				t.Fatal(err)
			}
			if want = strings.TrimSpace(want); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestImportAll imports all packages into one context, in several orders. A package with incomplete
// dependencies would fail after others have been imported.
func TestImportAll(t *testing.T) {
	paths := bind.Packages()
	n := len(paths)
	for _, stride := range []int{1, n - 1, 7, 31} {
		for gcd(stride, n) != 1 {
			stride++
		}
		importAll(t, paths, func(i int) int { return i * stride % n })
	}
}

// TestImportAfter imports each package directly after a package that contains types of many packages.
func TestImportAfter(t *testing.T) {
	paths := bind.Packages()
	for _, first := range []string{"net/http", "gonum.org/v1/plot", "image/png", "html/template"} {
		ctx := newContext()
		for _, path := range append([]string{first}, paths...) {
			checkImport(t, ctx, path, "after "+first)
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func importAll(t *testing.T, paths []string, order func(int) int) {
	t.Helper()
	ctx := newContext()
	for i := range paths {
		path := paths[order(i)]
		checkImport(t, ctx, path, "after "+paths[order(max(i-1, 0))])
	}
}

func checkImport(t *testing.T, ctx *ixgo.Context, path, when string) {
	t.Helper()
	var pkg *types.Package
	var err error
	func() {
		defer func() {
			if e := recover(); e != nil {
				err = fmt.Errorf("panic: %v", e)
			}
		}()
		pkg, err = ctx.Importer.Import(path)
	}()
	switch {
	case err != nil:
		t.Errorf("import %q %s: %v", path, when, err)
	case !pkg.Complete():
		t.Errorf("import %q %s: not complete", path, when)
	case pkg.Name() != bind.Name(path):
		t.Errorf("import %q: name %q, bind.Name says %q", path, pkg.Name(), bind.Name(path))
	}
}

// TestUnbound: a package without a table is not searched for elsewhere.
func TestUnbound(t *testing.T) {
	for _, path := range []string{"log/syslog", "expvar", "plugin", "overcomplete/kernel/bind", "gonum.org/v1/gonum/graph"} {
		if bind.Name(path) != "" {
			t.Errorf("Name(%q) = %q", path, bind.Name(path))
		}
		_, err := run("package main\nimport _ \"" + path + "\"\nfunc Result() string { return \"\" }")
		if err == nil {
			t.Errorf("import %q: no error", path)
		}
	}
}

// TestMethodsTaken checks that programs use as many entry points as the package comment says.
func TestMethodsTaken(t *testing.T) {
	taken := func(src string) int {
		_, before := bind.MethodCapacity()
		if _, err := run(src); err != nil {
			t.Fatal(err)
		}
		_, after := bind.MethodCapacity()
		return after - before
	}
	for src, want := range map[string]int{
		"package main\nfunc Result() string { return \"\" }":                                                                                    0,
		"package main\ntype T struct{}\nfunc (T) A() {}\nfunc (*T) B() {}\nfunc Result() string { T{}.A(); return \"\" }":                       2,
		"package main\nimport \"slices\"\nfunc Result() string { slices.SortFunc([]int{1}, func(a, b int) int { return a - b }); return \"\" }": 1,
	} {
		if got := taken(src); got != want {
			t.Errorf("%d entry points, want %d, for\n%s", got, want, src)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"mat":      "gonum.org/v1/gonum/mat",
		"rand":     "math/rand/v2",
		"template": "text/template",
		"plotter":  "gonum.org/v1/plot/plotter",
		"slices":   "slices",
		"progress": "overcomplete/ui/progress",
	} {
		if got := bind.Paths(name); len(got) == 0 || got[0] != want {
			t.Errorf("Paths(%q) = %q, want %q first", name, got, want)
		}
	}
	if got := bind.Paths("nosuch"); got != nil {
		t.Errorf("Paths(nosuch) = %q", got)
	}
	if got := bind.Name("no/such"); got != "" {
		t.Errorf("Name(no/such) = %q", got)
	}
	if p := bind.Packages(); !slices.IsSorted(p) || len(p) < 130 {
		t.Errorf("%d packages, sorted: %v", len(p), slices.IsSorted(p))
	}
}

// TestDescribed: completion knows exactly those packages that can be imported.
func TestDescribed(t *testing.T) {
	have, can := apidoc.Paths(), bind.Packages()
	for _, path := range can {
		e, ok := apidoc.Lookup(path)
		if path == "time/tzdata" {
			continue // the package has nothing to describe
		}
		if !ok {
			t.Errorf("%s can be imported and is not described", path)
		} else if e.Name != bind.Name(path) {
			t.Errorf("%s is described as package %s, and is %s", path, e.Name, bind.Name(path))
		}
	}
	for _, path := range have {
		if !slices.Contains(can, path) {
			t.Errorf("%s is described and cannot be imported", path)
		}
	}
}

// TestInterpreterComplete: the interpreter's module provides everything that the packages export in this
// version of Go, although the module is older than the newest Go.
func TestInterpreterComplete(t *testing.T) {
	ctx := newContext()
	for _, path := range bind.Packages() {
		if _, ok := apidoc.Lookup(path); !ok || path == "unsafe" || !bind.ViaInterpreter(path) {
			continue
		}
		pkg, err := ctx.Importer.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		want := apidoc.Types(path).Scope()
		for _, name := range want.Names() {
			if want.Lookup(name).Exported() && pkg.Scope().Lookup(name) == nil {
				t.Errorf("%s.%s cannot be used in cells", path, name)
			}
		}
	}
}

func TestMethodCapacity(t *testing.T) {
	if total, used := bind.MethodCapacity(); total < 8192 || used < 0 || used > total {
		t.Errorf("MethodCapacity() = %d, %d", total, used)
	}
}

// Paths lists the possible meanings of an undefined name in a cell.
func ExamplePaths() {
	fmt.Println(bind.Paths("mat"))
	fmt.Println(bind.Name("math/rand/v2"))
	// Output:
	// [gonum.org/v1/gonum/mat]
	// rand
}

func BenchmarkImportPlot(b *testing.B) {
	for range b.N {
		ctx := newContext()
		for _, path := range []string{"gonum.org/v1/plot/plotter", "gonum.org/v1/plot/vg/draw", "gonum.org/v1/gonum/mat"} {
			if _, err := ctx.Importer.Import(path); err != nil {
				b.Fatal(err)
			}
		}
	}
}
