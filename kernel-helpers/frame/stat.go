package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-gota/gota/series"

	"overcomplete/internal/finite"
)

// A Stat is a statistic of one or more columns, for Agg, Pivot and FillStat. It ignores missing values, except for
// Missing, which counts them. If there are no values, or all of them are missing, Sum, Count and Distinct are 0, and
// Missing is the number of missing values; all other statistics are missing.
type Stat struct {
	name    string
	columns []string
	any     bool // applies to columns of strings too
	// One of the following functions is set.
	number func(c *column, rows []int) float64
	whole  func(c *column, rows []int) int
	row    func(c *column, rows []int) int // the row that has the value, or -1
}

func ofNumbers(name string, columns []string, f func(x []float64) float64) Stat {
	return Stat{name: name, columns: columns, number: func(c *column, rows []int) float64 {
		x := c.present(rows)
		if len(x) == 0 {
			return math.NaN()
		}
		return f(x)
	}}
}

// Mean is the mean of each of the columns. Without names, it applies to all columns of numbers.
func Mean(columns ...string) Stat { return ofNumbers("mean", columns, mean) }

// Median is the median of each of the columns. If the number of values is even, the median is the mean of the two
// values in the middle. Without names, it applies to all columns of numbers.
func Median(columns ...string) Stat { return quantileStat("median", 0.5, columns) }

// Quantile is the value below which the share p (0 to 1) of the values lies. With the n values in ascending order, it
// is the value at position (n−1)p, counted from 0, with linear interpolation between neighbors as in pandas and numpy.
// The name of the statistic is q90 for p = 0.9, so Agg calls its column, for example, temp_q90. Without names of
// columns, it applies to all columns of numbers.
func Quantile(p float64, columns ...string) Stat {
	if !(p >= 0 && p <= 1) {
		panic(fmt.Sprintf("frame: Quantile: p is %v, must be 0 to 1", p))
	}
	return quantileStat("q"+strconv.FormatFloat(math.Round(p*1e10)/1e8, 'g', -1, 64), p, columns)
}

func quantileStat(name string, p float64, columns []string) Stat {
	return ofNumbers(name, columns, func(x []float64) float64 {
		slices.Sort(x)
		return quantile(x, p)
	})
}

// SD is the standard deviation of each of the columns, with n−1 in the denominator. The SD of a single value
// is missing. Without names, it applies to all columns of numbers.
func SD(columns ...string) Stat {
	return ofNumbers("sd", columns, sd)
}

func sd(x []float64) float64 {
	unit := finite.Unit(x)
	m, square, rest := unit*mean(x), 0.0, 0.0
	for _, v := range x {
		e := unit*v - m
		square += e * e
		rest += e // what the rounding of m leaves
	}
	n := float64(len(x))
	return math.Sqrt(math.Max(0, square-rest*rest/n)/(n-1)) / unit
}

// Sum is the sum of each of the columns. Without names, it applies to all columns of numbers.
func Sum(columns ...string) Stat {
	return Stat{name: "sum", columns: columns, number: func(c *column, rows []int) float64 { return sum(c.present(rows)) }}
}

// Custom is a statistic that you define. The function f receives the values of a column, at least one, without the
// missing values. Without names of columns, the statistic applies to all columns of numbers.
func Custom(name string, f func(x []float64) float64, columns ...string) Stat {
	if f == nil {
		panic("frame: Custom: f is nil")
	}
	return ofNumbers(name, columns, f)
}

// Min is the least value of each of the columns, which may be columns of strings. Without names, it applies
// to all columns.
func Min(columns ...string) Stat { return extreme("min", columns, 1) }

// Max is the largest value of each of the columns, which may be columns of strings. Without names, it applies
// to all columns.
func Max(columns ...string) Stat { return extreme("max", columns, -1) }

func extreme(name string, columns []string, sign int) Stat {
	return rowStat(name, columns, func(c *column, best, i int) bool { return sign*c.compare(i, best) < 0 })
}

// First is, for each of the columns, the first value that is not missing. Without names, it applies to all columns.
func First(columns ...string) Stat {
	return rowStat("first", columns, func(*column, int, int) bool { return false })
}

// Last is, for each of the columns, the last value that is not missing. Without names, it applies to all columns.
func Last(columns ...string) Stat {
	return rowStat("last", columns, func(*column, int, int) bool { return true })
}

// rowStat returns a Stat that picks one value of a column. It goes through the rows that have a value. It begins with
// the first such row as the best one, and replaces it by row i if better(c, best, i) returns true.
func rowStat(name string, columns []string, better func(c *column, best, i int) bool) Stat {
	return Stat{name: name, columns: columns, any: true, row: func(c *column, rows []int) int {
		best := -1
		for _, i := range rows {
			if !c.missing[i] && (best < 0 || better(c, best, i)) {
				best = i
			}
		}
		return best
	}}
}

// Count is the number of values of each of the columns. Without names, it applies to all columns.
func Count(columns ...string) Stat {
	return wholeStat("count", columns, func(c *column, rows []int) int { return len(rows) - c.lost(rows) })
}

// Missing is the number of missing values of each of the columns. Without names, it applies to all columns.
func Missing(columns ...string) Stat { return wholeStat("missing", columns, (*column).lost) }

// Distinct is the number of different values of each of the columns. Without names, it applies to all
// columns.
func Distinct(columns ...string) Stat {
	return wholeStat("distinct", columns, func(c *column, rows []int) int {
		texts, numbers, ints := map[string]int{}, map[float64]int{}, map[int]int{}
		for _, i := range rows {
			switch {
			case c.missing[i]:
			case c.ints != nil:
				ints[c.ints[i]] = i
			case c.x != nil:
				numbers[c.x[i]] = i
			default:
				texts[c.text[i]] = i
			}
		}
		return len(texts) + len(numbers) + len(ints)
	})
}

func wholeStat(name string, columns []string, f func(c *column, rows []int) int) Stat {
	return Stat{name: name, columns: columns, any: true, whole: f}
}

// lost returns how many values are missing in the rows.
func (c *column) lost(rows []int) (n int) {
	for _, i := range rows {
		n += b2i(c.missing[i])
	}
	return n
}

// check returns an error if c has strings and the statistic s is only for numbers. fn is the name of the calling
// function.
func (s Stat) check(fn string, c *column) error {
	if c.text != nil && !s.any {
		return fmt.Errorf("frame: %s: %s has strings, and the %s is one of numbers", fn, c.name, s.name)
	}
	return nil
}

// isZero reports whether s is the zero Stat, which computes nothing.
func (s Stat) isZero() bool { return s.number == nil && s.whole == nil && s.row == nil }

// wanted reports whether s applies to columns of type t if no column is named.
func (s Stat) wanted(t series.Type) bool { return s.any || isNumeric(t) }

// compute returns the statistic of c for each group of rows.
func (s Stat) compute(c *column, groups [][]int, name string) series.Series {
	switch {
	case s.whole != nil:
		list := make([]int, len(groups))
		for g, rows := range groups {
			list[g] = s.whole(c, rows)
		}
		return series.New(list, series.Int, name)
	case s.row != nil:
		list := make([]int, len(groups))
		for g, rows := range groups {
			list[g] = s.row(c, rows)
		}
		v := take(c.series, list)
		v.Name = name
		return v
	}
	list := make([]float64, len(groups))
	for g, rows := range groups {
		list[g] = s.number(c, rows)
	}
	return series.New(list, series.Float, name)
}

// mean returns the mean of x. Despite rounding, it is never below the smallest value or above the largest.
func mean(x []float64) float64 {
	m := total(x, 1) / float64(len(x))
	if !finite.Is(m) {
		m = total(x, huge) / float64(len(x)) / huge
	}
	low, high := x[0], x[0]
	for _, v := range x {
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	return min(max(m, low), high) // the division rounds, too
}

// sum returns the sum of x.
func sum(x []float64) float64 {
	s := total(x, 1)
	if !finite.Is(s) {
		s = total(x, huge) / huge
	}
	return s
}

// huge is a factor so small that the sum of the products huge·x stays finite for as many float64 values x as fit into
// memory. It is a power of 2, so that it does not round large values.
const huge = 1.0 / (1 << 60)

// total returns the sum of factor·x, with Neumaier's compensated summation: the error does not grow with the number of
// values.
func total(x []float64, factor float64) float64 {
	sum, rest := 0.0, 0.0
	for _, v := range x {
		v = float64(v * factor)
		s := sum + v
		if math.Abs(sum) >= math.Abs(v) {
			rest += (sum - s) + v
		} else {
			rest += (v - s) + sum
		}
		sum = s
	}
	if finite.Is(sum) { // otherwise rest is NaN
		sum += rest
	}
	return sum
}

// quantile returns the value at position (n−1)p of x, counted from 0, with linear interpolation. x has n values in
// ascending order.
func quantile(x []float64, p float64) float64 {
	h := float64(len(x)-1) * p
	k := int(h)
	if k >= len(x)-1 {
		return x[len(x)-1]
	}
	if math.IsInf(x[k], -1) && !math.IsInf(x[k+1], 1) {
		return x[k] // the difference below would be Inf
	}
	if t := h - float64(k); t > 0 { // without 0·Inf
		if d := x[k+1] - x[k]; finite.Is(d) || !finite.Is(x[k+1]) {
			return x[k] + t*d
		}
		return (1-t)*x[k] + t*x[k+1]
	}
	return x[k]
}
