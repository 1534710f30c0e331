package frame

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/internal/spelling"
)

// A column holds one column of a frame in a form that is quick to read.
type column struct {
	name    string
	series  series.Series
	missing []bool
	holes   int       // the number of missing values
	x       []float64 // values of numbers (a bool is 0 or 1), NaN if missing; nil for strings
	text    []string  // values of strings, "" if missing; nil for numbers
	ints    []int     // values of ints, if x cannot hold all of them exactly; otherwise nil
}

// checkUsable returns an error if df cannot be used, because an earlier call left an error in it or because it has
// no columns.
func checkUsable(fn string, df dataframe.DataFrame) error {
	switch {
	case df.Err != nil:
		return fmt.Errorf("frame: %s: the frame has the error of an earlier call: %w", fn, df.Err)
	case df.Ncol() == 0:
		return fmt.Errorf("frame: %s: the frame has no columns", fn)
	}
	return nil
}

// read returns the named columns of df. Without names, it returns every column whose type satisfies wanted. fn
// is the name of the calling function, for errors.
func read(fn string, df dataframe.DataFrame, names []string, wanted func(series.Type) bool) ([]*column, error) {
	return known{}.read(fn, df, names, wanted)
}

// known holds the columns of a frame that have already been read. The keys are their names.
type known map[string]*column

func (k known) read(fn string, df dataframe.DataFrame, names []string, wanted func(series.Type) bool) ([]*column, error) {
	if err := checkUsable(fn, df); err != nil {
		return nil, err
	}
	all := df.Names()
	if len(names) == 0 {
		types := df.Types()
		for j, name := range all {
			if wanted(types[j]) {
				names = append(names, name)
			}
		}
	}
	list, columns := make([]*column, len(names)), seriesOf(df)
	for i, name := range names {
		if !slices.Contains(all, name) {
			if near := spelling.Near(name, all); len(near) > 0 {
				return nil, fmt.Errorf("frame: %s: there is no column %q: %s", fn, name, spelling.DidYouMean(near))
			}
			return nil, fmt.Errorf("frame: %s: there is no column %q among %s", fn, name, strings.Join(all, ", "))
		}
		if k[name] == nil {
			k[name] = columnOf(columns[slices.Index(all, name)])
		}
		list[i] = k[name]
	}
	return list, nil
}

// seriesOf returns the columns of df. They share their memory with df, so they must not be changed. (The method Col
// copies a column, and New copies all columns once more.)
func seriesOf(df dataframe.DataFrame) []series.Series {
	all := make([]series.Series, 0, df.Ncol())
	df.Capply(func(s series.Series) series.Series {
		all = append(all, s)
		return nothing
	})
	return all
}

var nothing = series.Ints(0)

func anyType(series.Type) bool     { return true }
func isNumeric(t series.Type) bool { return t != series.String }

func columnOf(s series.Series) *column {
	n := s.Len()
	c := &column{name: s.Name, series: s, missing: make([]bool, n)}
	if s.Type() == series.String {
		c.text = make([]string, n)
	} else {
		c.x = make([]float64, n)
	}
	for i := range n {
		e := s.Elem(i)
		switch {
		case e.IsNA() || c.text != nil && e.String() == "NaN": // gota copies a missing string as this word
			c.missing[i] = true
			c.holes++
			if c.x != nil {
				c.x[i] = math.NaN()
			}
		case c.text != nil:
			c.text[i] = e.String()
		default:
			c.x[i] = e.Float()
		}
	}
	if s.Type() == series.Int && slices.ContainsFunc(c.x, func(v float64) bool { return math.Abs(v) >= maxExact }) {
		c.ints = make([]int, n)
		for i := range n {
			if !c.missing[i] {
				c.ints[i], _ = s.Elem(i).Int()
			}
		}
	}
	return c
}

// maxExact is 2⁵³: between -maxExact and maxExact, different ints are different as float64. Outside this range, ints
// such as the IDs of records may become equal.
const maxExact = 1 << 53

// exact returns the number in row i as an int, if it is one. Otherwise ok is false, and the number is c.x[i].
func (c *column) exact(i int) (n int, ok bool) {
	if c.ints != nil {
		return c.ints[i], true
	}
	v := c.x[i]
	if v != math.Trunc(v) || v < math.MinInt || v >= -math.MinInt {
		return 0, false
	}
	return int(v), true
}

// numbers returns an error if c is a column of strings.
func (c *column) numbers(fn string) error {
	if c.x == nil {
		return fmt.Errorf("frame: %s: %s has strings, not numbers", fn, c.name)
	}
	return nil
}

// checkFull returns an error if a value of c is missing. The error says where.
func (c *column) checkFull(fn string) error {
	if c.holes == 0 {
		return nil
	}
	values := "values"
	if c.holes == 1 {
		values = "value"
	}
	return fmt.Errorf("frame: %s: %s has %d missing %s, the first in row %d: use DropMissing or Fill before", fn, c.name, c.holes, values, slices.Index(c.missing, true))
}

// compare compares the values in rows i and j, with a result like that of cmp.Compare. Missing values come last and
// compare as equal. Intervals written by Cut are ordered by their lower edges.
func (c *column) compare(i, j int) int {
	switch {
	case c.missing[i] || c.missing[j]:
		return cmp.Compare(b2i(c.missing[i]), b2i(c.missing[j]))
	case c.ints != nil:
		return cmp.Compare(c.ints[i], c.ints[j])
	case c.x != nil:
		return cmp.Compare(c.x[i], c.x[j])
	}
	a, b := c.text[i], c.text[j]
	if from, ok := lower(a); ok {
		if other, ok := lower(b); ok && from != other {
			return cmp.Compare(from, other)
		}
	}
	return cmp.Compare(a, b)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// levels numbers the distinct values of c from 0 in ascending order. Missing values count as one value, which comes
// last. first[l] is the first row with value number l, and code[i] is the number of the value in row i.
func (c *column) levels() (first, code []int) {
	first, code = c.distinct()
	order := allRows(len(first))
	slices.SortFunc(order, func(a, b int) int { return c.compare(first[a], first[b]) })
	rank, sorted := make([]int, len(first)), make([]int, len(first))
	for k, level := range order {
		rank[level], sorted[k] = k, first[level]
	}
	for i, level := range code {
		code[i] = rank[level]
	}
	return sorted, code
}

// distinct is like levels, but it numbers the values in the order in which they occur.
func (c *column) distinct() (first, code []int) {
	number := numberer(c)
	code = make([]int, len(c.missing))
	hole := -1
	for i, missing := range c.missing {
		switch {
		case !missing:
			if code[i] = number(c, i, len(first)); code[i] == len(first) {
				first = append(first, i)
			}
		case hole < 0:
			hole = len(first)
			first = append(first, i)
			fallthrough
		default:
			code[i] = hole
		}
	}
	return first, code
}

// numberer returns a function that numbers the values of the given columns, which must all contain strings or all
// contain numbers. If the value of c in row i is new, its number is next. No value may be missing.
func numberer(columns ...*column) func(c *column, i, next int) int {
	if columns[0].x == nil {
		numbers := map[string]int{}
		return func(c *column, i, next int) int {
			n, known := numbers[c.text[i]]
			if !known {
				n = next
				numbers[c.text[i]] = n
			}
			return n
		}
	}
	// Whole numbers that are close together are numbered with a table.
	whole, low, high, rows := true, math.Inf(1), math.Inf(-1), 0
	for _, c := range columns {
		rows += len(c.x)
		for i, v := range c.x {
			if !c.missing[i] {
				whole = whole && v == math.Trunc(v)
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if whole && high-low < float64(4*rows) && math.Abs(low) < 1<<52 { // false if a value is infinite
		table := make([]int32, int(high-low)+1) // 0 is unknown
		return func(c *column, i, next int) int {
			n := &table[int(c.x[i]-low)]
			if *n == 0 {
				*n = int32(next) + 1
			}
			return int(*n) - 1
		}
	}
	numbers := map[float64]int{}
	if slices.ContainsFunc(columns, func(c *column) bool { return c.ints != nil }) {
		ints := map[int]int{}
		return func(c *column, i, next int) int {
			v, whole := c.exact(i)
			n, known := ints[v]
			if !whole {
				n, known = numbers[c.x[i]]
			}
			switch {
			case known:
				return n
			case whole:
				ints[v] = next
			default:
				numbers[c.x[i]] = next
			}
			return next
		}
	}
	return func(c *column, i, next int) int {
		n, known := numbers[c.x[i]]
		if !known {
			n = next
			numbers[c.x[i]] = n
		}
		return n
	}
}

// take returns the values of s in the given rows. Row -1 stands for a missing value.
func take(s series.Series, rows []int) series.Series {
	from := rows
	if slices.Contains(rows, -1) {
		from = slices.Clone(rows)
		for k, i := range from {
			from[k] = max(0, i)
		}
		if s.Len() == 0 {
			s = series.New(nil, s.Type(), s.Name)
		}
	}
	out := s.Subset(from)
	for k, i := range rows {
		if i < 0 {
			out.Elem(k).Set(nil)
		} else if out.Type() == series.String {
			if e := out.Elem(k); e.String() == "NaN" { // see columnOf
				e.Set(nil)
			}
		}
	}
	return out
}

// blank returns a series of n missing values.
func blank(n int, kind series.Type, name string) series.Series {
	return series.New(nil, kind, name).Subset(make([]int, n))
}

// gather returns a series of n values. Value k is taken from the column and the row that f(k) returns. It is
// missing if it is missing there, or if the column is nil.
func gather(n int, kind series.Type, name string, f func(k int) (*column, int)) series.Series {
	out := blank(n, kind, name)
	for k := range n {
		if c, i := f(k); c != nil && !c.missing[i] {
			out.Elem(k).Set(c.series.Elem(i)) // an element costs no allocation, unlike a value
		}
	}
	return out
}

// present returns the values of c in the given rows, without the missing values.
func (c *column) present(rows []int) []float64 {
	x := make([]float64, 0, len(rows))
	for _, i := range rows {
		if !c.missing[i] {
			x = append(x, c.x[i])
		}
	}
	return x
}

// newFrame returns a frame with the given columns.
func newFrame(fn string, columns ...series.Series) (dataframe.DataFrame, error) {
	df := dataframe.New(columns...)
	if df.Err != nil {
		return df, fmt.Errorf("frame: %s: %w", fn, df.Err)
	}
	return df, nil
}

// replaceColumns returns df with the given columns in place of the columns with the same names. Columns with new
// names come last.
func replaceColumns(fn string, df dataframe.DataFrame, columns ...series.Series) (dataframe.DataFrame, error) {
	all := seriesOf(df)
	for _, s := range columns {
		if k := slices.IndexFunc(all, func(old series.Series) bool { return old.Name == s.Name }); k >= 0 {
			all[k] = s
		} else {
			all = append(all, s)
		}
	}
	return newFrame(fn, all...)
}

// allRows returns the numbers 0 to n-1.
func allRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
