package insight

import (
	"fmt"
	"reflect"
	"strings"
)

// The limits of a preview.
const (
	previewElems = 8
	previewText  = 200 // runes
	previewDeep  = 3
)

// preview returns a short form of a variable's value. It runs no code of cells, and reads only a few elements
// of the value.
func preview(pointer any) string {
	v := reflect.ValueOf(pointer)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return ""
	}
	text := []rune(short(v.Elem(), previewDeep))
	if len(text) > previewText {
		text = append(text[:previewText], '…')
	}
	return string(text)
}

func short(v reflect.Value, deep int) string {
	if text, ok := knownText(v); ok {
		return text
	}
	switch v.Kind() {
	case reflect.Bool:
		return fmt.Sprint(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(v.Uint())
	case reflect.Float32, reflect.Float64:
		return fmt.Sprint(v.Float())
	case reflect.Complex64, reflect.Complex128:
		return fmt.Sprint(v.Complex())
	case reflect.String:
		s := v.String()
		if len(s) > 4*previewText {
			s = s[:4*previewText]
		}
		if r := []rune(s); len(r) > previewText/2 {
			return fmt.Sprintf("%q… (%d bytes)", string(r[:previewText/2]), v.Len())
		}
		return fmt.Sprintf("%q", s)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return "nil"
		}
		if deep == 0 {
			return fmt.Sprintf("[%d elements]", v.Len())
		}
		var b strings.Builder
		b.WriteByte('[')
		for i := range min(v.Len(), previewElems) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(short(v.Index(i), deep-1))
		}
		if v.Len() > previewElems {
			fmt.Fprintf(&b, " …] (%d elements)", v.Len())
			return b.String()
		}
		return b.String() + "]"
	case reflect.Map:
		if v.IsNil() {
			return "nil"
		}
		return fmt.Sprintf("map, %d entries", v.Len())
	case reflect.Struct:
		if deep == 0 {
			return "{…}"
		}
		var fields []string
		for i := range v.NumField() {
			if i == previewElems {
				fields = append(fields, "…")
				break
			}
			fields = append(fields, v.Type().Field(i).Name+": "+short(v.Field(i), deep-1))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		if deep == 0 {
			return "&…"
		}
		return "&" + short(v.Elem(), deep-1)
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return fmt.Sprintf("%s (%s)", short(v.Elem(), deep), v.Elem().Type())
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			return "nil"
		}
		if v.Kind() == reflect.Chan {
			return fmt.Sprintf("channel, %d of %d", v.Len(), v.Cap())
		}
	}
	return v.Type().String()
}

// knownText returns the usual text for values of a few compiled types: times, durations, big numbers and simple errors.
// For matrices it returns the size, and for data frames the size and the columns. For all other values ok is false.
func knownText(v reflect.Value) (text string, ok bool) {
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !v.CanInterface() || t.PkgPath() == "" || t.PkgPath() == "main" || v.Kind() == reflect.Pointer && v.IsNil() {
		return "", false
	}
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	if df, ok := frameOf(v); ok {
		return previewFrame(df), true
	}
	switch x := v.Interface().(type) {
	case interface{ Dims() (int, int) }:
		// A mat.Transpose may contain a cell's type, but the Dense types contain only numbers.
		if t.PkgPath() == "gonum.org/v1/gonum/mat" && strings.HasSuffix(t.Name(), "Dense") {
			r, c := x.Dims()
			return fmt.Sprintf("%d×%d", r, c), true
		}
	case error:
		if name := t.String(); name == "errors.errorString" || name == "fmt.wrapError" {
			return x.Error(), true
		}
	case fmt.Stringer:
		if t.PkgPath() == "time" || t.PkgPath() == "math/big" {
			return x.String(), true
		}
	}
	return "", false
}
