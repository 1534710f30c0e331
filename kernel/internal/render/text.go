package render

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits for the text of one value.
const (
	maxLines    = 40    // maximum number of lines; of a longer text only the first and last lines are kept
	headLines   = 30    // number of first lines kept
	tailLines   = 5     // number of last lines kept
	maxElements = 100   // maximum number of elements of a slice, array or map
	headElems   = 10    // number of first elements that are shown if there are more
	tailElems   = 10    // number of last elements that are shown if there are more
	maxBytes    = 20000 // maximum total size of the text in bytes
	maxHex      = 256   // maximum number of shown bytes of a []byte that is not text
)

// Text renders v as plain text, much like fmt's %v, with these differences. A struct is written with the names of
// its type and fields. A pointer is shown as the value to which it points, and a function or channel as its type.
// Addresses are not shown. Strings inside other values are quoted if they would be ambiguous without quotes. A []byte
// is shown as text if it is text, otherwise in hexadecimal. Long values are shortened. Text never panics.
func Text(v any) string {
	return shorten(text(v))
}

func text(v any) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprintf("cannot show a %T: %v", v, r)
		}
	}()
	if v == nil {
		return "<nil>"
	}
	r := reflect.ValueOf(v)
	if isNil(v) {
		if r.Kind() == reflect.Map && r.Type().Name() == "" {
			return "map[]"
		}
		return "<nil>"
	}
	if t := r.Type(); !formatsItself(t) && (opaque(t) || t.Kind() == reflect.Pointer && opaque(t.Elem())) {
		return fmtText(v)
	}
	return inline(r)
}

// bytesText returns bytes as text if they are text, else in hexadecimal.
func bytesText(b []byte) string {
	if len(b) > 0 && printable(b) {
		return string(b)
	}
	if len(b) > maxHex {
		return fmt.Sprintf("%s… (%d bytes)", hex.EncodeToString(b[:maxHex]), len(b))
	}
	if len(b) == 0 {
		return "[]"
	}
	return hex.EncodeToString(b)
}

func printable(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, c := range string(b) {
		if !unicode.IsPrint(c) && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// sortedMapKeys returns the keys of r; numbers and strings are sorted by value, other keys by their text.
func sortedMapKeys(r reflect.Value) []reflect.Value {
	keys := r.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.CanInt() && b.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		case a.CanUint() && b.CanUint():
			return cmp.Compare(a.Uint(), b.Uint())
		case a.CanFloat() && b.CanFloat():
			return cmp.Compare(a.Float(), b.Float())
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	return keys
}

// address matches fmt's text for a pointer into the heap or into the program; it does not match shorter
// hexadecimal numbers.
var address = regexp.MustCompile(`\b0x[0-9a-f]{6,16}\b`)

// clean returns s, fmt's text of a value of type t, with any addresses replaced by 0x…. It leaves s unchanged if values
// of type t cannot contain pointers, because hexadecimal numbers in s are then not addresses.
func clean(t reflect.Type, s string) string {
	if !strings.Contains(s, "0x") || !pointers(t, map[reflect.Type]bool{}) {
		return s
	}
	return address.ReplaceAllString(s, "0x…")
}

// pointers reports whether the text of a value of type t may contain addresses.
func pointers(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Interface:
		return true
	case reflect.Slice, reflect.Array:
		return pointers(t.Elem(), seen)
	case reflect.Map:
		return pointers(t.Key(), seen) || pointers(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if pointers(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// shorten removes the middle of a long text and says how much was removed.
func shorten(s string) string {
	if strings.Count(s, "\n") > maxLines {
		lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
		if n := len(lines); n > maxLines {
			kept := slices.Concat(lines[:headLines],
				[]string{fmt.Sprintf("… (%d of %d lines left out)", n-headLines-tailLines, n)},
				lines[n-tailLines:])
			s = strings.Join(kept, "\n")
		}
	}
	if len(s) <= maxBytes {
		return s
	}
	head, tail := maxBytes*3/4, len(s)-maxBytes/4
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s … (%d bytes left out) … %s", s[:head], tail-head, s[tail:])
}
