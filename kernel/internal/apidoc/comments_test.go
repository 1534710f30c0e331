package apidoc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	long := strings.Repeat("Some words of a paragraph.\n\n", 1000)
	if got := short(long); len(got) > longestDoc+20 || !strings.HasSuffix(got, "paragraph.\n\n(and more)") {
		t.Errorf("%d bytes, ending %q", len(got), got[len(got)-30:])
	}
	if got := short("short\n"); got != "short" {
		t.Errorf("%q", got)
	}
}

// TestComments: each kind of symbol has its comment, and symbols without a comment are omitted.
func TestComments(t *testing.T) {
	const src = `// Package p is documented.
package p

// T is a type.
type T struct {
	A int // behind
	// above
	B int
	C int
}

// M is a method.
func (t *T) M() {}

// I is an interface.
type I interface {
	// N must be called.
	N()
}

// F is a function.
func F() T { return T{} }

// The group.
const (
	X = 1 // one
	Y = 2
)

// V is a variable.
var V = 3

type bare struct{}

// Promoted is a method of every E.
func (bare) Promoted() {}

type middle struct{ bare }

// E is a type.
type E struct{ middle }
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Comments("example.com/p", fset, []*ast.File{f})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"": "Package p is documented.", "T": "T is a type.", "T.A": "behind", "T.B": "above", "T.M": "M is a method.",
		"I": "I is an interface.", "I.N": "N must be called.", "F": "F is a function.", "X": "one", "Y": "The group.", "V": "V is a variable.",
		"E": "E is a type.", "E.Promoted": "Promoted is a method of every E.",
	}
	for symbol, text := range want {
		if got[symbol] != text {
			t.Errorf("%s: %q, want %q", symbol, got[symbol], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d comments: %v", len(got), got)
	}
}
