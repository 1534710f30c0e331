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
// value and how often it occurs. No statistic counts missing values. A bool counts as 0 or 1.
func Describe(df dataframe.DataFrame) (dataframe.DataFrame, error) {
	const fn = "Describe"
	columns, err := read(fn, df, nil, anyType)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	var name, kind, top []any
	var count, missing, distinct, frequency []any
	stats := []Stat{Mean(), SD(), Min(), Quantile(0.25), Median(), Quantile(0.75), Max()}
	numbers := make([][]float64, len(stats))
	rows := allRows(df.Nrow())
	for _, c := range columns {
		first, of := c.levels()
		name, kind = append(name, c.name), append(kind, string(c.series.Type()))
		count, missing, distinct = append(count, len(rows)-c.holes), append(missing, c.holes), append(distinct, len(first)-b2i(c.holes > 0))
		for k, s := range stats {
			v := math.NaN()
			if c.x != nil {
				v = s.compute(c, [][]int{rows}, "").Float()[0]
			}
			numbers[k] = append(numbers[k], v)
		}
		var most, times any
		if c.text != nil && c.holes < len(rows) {
			n := make([]int, len(first))
			for i, level := range of {
				if !c.missing[i] {
					n[level]++
				}
			}
			times = slices.Max(n)
			most = c.text[first[slices.Index(n, times.(int))]]
		}
		top, frequency = append(top, most), append(frequency, times)
	}
	all := []series.Series{
		series.New(name, series.String, "column"), series.New(kind, series.String, "type"),
		series.New(count, series.Int, "count"), series.New(missing, series.Int, "missing"), series.New(distinct, series.Int, "distinct"),
	}
	if slices.ContainsFunc(columns, func(c *column) bool { return c.x != nil }) {
		for k, s := range stats {
			all = append(all, series.New(numbers[k], series.Float, s.name))
		}
	}
	if slices.ContainsFunc(columns, func(c *column) bool { return c.text != nil }) {
		all = append(all, series.New(top, series.String, "top"), series.New(frequency, series.Int, "top_count"))
	}
	return newFrame(fn, all...)
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
	return newFrame(fn, c.take(rows), series.New(count, series.Int, "count"), series.New(share, series.Float, "share"))
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
