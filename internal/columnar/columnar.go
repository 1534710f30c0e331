// Package columnar reads Apache Arrow data without linking Arrow. Arrow is not compiled in, because a
// notebook may use any version of it. Arrow's types are recognized by their methods: RecordBatch (formerly
// Record), Table, Column, Chunked and Array.
package columnar

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
)

// A Frame is a table or a single column.
type Frame struct {
	Rows    int
	Columns []Column
	Alone   bool // the frame is a single column, not a table
}

// A Column has values of one type, in one or more arrays.
type Column struct {
	Name string // "" for an array
	Type string // in Arrow's notation: int64, utf8, timestamp[us, tz=UTC]

	chunks []chunk
	ends   []int // ends of the chunks
}

type chunk struct {
	array
	value func(i int) any // nil if its type has no method Value
}

// These interfaces have the methods by which Arrow's types are recognized. The comments list further methods, whose
// result types cannot be named here; they are called by name, through reflection.
type (
	table interface {
		NumRows() int64
		NumCols() int64
		// Column(i int): an Array of a record, a *Column of a Table
	}
	record interface {
		table
		ColumnName(i int) string
	}
	column interface {
		Name() string
		// Data() *Chunked
	}
	chunkedColumn interface {
		Len() int
		NullN() int
		// Chunks() []Array, DataType() DataType
	}
	array interface {
		Len() int
		IsNull(i int) bool
		ValueStr(i int) string
		// DataType() DataType; most arrays also have Value(i int) T
	}
)

// FrameOf returns v as a table or a column; ok is false if v has none of the Arrow types that the package comment
// lists. Reading an Arrow value whose memory has been released may panic, in FrameOf or in the methods of the columns.
func FrameOf(v any) (f *Frame, ok bool) {
	switch x := v.(type) {
	case table:
		f = &Frame{Rows: int(x.NumRows())}
		for j := range int(x.NumCols()) {
			c, ok := columnOf(call(x, "Column", j))
			if !ok {
				return nil, false
			}
			if r, ok := x.(record); ok {
				c.Name = r.ColumnName(j)
			}
			f.Columns = append(f.Columns, c)
		}
		return f, true
	case column, chunkedColumn, array:
		c, ok := columnOf(v)
		if !ok {
			return nil, false
		}
		return &Frame{Rows: c.Len(), Columns: []Column{c}, Alone: true}, true
	}
	return nil, false
}

// columnOf reads a *Column, a *Chunked or an Array.
func columnOf(v any) (c Column, ok bool) {
	if named, ok := v.(column); ok {
		c.Name, v = named.Name(), call(v, "Data")
	}
	switch x := v.(type) {
	case array:
		c.add(x)
	case chunkedColumn:
		list := reflect.ValueOf(call(x, "Chunks"))
		if list.Kind() != reflect.Slice {
			return c, false
		}
		for i := range list.Len() {
			a, ok := list.Index(i).Interface().(array)
			if !ok {
				return c, false
			}
			c.add(a)
		}
	default:
		return c, false
	}
	kind, ok := call(v, "DataType").(fmt.Stringer)
	if !ok {
		return c, false
	}
	c.Type = kind.String()
	if values, ok := strings.CutPrefix(c.Type, "dictionary<values="); ok {
		c.Type, _, _ = strings.Cut(values, ", indices=") // the index type does not matter
	}
	return c, true
}

func (c *Column) add(a array) {
	c.chunks = append(c.chunks, chunk{a, valueOf(a)})
	c.ends = append(c.ends, c.Len()+a.Len())
}

// Len returns the number of values.
func (c *Column) Len() int {
	if len(c.ends) == 0 {
		return 0
	}
	return c.ends[len(c.ends)-1]
}

// Numeric reports whether the values are numbers.
func (c *Column) Numeric() bool {
	return slices.ContainsFunc([]string{"int", "uint", "float", "decimal"}, func(prefix string) bool {
		return strings.HasPrefix(c.Type, prefix) && !strings.HasPrefix(c.Type, "interval")
	})
}

// Null reports whether value i is NULL.
func (c *Column) Null(i int) bool {
	k, i := c.place(i)
	return c.chunks[k].IsNull(i)
}

// Text returns value i in Arrow's text form.
func (c *Column) Text(i int) string {
	k, i := c.place(i)
	return c.chunks[k].ValueStr(i)
}

// Value returns value i, obtained with the Arrow array's own method Value. The result is nil if the array's type has no
// such method, as for lists and dictionaries.
func (c *Column) Value(i int) any {
	k, i := c.place(i)
	if c.chunks[k].value == nil {
		return nil
	}
	return c.chunks[k].value(i)
}

// place returns the number k of the chunk with value i, and the index of the value within that chunk.
func (c *Column) place(i int) (k, at int) {
	k = sort.SearchInts(c.ends, i+1)
	if k > 0 {
		i -= c.ends[k-1]
	}
	return k, i
}

// valueOf returns the method Value of an array, or nil if it has none. For common types it avoids reflection.
func valueOf(a array) func(i int) any {
	switch a := a.(type) {
	case interface{ Value(i int) float64 }:
		return func(i int) any { return a.Value(i) }
	case interface{ Value(i int) int64 }:
		return func(i int) any { return a.Value(i) }
	case interface{ Value(i int) string }:
		return func(i int) any { return a.Value(i) }
	case interface{ Value(i int) bool }:
		return func(i int) any { return a.Value(i) }
	}
	m := method(a, "Value", 0)
	if !m.IsValid() {
		return nil
	}
	return func(i int) any { return m.Call([]reflect.Value{reflect.ValueOf(i)})[0].Interface() }
}

// call calls the method of v with the given name, and returns its result. It returns nil if v has no such method (see
// method).
func call(v any, name string, args ...int) any {
	m := method(v, name, args...)
	if !m.IsValid() {
		return nil
	}
	in := make([]reflect.Value, len(args))
	for k, a := range args {
		in[k] = reflect.ValueOf(a)
	}
	return m.Call(in)[0].Interface()
}

// method returns the method of v with the given name, if it takes len(args) arguments of type int and has one result.
// Otherwise the returned reflect.Value is invalid.
func method(v any, name string, args ...int) reflect.Value {
	r := reflect.ValueOf(v)
	if !r.IsValid() {
		return r
	}
	m := r.MethodByName(name)
	if !m.IsValid() || m.Type().NumIn() != len(args) || m.Type().NumOut() != 1 || m.Type().IsVariadic() {
		return reflect.Value{}
	}
	for k := range args {
		if m.Type().In(k) != reflect.TypeFor[int]() {
			return reflect.Value{}
		}
	}
	return m
}
