package lineage

import (
	"fmt"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

// names returns the names in a Use, sorted, without predeclared names.
func names(m map[string]int) string {
	list := slices.Sorted(maps.Keys(m))
	list = slices.DeleteFunc(list, func(s string) bool { return types.Universe.Lookup(s) != nil })
	return strings.Join(list, " ")
}

func TestRead(t *testing.T) {
	for _, test := range []struct{ src, declares, reads, assigns string }{
		{"", "", "", ""},
		{"x := 1", "x", "", ""},
		{"x := x + y", "x", "x y", ""},
		{"x := 1\nz := x", "x z", "", ""},
		{"x = 1\nfmt.Println(x)", "", "fmt", "x"},
		{"if ok { x = 1 }\nfmt.Println(x)", "", "fmt ok x", "x"},
		{"x += y", "", "x y", "x"},
		{"x++", "", "x", "x"},
		{"a.b[i].c = 1", "", "a i", "a"},
		{"*p, q = 1, 2", "", "p", "p q"},
		{"for i := range n { s += i }", "", "n s", "s"},
		{"for i = range n {}", "", "n", "i"},
		{"for i := 0; i < n; i++ { i := i; f(i) }", "", "f n", ""},
		{"if v, err := f(); err != nil { g(v) }\nv", "", "f g v", ""},
		{"switch v := x.(type) { case *T: v.M(); case U: }", "", "T U x", ""},
		{"select { case v := <-c: f(v); default: }", "", "c f", ""},
		{"outer:\nfor { break outer }", "", "", ""},
		{"func f(a int) int { return a + g(b) }", "f", "", ""},
		{"f := func(a, b int) (c int) { c = a; d = b; return }", "f", "", "d"},
		{"type T struct { A U; B map[K]V }\nfunc (t *T) M() {}", "T T.M", "", ""},
		{"const (\n\ta = iota\n\tb\n)", "a b", "", ""},
		{"var a, b = c, 1", "a b", "c", ""},
		{"import \"fmt\"\nimport m \"math\"\nfmt.Println(m.Pi)", "fmt m", "", ""},
		{"import \"gopkg.in/yaml.v3\"\nyaml.Marshal(x)", "yaml", "x", ""},
		{"T{A: a, B: []U{{C: c}}, D: map[string]int{k: 1}}", "", "T U a c k", ""},
		{"m := map[P]Q{{X: 1}: {Y: y}}", "m", "P Q y", ""},
		{"[]int{n: 1}", "", "n", ""},
		{"delete(m, k)\ncopy(a[1:], b)", "", "a b k m", "a m"},
		{"copy := 1\nx[copy]", "copy", "x", ""},
		{"func init() { x = y }", "", "y", "x"},
		{"func init() { a = y; b[0] = len(a); x = b[0] }\nvar a []int\nvar b = make([]int, 3)", "a b", "y", "x"},
		{"func f()", "", "", ""},
		{"package main\nfunc main() { f() }", "main", "main", ""},
		{"%params a=1 b=\"x\"", "", "", "a b"},
		{"%time y := f(x)\ny", "y", "f x", ""},
		{"%timeit y := f(x)", "", "f x", ""},
		{"%%native\nimport \"math\"\nfunc f() float64 { return math.Pi }", "f", "", ""},
		{"$ ls\nx", "", "x", ""},
		{"x, err := f()\nif err != nil { panic(err) }", "x err", "f", ""},
		{"f[int](x)\ng[A, B](y)", "", "A B f g x y", ""},
		{"go f(x); defer g(y); c <- z", "", "c f g x y z", ""},
		{"x[1:n] = y", "", "n x y", "x"},
	} {
		c, err := Read(test.src)
		if err != nil {
			t.Errorf("%q: %v", test.src, err)
			continue
		}
		if got := [3]string{strings.Join(c.Declares(), " "), names(c.Statements.Reads), names(c.Statements.Assigns)}; got != [3]string{test.declares, test.reads, test.assigns} {
			t.Errorf("%q: %q", test.src, got)
		}
	}
}

// The names that a declaration uses are attributed to the declaration.
func TestDecls(t *testing.T) {
	for src, want := range map[string]string{
		"func f(a int, b T) (c U) { a, x = g(a), b; h := a; return V{h: h} }":   "T U V g|x",
		"func (s *Stack[E]) Push(e E) { s.list = append(s.list, e); n++ }":      "Stack n|n",
		"func m[K comparable, V any](x map[K]V, f func(K, V) W) {}":             "W|",
		"type T[E I] struct { E; next *T[E]; f func(a A) B }":                   "A B I T|",
		"type I interface { J; M(a A) }":                                        "A J|",
		"const a, b = c, len(d)":                                                "c d|",
		"func f() { type L struct{ x X }; var l L; _ = l; const k = K; _ = k }": "K X|",
	} {
		c, err := Read(src)
		if err != nil || len(c.Decls) != 1 {
			t.Errorf("%q: %v %v", src, c, err)
			continue
		}
		d := c.Decls[0]
		if got := names(d.Reads) + "|" + names(d.Assigns); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
		if c.Shows {
			t.Errorf("%q shows something", src)
		}
	}
}

// Comments and layout do not change a declaration's text.
func TestText(t *testing.T) {
	text := func(src string) string {
		c, err := Read(src)
		if err != nil {
			t.Fatal(err)
		}
		return c.Decls[0].Text
	}
	a, b := text("func f() int {\n\treturn 1\n}"), text("x := 1\n\n// f is.\nfunc f() int { // one\n\n\n\treturn    1 }")
	if a != b {
		t.Errorf("%q, %q", a, b)
	}
	if a == text("func f() int { return 2 }") {
		t.Error("another function has the same text")
	}
}

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		cells []string
		want  string
	}{
		"in order":              {[]string{"import \"fmt\"\nx := 1", "fmt.Println(x)"}, ""},
		"nowhere":               {[]string{"fmt.Println(\n\tx)"}, "0 fmt:1 [] 0 x:2 []"},
		"below":                 {[]string{"f(1)", "func f(int) {}", "func f(int) {}"}, "0 f:1 [1 2]"},
		"below in a function":   {[]string{"func g() { f() }", "func f() {}"}, "0 f:1 [1]"},
		"further down":          {[]string{"y := x\nx := 1"}, "0 x:1 [0]"},
		"a function's variable": {[]string{"func f() int { return x }\nx := 1\nf()"}, ""},
		"an import below code":  {[]string{"fmt.Println()\nimport \"fmt\""}, ""},
		"assigned first":        {[]string{"x = 1\nx := 2"}, "0 x:1 [0]"},
		"a receiver":            {[]string{"func (t T) M() {}", "type T int"}, "0 T:1 [1]"},
		"given":                 {[]string{"display.HTML(``)"}, ""},
		"dot":                   {[]string{"import . \"math\"\nSqrt(x)"}, "0 x:2 []"},
		"the language's":        {[]string{"len(string(append([]byte(nil), 1)))"}, ""},
		"only formatted":        {[]string{"%fmt\nx := y", "x"}, "1 x:1 []"},
		"no cell":               {[]string{"-", "x := 1", "-", "x"}, ""},
	} {
		var cells []*Cell
		for _, src := range test.cells {
			if src == "-" {
				cells = append(cells, nil)
				continue
			}
			c, err := Read(src)
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, c)
		}
		var got []string
		for _, m := range Check(cells, "display") {
			got = append(got, fmt.Sprintf("%d %s:%d %v", m.Cell, m.Name, m.Line, m.Below))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %q, want %q", name, s, test.want)
		}
	}
}

// The project's notebooks use only names that a cell above declares.
func TestNotebooks(t *testing.T) {
	files, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		nb, err := notebook.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		var cells []*Cell
		for _, c := range nb.Cells {
			var read *Cell
			if c.Type == notebook.Code {
				if read, err = Read(c.Source); err != nil {
					t.Errorf("%s: %s: %v", file, c.ID, err)
				}
			}
			cells = append(cells, read)
		}
		for _, m := range Check(cells, "display", "Display") {
			t.Errorf("%s: cell %d (%s) line %d: %s is not declared above; below in %v", file, m.Cell+1, nb.Cells[m.Cell].ID, m.Line, m.Name, m.Below)
		}
	}
}

// No text makes Read panic, and every name has a line that exists in the text.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"x := 1", "func f[T any](x T) { y = x }", "%timeit x", "%%native\nfunc f() {}", "for i := range T{a: {b}} {}", "var (", "$ x\nimport . \"a\"",
		"type T struct{ a, b int }\nfunc (T) m() {}", "select {case a, b = <-c:}", "package p", "%params a=1\n%reset b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		c, err := Read(src)
		if err != nil {
			return
		}
		last := strings.Count(src, "\n") + 1
		uses := []Use{c.Statements}
		for _, d := range c.Decls {
			uses = append(uses, d.Use)
		}
		for _, u := range uses {
			for _, m := range []map[string]int{u.Reads, u.Assigns} {
				for name, line := range m {
					if line < 1 || line > last {
						t.Errorf("%s is on line %d of %d", name, line, last)
					}
				}
			}
		}
		Check([]*Cell{c, nil, c})
	})
}

// BenchmarkRead measures the time to analyze a cell, which is spent in each run of the cell.
func BenchmarkRead(b *testing.B) {
	for name, src := range map[string]string{
		"empty": "", "statements": "x := 1\ny := x * 2\n",
		"function": "func f(a []float64) float64 {\n\ts := 0.0\n\tfor _, v := range a {\n\t\ts += v\n\t}\n\treturn s\n}\nf([]float64{1, 2, 3})",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
