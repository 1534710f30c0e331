package frame

import (
	"fmt"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Groups holds the rows of a frame in groups. The rows of a group have equal values in some columns, the keys.
type Groups struct {
	df   dataframe.DataFrame
	keys []*column
	rows [][]int // of each group, ascending
	err  error
}

// By divides the rows of df into groups with equal values of the keys, which are names of columns. The groups are in
// ascending order of the keys: by the first key, then by the second, and so on. Rows in which a key is missing form
// groups too; a missing value sorts after all others. Without keys, all rows are one group. If there is an error, for
// example because df has no column with the name of a key, Agg returns it.
//
//	table, err := frame.By(df, "site", "month").Agg(frame.Mean("temp", "no2"), frame.Quantile(0.9, "no2"))
func By(df dataframe.DataFrame, keys ...string) *Groups {
	g := &Groups{df: df}
	if g.err = checkUsable("By", df); g.err == nil && len(keys) > 0 {
		g.keys, g.err = read("By", df, keys, nil)
	}
	if g.err != nil {
		return g
	}
	if len(keys) == 0 {
		g.rows = [][]int{allRows(df.Nrow())}
		return g
	}
	// Sort the rows by the last key first: the sorts by earlier keys keep the order of rows with equal keys.
	order, codes := allRows(df.Nrow()), make([][]int, len(g.keys))
	for k, c := range slices.Backward(g.keys) {
		var first []int
		first, codes[k] = c.levels()
		from := make([]int, len(first)+1) // from[l] is where the next row with level l goes
		for _, l := range codes[k] {
			from[l+1]++
		}
		for l := range first {
			from[l+1] += from[l]
		}
		sorted := make([]int, len(order))
		for _, i := range order {
			l := codes[k][i]
			sorted[from[l]] = i
			from[l]++
		}
		order = sorted
	}
	begin := 0
	for k, i := range order {
		if k+1 == len(order) || slices.ContainsFunc(codes, func(of []int) bool { return of[i] != of[order[k+1]] }) {
			g.rows = append(g.rows, order[begin:k+1:k+1])
			begin = k + 1
		}
	}
	return g
}

// Agg returns a row for each group. The row contains the keys of the group, the number of its rows (in a column named
// rows) and the statistics (in columns named like temp_mean). If values of a column are missing, its statistics are
// followed by a column, named like temp_missing, with the number of missing values in each group. Without stats, the
// result has only the keys and the column named rows.
func (g *Groups) Agg(stats ...Stat) (dataframe.DataFrame, error) {
	const fn = "Agg"
	var none dataframe.DataFrame
	if g == nil {
		panic("frame: Agg: the groups are nil")
	}
	if g.err != nil {
		return none, g.err
	}
	first, sizes := make([]int, len(g.rows)), make([]int, len(g.rows))
	for k, rows := range g.rows {
		if sizes[k] = len(rows); len(rows) > 0 {
			first[k] = rows[0]
		}
	}
	var all []series.Series
	for _, c := range g.keys {
		all = append(all, take(c.series, first))
	}
	all = append(all, series.New(sizes, series.Int, "rows"))
	var order []*column
	known, of := known{}, map[string][]Stat{}
	for _, c := range g.keys {
		known[c.name] = c
	}
	for k, s := range stats {
		if s.isZero() {
			return none, fmt.Errorf("frame: %s: statistic %d is none: use Mean, Median and the like", fn, k)
		}
		columns, err := known.read(fn, g.df, s.columns, s.wanted)
		if err != nil {
			return none, err
		}
		for _, c := range columns {
			if len(s.columns) == 0 && slices.ContainsFunc(g.keys, func(key *column) bool { return key.name == c.name }) {
				continue
			}
			if err := s.check(fn, c); err != nil {
				return none, err
			}
			if of[c.name] == nil {
				order = append(order, c)
			}
			of[c.name] = append(of[c.name], s)
		}
	}
	for _, c := range order {
		list := of[c.name]
		if c.holes > 0 && !slices.ContainsFunc(list, func(s Stat) bool { return s.name == "missing" }) {
			list = append(list, Missing())
		}
		for _, s := range list {
			all = append(all, s.compute(c, g.rows, c.name+"_"+s.name))
		}
	}
	return newFrame(fn, all...)
}

// Pivot returns a table of a statistic by the values of two columns of df. rows and columns are their names: the table
// has a row for each value of the former column, and a column for each value of the latter. Both are in ascending
// order of these values. Each entry is the statistic for the rows of df that have both values; it is missing if there
// are no such rows. stat must be a statistic of one column. Missing values of the two columns count as a value called
// NaN.
//
//	table, err := frame.Pivot(df, "site", "month", frame.Mean("no2"))
func Pivot(df dataframe.DataFrame, rows, columns string, stat Stat) (dataframe.DataFrame, error) {
	const fn = "Pivot"
	var none dataframe.DataFrame
	if stat.isZero() || len(stat.columns) != 1 {
		return none, fmt.Errorf("frame: %s: the statistic must be of one column, as Mean(\"temp\") is", fn)
	}
	list, err := read(fn, df, []string{rows, columns, stat.columns[0]}, nil)
	if err != nil {
		return none, err
	}
	down, across, c := list[0], list[1], list[2]
	if err := stat.check(fn, c); err != nil {
		return none, err
	}
	rowFirst, rowOf := down.levels()
	colFirst, colOf := across.levels()
	cells := make([][][]int, len(colFirst)) // the rows of df, by column and row of the result
	for k := range cells {
		cells[k] = make([][]int, len(rowFirst))
	}
	for i := range rowOf {
		cells[colOf[i]][rowOf[i]] = append(cells[colOf[i]][rowOf[i]], i)
	}
	names := across.words(colFirst)
	all := []series.Series{take(down.series, rowFirst)}
	for k, groups := range cells {
		all = append(all, stat.compute(c, groups, names[k]))
	}
	return newFrame(fn, all...)
}

// words returns the values in the given rows as text. A missing value becomes NaN.
func (c *column) words(rows []int) []string {
	words := make([]string, len(rows))
	for k, i := range rows {
		words[k] = c.series.Elem(i).String()
		if c.series.Type() == series.Float && !c.missing[i] {
			words[k] = fmt.Sprint(c.x[i]) // gota writes six decimals
		}
	}
	return words
}
