package cellsyntax

import (
	"go/ast"
	"go/token"
	"testing"

	"overcomplete/kernel/magic"
)

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
