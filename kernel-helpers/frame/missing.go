package frame

import (
	"fmt"
	"math"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// DropMissing returns the rows of df that have a value in every named column. Without names, they must have a
// value in every column.
func DropMissing(df dataframe.DataFrame, columns ...string) (dataframe.DataFrame, error) {
	const fn = "DropMissing"
	list, err := read(fn, df, columns, anyType)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	rows := []int{}
	for i := range df.Nrow() {
		keep := true
		for _, c := range list {
			keep = keep && !c.missing[i]
		}
		if keep {
			rows = append(rows, i)
		}
	}
	return takeRows(fn, df, rows)
}

// Where returns the rows of df for which keep returns true for the number in the named column (a bool is 0 or 1). Rows
// without a value in this column are left out. An int beyond 2⁵³, such as a long ID, is rounded for keep. gota's
// Filter, in contrast, truncates the number with which it compares a column of integers.
//
//	warm, err := frame.Where(df, "temp", func(v float64) bool { return v > 10 })
func Where(df dataframe.DataFrame, name string, keep func(v float64) bool) (dataframe.DataFrame, error) {
	const fn = "Where"
	list, err := read(fn, df, []string{name}, nil)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	if err := list[0].numbers(fn); err != nil {
		return dataframe.DataFrame{}, err
	}
	rows := []int{}
	for i, v := range list[0].x {
		if !list[0].missing[i] && keep(v) {
			rows = append(rows, i)
		}
	}
	return takeRows(fn, df, rows)
}

// takeRows returns the given rows of df.
func takeRows(fn string, df dataframe.DataFrame, rows []int) (dataframe.DataFrame, error) {
	if err := checkUsable(fn, df); err != nil {
		return dataframe.DataFrame{}, err
	}
	out := seriesOf(df)
	for k, s := range out {
		out[k] = take(s, rows)
	}
	return newFrame(fn, out...)
}

// Fill returns df with the given value in place of the missing values of the named columns. Without names, it fills all
// columns. The given value must be a string for columns of strings, a bool for bools, and an int or a float64 for
// numbers. A float64 makes an int column a float column.
func Fill(df dataframe.DataFrame, value any, columns ...string) (dataframe.DataFrame, error) {
	const fn = "Fill"
	list, err := read(fn, df, columns, anyType)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	var out []series.Series
	for _, c := range list {
		kind, fits := c.series.Type(), false
		switch v := value.(type) {
		case string:
			fits = kind == series.String
		case bool:
			fits = kind == series.Bool
		case int:
			fits = kind == series.Int || kind == series.Float
		case float64:
			if math.IsNaN(v) {
				return dataframe.DataFrame{}, fmt.Errorf("frame: %s: the value is NaN", fn)
			}
			if fits = kind == series.Int || kind == series.Float; fits {
				kind = series.Float
			}
		}
		if !fits {
			return dataframe.DataFrame{}, fmt.Errorf("frame: %s: column %s has type %s, and the value %#v has type %T: name the columns to fill", fn, c.name, kind, value, value)
		}
		out = append(out, c.fill(kind, func(int) any { return value }))
	}
	return replaceColumns(fn, df, out...)
}

// fill returns c as a series of the given kind, in which f(i) replaces the missing value of row i.
func (c *column) fill(kind series.Type, f func(i int) any) series.Series {
	list := make([]any, len(c.missing))
	for i, m := range c.missing {
		switch {
		case m:
			list[i] = f(i)
		case kind == series.Float:
			list[i] = c.x[i]
		default:
			list[i] = c.series.Val(i)
		}
	}
	return series.New(list, kind, c.name)
}

// FillStat returns df with the missing values of each column replaced by a statistic of the column's values. It fills
// the columns to which the stats apply. A mean, or another statistic that is a float, makes an int column a float
// column. It is an error if a column has no values.
//
//	df, err = frame.FillStat(df, frame.Median("temp", "no2"))
func FillStat(df dataframe.DataFrame, stats ...Stat) (dataframe.DataFrame, error) {
	const fn = "FillStat"
	if err := checkUsable(fn, df); err != nil {
		return dataframe.DataFrame{}, err
	}
	var out []series.Series
	for k, s := range stats {
		if s.isZero() || s.whole != nil {
			return dataframe.DataFrame{}, fmt.Errorf("frame: %s: statistic %d is not a value of a column: use Mean, Median and the like", fn, k)
		}
		list, err := read(fn, df, s.columns, s.wanted)
		if err != nil {
			return dataframe.DataFrame{}, err
		}
		for _, c := range list {
			if err := s.check(fn, c); err != nil {
				return dataframe.DataFrame{}, err
			}
			v := s.compute(c, [][]int{allRows(len(c.missing))}, c.name)
			if columnOf(v).holes > 0 {
				return dataframe.DataFrame{}, fmt.Errorf("frame: %s: %s has no values", fn, c.name)
			}
			kind := v.Type()
			out = append(out, c.fill(kind, func(int) any { return v.Val(0) }))
		}
	}
	return replaceColumns(fn, df, out...)
}

// FillForward returns df with each missing value of the named columns replaced by the last value above it
// that is not missing. Without names, it fills all columns. Missing values above the first value stay
// missing.
func FillForward(df dataframe.DataFrame, columns ...string) (dataframe.DataFrame, error) {
	return carry("FillForward", df, columns, 1)
}

// FillBackward is like FillForward, but takes the next value below.
func FillBackward(df dataframe.DataFrame, columns ...string) (dataframe.DataFrame, error) {
	return carry("FillBackward", df, columns, -1)
}

func carry(fn string, df dataframe.DataFrame, columns []string, step int) (dataframe.DataFrame, error) {
	list, err := read(fn, df, columns, anyType)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	var out []series.Series
	n := df.Nrow()
	for _, c := range list {
		rows, last, i := make([]int, n), -1, 0
		if step < 0 {
			i = n - 1
		}
		for ; i >= 0 && i < n; i += step {
			if !c.missing[i] {
				last = i
			}
			rows[i] = last
		}
		out = append(out, take(c.series, rows))
	}
	return replaceColumns(fn, df, out...)
}
