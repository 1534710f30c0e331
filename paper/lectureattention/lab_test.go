package lectureattention

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/patience"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/paper/internal/labtest"
	"overcomplete/paper/record"
)

// smokeLab returns a lab that writes into a temporary folder.
func smokeLab(t *testing.T) *Lab { return &Lab{labtest.Smoke(t, Paper)} }

// verdicts ends the run. It checks that no row lacks a reason, and that the rows in want have these verdicts, which
// follow from mathematics at any size.
func verdicts(t *testing.T, l *Lab, want map[string]record.Verdict) {
	t.Helper()
	labtest.Verdicts(t, l.Lab, want)
	for _, r := range l.Rows() {
		if r.Verdict != record.Reproduced && r.Reason == "" {
			t.Errorf("%s is %s (%v) without a reason", r.ID, r.Verdict, r.Measured)
		}
		t.Logf("%-24s %-14s %v", r.ID, r.Verdict, r.Measured)
	}
}

func TestOrder(t *testing.T) {
	l := smokeLab(t)
	if g := l.WordOrder(); len(g.Figures) != 2 {
		t.Error("not four panels")
	}
	l.Encodings()
	l.Heads()
	verdicts(t, l, map[string]record.Verdict{
		"order-equivariant": record.Reproduced, "order-positions": record.Reproduced, "order-mask": record.Reproduced,
		"positions-shift": record.Reproduced, "heads-weights-sum": record.Reproduced, "heads-independent": record.Reproduced, "heads-eight": record.Unknown,
	})
}

func TestLinearity(t *testing.T) {
	l := smokeLab(t)
	l.Linearity()
	verdicts(t, l, map[string]record.Verdict{
		"linear-weights-held": record.Reproduced, "linear-in-h": record.NotReproduced, "linear-stack": record.Reproduced, "linear-alternating": record.Reproduced,
	})
}

func TestFuture(t *testing.T) {
	l := smokeLab(t)
	l.Future()
	rep := l.Cheating()
	if len(rep.Writers) != 2 || rep.Figure() == nil || rep.Writers[0].Writes == "" {
		t.Errorf("%+v", rep)
	}
	if rep.Writers[0].NextLetter <= rep.Writers[1].NextLetter {
		t.Errorf("the mask makes prediction no better: %+v", rep.Writers)
	}
	verdicts(t, l, map[string]record.Verdict{
		"future-leak": record.Reproduced, "future-mask": record.Reproduced, "future-mask-model": record.Reproduced,
	})
}

// The caption states that one loss is above the other during a stretch of the training; longestAbove must find it.
func TestAbove(t *testing.T) {
	for _, c := range []struct {
		a, b     []float64
		from, to float64
		ok       bool
	}{
		{[]float64{1, 3, 3, 3, 1, 3, 1}, []float64{2, 2, 2, 2, 2, 2, 2}, 1.5, 3.5, true},
		{[]float64{3, 3, 1}, []float64{2, 2, 2}, 0.5, 1.5, true},
		{[]float64{1, 3, 1, 3, 3, 3}, []float64{2, 2, 2, 2, 2, 2}, 1.5, 1.5, true}, // the last stretch continues to the end
		{[]float64{1, 1, 3}, []float64{2, 2, 2}, 0, 0, false},
		{[]float64{1, 1}, []float64{2, 2}, 0, 0, false},
	} {
		if from, to, ok := longestAbove(c.a, c.b, 1); from != c.from || to != c.to || ok != c.ok {
			t.Errorf("%v above %v: from %g to %g, %v", c.a, c.b, from, to, ok)
		}
	}
}

func TestNorms(t *testing.T) {
	l := smokeLab(t)
	l.Normalisation()
	l.ScaleShift()
	l.Vanishing()
	verdicts(t, l, map[string]record.Verdict{
		"norm-batch-poor": record.Reproduced, "norm-batch-companions": record.Reproduced, "norm-layer-independent": record.Reproduced,
		"norm-train-test": record.Reproduced, "norm-long-sequences": record.Reproduced,
		"norm-learned-no-shift": record.Reproduced, // at any number of steps
		"norm-scale-shift":      record.Reproduced, "norm-gamma-one": record.Reproduced, "norm-gamma-eight": record.Reproduced,
		"vanishing-bare": record.Reproduced, "vanishing-batch": record.Reproduced, "vanishing-layer": record.NotReproduced, "vanishing-layer-centred": record.Reproduced,
	})
}

func TestCost(t *testing.T) {
	l := smokeLab(t)
	l.Cost() // times are not judged here, because the machine may be busy
	verdicts(t, l, map[string]record.Verdict{"cost-parallel": record.Unknown})
}

func TestTrained(t *testing.T) {
	patience.SkipShort(t, "it trains transformers")
	l := smokeLab(t)
	l.TrainedHeads()
	l.LongRange()
	l.EncoderDecoder()
	rep := l.Ablation()
	if len(rep.Rows) != 5 || rep.Figure() == nil {
		t.Errorf("%+v", rep)
	}
	verdicts(t, l, map[string]record.Verdict{
		"far-recall": record.Reproduced, "far-gradient-attention": record.Reproduced, "far-gradient-gru": record.Reproduced, "far-gradient-recurrent": record.Reproduced,
		"ablation-positions": record.Reproduced,
	})
}

// A model that outputs the question's digits in any order has the expected share of correct symbols, and a model that
// knows the order has a larger share.
func TestAnyOrder(t *testing.T) {
	if got := anyOrder(5, 10); math.Abs(got-0.28) > 1e-15 {
		t.Errorf("five digits of ten: %v", got)
	}
	// Count all orders of all questions with three digits out of four.
	right, orders := 0.0, [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for q := range 64 {
		digits := []int{q % 4, q / 4 % 4, q / 16}
		for _, order := range orders {
			for i, j := range order {
				if digits[i] == digits[j] {
					right += 1 / float64(64*len(orders)*3)
				}
			}
		}
	}
	if got := anyOrder(3, 4); math.Abs(got-right) > 1e-12 {
		t.Errorf("three digits of four: %v, counted %v", got, right)
	}
}

// Without a shift, a network on data symmetric about 0 gives opposite points opposite answers, up
// to a constant.
func TestNoShiftIsOdd(t *testing.T) {
	half, _ := circle(50, 1, 0)
	X := mat.NewDense(100, 2, nil)
	for i := range 50 {
		X.SetRow(i, half.RawRowView(i))
		X.SetRow(50+i, []float64{-half.At(i, 0), -half.At(i, 1)})
	}
	var inside []int
	for i := range 100 {
		is := 0
		if math.Hypot(X.At(i, 0), X.At(i, 1)) < 1.2 {
			is = 1
		}
		inside = append(inside, is)
	}
	for _, shift := range []bool{false, true} {
		net := newNormed(12, true, shift, 1)
		net.train(t.Context(), X, inside, 200)
		s := net.scores(X)
		worst, c := 0.0, s.At(0, 1)+s.At(50, 1)
		for i := range 50 {
			worst = max(worst, math.Abs(s.At(i, 1)+s.At(50+i, 1)-c))
		}
		if (worst < 1e-9) == shift {
			t.Errorf("shift %v: a point's score and its opposite's differ from a constant by up to %g", shift, worst)
		}
	}
}

// Where the curves of two models are equal, the dashes leave both colors visible.
func TestEqualLinesAreSeen(t *testing.T) {
	x, y, e := []float64{5, 40}, []float64{100, 100}, []float64{0, 0}
	seen := func(mean ...[]float64) map[color.NRGBA]int {
		names := []string{"", "", ""}[:len(mean)] // no legend
		img, err := png.Decode(bytes.NewReader(accuracies(names, x, mean, [][]float64{e, e, e}).Range(0, 45, 0, 105).PNG()))
		if err != nil {
			t.Fatal(err)
		}
		count := map[color.NRGBA]int{}
		b := img.Bounds()
		for i := b.Min.Y; i < b.Max.Y; i++ {
			for j := b.Min.X; j < b.Max.X; j++ {
				count[color.NRGBAModel.Convert(img.At(j, i)).(color.NRGBA)]++
			}
		}
		return count
	}
	blue, vermilion := figure.Palette[figure.Blue].(color.NRGBA), figure.Palette[figure.Vermilion].(color.NRGBA)
	alone, both := seen(y)[blue], seen(y, y)
	if both[blue] < alone/5 || both[vermilion] < alone/5 {
		t.Errorf("%d pixels of one line alone; of two equal lines %d and %d", alone, both[blue], both[vermilion])
	}
}

// A reason quotes only numbers that were measured or set.
func TestReasonIsMeasured(t *testing.T) {
	reason := gruReason(98, 97, 123, 45)
	if got := regexp.MustCompile(`[0-9.]+`).FindAllString(reason, -1); !slices.Equal(got, []string{"123", "0.01", "97", "45"}) {
		t.Errorf("%q: %q", got, reason)
	}
}

// Every experiment ends soon when it is interrupted, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, smokeLab, nil, nil)
}

func FuzzText(f *testing.F) {
	f.Add(Rhyme)
	f.Add("ab")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, s string) {
		text, err := NewText(s)
		if err != nil {
			return
		}
		if got := text.Decode(text.Tokens); utf8.ValidString(s) && got != s {
			t.Errorf("%q became %q", s, got)
		}
		if n := len(text.Tokens) - 1; n >= 1 {
			b := text.Batch(2, n, 1, 1)
			if len(b.Inputs) != 2 || len(b.Targets[1]) != n {
				t.Errorf("batch %v", b)
			}
		}
	})
}

func TestText(t *testing.T) {
	text, err := NewText(Rhyme)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := text.Encode("HOUSE"); err == nil {
		t.Error("a letter that is not there")
	}
	b := text.Batch(5, 12, 1, 7)
	for i := range b.Inputs {
		in, out := text.Decode(b.Inputs[i]), text.Decode(b.Targets[i])
		if in[1:] != out[:11] || !strings.Contains(Rhyme, in+out[11:]) {
			t.Errorf("%q, %q", in, out)
		}
	}
	if _, err := NewText("aaa"); err == nil {
		t.Error("a text of one letter")
	}
}
