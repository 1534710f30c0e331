package render

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"overcomplete/ui/display"
)

// Apache Arrow is not compiled in, and a session may have any version of it: its records, tables
// and arrays are known by their methods. (RecordBatch, which was Record, Table, Chunked, Array.)
type (
	arrowRecord interface {
		NumRows() int64
		NumCols() int64
		ColumnName(i int) string
		// Column(i int) Array
	}
	arrowTable interface {
		NumRows() int64
		NumCols() int64
		// Column(i int) *Column
	}
	arrowColumn interface {
		Name() string
		// Data() *Chunked, whose Chunks() are a []Array
	}
	arrowArray interface {
		Len() int
		IsNull(i int) bool
		ValueStr(i int) string
		// DataType() DataType, which is a fmt.Stringer
		// Value(i int) T, of most
	}
)

// arrowData shows Arrow's data.
func arrowData(v any) (display.Data, bool) {
	if g := arrowGrid(v); g != nil {
		return g.data(), true
	}
	return display.Data{}, false
}

// arrowGrid returns nil if v is not Arrow's.
func arrowGrid(v any) *grid {
	switch x := v.(type) {
	case arrowTable:
		g := &grid{rows: int(x.NumRows()), live: 2}
		for j := range int(x.NumCols()) {
			c, ok := arrowColumnOf(x, j)
			if !ok {
				return nil
			}
			g.cols = append(g.cols, c)
		}
		g.caption, g.unit = dims(g.rows, len(g.cols)), columns(len(g.cols))
		return g
	case arrowArray:
		return arrowSeries(chunkedColumn("", arrowType(x), []arrowArray{x}))
	}
	name := ""
	if column, ok := v.(arrowColumn); ok {
		name, v = column.Name(), result(v, "Data")
	}
	if chunks, ok := arrowChunks(v); ok {
		return arrowSeries(chunkedColumn(name, arrowType(v), chunks))
	}
	return nil
}

// arrowSeries shows one column.
func arrowSeries(c gridColumn, rows int) *grid {
	return &grid{rows: rows, live: 2, cols: []gridColumn{c}, caption: fmt.Sprintf("length %d", rows), unit: " values"}
}

// arrowColumnOf returns column j of a record or a table.
func arrowColumnOf(t arrowTable, j int) (c gridColumn, ok bool) {
	column := result(t, "Column", j)
	if record, ok := t.(arrowRecord); ok {
		array, ok := column.(arrowArray)
		if !ok {
			return c, false
		}
		c, _ = chunkedColumn(record.ColumnName(j), arrowType(array), []arrowArray{array})
		return c, true
	}
	named, ok := column.(arrowColumn)
	if !ok {
		return c, false
	}
	data := result(column, "Data")
	chunks, ok := arrowChunks(data)
	c, _ = chunkedColumn(named.Name(), arrowType(data), chunks)
	return c, ok
}

// arrowChunks returns the arrays of a Chunked.
func arrowChunks(v any) (chunks []arrowArray, ok bool) {
	list := reflect.ValueOf(result(v, "Chunks"))
	if list.Kind() != reflect.Slice || result(v, "DataType") == nil {
		return nil, false
	}
	for i := range list.Len() {
		array, ok := list.Index(i).Interface().(arrowArray)
		if !ok {
			return nil, false
		}
		chunks = append(chunks, array)
	}
	return chunks, true
}

// arrowType returns the name of the type of an array, "" if it does not say.
func arrowType(v any) string {
	s, ok := result(v, "DataType").(fmt.Stringer)
	if !ok {
		return ""
	}
	name := s.String()
	if values, ok := strings.CutPrefix(name, "dictionary<values="); ok {
		name, _, _ = strings.Cut(values, ", indices=") // how they are kept is of no interest
	}
	return name
}

// result calls a method of one result by its name, and returns nil if there is none such.
func result(v any, name string, args ...int) any {
	r := reflect.ValueOf(v)
	if !r.IsValid() {
		return nil
	}
	m := r.MethodByName(name)
	if !m.IsValid() || m.Type().NumIn() != len(args) || m.Type().NumOut() != 1 {
		return nil
	}
	in := make([]reflect.Value, len(args))
	for k, a := range args {
		in[k] = reflect.ValueOf(a)
		if m.Type().In(k) != in[k].Type() {
			return nil
		}
	}
	return m.Call(in)[0].Interface()
}

// chunkedColumn is a column whose values are in several arrays, one after the other.
func chunkedColumn(name, kind string, chunks []arrowArray) (c gridColumn, rows int) {
	var ends []int // of the chunks
	for _, a := range chunks {
		rows += a.Len()
		ends = append(ends, rows)
	}
	numeric := arrowNumeric(kind)
	return gridColumn{name, kind, !numeric, func(i int) entry {
		k := sort.SearchInts(ends, i+1)
		if k > 0 {
			i -= ends[k-1]
		}
		return arrowEntry(chunks[k], i, numeric)
	}}, rows
}

func arrowEntry(a arrowArray, i int, numeric bool) entry {
	if a.IsNull(i) {
		return entry{text: "null", null: true}
	}
	text := a.ValueStr(i)
	key := keyOf(reflect.ValueOf(result(a, "Value", i)))
	if numeric && key == nil { // a decimal, a half
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			key = x
		}
	}
	x, float := key.(float64)
	if float && strings.HasPrefix(arrowType(a), "float") {
		text = number(x)
	}
	if key == nil {
		key = text
	}
	return entry{cell(text), key, float && math.IsNaN(x)}
}

// arrowNumeric reports whether values of the type are numbers.
func arrowNumeric(kind string) bool {
	return slices.ContainsFunc([]string{"int", "uint", "float", "halffloat", "decimal"}, func(prefix string) bool {
		return strings.HasPrefix(kind, prefix)
	})
}
