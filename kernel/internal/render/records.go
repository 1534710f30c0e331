package render

import (
	"reflect"
	"slices"

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
// values do not count. value(i) is the value in row i. The second result reports whether the column should be
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
