package render

import (
	"fmt"
	"strconv"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/ui/display"
)

// frameData shows gota's data frames and series. The types are below the names.
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
