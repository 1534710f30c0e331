package links

import (
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

// The links in the project's texts lead to existing files and headings.
func TestProject(t *testing.T) {
	const root = "../.."
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "docs/kernel.md", "paper/README.md", "notebooks/s3c.ipynb"} {
		if !slices.Contains(files, name) {
			t.Errorf("%s is not looked at", name)
		}
	}
	faults, err := Broken(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

func TestBroken(t *testing.T) {
	root := t.TempDir()
	testfile.WriteAll(t, root, map[string]string{
		"a.md":              "# A `b` c\n[x](docs/b.md#two-words-1) [self](#a-b-c) [gone](gone.md) ![p](p%20q.png) [h](docs/b.md#three) `[code](no)`\n```\n[fenced](no)\n```\n[web](https://example.org/x) [t]({{.X}}) [out](../x)\n",
		"docs/b.md":         "# Two words\n## Two words\n[up](../a.md) [folder](../docs) [code](../c.go#L3)\n```\n# Three\n```\n",
		"n.ipynb":           `{"cells": [{"cell_type": "code", "source": ["[no](no)"]}, {"cell_type": "markdown", "source": ["# N\n", "[x](docs/b.md#two-words) [y](docs/no.md) ` + "`docs/b.md` `docs/n.go`" + `"]}]}`,
		"c.go":              "",
		"p q.png":           "",
		"testdata/c.md":     "[no](no)",
		"figures/run/d.md":  "[no](no)",
		"docs/run/figs.txt": "",
	})
	faults, err := Broken(root)
	if err != nil {
		t.Fatal(err)
	}
	want := "a.md: gone.md: there is no gone.md\na.md: docs/b.md#three: docs/b.md has no such heading\na.md: ../x leads out of the project\nn.ipynb: there is no docs/n.go\nn.ipynb: docs/no.md: there is no docs/no.md"
	if got := strings.Join(faults, "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
