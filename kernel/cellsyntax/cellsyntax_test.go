package cellsyntax

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/magic"
)

func TestSplit(t *testing.T) {
	kinds := map[Kind]string{Stmt: "stmt", Import: "import", Decl: "decl", Package: "package"}
	for _, test := range []struct {
		src  string
		want []string // elements have the form "kind: text"
	}{
		{"x := 1\ny := 2", []string{"stmt: x := 1", "stmt: y := 2"}},
		{"x := 1; y := 2;", []string{"stmt: x := 1", "stmt: y := 2"}},
		{"import \"fmt\"\nfmt.Println()", []string{"import: import \"fmt\"", "stmt: fmt.Println()"}},
		{"import (\n\t\"a\"\n\t\"b\"\n)", []string{"import: import (\n\t\"a\"\n\t\"b\"\n)"}},
		{"func f() {}\nfunc (t T) m() {}", []string{"decl: func f() {}", "decl: func (t T) m() {}"}},
		{"func (t T) m[P any, Q ~[]P](x P) (y Q) { return }", []string{"decl: func (t T) m[P any, Q ~[]P](x P) (y Q) { return }"}},
		{"func(x int) L[int] { return nil }(3)", []string{"stmt: func(x int) L[int] { return nil }(3)"}},
		{"func() { f() }()", []string{"stmt: func() { f() }()"}},
		{"func(x int) int { return x }(3)", []string{"stmt: func(x int) int { return x }(3)"}},
		{"func(x int) (int, error) { return x, nil }(3)", []string{"stmt: func(x int) (int, error) { return x, nil }(3)"}},
		{"for i := 0; i < 3; i++ { f(i) }\nx", []string{"stmt: for i := 0; i < 3; i++ { f(i) }", "stmt: x"}},
		{"if v, err := f(); err != nil { g(v) } else if w := h(); w { }\ny", []string{"stmt: if v, err := f(); err != nil { g(v) } else if w := h(); w { }", "stmt: y"}},
		{"for i := func() int { return 0 }(); i < 3; i++ { }", []string{"stmt: for i := func() int { return 0 }(); i < 3; i++ { }"}},
		{"switch x := 1; x { case 1: f(); g() }\nz", []string{"stmt: switch x := 1; x { case 1: f(); g() }", "stmt: z"}},
		{"outer:\nfor i := 0; i < 3; i++ { break outer }\nz", []string{"stmt: outer:\nfor i := 0; i < 3; i++ { break outer }", "stmt: z"}},
		{"type T struct {\n\tA int; B int\n}\nvar t T", []string{"decl: type T struct {\n\tA int; B int\n}", "stmt: var t T"}},
		{"s := `raw\n; text`\n// comment; here\nt", []string{"stmt: s := `raw\n; text`", "stmt: t"}},
		{"x.\n\tMethod().\n\tOther()", []string{"stmt: x.\n\tMethod().\n\tOther()"}},
		{"package main\nx", []string{"package: package main", "stmt: x"}},
		{"const ( a = iota; b )", []string{"decl: const ( a = iota; b )"}},
		{"func g[T any](x T) T { return x }", []string{"decl: func g[T any](x T) T { return x }"}},
		{"if v, ok := map[string]int{\"a\": 1}[\"a\"]; ok { f(v) }\nx", []string{"stmt: if v, ok := map[string]int{\"a\": 1}[\"a\"]; ok { f(v) }", "stmt: x"}},
		{"switch x := struct{a int}{1}; x.a { case 1: }; y", []string{"stmt: switch x := struct{a int}{1}; x.a { case 1: }", "stmt: y"}},
		{"for i := []*p.T{{}, nil}; i[0] != nil; { }; y", []string{"stmt: for i := []*p.T{{}, nil}; i[0] != nil; { }", "stmt: y"}},
		{"for i := (T{1}); i.a[j]; i.b++ { f(); g() }; y", []string{"stmt: for i := (T{1}); i.a[j]; i.b++ { f(); g() }", "stmt: y"}},
		{"", nil},
		{"// only a comment", nil},
		{";;;", nil},
	} {
		var got []string
		for _, c := range Split(test.src) {
			got = append(got, kinds[c.Kind]+": "+test.src[c.Start:c.End])
		}
		if strings.Join(got, "|") != strings.Join(test.want, "|") {
			t.Errorf("Split(%q)\n got %q\nwant %q", test.src, got, test.want)
		}
	}
}

// TestSplitOwn: the functions of the standard library's packages about Go are split as the parser splits them.
func TestSplitOwn(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src/go/*/*.go"))
	if len(paths) == 0 {
		t.Skip("the source of the standard library is not installed")
	}
	for _, path := range paths {
		src := testfile.Read(t, path)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
		if err != nil {
			continue // a file that tests an error
		}
		ast.Inspect(f, func(n ast.Node) bool {
			body, ok := n.(*ast.BlockStmt)
			if !ok {
				return true
			}
			at := func(p token.Pos) int { return fset.Position(p).Offset }
			text := string(src[at(body.Lbrace)+1 : at(body.Rbrace)])
			var want []string
			for _, st := range body.List {
				if _, isCase := st.(*ast.CaseClause); isCase {
					return true
				}
				if _, isCase := st.(*ast.CommClause); isCase {
					return true
				}
				if _, empty := st.(*ast.EmptyStmt); !empty {
					want = append(want, string(src[at(st.Pos()):at(st.End())]))
				}
			}
			var got []string
			for _, c := range Split(text) {
				got = append(got, text[c.Start:c.End])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: split as %q, want %q", fset.Position(body.Pos()), got, want)
			}
			return true
		})
	}
}

func TestParsePositions(t *testing.T) {
	src := "import \"fmt\"\nx := 1\nfunc f() int {\n\treturn 2\n}\n\nfmt.Println(x, f())"
	fset := token.NewFileSet()
	tree, err := Parse(fset, "In[7]", src)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		n    ast.Node
		want string
	}{
		{tree.Imports[0], "In[7]:1:8"},
		{tree.Stmts[0], "In[7]:2:1"},
		{tree.Decls[0], "In[7]:3:1"},
		{tree.Decls[0].(*ast.FuncDecl).Body.List[0], "In[7]:4:2"},
		{tree.Stmts[1], "In[7]:7:1"},
	} {
		if got := fset.Position(test.n.Pos()).String(); got != test.want {
			t.Errorf("position %s, want %s", got, test.want)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for src, want := range map[string]string{
		"x := 1\na := \n":     "c:2:5: expected operand, found the end of the cell",
		"%%time\nf()":         "c:1:1: \"%%time\": a command is not allowed here; this must be Go",
		"$ ls -l":             "c:1:1: \"$ ls -l\": a command is not allowed here; this must be Go",
		"f(1":                 "c:1:2: this ( is never closed",
		"}":                   "c:1:1: this } closes nothing",
		"x := []int{1, 2)":    "c:1:16: this ) does not close the { of line 1",
		"y := 1\nx := := 2":   "c:2:6: expected operand, found ':='",
		"func f() { return 1": "c:1:10: this { is never closed",
	} {
		_, err := Parse(token.NewFileSet(), "c", src)
		list, ok := err.(scanner.ErrorList)
		if !ok {
			t.Errorf("Parse(%q): %v", src, err)
			continue
		}
		if got := list[0].Error(); got != want {
			t.Errorf("Parse(%q): %s, want %s", src, got, want)
		}
	}
}

func TestStatus(t *testing.T) {
	for _, test := range []struct{ src, status, indent string }{
		{"", "complete", ""},
		{"x := 1", "complete", ""},
		{"fmt.Println(1)\n", "complete", ""},
		{"x", "complete", ""},
		{"// comment", "complete", ""},
		{"func f() {}", "complete", ""},
		{"for i := range 3 {", "incomplete", "\t"},
		{"for i := range 3 {\n\tf(i)", "incomplete", "\t"},
		{"if x {\n\tfor {\n\t\tf()", "incomplete", "\t\t"},
		{"if x {\n\tfor {", "incomplete", "\t\t"},
		{"fmt.Println(1,", "incomplete", "\t"},
		{"fmt.Println(1,\n\t2,", "incomplete", "\t"},
		{"fmt.Println(\n\tf(2),", "incomplete", "\t"},
		{"f(func() {\n\tg(", "incomplete", "\t\t"},
		{"if x {\n\tf()\n} else {", "incomplete", "\t"},
		{"if x {\n\tf()\n}\nfor {\n\tif y {\n\t}", "incomplete", "\t"},
		{"fmt.Println(", "incomplete", "\t"},
		{"x := 1 +", "incomplete", "\t"},
		{"x := 1 +\n\ty +", "incomplete", "\t"},
		{"for {\n\tx := 1 +", "incomplete", "\t\t"},
		{"y := 1\nx = y.", "incomplete", "\t"},
		{"x :=", "incomplete", "\t"},
		{"x.", "incomplete", "\t"},
		{"a, ", "incomplete", "\t"},
		{"s := `raw", "incomplete", ""},
		{"s := `raw {", "incomplete", ""},
		{"/* open", "incomplete", ""},
		{"// { in a comment", "complete", ""},
		{"s := \"{ in a string\"", "complete", ""},
		{"r := '{'", "complete", ""},
		{"s := `{ in a raw string`", "complete", ""},
		{"s := \"open", "invalid", ""},
		{"}", "invalid", ""},
		{"f(1))", "invalid", ""},
		{"x := [}", "invalid", ""},
		{"x := := 1", "invalid", ""},
		{"1 2", "invalid", ""},
		{"func f()", "incomplete", ""},
		{"if x", "incomplete", ""},
		{"for i := 0; i < 3; i++", "incomplete", ""},
		{"else", "incomplete", ""},
		{"type T struct {", "incomplete", "\t"},
		{"import (", "incomplete", "\t"},
		{"switch x {\ncase 1:", "incomplete", "\t"},
		{"outer:", "incomplete", "\t"},
		{"x @ y", "invalid", ""},
		// commands
		{"%who", "complete", ""},
		{"%no such", "complete", ""}, // running the cell reports that the command does not exist
		{"$ echo '", "complete", ""},
		{"x := 1\n!ls", "complete", ""},
		{"%time f(", "incomplete", "      \t"}, // aligned with the code
		{"%who\nfor {", "incomplete", "\t"},
		{"%%time", "incomplete", ""},
		{"%%time\nf()", "complete", ""},
		{"%%writefile a.txt\nfor {", "complete", ""},
	} {
		status, indent := Status(test.src)
		if status != test.status || indent != test.indent {
			t.Errorf("Status(%q) = %q, %q, want %q, %q", test.src, status, indent, test.status, test.indent)
		}
	}
}

// FuzzParse checks that no text causes a panic, that chunks do not overlap, and that cells that parse are
// complete.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"x := 1\nfunc f() {}\nf()", "for i := 0; i < 3; i++ { }", "import \"fmt\"", "`", "/*", "func (", "label:", "\xff{", "if func() bool { return true }() {\n}", "type T[P any] struct{}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		end := 0
		for _, c := range Split(src) {
			if c.Start < end || c.End < c.Start || c.End > len(src) {
				t.Fatalf("chunk %v of %q", c, src)
			}
			end = c.End
		}
		_, err := Parse(token.NewFileSet(), "cell", src)
		status, _ := Status(src)
		if err == nil && status == "invalid" {
			t.Fatalf("%q parses, but is %s", src, status)
		}
	})
}

// Absurdly deep types are refused before other code examines them, which would take minutes.
func TestDeepTypes(t *testing.T) {
	deep := func(n int, before, after string) string {
		return strings.Repeat(before, n) + "int" + strings.Repeat(after, n)
	}
	for _, c := range []struct {
		src  string
		good bool
	}{
		{"var x " + deep(100, "[]", ""), true},
		{"var x " + deep(mostTypes, "[]", ""), true},
		{"var x " + deep(mostTypes+1, "[]", ""), false},
		{"var x " + deep(50000, "[]", ""), false},
		{"x := " + deep(1000, "*", ""), false},
		{"type T " + deep(1000, "map[string]", ""), false},
		{"type T " + deep(1000, "struct{ A ", "}"), false},
		{"func f() " + deep(1000, "func() ", "") + " { return nil }", false},
		{"var x " + deep(1000, "G[", "]"), false},
		{"x := []any{" + strings.Repeat("[]int{}, *p, m[k], ", 1000) + "}", true},
		{"x := " + strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000), true},
	} {
		_, err := Parse(token.NewFileSet(), "In[1]", c.src)
		if (err == nil) != c.good || err != nil && !strings.Contains(err.Error(), "nested more than 500 levels deep here") {
			t.Errorf("%.60s...: %v, good %v", c.src, err, c.good)
		}
	}
}

// TestPositions: declarations have their positions in the cell, although each declaration is parsed as a
// separate file.
func TestPositions(t *testing.T) {
	src := byteOrderMark + "x := 1; type A int; type B struct{ é, C int }\n\n// comment\nfunc F() {\n\tG(`\n`) }; func G(s string) {}\nvar (\n\ty = 2\n)\nimport \"fmt\"\nfmt.Println(x)"
	fset := token.NewFileSet()
	tree, err := Parse(fset, "In[1]", src)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range tree.Decls {
		for n := range ast.Preorder(d) {
			id, ok := n.(*ast.Ident)
			if !ok || len(id.Name) > 2 {
				continue
			}
			found++
			at := fset.Position(id.Pos())
			line := strings.Split(src, "\n")[at.Line-1]
			if at.Filename != "In[1]" || !strings.HasPrefix(line[at.Column-1:], id.Name) {
				t.Errorf("%s is said to be at %s", id.Name, at)
			}
		}
	}
	if at := fset.Position(tree.Imports[0].Pos()); found != 8 || at.Line != 10 || at.Column != 8 {
		t.Errorf("%d names, the import at %s", found, at)
	}
}

// MayLackBody may return false only if all functions have a body.
func TestMayLackBody(t *testing.T) {
	for src, want := range map[string]bool{
		"x := 1":                                       false,
		"func f() {}":                                  false,
		"func f() int":                                 true,
		"func f()\nfunc g() {}":                        true,
		"func g() {}\nfunc (t T) f() (a, b int)":       true,
		"func f() struct{}":                            true,
		"func f() struct{} { return struct{}{} }":      false,
		"func f() interface{ M() }":                    true,
		"func f() map[string]struct{ a int }":          true,
		"func f(g func() struct{}) interface{} {\n}":   false,
		"func() { f() }()":                             false,
		"func f() (g func() struct{}) // { }":          true,
		"func f[T any](x T) T { return x }; func h()":  true,
		"x := func() {}\ntype t interface{ f() int }":  false,
		"func f() {\n\tfor range 3 {\n\t}\n}\n\nf()\n": false,
	} {
		if got := MayLackBody(magic.Read(src)); got != want {
			t.Errorf("%q: %v", src, got)
		}
		tree, err := Parse(token.NewFileSet(), "cell", src)
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		lacks := false
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			lacks = lacks || ok && f.Body == nil
		}
		if lacks != want {
			t.Errorf("%q is no good case", src)
		}
	}
}
