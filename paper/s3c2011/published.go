package s3c2011

import (
	"fmt"
	"math"

	"overcomplete/kernel-helpers/l2svm"
	"overcomplete/paper/record"
)

// publishedAll holds the accuracies with all labels, in percent.
var publishedAll = struct{ S3C, SparseCoding, SSRBM, Interval float64 }{78.3, 78.8, 76.7, 0.9}

// PerClass lists the numbers of labeled images of each class in figure 1 (right).
var PerClass = [5]int{50, 100, 200, 400, 1000}

// publishedFew holds the accuracies of figure 1 (right), in percent: the mean, and half the length of its error bar.
// The paper prints none of these numbers. They come from the script that draws the figure,
// old/s3c/paper/learning_curve_2.py in I. Goodfellow's repository goodfeli/galatea (commit 002a9f2;
// learning_curve_3.py in that repository has the same numbers). S3C's numbers are means and standard deviations over
// draws. According to the script, the other numbers are from Coates and Ng (2011), who also print only a figure. They
// were read off that figure, most of them to a quarter of a point. The script learning_curve.py of October 2011, with
// two curves, has 65 instead of 66.5 for sparse coding.
var publishedFew = map[Kind][5][2]float64{
	S3C:           {{53.91, 0.94}, {59.75, 0.64}, {64.37, 0.46}, {68.06, 0.29}, {72.33, 0.23}},
	SparseCoding:  {{53.75, 0.75}, {58, 0.75}, {62, 0.75}, {66.5, 0.75}, {70.75, 0.38}},
	SoftThreshold: {{46.5, 1.5}, {54.75, 0.75}, {58.75, 0.5}, {64.56, 0.73}, {70.25, 0.4}},
}

// publishedTransfer is the accuracy in the transfer challenge, in percent.
const publishedTransfer = 48.6

// compared lists the kinds in figure 1 (right), in the order of its legend.
var compared = []Kind{S3C, SparseCoding, SoftThreshold}

// A Quote is a published number: what it measures, its value, and where the paper or its source code gives it.
type Quote struct {
	What  string
	Value string
	Where string
}

const (
	inText   = "section 'CIFAR-10 Results'"
	inFigure = "figure 1 (right), by the script that draws it (goodfeli/galatea, old/s3c/paper/learning_curve_2.py)"
	inEnd    = "section 'Transfer Learning Challenge'"
)

// Published lists the published numbers with which the results of the pipeline are compared.
func (l *Lab) Published() []Quote {
	list := []Quote{
		{"all labels, S3C", interval(publishedAll.S3C, publishedAll.Interval), inText},
		{"all labels, sparse coding", interval(publishedAll.SparseCoding, publishedAll.Interval), inText},
		{"all labels, ssRBM", interval(publishedAll.SSRBM, publishedAll.Interval), inText},
	}
	for i, n := range PerClass {
		for _, k := range compared {
			v := publishedFew[k][i]
			list = append(list, Quote{fmt.Sprintf("%d labels per class, %s", n, k), interval(v[0], v[1]), inFigure})
		}
	}
	return append(list, Quote{"transfer challenge, S3C", fmt.Sprint(publishedTransfer, " %"), inEnd})
}

func interval(x, half float64) string { return fmt.Sprintf("%.4g ± %.2g %%", x, half) }

// publishedCurve returns the curve of kind k in figure 1 (right), with its intervals.
func publishedCurve(k Kind) *l2svm.Curve {
	var mean, half []float64
	for _, v := range publishedFew[k] {
		mean, half = append(mean, v[0]/100), append(half, v[1]/100)
	}
	return l2svm.NewCurve(string(k)+", published", PerClass[:], mean, half)
}

// curveRule returns the rule for the measured point p of figure 1 (right). The argument half is half the length of the
// published error bar, in percentage points. S3C must be at or above the lower end of its published interval. A rival's
// measured value must be neither too low nor too high, because otherwise the comparison would be unfair. The measured
// value may differ from the published value by this half length plus the standard error of our mean over draws.
func curveRule(k Kind, half float64, p l2svm.CurvePoint) record.Rule {
	if k == S3C {
		return record.AtLeastPublished(half).Partly(half)
	}
	ours := 0.0
	if n := len(p.Accuracy); n > 1 {
		ours = 100 * p.SD / math.Sqrt(float64(n))
	}
	tol := math.Round(100*(half+ours)) / 100
	return record.Within(tol).Partly(tol)
}

// smaller returns the reason why this run is not compared with the published numbers: its size is smaller than the
// paper's. At full size it returns "".
func (s *sharedLab) smaller() string {
	if s.Full() {
		return ""
	}
	n := s.Settings()
	return fmt.Sprintf("the published number is for 1600 units and 50,000 images; size %s has %d and %d", s.Size, n.Units, len(s.Photographs().TrainLabels))
}

// notRun returns a reason for rows without data: that the full-size features and accuracies of kind k have not been
// computed. The text names the commands that compute them.
func (s *sharedLab) notRun(k Kind) string {
	return fmt.Sprintf("not run at this size; '%s' computes the features (about %s on two processors), and '%s' the accuracies",
		s.command(stageFeatures, k), about(s.takes(stageFeatures, k)+s.takes(stageDictionary, k)), s.command(stageClassify, k))
}
