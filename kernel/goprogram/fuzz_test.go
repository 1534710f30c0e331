package goprogram

import (
	"go/format"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

// FuzzWrite: Write turns any cells into a program of formatted Go, or returns an error. The cells are the parts
// of the fuzzed text.
func FuzzWrite(f *testing.F) {
	for _, nb := range cases(f) {
		var cells []string
		for _, c := range nb.Cells {
			if c.Type == notebook.Code {
				cells = append(cells, c.Source)
			}
		}
		f.Add(strings.Join(cells, "\n\x00\n"), false)
	}
	f.Add("x, y := 1, 2\n\x00\nfunc f() int { return x }\n\x00\ny := \"a\"; y", true)
	f.Add("var x, y = 1, 2\n\x00\nfunc f() int { return x }\n\x00\nvar x int; x, z := 1, 2", false)
	f.Fuzz(func(t *testing.T, text string, solution bool) {
		nb := &notebook.Notebook{}
		for i, s := range strings.Split(strings.ToValidUTF8(text, "?"), "\x00") { // JSON stores text in this form
			c := notebook.NewCode(s)
			if solution && i%2 == 1 {
				c.SetTags(tagSolution)
			}
			nb.Cells = append(nb.Cells, c)
		}
		p, err := Write(nb, Options{Name: "fuzz"})
		if err != nil {
			if strings.Contains(err.Error(), "would not be Go") {
				t.Fatalf("%v\n%s", err, text)
			}
			return
		}
		got := p.Files["main.go"]
		if again, err := format.Source(got); err != nil || string(again) != string(got) {
			t.Fatalf("%v, not formatted:\n%s", err, got)
		}
	})
}
