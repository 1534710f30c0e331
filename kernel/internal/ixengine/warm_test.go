package ixengine

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

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

// programsOf returns the programs in an archive of testdata, and their names.
func programsOf(t *testing.T, archive string) (names, sources []string) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive+".txtar"))
	if err != nil || len(a.Files) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, f := range a.Files {
		names = append(names, strings.TrimSuffix(f.Name, ".go"))
		sources = append(sources, string(f.Data))
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

// TestPrograms compares the programs in testdata/programs.txtar with compiled Go: at every level, and repeatedly in
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
