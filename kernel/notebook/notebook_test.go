package notebook

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/internal/testfile"
)

// testdata/jupyter.ipynb was written by nbformat 5.5.0 (Python). It contains everything that nbformat treats
// specially: line separators, control characters, JSON and binary MIME types, attachments, numbers.
func TestRoundTrip(t *testing.T) {
	want := testfile.Read(t, "testdata/jupyter.ipynb")
	n, err := Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("not the same bytes:\n%s", got)
	}
	c := n.Cells[3]
	if c.ID != "c1" || c.ExecutionCount != 3 || !c.Tagged("parameters") || c.Source != "x := \"\\t\\\"\"\nx" {
		t.Errorf("cell %+v", c)
	}
	if got := c.Outputs[0].Text(); !strings.HasPrefix(got, "a\nb\x1b[31m\x00") {
		t.Errorf("text of the stream: %q", got)
	}
	if got := c.Outputs[2].Text(); got != "é" {
		t.Errorf("text of the result: %q", got)
	}
}

func TestUpgrade(t *testing.T) {
	n, err := Read("testdata/v40.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range n.Cells {
		if !validID.MatchString(c.ID) || seen[c.ID] {
			t.Errorf("id %q", c.ID)
		}
		seen[c.ID] = true
	}
	if n.Cells[2].ID != "kept" {
		t.Errorf("id kept became %q", n.Cells[2].ID)
	}
	a, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{`"nbformat_minor": 5`, "    \"a\\n\",\n    \"b\"\n"} {
		if !bytes.Contains(a, []byte(s)) {
			t.Errorf("no %s in\n%s", s, a)
		}
	}
	for _, s := range []string{"trusted", "signature"} {
		if bytes.Contains(a, []byte(s)) {
			t.Errorf("%s was kept", s)
		}
	}
	m, _ := Read("testdata/v40.ipynb")
	if b, _ := m.Bytes(); !bytes.Equal(a, b) {
		t.Error("reading twice gives different bytes")
	}
	validate(t, a)
}

// nbformat is the path of a Python that has the package nbformat, or "".
var nbformat = sync.OnceValue(func() string { return pyenv.Python("nbformat", pyenv.FrontEnds) })

// validate validates b with Jupyter's own library, if the library is installed.
func validate(t *testing.T, b []byte) {
	t.Helper()
	if patience.Short() {
		t.Log("short: not validated by Python's nbformat")
		return
	}
	python := nbformat()
	if python == "" {
		t.Log("not validated: Python's nbformat is not installed")
		return
	}
	path := filepath.Join(t.TempDir(), "n.ipynb")
	testfile.Write(t, path, b)
	const script = `import sys, nbformat
s = open(sys.argv[1], encoding='utf-8', newline='').read()
n = nbformat.reads(s, 4)
nbformat.validate(n)
sys.exit(nbformat.writes(n) + '\n' != s and 'nbformat writes it otherwise')`
	if out, err := exec.Command(python, "-c", script, path).CombinedOutput(); err != nil {
		t.Errorf("nbformat: %v\n%s", err, out)
	}
}

func TestOutputs(t *testing.T) {
	d, err := NewResult(2, map[string]any{
		"text/plain": "a\nb", "image/png": []byte("hello"), "image/svg+xml": []byte("<svg>\n</svg>"),
		"application/json":       map[string]any{"f": 1.0, "g": 1e-5, "h": 2.5, "i": 7, "z": math.Copysign(0, -1)},
		"application/vnd.x+json": []int{1}, "text/html": 5,
	}, map[string]any{"image/png": map[string]any{"width": 3}})
	if err != nil {
		t.Fatal(err)
	}
	n := &Notebook{Cells: []*Cell{{Type: Code, Source: "x", ExecutionCount: 2, Outputs: []Output{
		NewStream("stdout", "x\ny\n"), d, NewError("Panic", "boom", []string{"a", "b"}), NewError("Panic", "boom", nil),
	}}, NewCode("")}}
	b, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"f": 1,`, `"g": 1e-05,`, `"h": 2.5,`, `"z": 0`, `"image/png": "aGVsbG8=\n"`, `"width": 3`} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
	validate(t, b)
	if _, err := NewDisplay(map[string]any{"application/json": make(chan int)}, nil); err == nil {
		t.Error("a channel was accepted as JSON")
	}
	if _, err := NewDisplay(nil, map[string]any{"x": math.NaN()}); err == nil {
		t.Error("NaN was accepted in metadata")
	}
}

func TestBad(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "not JSON"},
		{"{\n\n x", "line 3"},
		{"[]", "an array instead of a notebook"},
		{`"text"`, "a string instead of a notebook"},
		{"7", "a number instead of a notebook"},
		{`{"nbformat": 99, "nbformat_minor": 0}`, "cannot read format 99, only format 4: the file comes from a newer program"},
		{"null", "null"},
		{"{}", "no nbformat"},
		{`{"nbformat": 3, "nbformat_minor": 0}`, "format 3"},
		{`{"nbformat": 4}`, "nbformat_minor"},
		{`{"nbformat": 4, "nbformat_minor": 5}`, "cells"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": 1}`, "metadata"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": []} x`, "after the end"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{"cell_type":"code"}, 1]}`, "cell 2"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{}]}`, "cell_type"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{"cell_type":"code","source":1}]}`, "source"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{"cell_type":"code","source":[1]}]}`, "source"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{"cell_type":"code","outputs":[1]}]}`, "output 1"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{"cell_type":"code","outputs":{}}]}`, "outputs"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{"cell_type":"code","execution_count":"1"}]}`, "execution_count"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{"cell_type":"code","outputs":[{"output_type":"stream","text":1}]}]}`, "text"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [{"cell_type":"code","outputs":[{"output_type":"display_data","data":1}]}]}`, "data"},
		{`{"nbformat": 4, "nbformat_minor": 5, "cells": [], "x": ` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, "nested"},
	} {
		if _, err := Parse([]byte(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %s", c.in, err, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	// The expected values are results of Python's str.splitlines(True).
	for in, want := range map[string][]any{
		"": {}, "a": {"a"}, "a\n": {"a\n"}, "a\n\nb": {"a\n", "\n", "b"}, "a\r\nb\rc": {"a\r\n", "b\r", "c"},
		"a\u2028b\u0085c\vd\fe\x1cf": {"a\u2028", "b\u0085", "c\v", "d\f", "e\x1c", "f"}, "\n\r": {"\n", "\r"},
	} {
		if got := Lines(in); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "n.ipynb"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here")
	}
	n := &Notebook{Cells: []*Cell{NewCode("1")}}
	if err := n.Write(link); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := Read(path); err != nil {
		t.Error(err)
	}
	bad := &Notebook{Metadata: map[string]any{"x": func() {}}}
	before, _ := os.ReadFile(path)
	if bad.Write(path) == nil {
		t.Error("a function was written")
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a failed write changed the file")
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files, want 2", len(files))
	}
	if err := n.Write(dir); err == nil {
		t.Error("a folder was overwritten")
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/jupyter.ipynb", "testdata/v40.ipynb"} {
		f.Add(testfile.Read(f, name))
	}
	f.Add([]byte(`{"nbformat":4,"nbformat_minor":5,"cells":[{"cell_type":"code","attachments":{"a":{"b":["c"]}},"outputs":[{"output_type":"x"}]}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		n, err := Parse(in)
		if err != nil {
			return
		}
		a, err := n.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(a)
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, a)
		}
		b, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("written twice:\n%s\n%s", a, b)
		}
	})
}

func Example() {
	n := &Notebook{Cells: []*Cell{NewCode("1 + 1")}}
	b, err := n.Bytes()
	fmt.Print(string(b), err)
	// Output:
	// {
	//  "cells": [
	//   {
	//    "cell_type": "code",
	//    "execution_count": null,
	//    "id": "cd9bd36d",
	//    "metadata": {},
	//    "outputs": [],
	//    "source": [
	//     "1 + 1"
	//    ]
	//   }
	//  ],
	//  "metadata": {},
	//  "nbformat": 4,
	//  "nbformat_minor": 5
	// }
	// <nil>
}

// The parameters changed for a run are stored in the file without affecting other metadata, and can be removed.
func TestChanged(t *testing.T) {
	want := &ParameterChanges{Cell: "a", Values: map[string]string{"size": `"full"`, "seed": "2"}}
	for _, metadata := range []map[string]any{nil, {"overcomplete": map[string]any{"ran": map[string]any{"a": "0"}}, "x": "y"}} {
		n := &Notebook{Metadata: metadata}
		n.SetChanged(want)
		b, err := n.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		read, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := read.Changed(); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
		read.SetChanged(nil)
		own := read.Metadata["overcomplete"].(map[string]any)
		if read.Changed() != nil || own["changed"] != nil || metadata != nil && (own["ran"] == nil || read.Metadata["x"] != "y") {
			t.Errorf("taken out: %v", read.Metadata)
		}
	}
	for _, own := range []any{nil, 1, map[string]any{}, map[string]any{"changed": 1}, map[string]any{"changed": map[string]any{"values": map[string]any{"size": 1}}}} {
		if got := (&Notebook{Metadata: map[string]any{"overcomplete": own}}).Changed(); got != nil {
			t.Errorf("%v: read as %+v", own, got)
		}
	}
	(&Notebook{}).SetChanged(nil)
}

func TestLock(t *testing.T) {
	n := &Notebook{}
	if n.Lock() != nil {
		t.Error("a lock in no metadata")
	}
	n.SetLock(nil)
	if n.Metadata != nil {
		t.Errorf("metadata %v", n.Metadata)
	}
	l := Lock{Mod: "module m\n", Sum: "a\nb\n"}
	n.SetLock(&l)
	b, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Lock(); got == nil || *got != l {
		t.Errorf("%+v", got)
	}
	m.SetChanged(&ParameterChanges{Cell: "c", Values: map[string]string{"n": "1"}})
	m.SetLock(nil)
	if m.Lock() != nil || m.Changed() == nil {
		t.Error("SetLock(nil) removes more or less than the lock")
	}
}
