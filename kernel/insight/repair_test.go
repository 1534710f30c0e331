package insight

import (
	"go/parser"
	"go/token"
	"testing"
)

// TestClosing: with the added text, unfinished statements parse.
func TestClosing(t *testing.T) {
	for src, want := range map[string]string{
		"x":                                  "",
		"f(a, b[c":                           "])",
		"if x":                               "{}",
		"if x := f(y":                        ");true{}",
		"if x := f(); x.y":                   "{}",
		"if x {\n\tf(":                       ")}",
		"if x {\n} else if y":                "{}",
		"for i := 0":                         ";;{}",
		"for i := 0; i < n":                  ";{}",
		"for i := 0; i < n; i += f(x":        "){}",
		"for x":                              "{}",
		"for _, x := range xs":               "{}",
		"for _, x := range []int{1, x":       "}{}",
		"for _, x := range map[a]b{c":        "}{}",
		"for f := func() { x":                "};;{}",
		"switch x":                           "{}",
		"switch x := y":                      ";{}",
		"switch x := y; x {\ncase z":         ":}",
		"switch x {\ncase 1:\n\tf(y":         ")}",
		"select {\ncase x := <-y":            ":}",
		"go f.x":                             "()",
		"defer f(x":                          ")",
		"defer func() { x":                   "}()",
		"x := func(a b":                      ")",
		"x := func(a b) { for {\n\tif c":     "{}}}",
		"x := T{a: 1, b":                     "}",
		"x := []T{{a: b":                     "}}",
		"x := [n":                            "]int",
		"x := map[k":                         "]int",
		"x := a[k":                           "]",
		"var x map[string]T":                 "",
		"x.(T":                               ")",
		"l:\n\tfor {\n\t\tbreak l":           "}",
		"x := struct{ a b":                   "}",
		"if x == (struct{}{}) && f(y":        "){}",
		"ch <- x":                            "",
		"return x":                           "",
		"x, y = y, x":                        "",
		"switch v := x.(type) {\ncase T":     ":}",
		"func() { x }()\nif y":               "{}",
		"if func() bool { return x }() && y": "{}",
		"for {\n\tx := 1; if y":              "{}}",
	} {
		got := closing(src)
		if got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", "package p;func f(){"+src+got+"\n}", parser.SkipObjectResolution); err != nil {
			t.Errorf("%q: %v", src+got, err)
		}
	}
	for src, want := range map[string]string{
		"func f(a b": ")", "func f() b": "", "type T struct { a b": "}", "type T interface { f(a b": ")}",
		"const (\n\ta = b": ")", "func f() { if x": "{}}", "func f[T a": "]()",
	} {
		if got := closing(src); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		name, prefix string
		how, skipped int
	}{
		{"NewDense", "", exactly, 0},
		{"NewDense", "NewD", exactly, 0},
		{"NewDense", "newd", nearly, 0},
		{"NewDense", "ND", byHumps, 0},
		{"NewDense", "nd", byHumps, 0},
		{"NewDense", "NeDe", byHumps, 0},
		{"NewBandDense", "ND", byHumps, 1},
		{"NewBandDense", "nbd", byHumps, 0},
		{"NewDense", "ew", notAtAll, 0},
		{"NewDense", "D", notAtAll, 0},
		{"HTTPServer", "hs", byHumps, 0},
		{"snake_case_name", "scn", byHumps, 0},
		{"größerAls", "größa", byHumps, 0},
		{"x", "xy", notAtAll, 0},
	} {
		if how, skipped := match(test.name, test.prefix); how != test.how || skipped != test.skipped {
			t.Errorf("%s for %s: %d, %d, want %d, %d", test.name, test.prefix, how, skipped, test.how, test.skipped)
		}
	}
}

// TestKeywords: all of Go's keywords are described.
func TestKeywords(t *testing.T) {
	n := 0
	for tok := token.BREAK; tok <= token.VAR; tok++ {
		n++
		if k := keywords[tok.String()]; k.form == "" || k.doc == "" {
			t.Errorf("%s is not described", tok)
		}
	}
	if n != len(keywords) {
		t.Errorf("%d keywords, want %d", len(keywords), n)
	}
}
