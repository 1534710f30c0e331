package assignment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n := 1 + rng.IntN(5)
		m := n + rng.IntN(3)
		c := make([][]float64, n)
		for i := range c {
			c[i] = make([]float64, m)
			for j := range c[i] {
				c[i][j] = float64(rng.IntN(10)) - 4
			}
		}
		best := math.Inf(1)
		used := make([]bool, m)
		var rec func(i int, t float64)
		rec = func(i int, t float64) {
			if i == n {
				best = min(best, t)
				return
			}
			for j := range m {
				if !used[j] {
					used[j] = true
					rec(i+1, t+c[i][j])
					used[j] = false
				}
			}
		}
		rec(0, 0)
		seen := map[int]bool{}
		var got float64
		for i, j := range Solve(c) {
			got += c[i][j]
			if seen[j] {
				t.Fatal("a column twice")
			}
			seen[j] = true
		}
		if got != best {
			t.Fatalf("%v: %g, best %g", c, got, best)
		}
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
		"row 0 of 2 has 1 columns, the first row has 1": {{1}, {2}},
		"cost[0][1] is NaN":                             {{1, math.NaN()}},
		"cost[0][0] is -Inf":                            {{math.Inf(-1)}},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, "assignment: Solve: ") || !strings.Contains(got, want) {
					t.Errorf("%v: panic %q, want %q", c, got, want)
				}
			}()
			Solve(c)
		}()
	}
}
