package dap

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// maxKeys is the maximum number of map entries that are read.
const maxKeys = 200_000

// sortedKeys returns the keys of the map m in the order of compareKeys. If m has more than maxKeys entries, sortedKeys
// returns only maxKeys of the keys, and its second result is false.
func sortedKeys(m reflect.Value) (keys []reflect.Value, all bool) {
	keys = make([]reflect.Value, 0, min(m.Len(), maxKeys))
	for it := m.MapRange(); len(keys) < maxKeys && it.Next(); {
		keys = append(keys, it.Key())
	}
	slices.SortFunc(keys, compareKeys)
	return keys, len(keys) == m.Len()
}

// compareKeys orders keys of one type: numbers by size, strings lexically, structs and arrays by their first
// difference, and interface values by type before value. It puts false before true, and treats keys of other kinds as
// equal.
func compareKeys(a, b reflect.Value) int {
	switch a.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cmp.Compare(a.Uint(), b.Uint())
	case reflect.Float32, reflect.Float64:
		return cmp.Compare(a.Float(), b.Float())
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Bool:
		switch {
		case a.Bool() == b.Bool():
			return 0
		case b.Bool():
			return -1
		}
		return 1
	case reflect.Struct:
		for i := range a.NumField() {
			if c := compareKeys(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if c := compareKeys(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	case reflect.Interface:
		a, b = a.Elem(), b.Elem()
		switch {
		case !a.IsValid() || !b.IsValid():
			return cmp.Compare(kind(a), kind(b))
		case a.Type() != b.Type():
			return strings.Compare(a.Type().String(), b.Type().String())
		}
		return compareKeys(a, b)
	}
	return 0
}

func kind(v reflect.Value) int { return int(v.Kind()) }
