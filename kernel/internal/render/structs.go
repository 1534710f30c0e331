package render

import (
	"fmt"
	"reflect"

	"overcomplete/ui/display"
)

const maxMap = 50 // entries of a map that is shown as a table

var stringerType = reflect.TypeFor[fmt.Stringer]()

// structsData shows a slice or array of structs, or of pointers to structs, as
// a table with a column for each field.
func structsData(v any) (display.Data, bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array || own(r.Type()) {
		return display.Data{}, false
	}
	fields := fieldsOf(r.Type().Elem())
	if len(fields) == 0 || r.Len() == 0 {
		return display.Data{}, false
	}
	t := &table{labels: []string{}, caption: fmt.Sprintf("%d × %s", r.Len(), typeName(r.Type().Elem()))}
	t.head(fields)
	for _, i := range picks(r.Len(), 2*maxRows) {
		t.labels = append(t.labels, rowLabel(i))
		if i < 0 {
			t.rows = append(t.rows, gap(len(fields)))
		} else {
			t.rows = append(t.rows, record(r.Index(i), fields))
		}
	}
	d := t.data()
	d.Data[display.MIMETypeText] = Text(v)
	return d, true
}

// mapData shows a small map whose values are numbers, words or structs as a
// table, sorted by the keys.
func mapData(v any) (display.Data, bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Map || own(r.Type()) || r.Len() == 0 || r.Len() > maxMap || !simple(r.Type().Key()) {
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
	d.Data[display.MIMETypeText] = Text(v)
	return d, true
}

// own reports whether values of the type have a method by which fmt writes
// them.
func own(t reflect.Type) bool { return t.Implements(stringerType) || t.Implements(errorType) }

func simple(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr
}

func wordy(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Struct, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return own(t)
}

// fieldsOf returns the fields to show of a struct type or a pointer to one: the
// exported ones and, for types that a cell declares (in package main, or
// without a name), the others too. It returns none if the type writes itself.
func fieldsOf(t reflect.Type) []reflect.StructField {
	if t.Kind() == reflect.Pointer && !own(t) {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || own(t) {
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
		t.types = append(t.types, typeName(f.Type))
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
		x := v.FieldByIndex(f.Index)
		if x.Kind() == reflect.Float64 && !own(x.Type()) {
			row[j] = number(x.Float())
		} else {
			row[j] = cell(inline(x))
		}
	}
	return row
}

func gap(n int) []string {
	row := make([]string, n)
	for j := range row {
		row[j] = ellipsis
	}
	return row
}
