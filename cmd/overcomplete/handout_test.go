package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// lesson writes a notebook with an exercise and its solution. Its cells would leave a file if they
// ran.
func lesson(t *testing.T, dir, name string, cells ...*notebook.Cell) (path string) {
	t.Helper()
	cell := func(id, kind, source string, tags ...string) *notebook.Cell {
		c := &notebook.Cell{ID: id, Type: kind, Source: source, Metadata: map[string]any{}}
		c.SetTags(tags...)
		if kind == notebook.Code {
			c.ExecutionCount, c.Outputs = 1, []notebook.Output{notebook.NewStream("stdout", "shown\n")}
		}
		return c
	}
	path = filepath.Join(dir, name)
	nb := &notebook.Notebook{Metadata: map[string]any{}, Cells: append([]*notebook.Cell{
		cell("imports", notebook.Code, "import \"os\"\nos.WriteFile(\"ran\", nil, 0o600)"),
		cell("question", notebook.Markdown, "**1.** Turn an axis.", "exercise"),
		cell("answer", notebook.Code, "turned := func(m *pca.Model, i int) *pca.Model { return m }", "exercise"),
		cell("secret", notebook.Code, "the solution", "solution"),
		cell("why", notebook.Markdown, "Because of the solution.", "solution"),
	}, cells...)}
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHandout(t *testing.T) {
	dir := t.TempDir()
	try := notebook.NewCode(`check.Exercise("pca-1", turned)`)
	try.ID = "try"
	path := lesson(t, dir, "lesson.ipynb", try)
	lesson(t, dir, "plain.ipynb")
	before := testfile.Read(t, path)
	for _, c := range []struct {
		args, file string // names of the files written
		ids        string
		outputs    bool
	}{
		{"lesson.ipynb", "handout/lesson.ipynb", "imports question answer try", true},
		{"lesson.ipynb --outputs no", "handout/lesson.ipynb", "imports question answer try", false},
		{"--solutions yes lesson.ipynb --out all.ipynb", "all.ipynb", "imports question answer secret why try", true},
		{"lesson.ipynb plain.ipynb --out class/", "class/plain.ipynb", "imports question answer", true},
		{"--nbgrader lesson.ipynb --out graded.ipynb", "graded.ipynb", "imports question answer try", true},
	} {
		code, out, errs := output(t, dir, append([]string{"handout"}, strings.Fields(c.args)...)...)
		if code != 0 || errs != "" || !strings.Contains(out, "written to "+filepath.FromSlash(c.file)+"\n") {
			t.Errorf("%s: status %d\n%s%s", c.args, code, out, errs)
			continue
		}
		nb, err := notebook.Read(filepath.Join(dir, filepath.FromSlash(c.file)))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, x := range nb.Cells {
			ids = append(ids, x.ID)
		}
		if got := strings.Join(ids, " "); got != c.ids || (len(nb.Cells[0].Outputs) > 0) != c.outputs {
			t.Errorf("%s: cells %s, outputs %v", c.args, got, nb.Cells[0].Outputs)
		}
		grader := map[string]any{}
		if i := slices.IndexFunc(nb.Cells, func(x *notebook.Cell) bool { return x.ID == "try" }); i >= 0 {
			grader, _ = nb.Cells[i].Metadata["nbgrader"].(map[string]any)
		}
		if graded := grader["grade"] == true && grader["locked"] == true; graded != strings.Contains(c.args, "--nbgrader") {
			t.Errorf("%s: nbgrader's metadata of the test are %v", c.args, grader)
		}
	}
	for args, want := range map[string]string{
		"handout":                                   "name at least one notebook",
		"handout lesson.ipynb --outputs maybe":      `yes or no, not "maybe"`,
		"handout lesson.ipynb plain.ipynb --out to": "with several notebooks, --out must be a folder",
	} {
		if code, out, errs := output(t, dir, strings.Fields(args)...); code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d\n%s%s", args, code, out, errs)
		}
	}
	for args, want := range map[string]string{
		"handout lesson.ipynb --out lesson.ipynb": "is the notebook itself, which would lose its solutions",
		"handout --nbgrader plain.ipynb":          "nbgrader would have nothing to grade",
		"handout missing.ipynb":                   "missing.ipynb",
	} {
		if code, out, errs := output(t, dir, strings.Fields(args)...); code != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d\n%s%s", args, code, out, errs)
		}
	}
	// If one notebook is unreadable, the others are still written.
	if err := os.RemoveAll(filepath.Join(dir, "handout")); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := output(t, dir, "handout", "missing.ipynb", "plain.ipynb"); code != 1 {
		t.Errorf("a missing notebook among others: status %d", code)
	}
	if _, err := os.Stat(filepath.Join(dir, "handout", "plain.ipynb")); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the lecturer's notebook has changed (%v)", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a cell has run")
	}
}
