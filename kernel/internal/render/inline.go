package render

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel/internal/cycle"
)

// Limits for values inside another value.
const (
	maxDepth  = 6    // levels of nested structs, slices, maps and pointers
	maxInner  = 20   // elements of a slice, array or map inside another value
	enoughFor = 4000 // bytes after which no more elements are written
)

// An inliner writes a value with all its parts, much as in Go source. On the path to a value it follows each
// pointer at most once, so it always terminates.
type inliner struct {
	strings.Builder
	around map[valueID]bool // the places that enclose the current value
	depth  int
}

// valueID identifies a pointer, slice or map by its address, length and type. It serves to detect values that contain
// themselves.
type valueID struct {
	p uintptr
	n int
	t reflect.Type
}

// A spot says where a value appears: alone, as an element, or as a field of a struct. It determines details of the
// format, such as whether a string is quoted.
type spot int

const (
	alone  spot = iota
	item        // in a slice, an array or a map, where the type is known
	quoted      // like item, but strings need quotes
	field       // in a struct
)

// inline returns v as a single line of text.
func inline(v reflect.Value) string {
	w := &inliner{around: map[valueID]bool{}}
	w.value(v, alone)
	return w.String()
}

func (w *inliner) value(v reflect.Value, in spot) {
	none := "<nil>"
	if in == field {
		none = "nil"
	}
	if !v.IsValid() {
		w.WriteString(none)
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if in == item {
			in = quoted
		}
		w.value(v.Elem(), in)
		return
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			w.WriteString(none)
			return
		}
	}
	if w.bySelf(v) {
		return
	}
	t := v.Type()
	switch v.Kind() {
	case reflect.String:
		if in == quoted || in == field {
			w.WriteString(strconv.Quote(v.String()))
		} else {
			w.WriteString(v.String())
		}
	case reflect.Func, reflect.UnsafePointer:
		w.WriteString(typeName(t))
	case reflect.Chan:
		fmt.Fprintf(w, "%s (%d of %d)", typeName(t), v.Len(), v.Cap())
	case reflect.Pointer:
		w.inside(valueID{v.Pointer(), 0, t}, func() {
			w.WriteByte('&')
			w.value(v.Elem(), in)
		})
	case reflect.Struct:
		w.inside(valueID{}, func() { w.structure(v, in) })
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !formatsItself(t.Elem()) {
			text := bytesText(v.Bytes())
			if v.Len() > 0 && printable(v.Bytes()) && in != alone {
				text = strconv.Quote(text)
			}
			w.WriteString(text)
			return
		}
		w.inside(valueID{v.Pointer(), v.Len(), t}, func() { w.sequence(v) })
	case reflect.Array:
		w.inside(valueID{}, func() { w.sequence(v) })
	case reflect.Map:
		w.inside(valueID{v.Pointer(), v.Len(), t}, func() { w.entries(v) })
	default:
		fmt.Fprint(w, v)
	}
}

// inside calls write(), which writes the contents of a value. The argument a identifies the value if
// it is a pointer, slice or map; for a struct or array, a is zero. If the same pointer, slice or map already encloses
// the value, or if the nesting is too deep, an ellipsis is written instead.
func (w *inliner) inside(a valueID, write func()) {
	if w.around[a] && a.p != 0 || w.depth == maxDepth {
		w.WriteString(ellipsis)
		return
	}
	w.around[a] = true
	w.depth++
	write()
	w.depth--
	delete(w.around, a)
}

// bySelf writes v with the method Error, String or Format of v. For a matrix without Error and String, it writes only
// the type and the size. It returns false if v is not a matrix and has none of these methods, or if the methods of v
// cannot be called.
func (w *inliner) bySelf(v reflect.Value) bool {
	if !v.CanInterface() || v.Kind() == reflect.Struct && v.Type().Name() == "" {
		return false // also for an unnamed struct of a cell, whose promoted methods cannot be called
	}
	switch x := v.Interface().(type) {
	case error:
		w.method("Error", x.Error)
	case fmt.Stringer:
		w.method("String", x.String)
	case mat.Matrix:
		r, c := x.Dims()
		fmt.Fprintf(w, "%s %d×%d", strings.TrimPrefix(typeName(v.Type()), "*"), r, c)
	case fmt.Formatter:
		w.WriteString(clean(v.Type(), fmt.Sprint(x)))
	default:
		return false
	}
	return true
}

// structure writes a struct with the names of its fields. For an opaque struct, it writes only the type.
func (w *inliner) structure(v reflect.Value, in spot) {
	t := v.Type()
	if t.Name() != "" && in != item && in != quoted || opaque(t) {
		w.WriteString(typeName(t))
	}
	if opaque(t) {
		w.WriteString("{" + ellipsis + "}")
		return
	}
	if !v.CanAddr() && v.CanInterface() {
		c := reflect.New(t).Elem() // an addressable copy, so that methods of its fields can be called
		c.Set(v)
		v = c
	}
	w.WriteByte('{')
	first := true
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		if !first {
			w.WriteString(", ")
		}
		first = false
		if w.Len() > enoughFor {
			w.WriteString(ellipsis)
			break
		}
		x := v.Field(i)
		if !x.CanInterface() && x.CanAddr() {
			x = reflect.NewAt(x.Type(), unsafe.Pointer(x.UnsafeAddr())).Elem()
		}
		w.WriteString(f.Name + ": ")
		w.value(x, field)
	}
	w.WriteByte('}')
}

// opaque reports whether t is a named struct type that is declared in a package, not in a cell, and has unexported
// fields.
func opaque(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.Name() == "" || t.PkgPath() == "main" {
		return false
	}
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// separator returns the text between elements of type t: a comma and a space for structs, whose text may contain
// spaces, or else a space.
func separator(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && !formatsItself(t) {
		return ", "
	}
	return " "
}

// plain matches a string that cannot be mistaken for two strings, or for a number in a slice of any.
var plain = regexp.MustCompile(`^[^\s\[\]{}"<>:,\x00-\x1f]+$`)

// sequence writes the elements of a slice or an array. Only the beginning and end of a long sequence are
// formatted, so a cell that ends in a slice of a million numbers takes no extra time.
func (w *inliner) sequence(v reflect.Value) {
	n, sep := v.Len(), separator(v.Type().Elem())
	var shown []int
	long := n > maxElements || w.depth > 1 && n > maxInner
	switch {
	case long && w.depth == 1:
		shown = append(picks(headElems, n), append([]int{-1}, picks(tailElems, n)...)...)
		for i := headElems + 1; i < len(shown); i++ {
			shown[i] += n - tailElems
		}
	case long:
		shown = picks(headElems, n)
	default:
		shown = picks(n, n)
	}
	in := item
	if v.Type().Elem().Kind() == reflect.String && !formatsItself(v.Type().Elem()) {
		for _, i := range shown {
			if i >= 0 && !plain.MatchString(v.Index(i).String()) {
				in = quoted
			}
		}
	}
	w.WriteByte('[')
	for k, i := range shown {
		if k > 0 {
			w.WriteString(sep)
		}
		if w.Len() > enoughFor && i >= 0 && k > 0 {
			fmt.Fprintf(w, "%s %d more", ellipsis, n-i)
			long = long && w.depth == 1
			break
		}
		if i < 0 {
			w.WriteString(ellipsis)
		} else if x := v.Index(i); long && x.Kind() == reflect.Float64 && !formatsItself(x.Type()) {
			w.WriteString(number(x.Float()))
		} else {
			w.value(x, in)
		}
	}
	switch {
	case long && w.depth == 1:
		fmt.Fprintf(w, "] (%d elements)", n)
	case long:
		fmt.Fprintf(w, "%s%s %d more]", sep, ellipsis, n-headElems)
	default:
		w.WriteByte(']')
	}
}

// entries writes a map, sorted by key if the keys have an order. Only the first entries of a large map are written.
func (w *inliner) entries(v reflect.Value) {
	keys, sep := sortedMapKeys(v), separator(v.Type().Elem())
	all := len(keys)
	if all > maxElements || w.depth > 1 && all > maxInner {
		keys = keys[:headElems]
	}
	keyIn, valueIn := item, item
	for _, k := range keys {
		if k.Kind() == reflect.String && !formatsItself(k.Type()) && !plain.MatchString(k.String()) {
			keyIn = quoted
		}
		if x := v.MapIndex(k); x.Kind() == reflect.String && !formatsItself(x.Type()) && !plain.MatchString(x.String()) {
			valueIn = quoted
		}
	}
	w.WriteString("map[")
	for i, k := range keys {
		if i > 0 {
			w.WriteString(sep)
		}
		if w.Len() > enoughFor && i > 0 {
			fmt.Fprintf(w, "%s %d more", ellipsis, all-i)
			break
		}
		w.value(k, keyIn)
		w.WriteByte(':')
		w.value(v.MapIndex(k), valueIn)
	}
	switch {
	case len(keys) == all:
		w.WriteByte(']')
	case w.depth == 1:
		fmt.Fprintf(w, " %s] (%d entries)", ellipsis, all)
	default:
		fmt.Fprintf(w, "%s%s %d more]", sep, ellipsis, all-len(keys))
	}
}

// inMain matches the package name of cells, which the code in cells omits.
var inMain = regexp.MustCompile(`\bmain\.`)

// typeName returns the name of t as a cell writes it, without the package name main.
func typeName(t reflect.Type) string { return inMain.ReplaceAllString(t.String(), "") }

// method writes the text that f, the user's method with the given name, returns. If f panics, method writes a message
// that says so.
func (w *inliner) method(name string, f func() string) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(w, "method %s panicked: %v", name, r)
		}
	}()
	w.WriteString(f())
}

// fmtText returns v as fmt formats it, without addresses. If v contains itself, fmt would not terminate, so fmtText
// returns a message that says so.
func fmtText(v any) string {
	if cycle.In(v) {
		return fmt.Sprintf("a %s that contains itself", typeName(reflect.TypeOf(v)))
	}
	return clean(reflect.TypeOf(v), fmt.Sprint(v))
}
