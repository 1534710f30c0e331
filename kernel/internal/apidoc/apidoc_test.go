package apidoc

import (
	"bytes"
	"fmt"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSize: the archives are small enough to be embedded in every binary.
func TestSize(t *testing.T) {
	entries, err := own.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 2<<20 {
		t.Errorf("the archives have %d bytes", size)
	}
}

// TestArchives: the archives for a version are its own archive, or the archive of the nearest earlier version,
// followed by api.zip. The oldest version has api.zip alone.
func TestArchives(t *testing.T) {
	names := []string{"api.zip", "api_go127.zip", "api_go129.zip"}
	for minor, want := range map[int]string{26: "api.zip", 27: "api_go127.zip api.zip", 28: "api_go127.zip api.zip", 31: "api_go129.zip api.zip"} {
		if got := strings.Join(Archives(names, minor), " "); got != want {
			t.Errorf("go1.%d reads %s, want %s", minor, got, want)
		}
	}
}

// TestAll reads the whole archive.
func TestAll(t *testing.T) {
	list := Paths()
	if len(list) < 140 || !slices.IsSorted(list) {
		t.Fatalf("%d paths, sorted: %v", len(list), slices.IsSorted(list))
	}
	for _, path := range list {
		e, ok := Lookup(path)
		pkg := Types(path)
		if !ok || pkg == nil || !pkg.Complete() || pkg.Name() != e.Name {
			t.Errorf("%s: entry %v, package %v", path, e, pkg)
			continue
		}
		first, _, _ := strings.Cut(path, "/")
		isStd := !strings.Contains(first, ".")
		if isStd && (Doc(path, "") == "" || e.Synopsis == "") {
			t.Errorf("%s has no package comment", path)
		}
		if !slices.Contains(Named(e.Name), path) {
			t.Errorf("%s is not among the packages named %s", path, e.Name)
		}
		// Each symbol is a name in the package.
		for symbol := range docs(path) {
			top, _, _ := strings.Cut(symbol, ".")
			if symbol != "" && pkg.Scope().Lookup(top) == nil && !(path == "unsafe" && strings.HasSuffix(top, "Type")) {
				t.Errorf("%s: comment of %s, which is not there", path, symbol)
			}
		}
	}
}

func TestDoc(t *testing.T) {
	for _, test := range []struct{ path, symbol, want string }{
		{"gonum.org/v1/gonum/mat", "NewDense", "NewDense creates a new Dense matrix"},
		{"gonum.org/v1/gonum/mat", "Dense.Mul", "Mul takes the matrix product"},
		{"gonum.org/v1/gonum/mat", "Matrix.Dims", "Dims returns the dimensions"},
		{"net/http", "Client.Timeout", "Timeout specifies a time limit"},
		{"net/http", "StatusNotFound", "RFC 9110"},
		{"math", "Pi", "https://oeis.org/A000796"},
		{"slices", "SortFunc", "SortFunc sorts the slice"},
		{"unsafe", "Pointer", "Pointer represents a pointer"},
		{"fmt", "Println", "Println formats"},
		{"fmt", "", "Package fmt implements"},
		{Builtin, "append", "The append built-in function"},
		{Builtin, "nil", "nil is a predeclared identifier"},
		{Builtin, "error", "The error built-in interface type"},
	} {
		if got := Doc(test.path, test.symbol); !strings.Contains(got, test.want) {
			t.Errorf("%s.%s: %q, want %q in it", test.path, test.symbol, got, test.want)
		}
	}
	for _, path := range []string{"fmt", "go/ast", "", "../x"} {
		if got := Doc(path, "NoSuch"); got != "" {
			t.Errorf("%s.NoSuch: %q", path, got)
		}
	}
}

func TestTypes(t *testing.T) {
	f := Types("gonum.org/v1/gonum/mat").Scope().Lookup("NewDense").(*types.Func)
	var names []string
	for v := range f.Signature().Params().Variables() {
		names = append(names, v.Name())
	}
	if got := strings.Join(names, " "); got != "r c data" {
		t.Errorf("the parameters of NewDense are %s", got)
	}
	if pkg := Types("no/such"); pkg != nil {
		t.Errorf("no/such is %v", pkg)
	}
}

// TestMissing: exports that a package's table cannot have, and that no source patch adds, are listed.
func TestMissing(t *testing.T) {
	if e, _ := Lookup("database/sql"); !slices.Contains(e.Missing, "Null") {
		t.Errorf("database/sql lacks %v", e.Missing)
	}
	if e, _ := Lookup("strings"); len(e.Missing) > 0 {
		t.Errorf("strings lacks %v", e.Missing)
	}
}

// Several packages have this name; the usual meaning comes first.
func ExampleNamed() {
	fmt.Println(Named("rand")[0], Named("template")[0])
	// Output: math/rand/v2 text/template
}

// TestDelta: Delta describes any text, and the description is short if little has changed.
func TestDelta(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefgh"[rng.IntN(8)]
		}
		return b
	}
	for range 200 {
		old := text(rng.IntN(3000))
		data := bytes.Clone(old)
		edits := rng.IntN(5)
		for range edits {
			at := rng.IntN(len(data) + 1)
			to := min(len(data), at+rng.IntN(40))
			data = bytes.Join([][]byte{data[:at], text(rng.IntN(40)), data[to:]}, nil)
		}
		d := Delta(old, data)
		if got, err := Patch(old, d); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%q is not %q: %v", got, data, err)
		}
		if len(d) > 200*edits+100 {
			t.Errorf("%d bytes for %d edits", len(d), edits)
		}
	}
	for _, d := range [][]byte{nil, {5}, {0}, {0, 1}, {0, 1, 200}, {0, 200, 0}, {0, 1, 0}} {
		if got, err := Patch([]byte("abc"), d); err == nil && len(got) > 0 {
			t.Errorf("%v: %q", d, got)
		}
	}
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte("an older text of some length"), Delta([]byte("an older text of some length"), []byte("a newer text of some length")))
	f.Fuzz(func(t *testing.T, old, delta []byte) { _, _ = Patch(old, delta) })
}
