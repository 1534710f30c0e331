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

// read returns the named columns of df. Without names, it returns every column for whose type t wanted(t) is true. fn
// is the name of the calling function, for errors.
func read(fn string, df dataframe.DataFrame, names []string, wanted func(series.Type) bool) ([]*column, error) {
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
	list := make([]*column, len(names))
	for k, name := range names {
		if !slices.Contains(all, name) {
			if near := spelling.Near(name, all); len(near) > 0 {
				return nil, fmt.Errorf("frame: %s: there is no column %q: %s", fn, name, spelling.DidYouMean(near))
			}
			return nil, fmt.Errorf("frame: %s: there is no column %q among %s", fn, name, strings.Join(all, ", "))
		}
		list[k] = columnOf(df.Col(name))
	}
	return list, nil
}

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
	return c
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
	code = make([]int, len(c.missing))
	texts, numbers, hole := map[string]int{}, map[float64]int{}, -1
	for i := range code {
		level, known := hole, hole >= 0
		switch {
		case c.missing[i]:
		case c.x != nil:
			level, known = numbers[c.x[i]], has(numbers, c.x[i])
		default:
			level, known = texts[c.text[i]], has(texts, c.text[i])
		}
		if !known {
			level = len(first)
			first = append(first, i)
			switch {
			case c.missing[i]:
				hole = level
			case c.x != nil:
				numbers[c.x[i]] = level
			default:
				texts[c.text[i]] = level
			}
		}
		code[i] = level
	}
	order := make([]int, len(first))
	for k := range order {
		order[k] = k
	}
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

// take returns the values of c in the given rows. Row -1 stands for a missing value.
func (c *column) take(rows []int) series.Series {
	if !slices.Contains(rows, -1) && c.text == nil {
		return c.series.Subset(rows)
	}
	list := make([]any, len(rows))
	for k, i := range rows {
		if i >= 0 && !c.missing[i] {
			list[k] = c.series.Val(i)
		}
	}
	return series.New(list, c.series.Type(), c.name)
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
	var all []series.Series
	for _, name := range df.Names() {
		all = append(all, df.Col(name))
	}
	for _, s := range columns {
		if k := slices.IndexFunc(all, func(old series.Series) bool { return old.Name == s.Name }); k >= 0 {
			all[k] = s
		} else {
			all = append(all, s)
		}
	}
	return newFrame(fn, all...)
}

func has[K comparable](m map[K]int, key K) bool { _, ok := m[key]; return ok }

// allRows returns the numbers 0 to n-1.
func allRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
