package bradley2008

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel-helpers/classify"
	"overcomplete/kernel-helpers/ended"
)

// A setting holds one or two parameters of a classifier.
type setting struct{ first, second float64 }

// An axis lists the values of a parameter to try. While the best value is at an end, the search also tries the next
// value beyond that end, which is the best value multiplied or divided by factor. If factor is 0, the axis is not
// extended.
type axis struct {
	values []float64
	factor float64
}

// A grid describes a search in three steps. The first step varies the first parameter, with the second parameter at its
// first value. The second step varies the second parameter, with the first parameter at its best value. The third step
// follows only if the second step has chosen another value of the second parameter. It then moves the first parameter
// up or down from its best value, for as long as the error falls. The limit on the values added to an axis also limits
// the number of these moves.
type grid struct {
	first, second axis
	most          int  // the maximum number of values added to an axis
	twoSteps      bool // leave out the third step
}

// newGrid returns a grid whose axes are extended only at full size, because smaller sizes have no time for this.
func newGrid(s *sharedState, first, second axis) grid {
	if second.values == nil {
		second.values = []float64{0}
	}
	return grid{first: first, second: second, most: s.Pick(0, 0, 4)}
}

// A gridResult is the result of a search.
type gridResult struct {
	best  setting
	least float64
	tried int
	open  string // names the best values that are still at an end of their axis, "" if none
}

// search finds the setting s with the least error; try(s) returns the error of s. Of several settings with the same
// error it takes the one that was tried first. So a value that extends an axis is chosen only if its error is
// strictly smaller.
func (g grid) search(try func(s setting) float64) gridResult {
	out := gridResult{least: math.Inf(1)}
	var open []string
	along := func(name string, a axis, at func(v float64) setting) {
		best := math.NaN()
		visit := func(v float64) {
			out.tried++
			if e := try(at(v)); e < out.least {
				out.least, best = e, v
			}
		}
		values := slices.Clone(a.values)
		if name == "second" {
			best = values[0] // it was tried along the first axis
			values = values[1:]
		}
		for _, v := range values {
			visit(v)
		}
		if out.best = at(best); a.factor == 0 || len(a.values) < 2 {
			return
		}
		lo, hi := slices.Min(a.values), slices.Max(a.values)
		for range g.most {
			var end float64
			switch best {
			case lo:
				lo /= a.factor
				end = lo
			case hi:
				hi *= a.factor
				end = hi
			default:
				return
			}
			visit(end)
			out.best = at(best)
		}
		if best == lo || best == hi {
			open = append(open, fmt.Sprintf("%.3g, range %.3g to %.3g", best, lo, hi))
		}
	}
	along("first", g.first, func(v float64) setting { return setting{v, g.second.values[0]} })
	first := out.best.first
	along("second", g.second, func(v float64) setting { return setting{first, v} })
	if out.best.second != g.second.values[0] && g.first.factor > 0 && !g.twoSteps {
		g.back(&out, try)
	}
	out.open = strings.Join(open, " and ")
	return out
}

// back is the third step of search.
func (g grid) back(out *gridResult, try func(s setting) float64) {
	start, f := out.best, g.first.factor
	for _, next := range []func(v float64) float64{
		func(v float64) float64 { return v / f },
		func(v float64) float64 { return v * f },
	} {
		for range g.most {
			s := setting{next(out.best.first), out.best.second}
			out.tried++
			e := try(s)
			if e >= out.least {
				break
			}
			out.least, out.best = e, s
		}
		if out.best != start {
			return
		}
	}
}

// pairs is a classifier with one linear machine for each pair of classes a < b; the machines vote. The other common
// multiclass scheme has one machine for each class against the rest.
type pairs struct {
	classes  int
	machines []*classify.LinearSVM // in the order (0,1), (0,2), ..
}

// trainPairs trains a linear machine for each pair of classes on the rows of X (n×d); y holds the classes of these
// rows.
func trainPairs(ctx context.Context, X mat.Matrix, y []int, classes int, o *classify.LinearSVMOptions) (*pairs, error) {
	of := make([][]int, classes)
	for i, k := range y {
		of[k] = append(of[k], i)
	}
	out := &pairs{classes: classes}
	for a := range classes {
		for b := a + 1; b < classes; b++ {
			points := slices.Concat(of[a], of[b])
			labels := make([]int, len(points))
			for i := range of[b] {
				labels[len(of[a])+i] = 1
			}
			m, err := classify.FitLinearSVM(ctx, classify.Rows(X, points), labels, o)
			if ended.Accept(err) != nil {
				return nil, fmt.Errorf("classes %d and %d: %w", a, b, err)
			}
			out.machines = append(out.machines, m)
		}
	}
	return out, nil
}

// Predict returns, for each row of X, the class with the most votes. It breaks ties by the largest sum of the
// arctangents of the margins.
func (p *pairs) Predict(X mat.Matrix) []int {
	n, _ := X.Dims()
	votes := mat.NewDense(n, p.classes, nil)
	k := 0
	for a := range p.classes {
		for b := a + 1; b < p.classes; b++ {
			S := p.machines[k].Scores(X)
			k++
			for i := range n {
				margin := S.At(i, 0) - S.At(i, 1)
				for class, s := range map[int]float64{a: margin, b: -margin} {
					v := votes.At(i, class) + math.Atan(s)*1e-4/float64(p.classes) // less than one vote in total
					if s > 0 {
						v++
					}
					votes.Set(i, class, v)
				}
			}
		}
	}
	out := make([]int, n)
	for i := range out {
		out[i] = floats.MaxIdx(votes.RawRowView(i))
	}
	return out
}
