package assignment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/cputime"
	"overcomplete/internal/panics"
)

// cheapest returns the least cost of min(n, m) pairs by trying all assignments, or +Inf if all are forbidden.
func cheapest(c [][]float64) float64 {
	n, m := len(c), len(c[0])
	best := math.Inf(1)
	used := make([]bool, m)
	var rec func(i, pairs int, t float64)
	rec = func(i, pairs int, t float64) {
		if i == n {
			if pairs == min(n, m) {
				best = min(best, t)
			}
			return
		}
		if n > m {
			rec(i+1, pairs, t)
		}
		for j := range m {
			if !used[j] {
				used[j] = true
				rec(i+1, pairs+1, t+c[i][j])
				used[j] = false
			}
		}
	}
	rec(0, 0, 0)
	return best
}

// TestAgainstBruteForce compares Match with a search through all assignments, for matrices of any shape, some with
// forbidden pairs.
func TestAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	impossible := 0
	for k := range 600 {
		n, m := 1+rng.IntN(5), 1+rng.IntN(6)
		c := make([][]float64, n)
		for i := range c {
			c[i] = make([]float64, m)
			for j := range c[i] {
				c[i][j] = float64(rng.IntN(10)) - 4
				if k%2 == 1 && rng.IntN(2) == 0 {
					c[i][j] = math.Inf(1)
				}
			}
		}
		best := cheapest(c)
		got, err := Match(c)
		if math.IsInf(best, 1) {
			impossible++
			if err == nil || !strings.HasPrefix(err.Error(), "assignment: Match: every assignment has a cost of +Inf: ") {
				t.Fatalf("%v: %v, %v", c, got, err)
			}
			continue
		}
		if err != nil || len(got) != n {
			t.Fatalf("%v: %v, %v", c, got, err)
		}
		seen, sum := map[int]bool{}, 0.0
		for i, j := range got {
			if j < 0 {
				continue
			}
			sum += c[i][j]
			if seen[j] {
				t.Fatal("a column twice")
			}
			seen[j] = true
		}
		if len(seen) != min(n, m) || sum != best {
			t.Fatalf("%v: %d pairs cost %g, best %g", c, len(seen), sum, best)
		}
		if k%2 == 0 && !slices.Equal(Solve(c), got) {
			t.Fatalf("%v: Solve returns %v, Match %v", c, Solve(c), got)
		}
	}
	if impossible < 50 || impossible > 250 {
		t.Errorf("%d of 300 matrices with forbidden pairs have no assignment", impossible)
	}
}

// TestRange: Solve ends for all finite costs, even if sums of costs exceed the range of float64.
func TestRange(t *testing.T) {
	const big = math.MaxFloat64
	for want, c := range map[string][][]float64{
		"[0 1]":    {{-1.7e308, 1.7e308}, {-1.7e308, 1.7e308}},
		"[1 0]":    {{big, -big}, {-big, big}},
		"[1 2 0]":  {{big, 1, big}, {big, big, 2}, {3, big, big}}, // big is often used to forbid a pair
		"[-1 0 1]": {{big, big}, {-big, big}, {big, -big}},
		"[1 -1 0]": {{big, 0x1p-1074}, {big, big}, {0, big}},
	} {
		if got := fmt.Sprint(Solve(c)); got != want {
			t.Errorf("%v: %s, want %s", c, got, want)
		}
	}
	// All costs have the largest size, so only their signs matter, and the least cost is that for ±1.
	rng := rand.New(rand.NewPCG(4, 1))
	for range 100 {
		n, m := 1+rng.IntN(5), 1+rng.IntN(5)
		signs, c := make([][]float64, n), make([][]float64, n)
		for i := range c {
			signs[i], c[i] = make([]float64, m), make([]float64, m)
			for j := range c[i] {
				signs[i][j] = float64(1 - 2*rng.IntN(2))
				c[i][j] = big * signs[i][j]
			}
		}
		sum := 0.0
		for i, j := range Solve(c) {
			if j >= 0 {
				sum += signs[i][j]
			}
		}
		if want := cheapest(signs); sum != want {
			t.Errorf("%v: %g, want %g", signs, sum, want)
		}
	}
}

// TestForbidden: the error names the rows and columns that leave no assignment.
func TestForbidden(t *testing.T) {
	inf := math.Inf(1)
	for want, c := range map[string][][]float64{
		"the 2 rows [0 2] have finite costs only in the 1 columns [1]": {{inf, 1, inf}, {1, 2, 3}, {inf, 4, inf}},
		"the 1 rows [1] have finite costs only in the 0 columns []":    {{1, 2}, {inf, inf}},
		"the 2 columns [0 1] have finite costs only in the 1 rows [2]": {{inf, inf}, {inf, inf}, {1, 1}},
	} {
		if got, err := Match(c); got != nil || err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v: %v, %v; want %q", c, got, err, want)
		}
	}
	if got := fmt.Sprint(Solve([][]float64{{}, {}})); got != "[-1 -1]" {
		t.Errorf("no columns: %s", got)
	}
	if _, err := Match([][]float64{{1, math.NaN()}}); err == nil || err.Error() != "assignment: Match: cost[0][1] is NaN" {
		t.Error(err)
	}
}

// TestHiddenPermutation finds a hidden permutation of cost 0 among positive costs, at a size where trying all
// assignments would take too long.
func TestHiddenPermutation(t *testing.T) {
	const n, m = 120, 150
	rng := rand.New(rand.NewPCG(2, 1))
	hidden := rng.Perm(m)[:n]
	c := make([][]float64, n)
	for i := range c {
		c[i] = make([]float64, m)
		for j := range c[i] {
			c[i][j] = 0.01 + rng.Float64()
		}
		c[i][hidden[i]] = 0
	}
	for i, j := range Solve(c) {
		if j != hidden[i] {
			t.Fatalf("row %d is given column %d, not %d", i, j, hidden[i])
		}
	}
}

// TestInputs checks that the costs are not changed, and that a matrix without rows needs no columns.
func TestInputs(t *testing.T) {
	c := [][]float64{{1, 2}, {1, 5}}
	if got := fmt.Sprint(Solve(c), c); got != "[1 0] [[1 2] [1 5]]" {
		t.Error(got)
	}
	if got := Solve(nil); got != nil {
		t.Errorf("no rows: %v", got)
	}
}

func TestMistakesPanic(t *testing.T) {
	for want, c := range map[string][][]float64{
		"row 1 of 2 has 1 columns, the first row has 2": {{1, 2}, {3}},
		"the 2 columns [0 1] have finite costs":         {{math.Inf(1), math.Inf(1)}, {math.Inf(1), math.Inf(1)}, {1, 1}},
		"cost[0][1] is NaN":                             {{1, math.NaN()}},
		"cost[0][0] is -Inf":                            {{math.Inf(-1)}},
	} {
		if got, _ := panics.Value(func() { Solve(c) }).(string); !strings.HasPrefix(got, "assignment: Solve: ") || !strings.Contains(got, want) {
			t.Errorf("%v: panic %q, want %q", c, got, want)
		}
	}
}

// TestTiesAreFast: with many equal costs, each row takes a free column at once. So an assignment takes less time than
// with different costs, and not twenty times as long.
func TestTiesAreFast(t *testing.T) {
	const n = 600
	rng := rand.New(rand.NewPCG(4, 4))
	solve := func(costs int) (total float64, took time.Duration) {
		cost := make([][]float64, n)
		for i := range cost {
			cost[i] = make([]float64, n)
			for j := range cost[i] {
				cost[i][j] = float64(rng.IntN(costs))
			}
		}
		begin := cputime.Own()
		column, err := Match(cost)
		took = cputime.Own() - begin
		if err != nil {
			t.Fatal(err)
		}
		for i, j := range column {
			total += cost[i][j]
		}
		return total, took
	}
	_, different := solve(1 << 40)
	for _, costs := range []int{1, 2, 10} {
		total, took := solve(costs)
		if total != 0 { // so many zeros allow an assignment of zeros
			t.Errorf("costs below %d: total %v", costs, total)
		}
		if took > 3*different {
			t.Errorf("costs below %d take %v, different costs %v", costs, took, different)
		}
	}
}
