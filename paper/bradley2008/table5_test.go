package bradley2008

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/data/letters"
	"overcomplete/internal/panics"
	"overcomplete/paper/record"
)

func TestEnlarge(t *testing.T) {
	const h, w = letters.Height, letters.Width
	P := mat.NewDense(h*w, 3, nil)
	for i := range h * w {
		P.Set(i, 0, 1)              // ink everywhere
		P.Set(i, 1, float64(i/w)/h) // increases downwards
	}
	P.Set(5*w+2, 2, 1) // one pixel
	for _, box := range []int{16, 20, 28} {
		M := Enlarge(P, box)
		if r, n := M.Dims(); r != Side*Side || n != 3 {
			t.Fatalf("%d×%d", r, n)
		}
		first := (Side - box) / 2
		at := func(y, x, k int) float64 { return M.At(y*Side+x, k) }
		// The letter keeps its shape: ink fills the middle half of the box, minus the loss by interpolation at the
		// border.
		scale := float64(box) / h
		ink := 0.0
		for i := range Side * Side {
			ink += M.At(i, 0)
		}
		if want := float64(box) * float64(box) / 2; math.Abs(ink-want) > 1.5*scale*float64(box)/2 {
			t.Errorf("box %d: ink %v, want about %v", box, ink, want)
		}
		if v := at(Side/2, Side/2, 0); math.Abs(v-1) > 1e-12 {
			t.Errorf("box %d: the middle is %v", box, v)
		}
		if v := at(Side/2, first, 0); v != 0 {
			t.Errorf("box %d: the padding is %v", box, v)
		}
		// A linear function remains linear, at its place.
		y := Side/2 + 2
		if v, want := at(y, Side/2, 1), ((float64(y-first)+0.5)/scale-0.5)/h; math.Abs(v-want) > 1e-12 {
			t.Errorf("box %d: %v in row %d, want %v", box, v, y, want)
		}
		// So does a pixel's center of mass.
		var sum, my, mx float64
		for i := range Side * Side {
			v := M.At(i, 2)
			sum += v
			my += v * (float64(i/Side) + 0.5)
			mx += v * (float64(i%Side) + 0.5)
		}
		if wy, wx := float64(first)+5.5*scale, float64(first)+(4+2.5)*scale; math.Abs(my/sum-wy) > 0.3 || math.Abs(mx/sum-wx) > 0.3 {
			t.Errorf("box %d: the pixel is at %v, %v, want %v, %v", box, my/sum, mx/sum, wy, wx)
		}
	}
	if panics.Value(func() { Enlarge(P, Side+1) }) == nil {
		t.Error("a box larger than the picture is accepted")
	}
}

func TestChooseAlpha(t *testing.T) {
	// Two clouds; the labels of the training part are the truth.
	W, V := mat.NewDense(2, 40, nil), mat.NewDense(2, 40, nil)
	y := make([]int, 40)
	for i := range y {
		y[i] = i % 2
		s := float64(2*y[i] - 1)
		W.Set(0, i, s*(1+float64(i%5)))
		W.Set(1, i, float64(i%7))
		V.Set(0, i, s*(1.5+float64(i%3)))
		V.Set(1, i, float64(i%4))
	}
	alpha, e, m := chooseAlpha(t.Context(), W, y, V, y, 3)
	if k, _ := m.W.Dims(); e != 0 || k != 3 || alpha != letterAlphas[0] {
		t.Errorf("error %v, %d classes, alpha %v: the strongest is as good as any", e, k, alpha)
	}
}

func TestBestOf(t *testing.T) {
	// Two bases. On the first basis KL has the least error of all, but L1 has a much larger error.
	trials := append(priorGrid(Settings{Atoms: 5}, []float64{1}, []float64{3}, []float64{5}),
		priorGrid(Settings{Atoms: 7}, []float64{1, 2}, []float64{3, 4}, []float64{5, 6})...)
	if len(trials) != 2+6 {
		t.Fatalf("%d trials", len(trials))
	}
	for i := range trials {
		trials[i].Error = []float64{40, 8, 30, 20, 10, 10, 9, 10}[i]
	}
	want := Settings{Atoms: 7, L1Lambda: 2, KLLambda: 4, P: 5}
	if got := bestOf(trials); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The search ends where no neighbor is better, for each number of letters.
func TestDescend(t *testing.T) {
	i := func(values []float64, v float64) float64 { return float64(slices.Index(values, v)) }
	error := func(t Trial) []float64 { // for searchedSizes[k] the least is at λ 0.1·2^k and p 0.1 or 1e-3
		out := make([]float64, len(searchedSizes))
		for k := range out {
			y, x := i(letterLambdas, t.Lambda)-float64(2+k), 0.0
			if t.Prior == "KL" {
				x = i(letterPs, t.P) - float64(6-4*(k%2))
			}
			out[k] = 10 + x*x + y*y + x*y/2
		}
		return out
	}
	for _, start := range [][]Trial{
		priorGrid(letterBases[0], []float64{0.1, 0.2}, nil, nil),
		priorGrid(letterBases[0], nil, []float64{0.05, 0.1}, []float64{1e-3, 1e-2}),
	} {
		tried := map[Trial]bool{}
		out := descend(start, func(x Trial) []float64 {
			if tried[x] {
				t.Errorf("%+v is tried twice", x)
			}
			tried[x] = true
			return error(x)
		})
		for k, n := range searchedSizes {
			best := slices.MinFunc(out, func(a, b searched) int { return cmp.Compare(a.errors[k], b.errors[k]) })
			if best.errors[k] != 10 {
				t.Errorf("%d letters: %+v, error %v", n, best.Trial, best.errors[k])
			}
			for _, x := range neighbors(best.Trial) {
				if !tried[x] {
					t.Errorf("%d letters: %+v, a neighbor of the best trial, was not tried", n, x)
				}
			}
			if got := keptTrial(best.row(), k); got.Error != best.errors[k] || got.Prior != best.Prior || got.Lambda != best.Lambda || got.P != best.P || got.Atoms != best.Atoms {
				t.Errorf("%+v is kept as %+v", best, got)
			}
		}
		if all := len(letterLambdas) * len(letterPs); len(out) > all/2 {
			t.Errorf("%d of %d settings were tried", len(out), all)
		}
	}
}

// At smoke size, every published cell has its row, no row is measured on the stand-in, and the displayed table shows
// all rows.
func TestTable5(t *testing.T) {
	l := smokeLab(t)
	r := l.Table5()
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	published, own := 0, 0
	for _, row := range l.Rows() {
		if row.Published.IsZero() {
			own++
			if row.Verdict == record.Unknown {
				t.Errorf("%s was not measured", row.ID)
			}
			continue
		}
		published++
		if row.Verdict != record.Unknown {
			t.Errorf("%s has the verdict %s on %v", row.ID, row.Verdict, row.Data)
		}
	}
	if published != 25+16 || own != 8 {
		t.Errorf("%d published rows and %d of our own", published, own)
	}
	for _, a := range [][]Accuracy{r.Raw, r.PCA, r.L1, r.KL, r.Backprop, r.L1Parts, r.KLSigned} {
		if len(a) != 1 || a[0].Test < 15 || a[0].Test > 95 || a[0].Draws != 1 {
			t.Errorf("accuracy %v; chance is 10", a)
		}
	}
	if _, err := os.Stat(filepath.Join(l.Dir(), "table5.png")); err != nil {
		t.Error(err)
	}
	checkStandIns(t, "table 5", r.Sheet, 5)
	if !strings.Contains(r.String(), "20000") {
		t.Error("the table does not show its last row")
	}
	checkOrderNote(t, l, "table5", r.Note, LetterSizes[len(LetterSizes)-1], r.quotedOrder(l.Results().Rows[0].Data))
}

func TestTryLetters(t *testing.T) {
	l := smokeLab(t)
	for _, x := range priorGrid(Settings{Atoms: 32, BasisLambda: 0.3}, []float64{0.4}, []float64{0.1}, []float64{0.01}) {
		e := letterTrials{l}.try(x)
		if e[0] < 5 || e[0] > 85 {
			t.Errorf("%+v: error %v; chance is 90", x, e[0])
		}
		for _, v := range e[1:] {
			if !math.IsNaN(v) {
				t.Errorf("%+v: error %v with more characters than there are", x, v)
			}
		}
	}
}

func TestDraws(t *testing.T) {
	c := &Characters{}
	c.Train.Y = make([]int, 10)
	tr := &table5{c: c}
	if a, b := tr.draw(3, 0), tr.draw(3, 2); a[0] != 0 || b[0] != 6 || len(b) != 3 {
		t.Errorf("%v, %v", a, b)
	}
	if panics.Value(func() { tr.draw(3, 3) }) == nil {
		t.Error("a draw beyond the end")
	}
}

// The split by words takes no training letter from the folds of the test letters, and has no effect
// if there are no folds.
func TestLetterLeak(t *testing.T) {
	l := smokeLab(t)
	c := l.Characters()
	for _, p := range []*CharacterPart{&c.Train, &c.Test} {
		p.Fold = make([]int, p.N())
		for i := range p.Fold {
			p.Fold[i] = i % letters.Folds
		}
	}
	var r Table5Result
	(&table5{Lab: l, c: c, out: &r}).letterLeak()
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	if row, ok := l.Results().Row("table5-own-words"); !ok || r.SameWords < 20 || r.OtherWords < 20 || math.Abs(r.SameWords-r.OtherWords) > 20 {
		t.Errorf("%v, %v, %v", row.Measured, r.SameWords, r.OtherWords)
	}
}
