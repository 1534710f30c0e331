package bradley2008

import (
	"os"
	"path/filepath"
	"testing"

	"overcomplete/paper/record"
)

// smokeLab is a lab in a folder of its own, without real data.
func smokeLab(t *testing.T) *Lab {
	t.Helper()
	t.Setenv("OVERCOMPLETE_DATA", "")
	l, err := New(record.Smoke, 1)
	if err != nil {
		t.Fatal(err)
	}
	if l.Run, err = record.StartIn(t.TempDir(), Paper, record.Smoke, 1); err != nil {
		t.Fatal(err)
	}
	return l
}

// finish ends the run and checks that its figures are there and that the rows
// with these IDs are REPRODUCED.
func finish(t *testing.T, l *Lab, reproduced ...string) {
	t.Helper()
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	for _, id := range reproduced {
		if r, ok := l.Results().Row(id); !ok || r.Verdict != record.Reproduced {
			t.Errorf("%s: %v (measured %v)", id, r.Verdict, r.Measured)
		}
	}
	for _, f := range l.Results().Figures {
		if _, err := os.Stat(filepath.Join(l.Dir(), f.Name+".png")); err != nil {
			t.Error(err)
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
}

// The order of the codes on generated digits is that of the paper already.
func TestTables2To4(t *testing.T) {
	l := smokeLab(t)
	t2 := l.Table2()
	l.Table3()
	l.Table4()
	finish(t, l)
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
}
