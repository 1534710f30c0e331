package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/notebook"
)

// TestPair follows a notebook and its text through edits of both.
func TestPair(t *testing.T) {
	dir := t.TempDir()
	p, err := newPair(filepath.Join(dir, "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		{ID: "a", Type: notebook.Code, Source: "x := 1", ExecutionCount: 1, Outputs: []notebook.Output{{"output_type": "stream", "name": "stdout", "text": "1\n"}}},
		{ID: "b", Type: notebook.Markdown, Source: "text"},
	}}
	if err := nb.Write(p.notebook); err != nil {
		t.Fatal(err)
	}
	write := func(to, want string) {
		t.Helper()
		var out bytes.Buffer
		err := p.write(&out, to)
		got := out.String()
		if err != nil {
			got += err.Error()
		}
		if got = strings.ReplaceAll(got, dir+string(filepath.Separator), ""); !strings.HasPrefix(got, want) || !strings.HasSuffix(want, " ") && strings.TrimSpace(got) != want {
			t.Fatalf("to %q: %q, want %q", to, got, want)
		}
	}
	read := func(path string) string {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	age := func(path string, by time.Duration) {
		t.Helper()
		when := time.Now().Add(-by)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	first := read(p.notebook)
	write("ipynb", "open a.go: ") // and the system's own words
	write("", "a.go: written")
	write("go", "a.ipynb and a.go are the same")
	write("", "a.ipynb and a.go are the same")
	if read(p.notebook) != first {
		t.Error("the notebook was written")
	}

	// The text is edited, with a new cell.
	text := read(p.text)
	edited := strings.Replace(text, "x := 1", "x := 2", 1) + "\n// %%\nx\n"
	os.WriteFile(p.text, []byte(edited), 0o600)
	age(p.notebook, time.Hour)
	write("", "a.ipynb: written: cells changed 1, new 1, gone 0")
	n, err := notebook.Read(p.notebook)
	if err != nil || len(n.Cells) != 3 || n.Cells[0].Source != "x := 2" || len(n.Cells[0].Outputs) != 1 || n.Cells[0].ExecutionCount != 1 {
		t.Fatalf("%v, %+v", err, n)
	}
	// The notebook is edited.
	n.Cells = n.Cells[:1]
	if err := n.Write(p.notebook); err != nil {
		t.Fatal(err)
	}
	age(p.text, time.Hour)
	write("", "a.go: written")
	if got := read(p.text); got != strings.Replace(text[:strings.Index(text, "\n// %% [markdown]")], "x := 1", "x := 2", 1) {
		t.Errorf("the text is\n%s", got)
	}

	// A text with the line ends of Windows keeps them.
	os.WriteFile(p.text, []byte(strings.ReplaceAll(read(p.text), "\n", "\r\n")), 0o600)
	write("", "a.ipynb and a.go are the same")

	// Who is newer is not known, the text is faulty, and there is another file of this name.
	os.WriteFile(p.text, []byte("// %% id=a\nx := 3\n"), 0o600)
	when := time.Now()
	os.Chtimes(p.text, when, when)
	os.Chtimes(p.notebook, when, when)
	write("", "a.ipynb and a.go differ and are equally old: say which one to write, --to go or --to ipynb")
	write("go", "a.go is no text of a notebook, and would be overwritten: move it away first")
	before := read(p.notebook)
	os.WriteFile(p.text, []byte("package a\n"), 0o600)
	write("ipynb", `a.go: line 1: "package a" is in no cell: a line // %% above it begins one`)
	if read(p.notebook) != before {
		t.Error("the notebook was written")
	}

	os.Remove(p.notebook)
	os.WriteFile(p.text, []byte(edited), 0o600)
	write("", "a.ipynb: written, without outputs")
	if err := os.WriteFile(p.text, []byte(read(p.text)+"\n//%% id=c\ny := 2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write("ipynb", "a.go: line ") // not a cell, which is told
	for _, c := range []struct{ path, to, want string }{
		{"a.go", "go", "a.go is what --to go writes, from a.ipynb: "},
		{"a.ipynb", "ipynb", "a.ipynb is what --to ipynb writes, from a.go: "},
		{"a.ipynb", "go", ""}, {"a.go", "ipynb", ""}, {"a.go", "", ""}, {"a.ipynb", "", ""},
	} {
		p, err := newPair(c.path)
		if err == nil {
			err = p.from(c.path, c.to)
		}
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && !strings.HasPrefix(got, c.want) {
			t.Errorf("%s to %q: %s, want %q", c.path, c.to, got, c.want)
		}
	}
	if _, err := newPair("a.txt"); err == nil {
		t.Error("a.txt is taken for a pair")
	}
}
