package assignment

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"overcomplete/kernel-helpers/internal/trial"
)

// TestLaws: the cost of the assignment, added without rounding, is the least of all assignments up to the rounding of
// the costs in it. This holds also if rows or columns have costs of very different sizes, if all costs of a row are far
// from 0, and if costs tie. Adding a number to a row changes nothing. With forbidden pairs, Match reports that there is
// no assignment exactly if there is none, and the result is optimal up to the rounding of all finite costs: row 0 may
// have the costs -1e260 and 1, and the other rows may leave it only one of them.
func TestLaws(t *testing.T) {
	for seed := range uint64(trial.Count(300, 10000)) {
		rng := rand.New(rand.NewPCG(seed, 84))
		n, m := 1+rng.IntN(5), 1+rng.IntN(5)
		cost := make([][]float64, n)
		power := func(lo, hi float64) float64 { return math.Pow(10, lo+(hi-lo)*rng.Float64()) }
		name := ""
		small := rng.IntN(3) == 0
		for i := range cost {
			for range m {
				c := rng.NormFloat64()
				if small {
					c = float64(rng.IntN(4))
				}
				cost[i] = append(cost[i], c)
			}
		}
		each := func(f func(i, j int, c float64) float64) {
			for i := range cost {
				for j, c := range cost[i] {
					cost[i][j] = f(i, j, c)
				}
			}
		}
		for i := range n {
			at, s := i, power(-8, 8)
			switch rng.IntN(4) {
			case 0:
				name += fmt.Sprintf("row %d times %g, ", at, s)
				each(func(i, _ int, c float64) float64 {
					if i == at {
						return c * s
					}
					return c
				})
			case 1:
				name += fmt.Sprintf("row %d plus %g, ", at, s)
				each(func(i, _ int, c float64) float64 {
					if i == at {
						return c + s
					}
					return c
				})
			}
		}
		for j := range m {
			at, s := j, power(-8, 8)
			if rng.IntN(4) == 0 {
				name += fmt.Sprintf("column %d plus %g, ", at, s)
				each(func(_, j int, c float64) float64 {
					if j == at {
						return c + s
					}
					return c
				})
			}
		}
		if rng.IntN(5) == 0 {
			i, j, s := rng.IntN(n), rng.IntN(m), power(0, 300)
			cost[i][j] *= s
			name += fmt.Sprintf("one times %g", s)
		}
		forbids := rng.IntN(2) == 0
		if forbids {
			each(func(_, _ int, c float64) float64 {
				if rng.IntN(3) == 0 {
					return math.Inf(1)
				}
				return c
			})
			name += fmt.Sprintf(", costs %v", cost)
		}
		what := fmt.Sprintf("seed %d, %d×%d, %s", seed, n, m, name)
		sum := func(column []int) (*big.Float, float64) {
			s, size := trial.Of(0), 0.0
			for i, j := range column {
				if j >= 0 {
					s = trial.Add(s, trial.Of(cost[i][j]))
					size += math.Abs(cost[i][j])
				}
			}
			return s, size
		}
		least := trial.Of(math.Inf(1))
		var best []int
		column, used := make([]int, n), make([]bool, m)
		var try func(i, left int)
		try = func(i, left int) { // left rows may stay without a column
			if i == n {
				if s, _ := sum(column); s.Cmp(least) < 0 {
					least, best = s, append([]int{}, column...)
				}
				return
			}
			if left > 0 {
				column[i] = -1
				try(i+1, left-1)
			}
			for j := range m {
				if !used[j] && cost[i][j] < math.Inf(1) {
					used[j], column[i] = true, j
					try(i+1, left)
					used[j] = false
				}
			}
		}
		try(0, max(0, n-m))
		got, err := Match(cost)
		if (err != nil) != (best == nil) {
			t.Errorf("%s: %v, want %v", what, err, best)
		}
		if err != nil || best == nil {
			continue
		}
		s, size := sum(got)
		_, other := sum(best)
		if forbids { // a finite cost may lose against any other if its pair forbids others
			each(func(_, _ int, c float64) float64 {
				if !math.IsInf(c, 1) {
					size += math.Abs(c)
				}
				return c
			})
		}
		over := trial.Float(trial.Sub(s, least))
		if over < 0 || over > float64(n+m)*0x1p-50*(size+other) {
			t.Errorf("%s: %v costs %v more than %v, of %v", what, got, over, best, size)
		}
	}
}
