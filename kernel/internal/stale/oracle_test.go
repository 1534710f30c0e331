package stale

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A toy is a cell that sets one variable to a sum, or shows the sum.
type toy struct {
	set  string // variable that the cell sets; "" to show the sum
	form string // form of the assignment: :=, = or +=
	sum  []string
	plus int
}

func (c toy) String() string {
	sum := strings.Join(append(slices.Clone(c.sum), fmt.Sprint(c.plus)), " + ")
	if c.set == "" {
		return "show(" + sum + ")"
	}
	return c.set + " " + c.form + " " + sum
}

// run runs the cell with the variables vars, and returns the values that the cell has read.
func (c toy) run(vars map[string]int) (inputs []int) {
	total := c.plus
	for _, name := range c.sum {
		inputs = append(inputs, vars[name])
		total += vars[name]
	}
	switch c.form {
	case "+=":
		inputs = append(inputs, vars[c.set])
		vars[c.set] += total
	case ":=", "=":
		vars[c.set] = total
	}
	return inputs
}

// TestAgainstRunAll: cells are run, edited and rerun in any order. A cell must be stale if and only if it
// would now read something else in a run from top to bottom. After such a run, no cell must be stale.
func TestAgainstRunAll(t *testing.T) {
	names := []string{"a", "b", "c"}
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		random := func() toy {
			c := toy{plus: rnd.IntN(3)}
			for range rnd.IntN(3) {
				c.sum = append(c.sum, names[rnd.IntN(len(names))])
			}
			if rnd.IntN(3) > 0 {
				c.set, c.form = names[rnd.IntN(len(names))], []string{":=", "=", "+="}[rnd.IntN(3)]
			}
			return c
		}
		cells := []toy{{set: "a", form: ":=", plus: 1}, {set: "b", form: ":=", plus: 2}, {set: "c", form: ":=", plus: 3}}
		for range 6 {
			cells = append(cells, random())
		}
		tracker, n := &Tracker{}, 0
		vars, read := map[string]int{}, make([][]int, len(cells))
		run := func(i int) {
			n++
			read[i] = cells[i].run(vars)
			values := map[string]string{}
			for name, v := range vars {
				values[name] = fmt.Sprint(v)
			}
			tracker.Ran(Run{ID: fmt.Sprint(i), Name: fmt.Sprintf("In[%d]", n), Source: cells[i].String(), At: time.Now()}, fake{values: values})
		}
		for i := range cells {
			run(i)
		}
		for step := range 30 {
			i := rnd.IntN(len(cells))
			if i > 2 && rnd.IntN(2) == 0 {
				cells[i] = random()
			} else if rnd.IntN(2) == 0 {
				cells[i].plus = rnd.IntN(3)
			}
			if rnd.IntN(10) > 0 {
				run(i)
			} else {
				for i := range cells {
					run(i)
				}
				if list := tracker.Stale(); len(list) > 0 {
					t.Fatalf("seed %d, step %d: all have run, and %v are stale in %v", seed, step, list, cells)
				}
			}
			stale := map[string]bool{}
			for _, c := range tracker.Stale() {
				stale[c.ID] = true
			}
			fresh := map[string]int{}
			for i, c := range cells {
				if now := c.run(fresh); !slices.Equal(now, read[i]) && !stale[fmt.Sprint(i)] {
					t.Fatalf("seed %d, step %d: cell %d, %s, has read %v, would read %v and is not stale in %v", seed, step, i, c, read[i], now, cells)
				}
			}
		}
	}
}
