package render

import (
	"fmt"
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
		// Column(i int) *Column, which has Name() string and Data() *Chunked
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
			c, ok := arrowColumn(x, j)
			if !ok {
				return nil
			}
			g.cols = append(g.cols, c)
		}
		g.caption, g.unit = dims(g.rows, len(g.cols)), fmt.Sprintf(" rows, %d columns", len(g.cols))
		return g
	case arrowArray:
		return arrowSeries([]arrowArray{x}, arrowType(x))
	}
	if chunks, ok := arrowChunks(v); ok {
		return arrowSeries(chunks, arrowType(v))
	}
	return nil
}

func arrowSeries(chunks []arrowArray, kind string) *grid {
	c := chunkedColumn("", kind, chunks)
	n := 0
	for _, a := range chunks {
		n += a.Len()
	}
	return &grid{rows: n, live: 2, cols: []gridColumn{c}, caption: fmt.Sprintf("length %d", n), unit: " values"}
}

// arrowColumn returns column j of a record or a table.
func arrowColumn(t arrowTable, j int) (c gridColumn, ok bool) {
	column := result(t, "Column", j)
	if record, ok := t.(arrowRecord); ok {
		array, ok := column.(arrowArray)
		if !ok {
			return c, false
		}
		return chunkedColumn(record.ColumnName(j), arrowType(array), []arrowArray{array}), true
	}
	named, ok := column.(interface{ Name() string })
	if !ok {
		return c, false
	}
	data := result(column, "Data")
	chunks, ok := arrowChunks(data)
	return chunkedColumn(named.Name(), arrowType(data), chunks), ok
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
	return s.String()
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
func chunkedColumn(name, kind string, chunks []arrowArray) gridColumn {
	var ends []int // of the chunks
	n := 0
	for _, a := range chunks {
		n += a.Len()
		ends = append(ends, n)
	}
	numeric := arrowNumeric(kind)
	return gridColumn{name, kind, !numeric, func(i int) entry {
		k := sort.SearchInts(ends, i+1)
		if k > 0 {
			i -= ends[k-1]
		}
		return arrowEntry(chunks[k], i, numeric)
	}}
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
	if x, ok := key.(float64); ok && strings.HasPrefix(arrowType(a), "float") {
		text = number(x)
	}
	if key == nil {
		key = text
	}
	return entry{text: cell(text), key: key}
}

// arrowNumeric reports whether values of the type are numbers.
func arrowNumeric(kind string) bool {
	return slices.ContainsFunc([]string{"int", "uint", "float", "halffloat", "decimal"}, func(prefix string) bool {
		return strings.HasPrefix(kind, prefix)
	})
}
