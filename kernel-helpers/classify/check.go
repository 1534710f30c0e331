package classify

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
)

// labelled checks points with their labels and returns the number of classes K:
// classes if that is not 0, otherwise one more than the largest label. Fewer than two
// classes and a label outside 0..K-1 are errors; a length of y that does not match X
// is a shape mistake and panics.
func labelled(fn string, X mat.Matrix, y []int, classes int) (*mat.Dense, int, error) {
	D, err := finite.Dense("X", X)
	if err != nil {
		return nil, 0, fmt.Errorf("classify: %s: %w", fn, err)
	}
	if n, d := D.Dims(); n != len(y) {
		panic(fmt.Sprintf("classify: %s: X is %d×%d (a point per ROW) and y has %d labels", fn, n, d, len(y)))
	}
	K := classes
	for i, c := range y {
		if c < 0 || classes != 0 && c >= classes {
			return nil, 0, fmt.Errorf("classify: %s: label y[%d] is %d, outside 0 to %d", fn, i, c, max(K, 1)-1)
		}
		if classes == 0 {
			K = max(K, c+1)
		}
	}
	if K < 2 {
		return nil, 0, fmt.Errorf("classify: %s: there is only one class", fn)
	}
	return D, K, nil
}

// counts returns the number of points of each class. A class without points is an
// error.
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

// input returns the X of a model's method, which must have d columns and be finite.
// Once a model is trained, anything else is a caller's mistake.
func input(fn string, X mat.Matrix, d int) *mat.Dense {
	D, err := finite.Dense("X", X)
	if err != nil {
		panic(fmt.Sprintf("classify: %s: %v", fn, err))
	}
	if n, m := D.Dims(); m != d {
		panic(fmt.Sprintf("classify: %s: X is %d×%d, the model has %d features", fn, n, m, d))
	}
	return D
}

// checkLabels panics unless y has n labels of K classes.
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

// largest returns the index of the largest element of each row, the first of equal
// ones.
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
