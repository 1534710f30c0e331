package classify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/internal/ram"
	"overcomplete/kernel-helpers/internal/given"
)

// Accuracy returns the share of predictions that equal the truth, 0 to 1. It panics if
// there are no predictions or the lengths differ.
func Accuracy(predicted, truth []int) float64 {
	if len(predicted) != len(truth) || len(truth) == 0 {
		panic(fmt.Sprintf("classify: Accuracy: %d predictions for %d labels", len(predicted), len(truth)))
	}
	right := 0
	for i, p := range predicted {
		if p == truth[i] {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

// ErrorRate returns 1 − Accuracy, the misclassification rate.
func ErrorRate(predicted, truth []int) float64 { return 1 - Accuracy(predicted, truth) }

// A Confusion counts predictions: Counts[t][p] is the number of points of class t
// that were predicted as class p.
type Confusion struct{ Counts [][]int }

// Confuse counts predictions against the truth. The number of classes is one more than the largest label in either
// argument. Confuse panics if the counts would take more memory than package memory allows.
func Confuse(predicted, truth []int) *Confusion {
	if len(predicted) != len(truth) {
		panic(fmt.Sprintf("classify: Confuse: %d predictions for %d labels", len(predicted), len(truth)))
	}
	K := 0
	for i := range truth {
		if truth[i] < 0 || predicted[i] < 0 {
			panic(fmt.Sprintf("classify: Confuse: point %d has a negative label", i))
		}
		K = max(K, truth[i]+1, predicted[i]+1)
	}
	if err := ram.Check(fmt.Sprintf("the counts of %d classes", K), 8*float64(K)*float64(K)); err != nil {
		panic(fmt.Sprintf("classify: Confuse: %v", err))
	}
	c := &Confusion{Counts: make([][]int, K)}
	for t := range c.Counts {
		c.Counts[t] = make([]int, K)
	}
	for i := range truth {
		c.Counts[truth[i]][predicted[i]]++
	}
	return c
}

// MostConfused returns the k classes with the most errors, in descending order. The errors of a class are those in its
// row and in its column. Figure 2 of Bradley and Bagnell shows the eight most confusable digits.
func (c *Confusion) MostConfused(k int) []int {
	K := len(c.Counts)
	if k < 0 || k > K {
		panic(fmt.Sprintf("classify: MostConfused: %d of %d classes", k, K))
	}
	wrong := make([]int, K)
	for t, row := range c.Counts {
		for p, n := range row {
			if p != t {
				wrong[t] += n
				wrong[p] += n
			}
		}
	}
	var order []int
	for range k {
		best := -1
		for t, w := range wrong {
			if w >= 0 && (best < 0 || w > wrong[best]) {
				best = t
			}
		}
		order = append(order, best)
		wrong[best] = -1
	}
	return order
}

// String returns a table: a row for each true class, a column for each predicted class.
func (c *Confusion) String() string {
	var b strings.Builder
	b.WriteString("true\\as")
	for p := range c.Counts {
		fmt.Fprintf(&b, "%6d", p)
	}
	b.WriteByte('\n')
	for t, row := range c.Counts {
		fmt.Fprintf(&b, "%7d", t)
		for _, n := range row {
			fmt.Fprintf(&b, "%6d", n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Matrix returns the counts as a matrix. This draws them:
//
//	figure.Annotated("digits", classify.Confuse(m.Predict(X), y).Matrix(), nil, nil)
func (c *Confusion) Matrix() *mat.Dense {
	c.mustHavePoints("Matrix")
	M := mat.NewDense(len(c.Counts), len(c.Counts), nil)
	M.Apply(func(t, p int, _ float64) float64 { return float64(c.Counts[t][p]) }, M)
	return M
}

// margins holds, for each class, how many points are of the class, how many were predicted as the class, and for how
// many both are true.
type margins struct {
	truth, predicted, right []int
	all, allRight           int
}

// margins panics if there are no predictions.
func (c *Confusion) margins(fn string) margins {
	c.mustHavePoints(fn)
	K := len(c.Counts)
	m := margins{truth: make([]int, K), predicted: make([]int, K), right: make([]int, K)}
	for t, row := range c.Counts {
		for p, n := range row {
			m.truth[t] += n
			m.predicted[p] += n
			m.all += n
		}
		m.right[t] = row[t]
		m.allRight += row[t]
	}
	return m
}

// mustHavePoints panics unless Counts is square, has no negative number and has at least one positive number.
func (c *Confusion) mustHavePoints(fn string) {
	if c == nil {
		panic(fmt.Sprintf("classify: %s: the confusion is nil", fn))
	}
	all := 0
	for t, row := range c.Counts {
		if len(row) != len(c.Counts) {
			panic(fmt.Sprintf("classify: %s: Counts has %d rows, and row %d has %d numbers", fn, len(c.Counts), t, len(row)))
		}
		for p, n := range row {
			if n < 0 {
				panic(fmt.Sprintf("classify: %s: Counts[%d][%d] is %d", fn, t, p, n))
			}
			all += n
		}
	}
	if all == 0 {
		panic(fmt.Sprintf("classify: %s: there are no predictions", fn))
	}
}

// share returns a/b, or 0 if b is 0.
func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// BalancedAccuracy returns the mean of the recalls of the classes that have points, 0 to 1. Each class counts equally,
// however many points it has. BalancedAccuracy panics if there are no predictions.
func (c *Confusion) BalancedAccuracy() float64 {
	m := c.margins("BalancedAccuracy")
	sum, classes := 0.0, 0.0
	for k, n := range m.truth {
		if n > 0 {
			sum += float64(m.right[k]) / float64(n)
			classes++
		}
	}
	return sum / classes
}

// Matthews returns the Matthews correlation coefficient, for two or more classes (J. Gorodkin, Comparing two
// K-category assignments by a K-category correlation coefficient, 2004). It is 1 if all predictions are right, about 0
// if they have nothing to do with the truth, and 0 if all points are of one class or all predictions are. Matthews
// panics if there are no predictions.
func (c *Confusion) Matthews() float64 {
	m := c.margins("Matthews")
	n := float64(m.all)
	cov, truth, predicted := float64(m.allRight)*n, n*n, n*n
	for k := range m.truth {
		t, p := float64(m.truth[k]), float64(m.predicted[k])
		cov -= t * p
		truth -= t * t
		predicted -= p * p
	}
	if truth == 0 || predicted == 0 {
		return 0
	}
	return cov / math.Sqrt(truth) / math.Sqrt(predicted)
}

// ClassScores says how well a class is predicted.
type ClassScores struct {
	// Precision is the share of the points predicted as the class that belong to it; 0 if there are none.
	Precision float64
	// Recall is the share of the points of the class that were predicted as the class; 0 if there are none.
	Recall float64
	// F1 is the harmonic mean of Precision and Recall; 0 if one of them is 0.
	F1 float64
	// Support is the number of points of the class, and Predicted the number of points predicted as the class.
	Support, Predicted int
}

// A Report says how well each class is predicted.
type Report struct {
	Classes []ClassScores // by label
	// Names has the name of each class. nil means that the classes are named by their labels.
	Names []string
	// Accuracy is the share of all predictions that are right.
	Accuracy float64
	// Macro has the means over the classes, which all count equally. Classes that occur neither among the points nor
	// among the predictions do not count.
	Macro ClassScores
	// Weighted has the means over the points: each class counts by its Support.
	Weighted ClassScores
}

// absent reports whether the class occurs neither among the points nor among the predictions.
func (s *ClassScores) absent() bool { return s.Support == 0 && s.Predicted == 0 }

// Report returns precision, recall and F1 of each class, and their means. Give either the names of all classes, such as
// those that frame.Labels returns, or none. Names of classes above the largest label are ignored. Report panics if there
// are no predictions.
//
//	classify.Confuse(m.Predict(X), y).Report()
func (c *Confusion) Report(names ...string) *Report {
	m := c.margins("Report")
	K := len(m.truth)
	if len(names) != 0 && len(names) < K {
		panic(fmt.Sprintf("classify: Report: %d names of %d classes", len(names), K))
	}
	names = names[:min(len(names), K)]
	r := &Report{Classes: make([]ClassScores, K), Names: slices.Clone(names), Accuracy: float64(m.allRight) / float64(m.all)}
	present := 0.0
	for k := range K {
		right, truth, predicted := float64(m.right[k]), float64(m.truth[k]), float64(m.predicted[k])
		s := ClassScores{share(right, predicted), share(right, truth), share(2*right, truth+predicted), m.truth[k], m.predicted[k]}
		r.Classes[k] = s
		if !s.absent() {
			present++
			r.Macro.add(s, 1)
			r.Weighted.add(s, truth)
		}
	}
	r.Macro.divide(present, m.all)
	r.Weighted.divide(float64(m.all), m.all)
	return r
}

// add adds the shares of another class, times a weight.
func (s *ClassScores) add(of ClassScores, weight float64) {
	s.Precision += weight * of.Precision
	s.Recall += weight * of.Recall
	s.F1 += weight * of.F1
}

// divide divides the sums in s by their total weight (by), which makes them means. It sets Support and Predicted to
// all, the number of points.
func (s *ClassScores) divide(by float64, all int) {
	s.Support, s.Predicted = all, all
	s.Precision /= by
	s.Recall /= by
	s.F1 /= by
}

// String returns a table like that of scikit-learn's classification_report. It leaves out classes that occur neither
// among the points nor among the predictions.
func (r *Report) String() string {
	const all = "weighted avg"
	names, width := make([]string, len(r.Classes)), len(all)
	for k := range names {
		names[k] = fmt.Sprint(k)
		if k < len(r.Names) {
			names[k] = r.Names[k]
		}
		width = max(width, len([]rune(names[k])))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%*s  %9s %9s %9s %9s\n\n", width, "", "precision", "recall", "f1-score", "support")
	line := func(name string, s ClassScores) {
		fmt.Fprintf(&b, "%*s  %9.2f %9.2f %9.2f %9d\n", width, name, s.Precision, s.Recall, s.F1, s.Support)
	}
	for k, s := range r.Classes {
		if !s.absent() {
			line(names[k], s)
		}
	}
	fmt.Fprintf(&b, "\n%*s  %9s %9s %9.2f %9d\n", width, "accuracy", "", "", r.Accuracy, r.Macro.Support)
	line("macro avg", r.Macro)
	line(all, r.Weighted)
	return b.String()
}

// An ROC is the receiver operating characteristic of scores for two classes, in ascending order of FPR and TPR. At
// point i of the curve, all data points with a score of Thresholds[i] or more are predicted as class 1. Data points
// with equal scores enter the curve together.
type ROC struct {
	// FPR is the false positive rate, the share of class 0 that is predicted as class 1. TPR is the true positive rate,
	// the share of class 1 that is predicted as class 1. Both begin with 0 and end with 1.
	FPR, TPR []float64
	// Thresholds descend, and begin with +Inf.
	Thresholds []float64
	// AUC is the area under the curve: the probability that a point of class 1 has a larger score than a point of class
	// 0. A pair with equal scores counts half.
	AUC float64
}

// String returns a one-line summary.
func (r *ROC) String() string { return fmt.Sprintf("AUC %.4g, %d points", r.AUC, len(r.FPR)) }

// MeasureROC returns the ROC curve of the scores; larger scores mean class 1. The labels y are 0 and 1. The scores may
// be column 1 of Probabilities, or of the Scores of a support vector machine. As in scikit-learn's roc_curve, points
// midway between their two neighbors on the curve are left out. Empty data, scores that are NaN or Inf, and labels of
// one class only are errors.
//
//	r, err := classify.MeasureROC(mat.Col(nil, 1, m.Probabilities(X)), y)
//	figure.Lines("ROC", r.FPR, r.TPR)
func MeasureROC(scores []float64, y []int) (*ROC, error) {
	at, err := thresholds("MeasureROC", scores, y)
	if err != nil {
		return nil, err
	}
	end := at[len(at)-1]
	r := &ROC{FPR: []float64{0}, TPR: []float64{0}, Thresholds: []float64{math.Inf(1)}}
	var before threshold
	area := 0.0 // twice the number of pairs in order
	for i, a := range at {
		area += float64(a.wrong-before.wrong) * float64(a.right+before.right)
		if i > 0 && i < len(at)-1 {
			next := at[i+1]
			if next.wrong-a.wrong == a.wrong-before.wrong && next.right-a.right == a.right-before.right {
				before = a
				continue
			}
		}
		before = a
		r.FPR = append(r.FPR, float64(a.wrong)/float64(end.wrong))
		r.TPR = append(r.TPR, float64(a.right)/float64(end.right))
		r.Thresholds = append(r.Thresholds, a.score)
	}
	r.AUC = area / (2 * float64(end.wrong) * float64(end.right))
	return r, nil
}

// A PrecisionRecall is the curve of precision against recall of scores for two classes, in ascending order of
// Thresholds. At point i of the curve, all data points with a score of Thresholds[i] or more are predicted as class 1.
// Data points with equal scores enter the curve together.
type PrecisionRecall struct {
	// Precision is the share of class 1 among the points predicted as class 1. Recall is the share of class 1 that is
	// predicted as class 1. At the last point nothing is predicted as class 1; its precision is 1 and its recall 0.
	Precision, Recall []float64
	// Thresholds ascend, and end with +Inf.
	Thresholds []float64
	// AveragePrecision is the sum of the precisions, each weighted by the increase in recall since the next larger
	// threshold. There is no interpolation.
	AveragePrecision float64
}

// String returns a one-line summary.
func (r *PrecisionRecall) String() string {
	return fmt.Sprintf("average precision %.4g, %d points", r.AveragePrecision, len(r.Precision))
}

// MeasurePrecisionRecall returns the curve of precision against recall, for scores and labels as in MeasureROC. It
// returns the same errors.
func MeasurePrecisionRecall(scores []float64, y []int) (*PrecisionRecall, error) {
	at, err := thresholds("MeasurePrecisionRecall", scores, y)
	if err != nil {
		return nil, err
	}
	positive := float64(at[len(at)-1].right)
	r := &PrecisionRecall{Precision: []float64{1}, Recall: []float64{0}, Thresholds: []float64{math.Inf(1)}}
	before := 0
	for _, a := range at {
		precision := float64(a.right) / float64(a.right+a.wrong)
		r.AveragePrecision += precision * float64(a.right-before)
		r.Precision = append(r.Precision, precision)
		r.Recall = append(r.Recall, float64(a.right)/positive)
		r.Thresholds = append(r.Thresholds, a.score)
		before = a.right
	}
	r.AveragePrecision /= positive
	slices.Reverse(r.Precision)
	slices.Reverse(r.Recall)
	slices.Reverse(r.Thresholds)
	return r, nil
}

// A threshold is a distinct score, with the numbers of points of class 1 (right) and of class 0 (wrong) that have this
// score or a larger one.
type threshold struct {
	score        float64
	right, wrong int
}

// thresholds returns the distinct scores in descending order.
func thresholds(fn string, scores []float64, y []int) ([]threshold, error) {
	if len(scores) != len(y) {
		panic(fmt.Sprintf("classify: %s: %d scores for %d labels", fn, len(scores), len(y)))
	}
	if len(y) == 0 {
		return nil, fmt.Errorf("classify: %s: there are no scores", fn)
	}
	if i := finite.Index(scores); i >= 0 {
		return nil, fmt.Errorf("classify: %s: scores[%d] is %v", fn, i, scores[i])
	}
	n := [2]int{}
	for i, c := range y {
		if c != 0 && c != 1 {
			return nil, fmt.Errorf("classify: %s: label y[%d] is %d, must be 0 or 1 (for class k against the rest, use 1 for class k and 0 for the others)", fn, i, c)
		}
		n[c]++
	}
	if n[0] == 0 || n[1] == 0 {
		return nil, fmt.Errorf("classify: %s: there is only one class", fn)
	}
	order := make([]int, len(y))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	var list []threshold
	var now threshold
	for k, i := range order {
		now.score = scores[i]
		now.right += y[i]
		now.wrong += 1 - y[i]
		if k == len(order)-1 || scores[order[k+1]] != now.score {
			list = append(list, now)
		}
	}
	return list, nil
}

// LogLoss returns −(1/n) Σ log P[i, y_i], the mean loss of the probabilities P (n×K), such as the result of
// Probabilities, for the labels y, 0 to K−1. As in scikit-learn, probabilities below 2⁻⁵² count as 2⁻⁵², so the loss is
// never infinite. Empty data, rows that are not probabilities and labels out of range are errors.
func LogLoss(P mat.Matrix, y []int) (float64, error) {
	D, err := probabilities("LogLoss", P, y)
	if err != nil {
		return 0, err
	}
	loss := 0.0
	for i, c := range y {
		loss -= math.Log(max(D.At(i, c), 0x1p-52))
	}
	return max(0, loss/float64(len(y))), nil // without −0
}

// BrierScore returns (1/n) Σ_i Σ_k (P[i, k] − t_ik)², where t_ik is 1 if y_i is k and 0 otherwise. For two classes it
// returns half of this, which is the mean of (P[i, 1] − y_i)². P (n×K) has the probabilities, such as the result of
// Probabilities, and y the labels, 0 to K−1. Small scores are good. The errors are those of LogLoss.
func BrierScore(P mat.Matrix, y []int) (float64, error) {
	D, err := probabilities("BrierScore", P, y)
	if err != nil {
		return 0, err
	}
	_, K := D.Dims()
	sum := 0.0
	for i, c := range y {
		for k, p := range D.RawRowView(i) {
			if k == c {
				p--
			}
			sum += p * p
		}
	}
	if K == 2 {
		sum /= 2
	}
	return sum / float64(len(y)), nil
}

// probabilities returns P as a dense matrix. It panics if P is nil, has fewer than two columns or does not match
// the length of y. It returns an error if P is empty, a row of P does not consist of probabilities, or a label is
// out of range.
func probabilities(fn string, P mat.Matrix, y []int) (*mat.Dense, error) {
	given.Args("classify: "+fn, "P", P)
	D, err := finite.Dense("P", P)
	if err != nil {
		return nil, fmt.Errorf("classify: %s: %w", fn, err)
	}
	n, K := D.Dims()
	if n != len(y) || K < 2 {
		panic(fmt.Sprintf("classify: %s: P is %d×%d, and y has %d labels: want a row for each label, with a probability for each class", fn, n, K, len(y)))
	}
	for i, c := range y {
		if c < 0 || c >= K {
			return nil, fmt.Errorf("classify: %s: label y[%d] is %d, and P has classes 0 to %d", fn, i, c, K-1)
		}
		sum := 0.0
		for k, p := range D.RawRowView(i) {
			if p < 0 || p > 1 {
				return nil, fmt.Errorf("classify: %s: P[%d,%d] is %v, not a probability: use Probabilities, not Scores", fn, i, k, p)
			}
			sum += p
		}
		if math.Abs(sum-1) > 1e-4 { // probabilities may be rounded to float32
			return nil, fmt.Errorf("classify: %s: row %d of P sums to %v, not to 1: use Probabilities, not Scores", fn, i, sum)
		}
	}
	return D, nil
}
