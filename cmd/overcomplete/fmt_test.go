package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
)

func TestFmt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ipynb")
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		{ID: "a", Type: notebook.Code, Source: "x:=1\n$ ls  -l", ExecutionCount: 1},
		{ID: "b", Type: notebook.Code, Source: "x :="},
		{ID: "c", Type: notebook.Markdown, Source: "x:=1"},
		{ID: "d", Type: notebook.Code, Source: "x := 1", Outputs: []notebook.Output{{"output_type": "stream", "name": "stdout", "text": "1  \n"}}},
	}}
	nb.Metadata = map[string]any{"overcomplete": map[string]any{"ran": map[string]any{"a": headless.SourceSum(nb.Cells[0].Source), "d": "other"}}}
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	run := func(f formatter) (out, faults string, ok bool) {
		var o, e bytes.Buffer
		f.out, f.err = &o, &e
		ok = f.notebook(path)
		return o.String(), e.String(), ok
	}
	const named = ", cell 2: left as it is: cell:1:5: expected operand, found the end of the cell\n"
	out, faults, ok := run(formatter{names: true})
	if out != path+"\n" || faults != path+named || ok {
		t.Errorf("-l: %q, %q, %v", out, faults, ok)
	}
	if out, _, _ := run(formatter{diff: true}); out != "--- "+path+", cell 1\n+++ formatted\n-x:=1\n+x := 1\n $ ls  -l\n" {
		t.Errorf("-d: %q", out)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("-l or -d wrote the notebook")
	}
	run(formatter{names: true, write: true})
	after, _ := os.ReadFile(path)
	want := strings.Replace(string(before), "x:=1\\n\",\n    \"$", "x := 1\\n\",\n    \"$", 1)
	want = strings.Replace(want, headless.SourceSum(nb.Cells[0].Source), headless.SourceSum("x := 1\n$ ls  -l"), 1)
	if string(after) != want {
		t.Errorf("written:\n%s\nwant\n%s", after, want)
	}
	if out, _, _ := run(formatter{names: true, write: true}); out != "" {
		t.Errorf("formatted twice: %q", out)
	}
}

func TestLineDiff(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"a", "a", ""},
		{"a", "b", "-a\n+b\n"},
		{"", "x", "-\n+x\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nx\n6\n7\n8\n9", " 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n ...\n"},
	} {
		if got := lineDiff(test.a, test.b); got != test.want {
			t.Errorf("%q, %q: %q, want %q", test.a, test.b, got, test.want)
		}
	}
}

// The project's own notebooks are formatted.
func TestNotebooksFormatted(t *testing.T) {
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	var out, errs bytes.Buffer
	f := formatter{names: true, out: &out, err: &errs}
	for _, path := range paths {
		f.notebook(path)
	}
	if out.Len()+errs.Len() > 0 {
		t.Errorf("run overcomplete fmt on\n%s%s", &out, &errs)
	}
}
