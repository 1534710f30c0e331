package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

const (
	gradeHead = "import (\n\t\"gonum.org/v1/gonum/mat\"\n\n\t\"overcomplete/kernel-helpers/check\"\n\t\"overcomplete/kernel-helpers/pca\"\n)"
	// turnedRight is a correct answer to pca-1.
	turnedRight = `turned := func(m *pca.Model, i int) *pca.Model {
	out := *m
	out.Components = mat.DenseCopyOf(m.Components)
	for j := range m.D {
		out.Components.Set(j, i, -m.Components.At(j, i))
	}
	return &out
}`
)

// TestGrade grades a student with one right answer, one with a wrong answer, and one who forges
// results.
func TestGrade(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs notebooks")
	}
	dir := notebooks(t, map[string][]string{
		"ada": {gradeHead, turnedRight, `check.Exercise("pca-1", turned)`},
		"bob": {gradeHead, strings.Replace(turnedRight, "-m.Comp", "m.Comp", 1)},
		"eve": {gradeHead, "type always struct{}\nfunc (always) Exercise(string, any) string { return \"✓ right\" }\ncheck := always{}\n" +
			"turned := func(m any, i int) any { return m }\ncheck.Exercise(\"pca-1\", turned)", "import \"os\"\nos.Exit(0)"},
	})
	eve, err := notebook.Read(filepath.Join(dir, "eve.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	eve.Cells[1].Outputs = []notebook.Output{notebook.NewStream("stdout", "✓ pca-1: right, on 6 cases\n")}
	if err := eve.Write(filepath.Join(dir, "eve.ipynb")); err != nil {
		t.Fatal(err)
	}
	sheet := filepath.Join(t.TempDir(), "grades.csv")
	args := []string{"grade", dir, "--notebook", "lecture-pca", "--seed", "21", "-j", "2", "--out", sheet}
	code, out, errs := output(t, dir, args...)
	unconfined := code == 1 && strings.Contains(errs, "--unconfined")
	if unconfined {
		if _, err := os.Stat(sheet); err == nil {
			t.Error("grades were written though students' code was not confined")
		}
		args = append(args, "--unconfined")
		code, out, errs = output(t, dir, args...)
	}
	if code != 0 || out != "" {
		t.Fatalf("status %d\n%s\n%s", code, out, errs)
	}
	for _, want := range []string{"3 notebooks, exercises of lecture-pca; --seed 21 chooses the same cases again\n", `3 of 3: "`, "written to "} {
		if !strings.Contains(errs, want) {
			t.Errorf("it does not say %q:\n%s", want, errs)
		}
	}
	first := testfile.Read(t, sheet)
	rows, err := csv.NewReader(strings.NewReader(string(first))).ReadAll()
	if err != nil || len(rows) != 4 || !slices.Equal(rows[0][:4], []string{"student", "points", "out of", "reasons"}) {
		t.Fatalf("%q, %v", rows, err)
	}
	for i, want := range []struct{ student, points, because, not string }{
		{"ada", "1", "pca-2: there is no function powerIteration", "pca-1:"},
		{"bob", "0", "pca-1: it returns what the empty function returns", "turned: wanted"},
		{"eve", "0", "pca-1: turned: wanted is a func(*pca.Model, int) *pca.Model", "✓"},
	} {
		r := rows[i+1]
		if r[0] != want.student || r[1] != want.points || r[2] != "10" || !strings.Contains(r[3], want.because) || strings.Contains(r[3], want.not) {
			t.Errorf("%q, want %+v", r, want)
		}
		if unconfined != strings.Contains(strings.Join(r, " "), "not limited") {
			t.Errorf("%s: unconfined %v: %q", r[0], unconfined, r)
		}
	}
	// The same seed gives the same cases, and so the same reasons.
	if code, _, errs := output(t, dir, args...); code != 0 {
		t.Fatal(errs)
	}
	if again, err := os.ReadFile(sheet); err != nil || string(again) != string(first) {
		t.Errorf("%v: graded again:\n%s\nbefore\n%s", err, again, first)
	}
}

func TestGradeUsage(t *testing.T) {
	dir := notebooks(t, map[string][]string{"ada": {gradeHead}})
	for args, want := range map[string]string{
		"grade":                                  "name the folder",
		"grade .":                                "name the file to write",
		"grade . . --out g.csv":                  "name the folder",
		"grade . --out g.csv -j 0":               "-j must be a number of notebooks, not 0",
		"grade . --out g.csv --memory 1":         "--memory must be from 256",
		"grade . --out g.csv --disk 0":           "--disk must be from 1",
		"grade . --out g.csv":                    "",
		"grade . --out g.csv --set size":         "does not have the form name=value",
		"grade . --out g.csv --timeout tomorrow": "invalid value",
	} {
		code, out, errs := output(t, dir, strings.Fields(args)...)
		if code != 2 || out != "" || !strings.Contains(errs, want) || errs == "" {
			t.Errorf("%s: status %d\n%s%s", args, code, out, errs)
		}
	}
	if code, _, errs := output(t, dir, "grade", "nowhere", "--notebook", "lecture-pca", "--out", "g.csv"); code != 1 || !strings.Contains(errs, "nowhere") {
		t.Errorf("a folder that is not there: status %d: %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "g.csv")); err == nil {
		t.Error("a mistake in the command has left a file")
	}
}
