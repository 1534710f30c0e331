package kernel

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

// TestCacheCommand: %%cache takes variables from the file if, and only if, a run of the cell would give the same
// values.
func TestCacheCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(k *Kernel, src string) string {
		t.Helper()
		return executed(k, "In[1]", src, context.Background())
	}
	const setting = `import ("fmt"; "os"; "gonum.org/v1/gonum/mat")
	type fit struct { W *mat.Dense; loss []float64; byName map[string]int; next *fit; Of any }
	func train(n int) *fit { f := &fit{W: mat.NewDense(1, 2, []float64{float64(n), 2}), loss: []float64{1, 0.5}, byName: map[string]int{"a": n}, Of: mat.NewVecDense(1, nil)}; f.next = f; fmt.Println("trained"); return f }
	n := 3
	`
	const cell = "%%cache fit.cache\nm, count := train(n), n\nvar err error\nfmt.Sprint(m.W.At(0, 0), m.loss, m.byName, m.next == m, m.Of, err, count)"
	const shown = "3 [1 0.5] map[a:3] true"
	ran := func(got string) bool { return strings.Contains(got, "trained") }
	check := func(k *Kernel, src string, wantRun bool, want string) {
		t.Helper()
		if got := run(k, src); ran(got) != wantRun || !strings.Contains(got, want) {
			t.Fatalf("%s\nran: %v, want %v with %q; got:\n%s", src, ran(got), wantRun, want, got)
		}
	}
	k := open(t)
	run(k, setting)
	check(k, cell, true, shown)
	check(k, cell, false, shown)
	check(k, cell, false, "fit.cache has count, err, m, kept on ")
	if got := run(k, "m.W.Set(0, 0, 9); m.W.At(0, 0)"); !strings.Contains(got, "9") {
		t.Error("what was read cannot be used:", got)
	}
	// Another session, with the variables in other places.
	k.Close()
	k = open(t)
	run(k, setting)
	run(k, "m := 1")
	check(k, cell, false, shown)
	// Another value, another function, another text.
	run(k, "n = 4")
	check(k, cell, true, "map[a:4]")
	check(k, cell, false, "map[a:4]")
	run(k, strings.Replace(setting, "0.5", "0.25", 1)+"n = 4")
	check(k, cell, true, "[1 0.25]")
	check(k, strings.Replace(cell, "m.Of", "m.Of == nil", 1), true, "false")
	// An input file.
	os.WriteFile("in.csv", []byte("1"), 0o644)
	const reads = "%%cache read.cache in.csv\ntext, err := os.ReadFile(\"in.csv\")\nfmt.Println(\"trained\")\nstring(text)"
	check(k, reads, true, "1")
	check(k, reads, false, "1")
	os.WriteFile("in.csv", []byte("2"), 0o644)
	check(k, reads, true, "2")
	// What cannot be kept truthfully.
	for _, src := range []string{
		"f := func() int { fmt.Println(\"trained\"); return 1 }",
		"n++\nq := n",
		"m.loss[0]++\nq := m.loss[0]",
		"part := m.loss[:1]",
		"f, err := os.Open(\"in.csv\")",
		"go func() { select {} }()\nq := 1",
		"fmt.Println(1)",
		"q := any(fit{})",
	} {
		for range 2 {
			if got := run(k, "%%cache other.cache\n"+src); !strings.Contains(got, "not kept: ") {
				t.Errorf("%s\n%s", src, got)
			}
		}
		run(k, "%goroutines stop")
	}
	if _, err := os.Stat("other.cache"); err == nil {
		t.Error("a file was written")
	}
	// A file that the command has not written, and one that is damaged.
	if got := run(k, "%%cache in.csv\nq := 1"); !strings.Contains(got, "was not written by %%cache") {
		t.Error(got)
	}
	data := testfile.Read(t, "fit.cache")
	data[len(data)-1]++
	os.WriteFile("fit.cache", data, 0o644)
	if got := run(k, cell); !strings.Contains(got, "fit.cache is damaged") {
		t.Error(got)
	}
	if got := run(k, "%%cache "+filepath.Join("no", "where")+"\nq := 1"); !strings.Contains(got, "does not exist") {
		t.Error(got)
	}
	// A cell that fails.
	if got := run(k, "%%cache fails.cache\nq := []int{}[n]"); !strings.Contains(got, "out of range") || strings.Contains(got, "kept") {
		t.Error(got)
	}
}
