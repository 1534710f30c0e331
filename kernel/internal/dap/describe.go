package dap

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits for the line that describes a value.
const (
	lineBytes    = 160     // beyond this length no further part is begun
	lineDepth    = 3       // levels of values inside values
	lineString   = 200     // bytes of a string
	fullString   = 1 << 20 // bytes of a string whose full text was requested
	lineElements = 20      // elements of a slice that are shown
	smallMap     = 8       // entries of a map that are shown
)

// A liner writes the line of text that describes a value. It descends only to a limited depth, and so finishes even
// for values that contain themselves.
type liner struct {
	strings.Builder
	depth   int
	longest int // maximum bytes of a string
}

// describe returns one line of text that shows the value v, in a form close to Go source. It shows only the beginning
// of a large value, so the time does not grow with the size of v.
func describe(v reflect.Value) string {
	w := liner{longest: lineString}
	w.value(v)
	return w.String()
}

// whole is like describe, but cuts a string only after fullString bytes.
func whole(v reflect.Value) string {
	w := liner{longest: fullString}
	w.value(v)
	return w.String()
}

func (w *liner) value(v reflect.Value) {
	v = open(v)
	if !v.IsValid() {
		w.WriteString("nil")
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		if v.IsNil() {
			w.WriteString("nil")
			return
		}
	}
	if m := matrix(v); m != nil {
		w.matrix(v)
		return
	}
	if s, ok := shortText(v); ok {
		w.text(s)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		w.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		w.WriteString(number(v.Float(), v.Type().Bits()))
	case reflect.Complex64, reflect.Complex128:
		w.WriteString(strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits()))
	case reflect.String:
		w.text(strconv.Quote(cut(v.String(), w.longest)))
		if n := v.Len(); n > w.longest {
			fmt.Fprintf(w, "… (%d bytes)", n)
		}
	case reflect.Interface:
		if e := v.Elem(); named(e.Type()) {
			fmt.Fprintf(w, "%s(", typeName(e.Type()))
			w.value(e)
			w.WriteByte(')')
		} else {
			w.value(e)
		}
	case reflect.Pointer:
		w.WriteByte('&')
		w.inside(func() { w.value(v.Elem()) })
	case reflect.Struct:
		w.inside(func() { w.structure(v) })
	case reflect.Slice, reflect.Array:
		w.inside(func() { w.sequence(v) })
	case reflect.Map:
		w.inside(func() { w.entries(v) })
	case reflect.Chan:
		fmt.Fprintf(w, "%d of %d", v.Len(), v.Cap())
	case reflect.Func:
		w.WriteString(typeName(v.Type()))
	default:
		fmt.Fprintf(w, "%#x", v.Pointer())
	}
}

// named reports whether the type t of a value in an interface is written before the value, as in int8(3). A plain 3
// would suggest int.
func named(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Float64:
		return t.PkgPath() != ""
	case reflect.Pointer, reflect.Struct, reflect.Slice, reflect.Map, reflect.Array, reflect.Func, reflect.Chan:
		return false
	}
	return true
}

// number returns x, a float of the given number of bits, as Go prints it.
func number(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), " ")
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}

// text writes s, cut to w.longest+64 bytes.
func (w *liner) text(s string) { w.WriteString(cut(s, w.longest+64)) }

// cut returns at most the first n bytes of s, without splitting a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func (w *liner) inside(write func()) {
	if w.depth == lineDepth || w.Len() > lineBytes {
		w.WriteString("…")
		return
	}
	w.depth++
	write()
	w.depth--
}

func (w *liner) structure(v reflect.Value) {
	w.WriteByte('{')
	first := true
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name == "_" {
			continue
		}
		if !first {
			w.WriteString(", ")
		}
		first = false
		if w.Len() > lineBytes {
			w.WriteString("…")
			break
		}
		w.WriteString(name + ": ")
		w.value(field(v, i))
	}
	w.WriteByte('}')
}

// sequence writes the first elements of the slice or array v. If there are more, it also writes the length.
func (w *liner) sequence(v reflect.Value) {
	n := v.Len()
	w.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.WriteByte(' ')
		}
		if w.Len() > lineBytes || i >= lineElements {
			fmt.Fprintf(w, "…] (len %d)", n)
			return
		}
		w.value(v.Index(i))
	}
	w.WriteByte(']')
}

// entries writes the entries of a small map, or the number of entries of a large one.
func (w *liner) entries(v reflect.Value) {
	n := v.Len()
	if n > smallMap {
		fmt.Fprintf(w, "map[…] (len %d)", n)
		return
	}
	w.WriteString("map[")
	keys, _ := sortedKeys(v)
	for i, k := range keys {
		if i > 0 {
			w.WriteByte(' ')
		}
		if w.Len() > lineBytes {
			fmt.Fprintf(w, "…] (len %d)", n)
			return
		}
		w.value(k)
		w.WriteByte(':')
		w.value(v.MapIndex(k))
	}
	w.WriteByte(']')
}

// matrix writes the size of a matrix, and the elements of a small matrix. Semicolons separate the rows.
func (w *liner) matrix(v reflect.Value) {
	m := matrix(v)
	r, c, ok := dims(m)
	if !ok {
		w.WriteString("(not a valid matrix)")
		return
	}
	fmt.Fprintf(w, "%d×%d", r, c)
	if r*c > 16 || r*c == 0 {
		return
	}
	w.WriteString(" [")
	for i := range r {
		if i > 0 {
			w.WriteString("; ")
		}
		for j := range c {
			if j > 0 {
				w.WriteByte(' ')
			}
			x, _ := element(m, i, j)
			w.WriteString(strconv.FormatFloat(x, 'g', 6, 64))
		}
	}
	w.WriteByte(']')
}
