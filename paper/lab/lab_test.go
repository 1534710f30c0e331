package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/record"
)

func TestLab(t *testing.T) {
	root := t.TempDir()
	run, err := record.StartIn(root, "test-paper", record.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := Lab{run}
	f := figure.New("A line", "x", "y").Lines("it", []float64{0, 1}, []float64{0, 1}).By("paper/lab, TestLab")
	l.Save("line", "A caption.", f)
	l.Row(record.Row{ID: "a", What: "a row", Measured: record.Number(1, ""), Rule: record.AtLeast(1), Data: record.Generated("one"), Figure: "line"})
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "figures", "run", "test-paper")
	b, err := os.ReadFile(filepath.Join(dir, record.FileName))
	if err != nil || !strings.Contains(string(b), "A caption. Made by paper/lab, TestLab.") {
		t.Errorf("%v\n%s", err, b)
	}
	if _, err := os.Stat(filepath.Join(dir, "line.png")); err != nil {
		t.Error(err)
	}

	bad := errors.New("bad")
	for name, call := range map[string]func(){
		"Check": func() { Check(bad) },
		"Row":   func() { l.Row(record.Row{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
	Check(nil)
}
