package labtest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// bits returns a text that represents everything that the values hold. It writes numbers by their bits, so that values
// with NaN can be compared. It leaves out functions, channels, and fields with measured times, whose names begin with
// "second".
func bits(values []reflect.Value) string {
	w := writer{seen: map[uintptr]bool{}}
	for _, v := range values {
		w.write(v)
	}
	return w.String()
}

type writer struct {
	strings.Builder
	seen map[uintptr]bool // pointers that are being followed
}

func (w *writer) write(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		fmt.Fprintf(w, "%x ", math.Float64bits(v.Float()))
	case reflect.Pointer:
		if v.IsNil() || w.seen[v.Pointer()] {
			fmt.Fprint(w, "- ")
			return
		}
		w.seen[v.Pointer()] = true
		w.write(v.Elem())
		delete(w.seen, v.Pointer())
	case reflect.Interface:
		if !v.IsNil() {
			fmt.Fprintf(w, "%s ", v.Elem().Type())
			w.write(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(w, "%d[", v.Len())
		for i := range v.Len() {
			w.write(v.Index(i))
		}
		fmt.Fprint(w, "]")
	case reflect.Struct:
		for i := range v.NumField() {
			if strings.HasPrefix(strings.ToLower(v.Type().Field(i).Name), "second") {
				continue // a measured time
			}
			w.write(v.Field(i))
		}
	case reflect.Map:
		var entries []string
		for it := v.MapRange(); it.Next(); {
			e := writer{seen: w.seen}
			e.write(it.Key())
			e.write(it.Value())
			entries = append(entries, e.String())
		}
		slices.Sort(entries)
		fmt.Fprintf(w, "%q", entries)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
	default:
		fmt.Fprintf(w, "%v ", v)
	}
}
