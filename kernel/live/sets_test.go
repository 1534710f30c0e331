package live

import (
	"slices"
	"testing"

	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
	_ "overcomplete/kernel/internal/bindings"
	"overcomplete/kernel/notebook"
)

func TestSmallest(t *testing.T) {
	for _, c := range []struct {
		imports []string
		want    string
	}{
		{nil, "base"},
		{[]string{"fmt", "network/x", "gonum.org/v1/plot/vg"}, "base"},
		{[]string{"fmt", "net/http"}, "full"},
		{[]string{"net"}, "full"},
		{[]string{"gonum.org/v1/plot/vg/vgpdf"}, "full"},
		{[]string{module.Package("kernel-helpers/frame")}, "full"},
		{[]string{"crypto/sha256", "encoding/json", "os", "regexp", "image/png", "compress/gzip"}, "base"},
	} {
		if got := Smallest(c.imports).Name; got != c.want {
			t.Errorf("%q: %s, not %s", c.imports, got, c.want)
		}
	}
	if _, err := Named("small"); err == nil {
		t.Error("there is a set called small")
	}
	if s, err := Named("full"); err != nil || s.Leaves("net/http") {
		t.Error(s, err)
	}
}

// TestOut: all packages that a set leaves out exist.
func TestOut(t *testing.T) {
	for _, s := range Sets {
		for _, out := range s.Out {
			one := Set{Out: []string{out}}
			if !slices.ContainsFunc(bind.Packages(), one.Leaves) && !module.Has(out) {
				t.Errorf("the set %s leaves out %s, which no kernel has", s.Name, out)
			}
		}
	}
}

func TestImports(t *testing.T) {
	a := &notebook.Notebook{Cells: []*notebook.Cell{
		notebook.NewCode("import (\n\t\"fmt\"\n\tm \"math\"\n)\nfmt.Println(m.Pi)"),
		notebook.NewCode("import \"" + module.Package("kernel-helpers/widget") + "\""),
		{Type: notebook.Markdown, Source: "import \"os\""},
	}}
	b := &notebook.Notebook{Cells: []*notebook.Cell{notebook.NewCode("import \"fmt\"\nnot Go"), notebook.NewCode("x := `import \"net\"`")}}
	got := Imports(a, b)
	for _, want := range []string{"fmt", "math"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %s", got, want)
		}
	}
	if slices.Contains(got, "os") || slices.Contains(got, "net") || !slices.IsSorted(got) {
		t.Errorf("%q", got)
	}
}
