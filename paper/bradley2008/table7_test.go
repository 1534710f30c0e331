package bradley2008

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/paper/record"
)

// A tone of 1000 Hz is in bin 1000·0.05 = 50 of the spectrum.
func TestSpectra(t *testing.T) {
	const rate = 8000
	x := make([]float64, 1300)
	for i := range x {
		x[i] = math.Sin(2 * math.Pi * 1000 * float64(i) / rate)
	}
	S := spectra(x, rate)
	if r, n := S.Dims(); r != 201 || n != 3 {
		t.Fatalf("%d×%d", r, n)
	}
	for k := range 3 {
		// The height of the peak is half the sum of the window, 200.
		if v := S.At(50, k); math.Abs(v-100) > 1e-6 {
			t.Errorf("snippet %d: %v at 1000 Hz", k, v)
		}
		if v := S.At(60, k); v > 1e-6 {
			t.Errorf("snippet %d: %v at 1200 Hz", k, v)
		}
	}
}

func TestMusicData(t *testing.T) {
	l := smokeLab(t)
	d := l.MusicData()
	for _, c := range []struct {
		name string
		s    Snippets
		n    int
	}{{"unlabelled", d.Unlabelled, 10 * 15 * 10}, {"train", d.Train, 7 * 10 * 10}, {"test", d.Test, 7 * 5 * 10}} {
		if r, n := c.s.X.Dims(); r != musicDimensions || n != c.n {
			t.Errorf("%s: %d×%d", c.name, r, n)
		}
	}
	counts := map[[2]int]int{}
	for i, y := range d.Train.Y {
		if d.Train.Clip[i] >= musicTraining {
			t.Fatal("a test clip is in the training part")
		}
		counts[[2]int{y, d.Train.Clip[i]}]++
	}
	for i, y := range d.Test.Y {
		if d.Test.Clip[i] < musicTraining {
			t.Fatal("a training clip is in the test part")
		}
		counts[[2]int{y, d.Test.Clip[i]}]++
	}
	if len(counts) != musicClasses*musicClips {
		t.Errorf("%d clips", len(counts))
	}
	for c, n := range counts {
		if n != 10 {
			t.Errorf("clip %v has %d snippets", c, n)
		}
	}
	_, n := d.Unlabelled.X.Dims()
	if e := mat.Norm(d.Unlabelled.X, 2); math.Abs(e*e/float64(n)-musicEnergy) > 1e-6 {
		t.Errorf("mean energy %v", e*e/float64(n))
	}
	train, held := d.Train.cut(ints(0, len(d.Train.Y)), 20, 30)
	if len(train) != 20 || len(held) != 30 {
		t.Errorf("%d and %d snippets", len(train), len(held))
	}
	for _, i := range train {
		if d.Train.Clip[i] >= musicTraining-musicHeldOut {
			t.Error("a held-out clip is trained on")
		}
	}
	for _, i := range held {
		if d.Train.Clip[i] < musicTraining-musicHeldOut {
			t.Error("a training clip is held out")
		}
	}
}

func TestTable7(t *testing.T) {
	patience.SkipShort(t, "it trains for the table")
	l := smokeLab(t)
	if r := l.Table7(); len(r.Rows) != 9 {
		t.Errorf("%d rows", len(r.Rows))
	}
	r := l.GeneratedMusic()
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 5 {
		t.Errorf("%d rows of our own", len(r.Rows))
	}
	for _, row := range l.Rows() {
		if row.Published.IsZero() != (row.Verdict != record.Unknown) {
			t.Errorf("%s: published %v, verdict %s", row.ID, row.Published, row.Verdict)
		}
	}
}
