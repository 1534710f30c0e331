// Package labtest helps to test the papers' laboratories. It opens a lab of the smallest size in a
// temporary folder (Smoke), checks the rows that experiments add (Rows, Verdicts, Want), and tests
// that every experiment ends when it is interrupted and can be run again (Stops). Tests should
// demand only the verdicts that must hold at any size.
package labtest

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel-helpers/gemm"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// Smoke returns a Lab for the given paper, of size smoke, which writes to a temporary folder.
func Smoke(t *testing.T, paper string) lab.Lab {
	t.Helper()
	gemm.Use() // as lab.Open does
	root := t.TempDir()
	if declared, err := os.ReadFile(record.ProtocolName); err == nil { // the protocol of the tested package: its rules hold here too
		folder := filepath.Join(root, "paper", "tested")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, record.ProtocolName), declared, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run, err := record.StartIn(root, paper, record.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	return lab.Lab{Run: run}
}

// NoData hides the data sets of this machine from the test.
func NoData(t *testing.T) {
	t.Helper()
	t.Setenv("OVERCOMPLETE_DATA", "")
}

// Rows ends the run with Finish, which checks that all rows are valid, and returns the rows with the given IDs. It
// checks that each of these rows states a reason, unless its verdict is REPRODUCED or it compares times. It also checks
// that all figures of the run exist and name their experiments.
func Rows(t *testing.T, l lab.Lab, ids ...string) []record.Row {
	t.Helper()
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	for _, f := range l.Results().Figures {
		if _, err := os.Stat(filepath.Join(l.Dir(), f.Name+".png")); err != nil {
			t.Error(err)
		}
		checkMaker(t, f)
	}
	var rows []record.Row
	for _, id := range ids {
		r, ok := l.Results().Row(id)
		if !ok {
			t.Fatalf("no row %s", id)
		}
		if r.Verdict != record.Reproduced && r.Reason == "" && !r.Data.Timed() {
			t.Errorf("%s: no reason for %s (measured %v)", r.ID, r.Verdict, r.Measured)
		}
		rows = append(rows, r)
	}
	return rows
}

var madeIn = regexp.MustCompile(` Made by (\S+), (Lab\.(\w+)) in (\S+\.go)\.$`)

// checkMaker checks that a figure's caption ends with two names: that of the experiment that made the figure, and that
// of a Go file. It also checks that this file declares the experiment. It finds the file because tests run in the
// folder of their package.
func checkMaker(t *testing.T, f record.FigureFile) {
	t.Helper()
	m := madeIn.FindStringSubmatch(f.Caption)
	if m == nil || m[1]+"."+m[2] != f.Origin.Experiment {
		t.Errorf("the figure %s of %s has the caption %q", f.Name, f.Origin.Experiment, f.Caption)
		return
	}
	if code, err := os.ReadFile(m[4]); err != nil || !strings.Contains(string(code), " *Lab) "+m[3]+"(") {
		t.Errorf("the figure %s: %s is not in %s (%v)", f.Name, m[2], m[4], err)
	}
}

// Verdicts ends the run and checks the verdicts of the listed rows. Verdicts of other rows may depend on the size. If a
// row compares times, Verdicts only checks that it was measured, because on a busy machine any time is possible.
func Verdicts(t *testing.T, l lab.Lab, want map[string]record.Verdict) {
	t.Helper()
	for _, r := range Rows(t, l, slices.Sorted(maps.Keys(want))...) {
		timed := r.Data.Timed() && r.Verdict != record.Unknown && want[r.ID] != record.Unknown
		if timed && r.Verdict != want[r.ID] {
			t.Logf("%s: %s (measured %v): a time", r.ID, r.Verdict, r.Measured)
		} else if r.Verdict != want[r.ID] {
			t.Errorf("%s: %s, want %s (measured %v)", r.ID, r.Verdict, want[r.ID], r.Measured)
		}
	}
}

// Want ends the run and checks the verdicts of all rows. The rows in exceptions must have the verdicts given there, and
// all others must be REPRODUCED.
func Want(t *testing.T, l lab.Lab, exceptions map[string]record.Verdict) {
	t.Helper()
	want := map[string]record.Verdict{}
	for _, r := range l.Rows() {
		want[r.ID] = record.Reproduced
	}
	maps.Copy(want, exceptions)
	Verdicts(t, l, want)
}
