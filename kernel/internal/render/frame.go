package render

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/internal/spelling"
	"overcomplete/ui/display"
)

// frameData returns the output for v, a gota data frame or series. Below the name of each column is its type.
// frameData returns false for other values.
func frameData(v any) (display.Data, bool) {
	switch x := v.(type) {
	case dataframe.DataFrame:
		return frame(x), true
	case *dataframe.DataFrame:
		return frame(*x), true
	case series.Series:
		return column(x), true
	case *series.Series:
		return column(*x), true
	}
	return display.Data{}, false
}

// columnOnLine matches code that selects a column of a data frame.
var columnOnLine = regexp.MustCompile(`\b(\w+)\.Col\("([^"]*)"\)`)

// FrameFault describes what is wrong with v, a gota data frame or series: v contains an error, or the line of code
// selects a column that v does not have. gota keeps an error inside the value, and the next use of the value
// dereferences a nil pointer. name is the name of the variable with the value v. FrameFault returns "" if nothing is
// wrong, or if v is of another type.
func FrameFault(name string, v any, line string) string {
	var err error
	switch x := v.(type) {
	case dataframe.DataFrame:
		err = x.Err
		for _, m := range columnOnLine.FindAllStringSubmatch(line, -1) {
			if names := x.Names(); err == nil && m[1] == name && !slices.Contains(names, m[2]) {
				if near := spelling.Near(m[2], names); len(near) > 0 {
					return fmt.Sprintf("%s has no column %s: %s", name, m[2], spelling.DidYouMean(near))
				}
				return fmt.Sprintf("%s has no column %s: it has %s", name, m[2], strings.Join(names, ", "))
			}
		}
	case series.Series:
		err = x.Err
	}
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%s.Err is set, and says: %v", name, err)
}

func frame(f dataframe.DataFrame) display.Data {
	if f.Err != nil {
		return display.Text("DataFrame error: " + f.Err.Error())
	}
	nrow, ncol := f.Dims()
	names, types := f.Names(), f.Types()
	g := &grid{rows: nrow, live: 2, caption: dims(nrow, ncol), unit: columns(ncol)}
	for j := range ncol {
		g.cols = append(g.cols, gridColumn{names[j], string(types[j]), types[j] == series.String,
			func(i int) entry { return element(f.Elem(i, j)) }})
	}
	return g.data()
}

func column(s series.Series) display.Data {
	if s.Err != nil {
		return display.Text("Series error: " + s.Err.Error())
	}
	if s.Type() == "" {
		return display.Text("empty Series")
	}
	g := &grid{rows: s.Len(), live: 2, caption: fmt.Sprintf("length %d", s.Len()), unit: " values"}
	g.cols = []gridColumn{{s.Name, string(s.Type()), s.Type() == series.String,
		func(i int) entry { return element(s.Elem(i)) }}}
	return g.data()
}

func element(e series.Element) entry {
	if e.IsNA() {
		return entry{text: cell(e.String()), null: true}
	}
	switch e.Type() {
	case series.Float:
		return entry{text: number(e.Float()), key: e.Float()}
	case series.Int:
		n, _ := e.Int() // cannot fail, because missing values were handled above
		return entry{text: e.String(), key: int64(n)}
	}
	return entry{text: cell(e.String()), key: e.String()}
}

func dims(rows, cols int) string { return strconv.Itoa(rows) + columns(cols) }
func columns(n int) string       { return fmt.Sprintf(" rows, %d columns", n) }
