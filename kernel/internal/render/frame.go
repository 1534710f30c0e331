package render

import (
	"fmt"
	"strconv"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/ui/display"
)

// frameData shows gota's data frames and series, with the types below the names.
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
	cols, names, types := picks(ncol, 2*maxCols), f.Names(), f.Types()
	t := &table{caption: fmt.Sprintf("%d rows, %d columns", nrow, ncol), labels: []string{}}
	for _, j := range cols {
		if j < 0 {
			t.header, t.types, t.left = append(t.header, ellipsis), append(t.types, ""), append(t.left, true)
			continue
		}
		t.header = append(t.header, cell(names[j]))
		t.types = append(t.types, string(types[j]))
		t.left = append(t.left, types[j] == series.String)
	}
	for _, i := range picks(nrow, maxRows) {
		row := make([]string, len(cols))
		for k, j := range cols {
			if i < 0 || j < 0 {
				row[k] = ellipsis
			} else {
				row[k] = element(f.Elem(i, j))
			}
		}
		t.rows, t.labels = append(t.rows, row), append(t.labels, rowLabel(i))
	}
	return t.data()
}

func column(s series.Series) display.Data {
	if s.Err != nil {
		return display.Text("Series error: " + s.Err.Error())
	}
	if s.Type() == "" {
		return display.Text("empty Series")
	}
	t := &table{
		caption: fmt.Sprintf("length %d", s.Len()),
		header:  []string{cell(s.Name)}, types: []string{string(s.Type())},
		left: []bool{s.Type() == series.String}, labels: []string{},
	}
	for _, i := range picks(s.Len(), maxRows) {
		text := ellipsis
		if i >= 0 {
			text = element(s.Elem(i))
		}
		t.rows, t.labels = append(t.rows, []string{text}), append(t.labels, rowLabel(i))
	}
	return t.data()
}

func rowLabel(i int) string {
	if i < 0 {
		return ellipsis
	}
	return strconv.Itoa(i)
}

func element(e series.Element) string {
	if e.Type() == series.Float && !e.IsNA() {
		return number(e.Float())
	}
	return cell(e.String())
}
