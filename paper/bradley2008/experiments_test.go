package bradley2008

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

// smokeLab returns a lab in a temporary folder, without real data.
func smokeLab(t *testing.T) *Lab {
	t.Helper()
	labtest.NoData(t)
	l, err := New(record.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	l.Lab = labtest.Smoke(t, Paper)
	return l
}

// finish ends the run and checks that the rows with these IDs are REPRODUCED.
func finish(t *testing.T, l *Lab, reproduced ...string) {
	t.Helper()
	for _, r := range labtest.Rows(t, l.Lab, reproduced...) {
		if r.Verdict != record.Reproduced {
			t.Errorf("%s: %v (measured %v)", r.ID, r.Verdict, r.Measured)
		}
	}
}

func TestInferenceAndGradients(t *testing.T) {
	l := smokeLab(t)
	l.Atoms()
	l.Decomposition(0)
	l.Inference()
	l.Gradients()
	finish(t, l, "own-inference", "gradient-squared", "gradient-doubled", "gradient-softmax")
	if r, ok := l.Results().Row("gradient-of-section-3"); !ok || r.Verdict != record.NotReproduced || math.Abs(r.Measured.Number-2) > 1e-6 {
		t.Errorf("section 3's loss without its ½: %v, %v", r.Measured, r.Verdict)
	}
}

// No experiment may need more training sets than the data can supply, at any size, with or without real data.
func TestDrawsFit(t *testing.T) {
	for _, size := range []string{record.Smoke, record.Lecture, record.Full} {
		for _, data := range []record.Data{record.Generated("digits"), record.Real("MNIST")} {
			if data.Generated && size == record.Full || !data.Generated && size == record.Smoke {
				continue // full has no generated digits, smoke no real ones
			}
			t.Run(size+" "+data.String(), func(t *testing.T) {
				run, err := record.StartIn(t.TempDir(), Paper, size, 1)
				if err != nil {
					t.Fatal(err)
				}
				l := &Lab{sharedState: sharedState{Lab: lab.Lab{Run: run}}}
				train, validation, test := (digitReader{&l.sharedState}).counts()
				if data.Generated {
					train, validation, test = (digitReader{&l.sharedState}).generatedCounts()
				}
				part := func(n int) Part { return Part{X: mat.NewDense(Dimensions, n, nil), Y: make([]int, n)} }
				d := &Digits{Train: part(train), Validation: part(validation), Test: part(test), Data: data}
				l.digits = d
				by := trainer{l}
				for _, n := range by.sizes() {
					for r := range by.draws(n) {
						if p, _ := d.draw(n, r); p.N() != n { // it panics if it does not fit
							t.Errorf("draw %d of %d digits has %d", r, n, p.N())
						}
					}
				}
				c := &Characters{}
				c.Train.Y = make([]int, letterReader{l}.counts()[0])
				t5 := &table5{Lab: l, c: c}
				for _, n := range t5.sizes() {
					all, some := t5.draws(n)
					for r := range max(all, some) {
						if of := t5.draw(n, r); len(of) != n {
							t.Errorf("draw %d of %d characters has %d", r, n, len(of))
						}
					}
				}
			})
		}
	}
}

// checkStandIns checks that, on generated digits, the tables show the measured values next to the paper's
// cells, and that the verdict on these cells is NO DATA.
func checkStandIns(t *testing.T, name string, s record.Sheet, want int) {
	t.Helper()
	shown := 0
	for i := range s.Cells {
		for j, r := range s.Cells[i] {
			if i < len(s.StandIn) && s.StandIn[i][j] != "" {
				shown++
				if r.Verdict != record.Unknown || !r.Measured.IsZero() {
					t.Errorf("%s: %s has a stand-in and the verdict %s on %v", name, r.ID, r.Verdict, r.Measured)
				}
			}
		}
	}
	if shown != want || s.StandInOf == "" {
		t.Errorf("%s: %d stand-ins (%q), want %d", name, shown, s.StandInOf, want)
	}
}

// On generated digits the codes already have the paper's order.
func TestTables2To4(t *testing.T) {
	patience.SkipShort(t, "it trains for each table")
	l := smokeLab(t)
	t2 := l.Table2()
	t3 := l.Table3()
	l.Table4()
	finish(t, l)
	checkStandIns(t, "table 2", t2.Sheet, 5*len(t2.Sizes))
	checkStandIns(t, "table 3", t3.Sheet, 16)
	for i, n := range t2.Sizes {
		t.Logf("%d digits: L1 %.2f, L1 parts %.2f, KL %.2f, KL signed %.2f, backprop %.2f %%", n,
			t2.L1[i].Test, t2.L1Parts[i].Test, t2.KL[i].Test, t2.KLSigned[i].Test, t2.KLB[i].Test)
		if chance := 90.; t2.KL[i].Test > chance/2 || t2.KLB[i].Test > chance/2 {
			t.Errorf("%d digits: %.1f and %.1f %% are near chance", n, t2.KL[i].Test, t2.KLB[i].Test)
		}
	}
	if n := len(l.Rows()); n < 25+16+6 {
		t.Errorf("%d rows: cells of the tables are missing", n)
	}
	checkOrderNote(t, l, "table2", t2.Note, Sizes[len(Sizes)-1], (&table2{scheduler{trainer{l}}, t2}).quotedOrder())
}

// checkOrderNote checks a table's note and the caption of its figure on generated data. Both must say whether the
// measured order is the order that the notebook's text states. The figure must not draw the paper's lines: no line
// may contain the published value.
func checkOrderNote(t *testing.T, l *Lab, name, note string, published int, o lab.Order) {
	t.Helper()
	if !o.Data.Generated {
		t.Fatalf("%s: %v", name, o.Data)
	}
	want := "on these generated data it came out otherwise"
	if o.Holds() {
		want = "The order is that of the text"
	}
	caption := ""
	for _, f := range l.Results().Figures {
		if f.Name == name {
			caption = f.Caption
		}
	}
	if !strings.Contains(note, want) || !strings.Contains(caption, want) {
		t.Errorf("%s: the note is %q, the caption %q, want %q", name, note, caption, want)
	}
	if strings.Contains(caption, "Dashed") {
		t.Errorf("%s: published values beside generated data: %s", name, caption)
	}
	lines, err := os.ReadFile(filepath.Join(l.Dir(), name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(lines), fmt.Sprintf(",%d,", published)) {
		t.Errorf("%s: the published value of %d is drawn beside generated data", name, published)
	}
}

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

// Every experiment ends soon when it is interrupted, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, func(t *testing.T) *Lab {
		l := smokeLab(t)
		l.Settings() // every experiment needs the digits
		return l
	}, map[string][]any{
		"Decomposition":  {0},
		"LearnBasis":     {64, 0.3},
		"LetterSearch":   {100},
		"LetterSettings": {100},
	}, map[string]string{
		"BackpropErrors":   "Table2 is made of them",
		"BackpropFeatures": "Figure2 is made of them",
		"MaxentErrors":     "Table2 is made of them",
		"ScheduleTrials":   "they are made at full size alone",
		"Specialise":       "Table2 is made of them",
		"SpecialisedOn":    "Table2 is made of them",
	})
}
