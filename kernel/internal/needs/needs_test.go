package needs

import (
	"fmt"
	"strings"
	"testing"

	"overcomplete/kernel/magic"
)

func describe(n Needs) string {
	var parts []string
	for _, c := range n.Gets {
		parts = append(parts, "get "+c.Args)
	}
	for _, c := range n.LaterGets {
		parts = append(parts, "later "+c.Args)
	}
	for _, i := range n.Imports {
		parts = append(parts, fmt.Sprintf("%s %d:%d", i.Path, i.Line, i.Col))
	}
	for _, i := range n.Native {
		parts = append(parts, fmt.Sprintf("native %s %d:%d", i.Path, i.Line, i.Col))
	}
	for _, path := range n.Source {
		parts = append(parts, "source "+path)
	}
	return strings.Join(parts, "; ")
}

func TestOf(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"x := 1", ""},
		{`s := "import \"a/b\""`, ""},
		{"// import \"a\"\nimportant := 2", ""},
		{`import "a/b"`, "a/b 1:8"},
		{"x := 1\nimport (\n\tu \"a.b/c\"\n\t. `d`\n\t_ \"e\" // and\n)\nx", "a.b/c 3:4; d 4:4; e 5:4"},
		{`import "a"; import "b"`, "a 1:8; b 1:20"},
		{"%%time\nimport \"a\"\na.F()", "a 2:8"},
		{"%%timeit -n 3\nx := 1; import \"a\"", "a 2:16"},
		{"$ echo 'it\nimport \"a\"", "a 2:8"},
		{"!ls \"\nimport \"a\"\n%who\nimport \"b\"", "a 2:8; b 4:8"},
		{"%get a.b/c@v1 d.e/f\n\n// text\n%get -u g.h/i\nimport \"a.b/c\"\n%get late", "get a.b/c@v1 d.e/f; get -u g.h/i; later late; a.b/c 5:8"},
		{"%env A=b\n%get a.b/c\n%time x := 1\n%get d", "get a.b/c; later d"},
		{"%%native\nimport \"a.b/c\"\nfunc f() {}", "native a.b/c 2:8"},
		{"%mod source a.b/c d.e/f\nimport (\"a.b/c\"; \"g.h/i\")", "g.h/i 2:18; source a.b/c; source d.e/f"},
		{"%mod tidy", ""},
		{"%%writefile x.go\npackage x\nimport \"a\"", ""},
		{"import 5\nimport \"a\"", "a 2:8"},
		{"import \"a", ""},
		{"%nosuch\nimport \"a\"", ""},
		{"package main\n\nimport \"a\"\n\nfunc main() {}", "a 3:8"},
		{"func f() { import \"a\" }", ""},
		{"ü := 1; import \"a\"", "a 1:17"},
	} {
		if got := describe(Of(magic.Read(test.src), nil)); got != test.want {
			t.Errorf("%q needs %q, want %q", test.src, got, test.want)
		}
	}
}

func TestWhole(t *testing.T) {
	for src, want := range map[string]bool{
		"import \"a\"\na.F()": true, "import \"a\"\na.F(": false, "%%time\nx := ": false, "%nosuch\nx": false,
		"%%native\nnot checked here": true, "%get a\nx := 1\n$ ls )": true,
	} {
		if got := Whole(magic.Read(src), nil); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}

// FuzzOf checks that the positions of imports are positions in the cell.
func FuzzOf(f *testing.F) {
	f.Add("import \"a\"\nx")
	f.Add("%get a\n%%native\nimport (`b`)")
	f.Add("$ 'x\nimport . \"c\"; y")
	f.Fuzz(func(t *testing.T, src string) {
		n := Of(magic.Read(src), nil)
		lines := strings.Split(src, "\n")
		for _, i := range append(n.Imports, n.Native...) {
			if i.Line < 1 || i.Line > len(lines) || i.Col < 1 || i.Col > len(lines[i.Line-1]) {
				t.Fatalf("%q: %+v", src, i)
			}
			if c := lines[i.Line-1][i.Col-1]; c != '"' && c != '`' {
				t.Fatalf("%q: %+v is at %q", src, i, c)
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	for name, src := range map[string]string{
		"none":   strings.Repeat("x := f(1, 2, 3)\n", 100),
		"import": "import (\n\t\"fmt\"\n\t\"math\"\n)\n" + strings.Repeat("x := f(1, 2, 3)\n", 20),
	} {
		text := magic.Read(src)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Of(text, nil)
			}
		})
	}
}
