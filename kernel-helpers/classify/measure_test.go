package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/internal/peer"
)

// guesses returns n labels of K classes, and predictions of which about half are right. One class may be missing.
func guesses(n, K int, seed uint64) (predicted, truth []int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	without := rng.IntN(2 * K)
	label := func() int {
		for {
			if k := rng.IntN(K); k != without {
				return k
			}
		}
	}
	for range n {
		t := label()
		p := label()
		if rng.IntN(2) == 0 {
			p = t
		}
		predicted, truth = append(predicted, p), append(truth, t)
	}
	return predicted, truth
}

// ranking returns n scores and labels 0 and 1, both of which occur. There are at most the given number of different
// scores; 0 means no limit.
func ranking(n, different int, seed uint64) (scores []float64, y []int) {
	rng := rand.New(rand.NewPCG(seed, 4))
	for i := range n {
		c := rng.IntN(2)
		if i < 2 {
			c = i
		}
		s := rng.NormFloat64() + float64(c)
		if different > 0 {
			s = float64(rng.IntN(different)+c*rng.IntN(2)*different/2) / 4
		}
		scores, y = append(scores, s), append(y, c)
	}
	return scores, y
}

// chances returns probabilities of K classes for n points, some of which are 0 or 1, and labels that all occur.
func chances(n, K int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 5))
	P, y := mat.NewDense(n, K, nil), make([]int, n)
	for i := range n {
		row := P.RawRowView(i)
		sum := 0.0
		for k := range row {
			row[k] = rng.ExpFloat64()
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
			if i%7 == 3 {
				row[k] = float64(b2i(k == i%K))
			}
		}
		y[i] = rng.IntN(K)
		if i < K {
			y[i] = i
		}
	}
	return P, y
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// numbers returns x as a list of Python.
func numbers(x []int) string { return strings.ReplaceAll(fmt.Sprint(x), " ", ", ") }

func vector(x []float64) *mat.Dense { return mat.NewDense(len(x), 1, slices.Clone(x)) }

// nearAll compares two lists of numbers, which may be infinite.
func nearAll(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has %d values %.6v, want %d %.6v", what, len(got), got, len(want), want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			near(t, fmt.Sprintf("%s[%d]", what, i), got[i], want[i], 1e-14)
		}
	}
}

// TestMeasuresPeer compares all measures with those of scikit-learn, on random data with ties.
func TestMeasuresPeer(t *testing.T) {
	py := peer.Start(t, 1, `
import numpy as np, warnings
from sklearn import metrics as M
warnings.simplefilter("ignore")
def fine(x): return np.where(np.isinf(x), 1e300, x).tolist()
`, "numpy", "sklearn")
	for seed := range uint64(30) {
		n, K := 5+int(seed*seed), 2+int(seed%5)
		what := fmt.Sprintf("%d points of %d classes, ", n, K)
		p, y := guesses(n, K, seed)
		c := Confuse(p, y)
		py.Do(fmt.Sprintf("p, y = np.array(%s), np.array(%s)", numbers(p), numbers(y)))
		names, target := []string(nil), "None"
		if seed%2 == 1 {
			for k := range c.Counts {
				names = append(names, strings.Repeat("ä", 1+4*k))
			}
			target = "['ä'*(1 + 4*k) for k in sorted(set(p) | set(y))]"
		}
		r := c.Report(names...)
		var text strings.Builder
		for _, v := range py.Floats("[ord(c) for c in M.classification_report(y, p, zero_division=0, target_names=" + target + ")]") {
			text.WriteRune(rune(v))
		}
		if r.String() != text.String() {
			t.Errorf("%sthe report is\n%s\nwant\n%s", what, r, &text)
		}
		for _, a := range []struct {
			average string
			got     ClassScores
		}{{"macro", r.Macro}, {"weighted", r.Weighted}} {
			nearAll(t, what+a.average, []float64{a.got.Precision, a.got.Recall, a.got.F1},
				py.Floats(fmt.Sprintf("list(M.precision_recall_fscore_support(y, p, average=%q, zero_division=0)[:3])", a.average)))
		}
		per := py.Floats(fmt.Sprintf("np.concatenate(M.precision_recall_fscore_support(y, p, labels=range(%d), zero_division=0))", len(c.Counts)))
		for k, s := range r.Classes {
			at := func(i int) float64 { return per[i*len(c.Counts)+k] }
			nearAll(t, fmt.Sprint(what, "class ", k), []float64{s.Precision, s.Recall, s.F1, float64(s.Support)}, []float64{at(0), at(1), at(2), at(3)})
		}
		near(t, what+"accuracy", r.Accuracy, py.Float("M.accuracy_score(y, p)"), 1e-15)
		near(t, what+"balanced accuracy", c.BalancedAccuracy(), py.Float("M.balanced_accuracy_score(y, p)"), 1e-14)
		near(t, what+"Matthews", c.Matthews(), py.Float("M.matthews_corrcoef(y, p)"), 1e-13)

		scores, y := ranking(n, int(seed%4)*3, seed)
		what = fmt.Sprintf("%d scores, at most %d different, ", n, seed%4*3)
		py.Array("s", vector(scores))
		py.Do(fmt.Sprintf("s, y = s.ravel(), np.array(%s)", numbers(y)))
		roc, err := MeasureROC(scores, y)
		if err != nil {
			t.Fatal(err)
		}
		py.Do("fpr, tpr, at = M.roc_curve(y, s)")
		nearAll(t, what+"FPR", roc.FPR, py.Floats("fpr"))
		nearAll(t, what+"TPR", roc.TPR, py.Floats("tpr"))
		nearAll(t, what+"thresholds", roc.Thresholds[1:], py.Floats("at[1:]"))
		near(t, what+"AUC", roc.AUC, py.Float("M.roc_auc_score(y, s)"), 1e-14)
		pr, err := MeasurePrecisionRecall(scores, y)
		if err != nil {
			t.Fatal(err)
		}
		py.Do("p, r, at = M.precision_recall_curve(y, s)")
		nearAll(t, what+"precision", pr.Precision, py.Floats("p"))
		nearAll(t, what+"recall", pr.Recall, py.Floats("r"))
		nearAll(t, what+"thresholds", pr.Thresholds[:len(pr.Thresholds)-1], py.Floats("at"))
		near(t, what+"average precision", pr.AveragePrecision, py.Float("M.average_precision_score(y, s)"), 1e-14)

		P, y := chances(n+K, K, seed)
		what = fmt.Sprintf("probabilities %d×%d, ", n+K, K)
		send(t, py, P, y)
		loss, err := LogLoss(P, y)
		if err != nil {
			t.Fatal(err)
		}
		near(t, what+"log loss", loss, py.Float("M.log_loss(y, X)"), 1e-13)
		brier, err := BrierScore(P, y)
		if err != nil {
			t.Fatal(err)
		}
		brierOf := "((X - np.eye(X.shape[1])[y])**2).sum(1).mean()" // scikit-learn has it since 1.7
		if K == 2 {
			brierOf = "M.brier_score_loss(y, X[:, 1])"
		}
		near(t, what+"Brier score", brier, py.Float(brierOf), 1e-13)
	}
}

// TestMeasuresGolden compares with numbers that scikit-learn 1.9.1 printed for labels and rounded scores drawn by numpy.
func TestMeasuresGolden(t *testing.T) {
	truth := []int{1, 2, 1, 0, 1, 2, 3, 1, 0, 0, 3, 2, 0, 3, 3, 1, 1, 2, 1, 2, 3, 3, 3, 0, 1, 1, 3, 2, 2, 1, 2, 2, 0, 1, 2, 1, 0, 2, 2, 3}
	guess := []int{2, 2, 1, 0, 1, 2, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 1, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 0, 0, 1, 2, 1, 0, 0, 2, 0}
	c := Confuse(guess, truth)
	// classification_report(truth, guess, zero_division=0)
	const want = `
              precision    recall  f1-score   support

           0       0.33      1.00      0.50         7
           1       1.00      0.67      0.80        12
           2       0.82      0.75      0.78        12
           3       0.00      0.00      0.00         9

    accuracy                           0.60        40
   macro avg       0.54      0.60      0.52        40
weighted avg       0.60      0.60      0.56        40
`
	r := c.Report()
	if got := "\n" + r.String(); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
	if s := r.Classes[3]; s != (ClassScores{Support: 9}) || r.Classes[0].Predicted != 21 || r.Macro.Predicted != 40 {
		t.Errorf("%+v", r)
	}
	near(t, "balanced accuracy", c.BalancedAccuracy(), 0.60416666666666663, 1e-15)
	near(t, "Matthews", c.Matthews(), 0.5452148163315309, 1e-15)
	if M := c.Matrix(); M.At(3, 0) != 9 || M.At(0, 3) != 0 || mat.Sum(M) != 40 {
		t.Errorf("%v", mat.Formatted(M))
	}

	y := []int{1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0}
	scores := []float64{3, 0, 1, 1, 1, -1, -1, 1, 1, 1, 0, 1, 3, 1, 3, math.Copysign(0, -1), 1, 2, 0, 0, 0, 0, 1, 1, 1, -1, 0, 2, 0, -1}
	roc, err := MeasureROC(scores, y)
	if err != nil {
		t.Fatal(err)
	}
	nearAll(t, "FPR", roc.FPR, []float64{0, 0, 0, 0.25, 0.66666666666666663, 1})
	nearAll(t, "TPR", roc.TPR, []float64{0, 0.16666666666666666, 0.27777777777777779, 0.77777777777777779, 1, 1})
	nearAll(t, "thresholds", roc.Thresholds, []float64{math.Inf(1), 3, 2, 1, 0, -1})
	near(t, "AUC", roc.AUC, 0.83564814814814814, 1e-15)
	if got := roc.String(); got != "AUC 0.8356, 6 points" {
		t.Error(got)
	}
	pr, err := MeasurePrecisionRecall(scores, y)
	if err != nil {
		t.Fatal(err)
	}
	nearAll(t, "precision", pr.Precision, []float64{0.59999999999999998, 0.69230769230769229, 0.82352941176470584, 1, 1, 1})
	nearAll(t, "recall", pr.Recall, []float64{1, 1, 0.77777777777777779, 0.27777777777777779, 0.16666666666666666, 0})
	nearAll(t, "thresholds", pr.Thresholds, []float64{-1, 0, 1, 2, 3, math.Inf(1)})
	near(t, "average precision", pr.AveragePrecision, 0.84338863750628457, 1e-15)
	if got := pr.String(); got != "average precision 0.8434, 6 points" {
		t.Error(got)
	}

	for _, p := range []struct {
		P           *mat.Dense
		y           []int
		loss, brier float64
	}{
		{mat.NewDense(4, 3, []float64{0.5, 0.25, 0.25, 0, 0.75, 0.25, 1, 0, 0, 0.125, 0.125, 0.75}), []int{0, 0, 0, 1}, 9.7040605278392338, 0.8359375},
		{mat.NewDense(3, 2, []float64{0.75, 0.25, 0.5, 0.5, 0.125, 0.875}), []int{0, 1, 1}, 0.37145354854541629, 0.109375},
	} {
		loss, err := LogLoss(p.P, p.y)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "log loss", loss, p.loss, 1e-15)
		brier, err := BrierScore(p.P, p.y)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "Brier score", brier, p.brier, 1e-15)
	}
}

// TestROCCountsPairs: the AUC is the share of the pairs of both classes that are in order, where equal scores count half;
// it is also the area under the points that are left on the curve. A monotone function of the scores changes neither
// curve.
func TestROCCountsPairs(t *testing.T) {
	for seed := range uint64(40) {
		scores, y := ranking(2+int(seed*7), int(seed%5)*2, seed)
		roc, err := MeasureROC(scores, y)
		if err != nil {
			t.Fatal(err)
		}
		right, pairs := 0.0, 0.0
		for i, a := range scores {
			for j, b := range scores {
				if y[i] == 1 && y[j] == 0 {
					pairs++
					switch {
					case a > b:
						right++
					case a == b:
						right += 0.5
					}
				}
			}
		}
		near(t, "AUC", roc.AUC, right/pairs, 1e-15)
		area := 0.0
		for i := 1; i < len(roc.FPR); i++ {
			area += (roc.FPR[i] - roc.FPR[i-1]) * (roc.TPR[i] + roc.TPR[i-1]) / 2
		}
		near(t, "area", area, roc.AUC, 1e-13)
		pr, err := MeasurePrecisionRecall(scores, y)
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range pr.Thresholds {
			found, all, ones := 0, 0, 0
			for k, s := range scores {
				all += b2i(s >= at)
				found += b2i(s >= at) * y[k]
				ones += y[k]
			}
			if all > 0 {
				near(t, "precision", pr.Precision[i], float64(found)/float64(all), 1e-15)
			}
			near(t, "recall", pr.Recall[i], float64(found)/float64(ones), 1e-15)
		}
		moved := make([]float64, len(scores))
		for i, s := range scores {
			moved[i] = math.Exp(3*s - 1)
		}
		roc2, err := MeasureROC(moved, y)
		if err != nil {
			t.Fatal(err)
		}
		pr2, err := MeasurePrecisionRecall(moved, y)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(roc.FPR, roc2.FPR) || !slices.Equal(roc.TPR, roc2.TPR) || roc.AUC != roc2.AUC ||
			!slices.Equal(pr.Precision, pr2.Precision) || !slices.Equal(pr.Recall, pr2.Recall) || pr.AveragePrecision != pr2.AveragePrecision {
			t.Errorf("seed %d: a monotone function of the scores changes the curves", seed)
		}
		for i := range moved {
			moved[i] = -scores[i]
		}
		back, err := MeasureROC(moved, y)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "AUC of the negative scores", back.AUC, 1-roc.AUC, 1e-14)
	}
}

// TestLogLossIsMaxents: without a penalty, the log loss of the training points is what FitMaxent minimizes.
func TestLogLossIsMaxents(t *testing.T) {
	X, y := blobs(90, 3, 3, 1, 5)
	const alpha = 0.01
	m, err := FitMaxent(t.Context(), X, y, &MaxentOptions{Alpha: alpha})
	if err != nil {
		t.Fatal(err)
	}
	loss, err := LogLoss(m.Probabilities(X), y)
	if err != nil {
		t.Fatal(err)
	}
	norm := mat.Norm(m.W, 2)
	near(t, "objective", loss+alpha/2*norm*norm, m.Objective, 1e-12)
}

// TestMeasuresOfScores: the scores of a support vector machine for class 1 order the points as its decisions do.
func TestMeasuresOfScores(t *testing.T) {
	X, y := blobs(80, 3, 2, 0.7, 6)
	m, err := FitRBFSVM(t.Context(), X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := MeasureROC(mat.Col(nil, 1, m.Scores(X)), y)
	if err != nil {
		t.Fatal(err)
	}
	F := m.Decisions(X) // positive for class 0
	F.Scale(-1, F)
	b, err := MeasureROC(mat.Col(nil, 0, F), y)
	if err != nil {
		t.Fatal(err)
	}
	if a.AUC != b.AUC || a.AUC < 0.6 {
		t.Errorf("AUC %v by scores, %v by decisions", a.AUC, b.AUC)
	}
}

func TestMeasuresRefuse(t *testing.T) {
	two := mat.NewDense(2, 2, []float64{0.5, 0.5, 0, 1})
	number := func(_ float64, err error) error { return err }
	for want, f := range map[string]func() error{
		"classify: MeasureROC: there are no scores":                           func() error { _, err := MeasureROC(nil, nil); return err },
		"classify: MeasureROC: scores[1] is NaN":                              func() error { _, err := MeasureROC([]float64{1, math.NaN()}, []int{0, 1}); return err },
		"classify: MeasureROC: scores[0] is +Inf":                             func() error { _, err := MeasureROC([]float64{math.Inf(1), 2}, []int{0, 1}); return err },
		"classify: MeasureROC: there is only one class":                       func() error { _, err := MeasureROC([]float64{1, 2}, []int{1, 1}); return err },
		"classify: MeasureROC: label y[1] is -1, must be 0 or 1 (for class k": func() error { _, err := MeasureROC([]float64{1, 2}, []int{1, -1}); return err },
		"classify: MeasurePrecisionRecall: there is only one class":           func() error { _, err := MeasurePrecisionRecall([]float64{1, 2}, []int{0, 0}); return err },
		"classify: LogLoss: P is empty (0×0)":                                 func() error { return number(LogLoss(&mat.Dense{}, nil)) },
		"classify: LogLoss: label y[1] is 2, and P has classes 0 to 1":        func() error { return number(LogLoss(two, []int{0, 2})) },
		"classify: LogLoss: P(0, 1) is NaN":                                   func() error { return number(LogLoss(mat.NewDense(1, 2, []float64{1, math.NaN()}), []int{0})) },
		"classify: LogLoss: P[0,0] is -1, not a probability: use Prob":        func() error { return number(LogLoss(mat.NewDense(1, 2, []float64{-1, 2}), []int{0})) },
		"classify: BrierScore: row 0 of P sums to 0.75, not to 1: use Prob":   func() error { return number(BrierScore(mat.NewDense(1, 2, []float64{0.5, 0.25}), []int{0})) },
	} {
		if err := f(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	c := Confuse([]int{0, 1}, []int{0, 1})
	for want, f := range map[string]func(){
		"classify: MeasureROC: 1 scores for 2 labels":                 func() { MeasureROC([]float64{1}, []int{0, 1}) },
		"classify: LogLoss: P is 2×2, and y has 1 labels: want a row": func() { LogLoss(two, []int{1}) },
		"classify: LogLoss: P is 2×1, and y has 2 labels: want a row": func() { LogLoss(mat.NewDense(2, 1, []float64{1, 1}), []int{0, 0}) },
		"classify: LogLoss: P is nil":                                 func() { LogLoss(nil, []int{1}) },
		"classify: Report: there are no predictions":                  func() { Confuse(nil, nil).Report() },
		"classify: Matthews: the confusion is nil":                    func() { (*Confusion)(nil).Matthews() },
		"classify: Report: 1 names of 2 classes":                      func() { c.Report("one") },
		"classify: BalancedAccuracy: Counts has 1 rows, and row 0":    func() { (&Confusion{[][]int{{1, 2}}}).BalancedAccuracy() },
		"classify: Matrix: Counts[0][0] is -1":                        func() { (&Confusion{[][]int{{-1}}}).Matrix() },
	} {
		if p := fmt.Sprint(panics.Value(f)); !strings.HasPrefix(p, want) {
			t.Errorf("panic %s, want %s", p, want)
		}
	}
	if r := c.Report("zero", "one", "two"); fmt.Sprint(r.Names) != "[zero one]" {
		t.Error(r.Names)
	}
	if v := Confuse([]int{0, 0, 1}, []int{0, 0, 0}).Matthews(); v != 0 {
		t.Errorf("Matthews is %v for one class", v)
	}
}
