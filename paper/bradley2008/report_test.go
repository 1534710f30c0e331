package bradley2008

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// fullLab returns a lab of full size with empty digits.
func fullLab(t *testing.T) *Lab {
	t.Helper()
	run, err := record.StartIn(t.TempDir(), Paper, record.Full, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &Lab{sharedState: sharedState{Lab: lab.Lab{Run: run}}, digits: &Digits{TestPixels: mat.NewDense(1, Side*Side, nil), Data: record.Real("MNIST")}}
}

// A line about a stage goes to standard error if that is a terminal or a file, but not to a pipe, because the
// pipe may be that of a notebook.
func TestSay(t *testing.T) {
	l := fullLab(t)
	old := os.Stderr
	defer func() { os.Stderr = old }()

	name := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = f
	l.say("stage %d", 7)
	f.Close()
	if b, _ := os.ReadFile(name); !strings.HasSuffix(string(b), " stage 7\n") {
		t.Errorf("the file has %q", b)
	}

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = w
	l.say("stage %d", 7)
	w.Close()
	if b, _ := io.ReadAll(r); len(b) > 0 {
		t.Errorf("the pipe has %q", b)
	}
}

// The rows contain the statements of section 6.3.1 about the digits, at full size and below.
func TestTable2Prose(t *testing.T) {
	e := func(test ...float64) (out []Errors) {
		for _, x := range test {
			out = append(out, Errors{Test: x})
		}
		return out
	}
	l := fullLab(t)
	prose := func(r *Table2Result) { (&table2{scheduler{trainer{l}}, r}).prose() }
	prose(&Table2Result{Sizes: Sizes[:], L1: e(7, 6, 5, 4, 4), KL: e(6, 5, 4, 3, 2.4)})
	rows := l.Rows()
	if r := rows[0]; r.Measured.Number != 40 || r.Verdict != record.Reproduced {
		t.Errorf("%s: %v, %s", r.ID, r.Measured, r.Verdict)
	}
	if r := rows[1]; r.Measured.Number != 784 || r.Verdict != record.NotReproduced {
		t.Errorf("%s: %v, %s", r.ID, r.Measured, r.Verdict)
	}
	l = fullLab(t)
	l.digits.Data = record.Generated("digits")
	prose(&Table2Result{Sizes: []int{500, 2000}, L1: e(7, 6), KL: e(6, 5)})
	for _, r := range l.Rows() {
		if r.Verdict != record.Unknown || !r.Measured.IsZero() {
			t.Errorf("%s: %v, %s on generated digits", r.ID, r.Measured, r.Verdict)
		}
	}
}
