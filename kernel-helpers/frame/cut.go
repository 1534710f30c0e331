package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Cut returns df with an additional column of strings, which says in which interval each value of a column of numbers
// lies. If the column of numbers is called temp, the new column is named temp_bin; it replaces a column of that name,
// so a cell can run again. The edges must ascend; two neighboring edges are the ends of an interval. An interval
// contains its upper edge, and the first interval also contains its lower edge: [0, 10], (10, 20], ... If a value is
// missing or outside all intervals, its interval is missing. If names are given, there must be one name for each
// interval. The new column then contains these names instead of the intervals. The function Quantiles returns edges for
// intervals with equally many values.
//
// By and Pivot sort intervals by their lower edges. They sort names alphabetically.
func Cut(df dataframe.DataFrame, name string, edges []float64, names ...string) (dataframe.DataFrame, error) {
	const fn = "Cut"
	var none dataframe.DataFrame
	list, err := read(fn, df, []string{name}, nil)
	if err != nil {
		return none, err
	}
	c := list[0]
	if err := c.numbers(fn); err != nil {
		return none, err
	}
	for k := range edges {
		if math.IsNaN(edges[k]) || k > 0 && edges[k] <= edges[k-1] {
			return none, fmt.Errorf("frame: %s: edge %d is %v: edges must ascend", fn, k, edges[k])
		}
	}
	if len(edges) < 2 {
		return none, fmt.Errorf("frame: %s: %d edges: need 2 or more", fn, len(edges))
	}
	if len(names) > 0 && len(names) != len(edges)-1 {
		return none, fmt.Errorf("frame: %s: %d names for %d intervals", fn, len(names), len(edges)-1)
	}
	bins := make([]any, len(c.x))
	for i, v := range c.x {
		if !(v >= edges[0] && v <= edges[len(edges)-1]) {
			continue
		}
		k, _ := slices.BinarySearch(edges, v) // edges[k-1] < v <= edges[k]
		k = max(k, 1)
		if len(names) > 0 {
			bins[i] = names[k-1]
			continue
		}
		open := "("
		if k == 1 {
			open = "["
		}
		bins[i] = open + shortest(edges[k-1]) + ", " + shortest(edges[k]) + "]"
	}
	return replaceColumns(fn, df, series.New(bins, series.String, name+"_bin"))
}

func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// lower returns the lower edge of s, if s is an interval as Cut writes it, such as (10, 20]. Otherwise ok is false.
func lower(s string) (edge float64, ok bool) {
	if len(s) < 6 || s[0] != '(' && s[0] != '[' || s[len(s)-1] != ']' {
		return 0, false
	}
	from, to, ok := strings.Cut(s[1:len(s)-1], ", ")
	if !ok {
		return 0, false
	}
	edge, err := parseFloat(from)
	_, err2 := parseFloat(to)
	return edge, err == nil && err2 == nil
}

// Quantiles returns n+1 ascending edges for Cut, from the smallest value of the column to the largest. The edges
// divide the values into n intervals with equally many values, as nearly as possible. If many values are equal, there
// are fewer edges.
func Quantiles(df dataframe.DataFrame, name string, n int) ([]float64, error) {
	const fn = "Quantiles"
	if n < 1 {
		return nil, fmt.Errorf("frame: %s: n is %d, must be 1 or more", fn, n)
	}
	x, _, err := Present(df, name)
	if err != nil {
		return nil, err
	}
	if len(x) == 0 {
		return nil, fmt.Errorf("frame: %s: %s has no values", fn, name)
	}
	slices.Sort(x)
	var edges []float64
	for k := range n + 1 {
		edges = append(edges, quantile(x, float64(k)/float64(n)))
	}
	if edges = slices.Compact(edges); len(edges) < 2 {
		return nil, fmt.Errorf("frame: %s: all values of %s are %v: there are no intervals between them", fn, name, edges[0])
	}
	return edges, nil
}
