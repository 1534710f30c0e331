package classify

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/csr"
	"overcomplete/kernel-helpers/internal/weights"
)

// checkLabeled returns the points X as a dense matrix, and the number K of classes. If classes is not 0, K is classes;
// otherwise K is one more than the largest label in y, which must be less than n. Elements of X that are not finite, fewer than two classes, and
// labels outside 0..K-1 are errors. checkLabeled panics if the length of y does not match X.
func checkLabeled(fn string, X mat.Matrix, y []int, classes int) (*mat.Dense, int, error) {
	mustNotBeNil(fn, X)
	D, err := finite.Dense("X", X)
	if err != nil {
		return nil, 0, fmt.Errorf("classify: %s: %w", fn, err)
	}
	K, err := labels(fn, D, y, classes)
	return D, K, err
}

// mustNotBeNil panics if X is nil.
func mustNotBeNil(fn string, X mat.Matrix) {
	D, dense := X.(*mat.Dense)
	S, sparse := X.(*csr.Matrix)
	if X == nil || dense && D == nil || sparse && S == nil {
		panic(fmt.Sprintf("classify: %s: X is nil", fn))
	}
}

// labels checks the labels of the points X and returns K, as checkLabeled does.
func labels(fn string, X mat.Matrix, y []int, classes int) (int, error) {
	if n, d := X.Dims(); n != len(y) {
		if d == len(y) {
			panic(fmt.Sprintf("classify: %s: X is %d×%d, a point per ROW, and y has %d labels: want %d×%d, is X transposed?", fn, n, d, len(y), d, n))
		}
		panic(fmt.Sprintf("classify: %s: X is %d×%d, a point per ROW, and y has %d labels", fn, n, d, len(y)))
	}
	if classes < 0 {
		return 0, fmt.Errorf("classify: %s: Classes is %d, must not be negative", fn, classes)
	}
	K := classes
	for i, c := range y {
		if c < 0 && classes == 0 {
			return 0, fmt.Errorf("classify: %s: label y[%d] is %d, and labels are 0, 1, ..: number the classes from 0 (for −1 and 1, use 0 and 1)", fn, i, c)
		}
		if c < 0 || classes != 0 && c >= classes {
			return 0, fmt.Errorf("classify: %s: label y[%d] is %d, outside 0 to %d", fn, i, c, max(K, 1)-1)
		}
		if classes == 0 && c >= len(y) {
			return 0, fmt.Errorf("classify: %s: label y[%d] is %d, more than there are points (%d): number the classes from 0, as frame.Labels does, or set Classes", fn, i, c, len(y))
		}
		if classes == 0 {
			K = max(K, c+1)
		}
	}
	if K < 2 || classes == 0 && !slices.ContainsFunc(y, func(c int) bool { return c != y[0] }) {
		return 0, fmt.Errorf("classify: %s: there is only one class", fn)
	}
	return K, nil
}

// An option is a named value that may be out of range.
type option struct {
	name  string
	value any
	fine  bool
	want  string
}

// number returns an option that must be finite and not negative.
func number(name string, v float64) option {
	return option{name, v, v >= 0 && !math.IsInf(v, 0), "finite and not negative"}
}

// count returns an option that must not be negative.
func count(name string, v int) option { return option{name, v, v >= 0, "0 or more"} }

// inRange returns an error that names the first option out of range.
func inRange(fn string, list ...option) error {
	for _, o := range list {
		if !o.fine {
			return fmt.Errorf("classify: %s: %s is %v, must be %s", fn, o.name, o.value, o.want)
		}
	}
	return nil
}

// BalancedWeights returns class weights that make all K classes of the labels y count equally, as in scikit-learn. The
// weight of a class that has n_k of the n points is n/(K n_k), or 0 if n_k = 0. BalancedWeights panics if a label is
// outside 0 to K−1.
func BalancedWeights(y []int, K int) []float64 {
	w := make([]float64, max(0, K))
	for i, c := range y {
		if c < 0 || c >= K {
			panic(fmt.Sprintf("classify: BalancedWeights: label y[%d] is %d, outside 0 to %d", i, c, K-1))
		}
		w[c]++
	}
	for k, n := range w {
		if n > 0 {
			w[k] = float64(len(y)) / (float64(K) * n)
		}
	}
	return w
}

// pointWeights returns the weights of the points, from the weights of classes and samples; see weights.Of.
func pointWeights(fn string, classes, samples []float64, y []int, K int) ([]float64, error) {
	s, err := weights.Of(classes, samples, y, K)
	if err != nil {
		return nil, fmt.Errorf("classify: %s: %w", fn, err)
	}
	return s, nil
}

// counts returns the number of points of each of the K classes. It returns an error if a class has no points.
func counts(fn string, y []int, K int) ([]int, error) {
	n := make([]int, K)
	for _, c := range y {
		n[c]++
	}
	for c, m := range n {
		if m == 0 {
			return nil, fmt.Errorf("classify: %s: no point has label %d", fn, c)
		}
	}
	return n, nil
}

// input returns the argument X of a trained model's method as a dense matrix. It panics unless X has d
// columns and is finite.
func input(fn string, X mat.Matrix, d int) *mat.Dense {
	D, err := finite.Dense("X", X)
	if err != nil {
		panic(fmt.Sprintf("classify: %s: %v", fn, err))
	}
	checkWidth(fn, D, d)
	return D
}

// mustBeTrained panics if a model has no weights.
func mustBeTrained(fn string, W *mat.Dense) {
	if W == nil || W.IsEmpty() {
		panic(fmt.Sprintf("classify: %s: the model is not trained", fn))
	}
}

// checkLabels panics unless y has n labels, each from 0 to K−1.
func checkLabels(fn string, y []int, n, K int) {
	if len(y) != n {
		panic(fmt.Sprintf("classify: %s: %d points and %d labels", fn, n, len(y)))
	}
	for i, c := range y {
		if c < 0 || c >= K {
			panic(fmt.Sprintf("classify: %s: label y[%d] is %d, the model has %d classes", fn, i, c, K))
		}
	}
}

// largest returns, for each row of S, the index of the largest element. If several elements are largest, it returns the
// first of their indices.
func largest(S *mat.Dense) []int {
	n, _ := S.Dims()
	y := make([]int, n)
	for i := range y {
		row := S.RawRowView(i)
		for k, s := range row {
			if s > row[y[i]] {
				y[i] = k
			}
		}
	}
	return y
}
