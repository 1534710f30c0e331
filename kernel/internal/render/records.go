package render

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"overcomplete/ui/display"
)

// recordsData shows a slice of maps with string keys, such as rows of a database or of JSON, as a table. The table has
// a column for each key that occurs in the first maxCarried maps. recordsData returns false for other values.
func recordsData(v any) (display.Data, bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array || formatsItself(r.Type()) || r.Len() == 0 {
		return display.Data{}, false
	}
	t := r.Type().Elem()
	if t.Kind() != reflect.Map || formatsItself(t) || t.Key().Kind() != reflect.String || formatsItself(t.Key()) ||
		t.Elem().Kind() != reflect.Interface && !simple(t.Elem()) {
		return display.Data{}, false
	}
	keys := keysOf(r)
	g := &grid{rows: r.Len(), live: pageRows + 1, caption: dims(r.Len(), len(keys)), unit: columns(len(keys))}
	for _, key := range keys {
		value := func(i int) reflect.Value {
			m := r.Index(i)
			return m.MapIndex(reflect.ValueOf(key).Convert(t.Key()))
		}
		kind, left := kindOf(value, min(r.Len(), maxCarried))
		g.cols = append(g.cols, gridColumn{key, kind, left, func(i int) entry {
			x := value(i)
			if !x.IsValid() {
				return entry{null: true}
			}
			if x.Kind() == reflect.Interface {
				x = x.Elem()
			}
			if !x.IsValid() {
				return entry{text: "nil", null: true}
			}
			return entryOf(x, shown(x))
		}})
	}
	if len(g.cols) == 0 {
		return display.Data{}, false
	}
	return g.data(), true
}

// keysOf returns all keys that occur in the first maxCarried of the maps. The keys are sorted, because maps have no
// order.
func keysOf(maps reflect.Value) []string {
	seen := map[string]bool{}
	var keys []string
	for i := range min(maps.Len(), maxCarried) {
		for _, k := range maps.Index(i).MapKeys() {
			if s := k.String(); !seen[s] {
				seen[s] = true
				keys = append(keys, s)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// kindOf returns the name of the common type of the first n values of a column, or "" if their types differ. Missing
// values do not count. value(i) is the value in row i. The result left reports whether the column should be
// left-aligned, because it holds words or values of different types.
func kindOf(value func(i int) reflect.Value, n int) (kind string, left bool) {
	for i := range n {
		x := value(i)
		if x.IsValid() && x.Kind() == reflect.Interface {
			x = x.Elem()
		}
		if !x.IsValid() {
			continue
		}
		left = left || wordy(x.Type())
		switch name := typeName(x.Type()); {
		case kind == "":
			kind = name
		case kind != name:
			return "", true
		}
	}
	return kind, left
}

const maxMap = 50 // maximum number of entries of a map shown as a table

var stringerType = reflect.TypeFor[fmt.Stringer]()

// structsData shows a slice or array of structs, or of pointers to structs, as a table with a column for each
// field. It returns false for other values, and for those for which structsGrid returns nil.
func structsData(v any) (display.Data, bool) {
	g := structsGrid(reflect.ValueOf(v))
	if g == nil {
		return display.Data{}, false
	}
	return g.data(), true
}

// structsGrid returns the table of r, a slice or array of structs or of pointers to structs. It returns nil for other
// values, and if r is empty or has no fields to show.
func structsGrid(r reflect.Value) *grid {
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array || formatsItself(r.Type()) {
		return nil
	}
	fields := fieldsOf(r.Type().Elem())
	if len(fields) == 0 || r.Len() == 0 {
		return nil
	}
	unit := " × " + typeName(r.Type().Elem())
	g := &grid{rows: r.Len(), live: pageRows + 1, caption: strconv.Itoa(r.Len()) + unit, unit: unit, plain: true}
	for _, f := range fields {
		g.cols = append(g.cols, gridColumn{f.Name, typeName(f.Type), wordy(f.Type),
			func(i int) entry { return fieldEntry(r.Index(i), f, f.Name == fields[0].Name) }})
	}
	return g
}

// fieldEntry returns the entry for the field f of v, which is a struct or a pointer to a struct. If the pointer is
// nil, the value counts as missing; the text of the entry is then <nil> for the first field and empty for the others.
func fieldEntry(v reflect.Value, f reflect.StructField, first bool) entry {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			e := entry{null: true}
			if first {
				e.text = "<nil>"
			}
			return e
		}
		v = v.Elem()
	}
	x := v.FieldByIndex(f.Index)
	return entryOf(x, shown(x))
}

// shown returns the text of a value for a table cell. For a pointer to a number or a word, it returns the text of that
// number or word, because such pointers are a common way in Go to declare a column that may be empty.
func shown(x reflect.Value) string {
	if x.Kind() == reflect.Pointer && !x.IsNil() && !formatsItself(x.Type()) && simple(x.Type().Elem()) {
		x = x.Elem()
	}
	if x.Kind() == reflect.Float64 && !formatsItself(x.Type()) {
		return number(x.Float())
	}
	return cell(inline(x))
}

// mapData shows a small map as a table, sorted by key, if the map's keys are numbers or words, and its values are
// numbers, words or structs. In plain text, only a map of structs is shown as a table: fmt's text of the other maps is
// as easy to read, and shorter. mapData returns false for other values.
func mapData(v any) (display.Data, bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Map || formatsItself(r.Type()) || r.Len() == 0 || r.Len() > maxMap || !simple(r.Type().Key()) {
		return display.Data{}, false
	}
	elem := r.Type().Elem()
	fields := fieldsOf(elem)
	if len(fields) == 0 && !simple(elem) {
		return display.Data{}, false
	}
	t := &table{labels: []string{}}
	if len(fields) > 0 {
		t.head(fields)
	} else {
		t.left = []bool{wordy(elem)}
	}
	for _, k := range sortedMapKeys(r) {
		t.labels = append(t.labels, cell(inline(k)))
		if len(fields) > 0 {
			t.rows = append(t.rows, record(r.MapIndex(k), fields))
		} else {
			t.rows = append(t.rows, []string{cell(inline(r.MapIndex(k)))})
		}
	}
	d := t.data()
	if len(fields) == 0 {
		d.Data[display.MIMETypeText] = Text(v)
	}
	return d, true
}

// formatsItself reports whether values of the type have a method that fmt uses to format them.
func formatsItself(t reflect.Type) bool { return t.Implements(stringerType) || t.Implements(errorType) }

func simple(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr
}

func wordy(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && !formatsItself(t) && simple(t.Elem()) {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Struct, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return formatsItself(t)
}

// fieldsOf returns the fields of t that a table shows; t is a struct type or a pointer to one. These are the exported
// fields, or all fields if t has no name or is declared by a cell (in package main). fieldsOf returns none if values of
// type t format themselves; see formatsItself.
func fieldsOf(t reflect.Type) []reflect.StructField {
	if t.Kind() == reflect.Pointer && !formatsItself(t) {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || formatsItself(t) {
		return nil
	}
	cells := t.PkgPath() == "main" || t.Name() == ""
	var fields []reflect.StructField
	for i := range t.NumField() {
		if f := t.Field(i); (f.IsExported() || cells) && f.Name != "_" {
			fields = append(fields, f)
		}
	}
	return fields
}

func (t *table) head(fields []reflect.StructField) {
	for _, f := range fields {
		t.header = append(t.header, f.Name)
		t.left = append(t.left, wordy(f.Type))
	}
}

func record(v reflect.Value, fields []reflect.StructField) []string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			row := make([]string, len(fields))
			row[0] = "<nil>"
			return row
		}
		v = v.Elem()
	}
	row := make([]string, len(fields))
	for j, f := range fields {
		row[j] = shown(v.FieldByIndex(f.Index))
	}
	return row
}
