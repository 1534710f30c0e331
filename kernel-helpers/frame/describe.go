package frame

import (
	"math"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Describe returns a row for each column of df with its type and the numbers of values, of missing values and of
// distinct values. For numbers, the row also has the mean, the standard deviation (with n−1 in the denominator), the
// least and the largest value, and the quartiles (with linear interpolation). For strings, it has the most frequent
// value and how often it occurs. Except in their own count, missing values are ignored. A bool counts as 0 or 1. The
// statistics of numbers are floats, which round ints beyond 2⁵³; for exact values, use Agg with Min and Max.
func Describe(df dataframe.DataFrame) (dataframe.DataFrame, error) {
	const fn = "Describe"
	columns, err := read(fn, df, nil, anyType)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	var name, kind, top []any
	var count, missing, distinct, frequency []any
	stats := []string{"mean", "sd", "min", "q25", "median", "q75", "max"}
	numbers := make([][]float64, len(stats))
	rows := allRows(df.Nrow())
	for _, c := range columns {
		name, kind = append(name, c.name), append(kind, string(c.series.Type()))
		count, missing = append(count, len(rows)-c.holes), append(missing, c.holes)
		var most, times any
		different := 0
		v := slices.Repeat([]float64{math.NaN()}, len(stats))
		if c.x != nil {
			if x := c.present(rows); len(x) > 0 {
				v[0], v[1], v[2], v[6] = mean(x), sd(x), x[0], x[0]
				for _, value := range x {
					if value < v[2] {
						v[2] = value
					}
					if value > v[6] {
						v[6] = value
					}
				}
				slices.Sort(x)
				v[3], v[4], v[5] = quantile(x, 0.25), quantile(x, 0.5), quantile(x, 0.75)
				different = len(slices.Compact(x))
				if c.ints != nil {
					different = Distinct().whole(c, rows)
				}
			}
		} else {
			different, most, times = c.mostFrequent()
		}
		distinct = append(distinct, different)
		for k := range stats {
			numbers[k] = append(numbers[k], v[k])
		}
		top, frequency = append(top, most), append(frequency, times)
	}
	all := []series.Series{
		series.New(name, series.String, "column"), series.New(kind, series.String, "type"),
		series.New(count, series.Int, "count"), series.New(missing, series.Int, "missing"), series.New(distinct, series.Int, "distinct"),
	}
	if slices.ContainsFunc(columns, func(c *column) bool { return c.x != nil }) {
		for k, s := range stats {
			all = append(all, series.New(numbers[k], series.Float, s))
		}
	}
	if slices.ContainsFunc(columns, func(c *column) bool { return c.text != nil }) {
		all = append(all, series.New(top, series.String, "top"), series.New(frequency, series.Int, "top_count"))
	}
	return newFrame(fn, all...)
}

// mostFrequent returns the number of distinct values of a column of strings, the most frequent value and how often it
// occurs. Of values that are equally frequent it returns the least. Without values it returns 0, nil and nil.
func (c *column) mostFrequent() (distinct int, most, times any) {
	first, of := c.distinct()
	n := make([]int, len(first))
	for _, level := range of {
		n[level]++
	}
	best := -1
	for level, i := range first {
		if c.missing[i] {
			continue
		}
		distinct++
		if best < 0 || n[level] > n[best] || n[level] == n[best] && c.compare(i, first[best]) < 0 {
			best = level
		}
	}
	if best < 0 {
		return 0, nil, nil
	}
	return distinct, c.text[first[best]], n[best]
}

// ValueCounts returns a row for each distinct value of a column: the number of rows with this value, and
// their share among the rows that have a value. The most frequent value comes first; equally frequent values
// are in ascending order. If values are missing, the last row says how many.
func ValueCounts(df dataframe.DataFrame, name string) (dataframe.DataFrame, error) {
	const fn = "ValueCounts"
	columns, err := read(fn, df, []string{name}, nil)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	c := columns[0]
	first, of := c.levels()
	n := make([]int, len(first))
	for _, level := range of {
		n[level]++
	}
	order := allRows(len(first))
	slices.SortStableFunc(order, func(a, b int) int {
		if c.missing[first[a]] || c.missing[first[b]] {
			return b2i(c.missing[first[a]]) - b2i(c.missing[first[b]])
		}
		return n[b] - n[a]
	})
	var rows, count []int
	var share []float64
	for _, level := range order {
		i := first[level]
		rows, count = append(rows, i), append(count, n[level])
		if c.missing[i] {
			share = append(share, math.NaN())
		} else {
			share = append(share, float64(n[level])/float64(len(of)-c.holes))
		}
	}
	return newFrame(fn, take(c.series, rows), series.New(count, series.Int, "count"), series.New(share, series.Float, "share"))
}

// Present returns the values of a column of numbers without the missing values, and the number of missing values.
func Present(df dataframe.DataFrame, name string) (x []float64, missing int, err error) {
	const fn = "Present"
	columns, err := read(fn, df, []string{name}, nil)
	if err != nil {
		return nil, 0, err
	}
	c := columns[0]
	if err := c.numbers(fn); err != nil {
		return nil, 0, err
	}
	return c.present(allRows(df.Nrow())), c.holes, nil
}
