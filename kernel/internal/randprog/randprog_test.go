package randprog

import (
	"strings"
	"testing"

	"overcomplete/internal/patience"
)

// TestPrograms type-checks programs.
func TestPrograms(t *testing.T) {
	patience.SkipShort(t, "it type-checks a hundred random programs")
	c := NewChecker()
	var all strings.Builder
	for seed := range uint64(patience.Rounds(100)) {
		p := New(seed, Options{})
		if q := New(seed, Options{}); q != p {
			t.Fatalf("seed %d gives two programs", seed)
		}
		if err := c.Check(p.Source); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Source)
		}
		all.WriteString(p.Source)
	}
	for _, what := range []string{
		"fallthrough", "goto again", "continue far", "break far", "defer func", "recover()", "append(", "copy(", "clear(", "delete(",
		".pure", "sort.Slice(", "slices.SortFunc(", ":= range I1(", "M1(", "<-", "map[", "switch y", "math.Sqrt", "complex(",
		"+= ", "<<= ", "&^", "uintptr(", "[]func()", "var m", "string(rune",
	} {
		if !strings.Contains(all.String(), what) {
			t.Errorf("no program has %s", what)
		}
	}
}

// TestShrink shrinks a program to the smallest program that still prints one of its lines.
func TestShrink(t *testing.T) {
	patience.SkipShort(t, "it makes a random program smaller, and runs each on the way")
	c := NewChecker()
	const mark = "\"the fault\""
	src := strings.Replace(New(3, Options{}).Source, "func Run() {", "func Run() {\nfor i := range 9 {\nif i > 3 {\nfmt.Println("+mark+", i)\n}\n}", 1)
	small := c.Shrink(src, 3000, func(s string) bool { return strings.Contains(s, mark) })
	if err := c.Check(small); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(small, mark) || strings.Count(small, "\n") > 14 {
		t.Errorf("from %d bytes to %d:\n%s", len(src), len(small), small)
	}
}

func TestCells(t *testing.T) {
	const src = "package main\n\nimport \"fmt\"\n\nvar G0 = 1\n\nfunc Run() {\n\tx := G0\n\t_ = x\n\tfmt.Println(x)\n}\n"
	for _, c := range []struct {
		layout Layout
		want   string
	}{
		{OneCell, "import \"fmt\"\n\nvar G0 = 1\n\nfunc Run() {\n\tx := G0\n\t_ = x\n\tfmt.Println(x)\n}\n\nRun()"},
		{TwoCells, "import \"fmt\"\n\nvar G0 = 1\n\nfunc Run() {\n\tx := G0\n\t_ = x\n\tfmt.Println(x)\n}|Run()"},
		{Statements, "import \"fmt\"\nvar G0 = 1|x := G0\n_ = x|fmt.Println(x)"},
	} {
		cells := Cells(src, c.layout)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if got := strings.Join(cells, "|"); got != c.want {
			t.Errorf("%v: %q, want %q", c.layout, got, c.want)
		}
	}
}

// TestConcurrent type-checks programs with goroutines.
func TestConcurrent(t *testing.T) {
	patience.SkipShort(t, "it type-checks hundreds of random programs")
	c := NewChecker()
	var all strings.Builder
	for seed := range uint64(200) {
		p := NewConcurrent(seed)
		if q := NewConcurrent(seed); q != p {
			t.Fatalf("seed %d gives two programs", seed)
		}
		if err := c.Check(p.Source); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Source)
		}
		all.WriteString(p.Source)
	}
	for _, what := range []string{
		"sync.WaitGroup", ".Go(func", "go F", "select {", "default:", "time.After(", "sync.Mutex", "sync.RWMutex", "sync.Cond", "sync.Pool", "sync.Map",
		"sync.OnceValue(", "atomic.Pointer[", "atomic.Add", "context.AfterFunc(", "context.WithTimeout(", "iter.Pull(", "runtime.Goexit()", "recover()",
	} {
		if !strings.Contains(all.String(), what) {
			t.Errorf("no program has %s", what)
		}
	}
}
