package ixengine

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/internal/randprog"
	"overcomplete/kernel/internal/regcode"
)

// Code gets faster during a session: the interpreter runs a function's first two calls, register code runs
// the third, and a loop that has run for a while becomes native. The behavior must not change. A Level forces
// one of these ways from the first call on; the tests here go through all the steps, as in a session.

// warm starts code as in a session, but makes loops native earlier.
var warm = Level{"warm", func() { fast, regcode.Hot = true, 40 }}

// timesWarm is the number of runs of a program: the first two runs are in the interpreter, the next runs as
// register code, and the last runs with native loops.
const timesWarm = 6

// compareWarm runs a program several times in a session, and compares its output with want.
func compareWarm(t *testing.T, cells []string, want string) {
	t.Helper()
	if got := printedBy(t, warm, cells); got != want {
		t.Errorf("warm: %s", firstDifference(want, got))
	}
}

// programsOf returns the programs in a folder of testdata, and their names.
func programsOf(t *testing.T, folder string) (names, sources []string) {
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimSuffix(filepath.Base(name), ".go"))
		sources = append(sources, string(text))
	}
	return names, sources
}

// compiledOutput returns the output of randprog.Compiled for the programs with these names and sources.
func compiledOutput(t *testing.T, names, sources []string) []string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: there is nothing to compare programs with")
	}
	want, err := randprog.Compiled(sources)
	if e := (*randprog.ProgramError)(nil); errors.As(err, &e) {
		t.Fatalf("%s: %v", names[e.Index], err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// TestPrograms compares the programs in testdata/programs with compiled Go: at every level, and repeatedly in
// one session.
func TestPrograms(t *testing.T) {
	patience.SkipShort(t, "it runs programs again and again, at each level")
	if !alone(t) {
		return
	}
	names, sources := programsOf(t, "programs")
	var cells [][]string
	for i, src := range sources {
		program, list := randprog.Again(src, timesWarm)
		sources = append(sources, program)
		names, cells = append(names, names[i]), append(cells, list)
	}
	want := compiledOutput(t, names, sources)
	for i := range cells {
		t.Run(names[i], func(t *testing.T) {
			for _, layout := range []randprog.Layout{randprog.OneCell, randprog.TwoCells} {
				if d := differs(t, sources[i], layout, want[i]); d != nil {
					t.Errorf("%s, %s: %s", d.level.Name, d.layout, firstDifference(d.want, d.got))
				}
			}
			compareWarm(t, cells[i], want[len(cells)+i])
		})
	}
}
