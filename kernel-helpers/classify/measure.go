package classify

import (
	"fmt"
	"strings"
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
// argument.
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
