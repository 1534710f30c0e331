package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcomplete/paper/record"
	"overcomplete/suite/reach"
)

func TestStages(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	basis, kept := filepath.Join(cache, "basis.mat"), filepath.Join(root, "kept.mat")
	write(t, basis, "1")
	write(t, kept, "1")
	used := []record.Dependency{{Kind: record.UsedFile, Name: filepath.ToSlash(basis)}, {Kind: record.UsedFile, Name: "kept.mat"},
		{Kind: record.UsedFile, Name: filepath.ToSlash(filepath.Join(cache, "none.mat"))}, {Kind: record.UsedData, Name: "mnist"}}
	step := func(hash, target string) *Step {
		return &Step{Target: target, inputs: Inputs{Code: []reach.Part{{File: "learn.go", Decl: "Learn", Hash: hash}}}}
	}
	before, after := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for _, c := range []struct {
		hash, target string
		begin        time.Time
		said         string
	}{
		{"1", "toy-table1", after, ""}, // no code is recorded for the stage
		{"1", "toy-table1", before, ""},
		{"1", "toy-table1", after, ""},
		{"2", "toy-table1", after, "toy-table1 read basis.mat of "},
		{"2", "toy-table2", after, ""},
		{"2", "toy-table1", before, ""}, // made again
		{"2", "toy-table1", after, ""},
	} {
		got := strings.Join(step(c.hash, c.target).stages(used, c.begin), "\n")
		if (got != "") != (c.said != "") || !strings.HasPrefix(got, c.said) || got != "" && !strings.Contains(got, "code changed: learn.go") {
			t.Errorf("%+v: said %q", c, got)
		}
	}
	if _, err := os.Stat(kept + codeSuffix); err == nil {
		t.Error("a file under version control was noted")
	}
}
