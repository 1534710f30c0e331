package dap

import (
	"cmp"
	"math/big"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"gonum.org/v1/gonum/mat"
)

// open returns v without the restrictions of an unexported field, so that it can be read and assigned to. If v is not
// addressable, this is impossible, and open returns v unchanged.
func open(v reflect.Value) reflect.Value {
	if v.IsValid() && !v.CanInterface() && v.CanAddr() {
		return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	return v
}

// field returns the ith field of the struct v. If v is not addressable, the result is a copy of the field.
func field(v reflect.Value, i int) reflect.Value {
	if !v.CanAddr() && v.CanInterface() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	return open(v.Field(i))
}

var inMain = regexp.MustCompile(`\bmain\.`)

// typeName returns the name of t as a cell would write it, without the package name main.
func typeName(t reflect.Type) string { return inMain.ReplaceAllString(t.String(), "") }

// compiled reports whether the method of a type is code of this program, not of a cell or of a package that runs from
// source. Methods of cells and packages from source go through functions made by the interpreter.
func compiled(t reflect.Type, method string) bool {
	m, ok := t.MethodByName(method)
	if !ok {
		return false
	}
	base := t
	if base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	f := runtime.FuncForPC(m.Func.Pointer())
	return f != nil && base.PkgPath() != "" && base.PkgPath() != "main" && strings.HasPrefix(f.Name(), base.PkgPath()+".")
}

var matrixType = reflect.TypeFor[mat.Matrix]()

// matrix returns v as a matrix. It returns nil if v is a nil pointer, or if its type is not a matrix type compiled
// into the program.
func matrix(v reflect.Value) mat.Matrix {
	if !v.IsValid() || !v.CanInterface() || v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	if v.Kind() != reflect.Pointer && v.CanAddr() { // *mat.Dense has the methods of a matrix, mat.Dense does not
		v = v.Addr()
	}
	if t := v.Type(); !t.Implements(matrixType) || !compiled(t, "At") || !compiled(t, "Dims") {
		return nil
	}
	return v.Interface().(mat.Matrix)
}

// dims returns the numbers of rows and columns of m. The result ok is false if m is corrupt, so that its method Dims
// panics or returns a negative number.
func dims(m mat.Matrix) (r, c int, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	r, c = m.Dims()
	return r, c, r >= 0 && c >= 0
}

// element returns element (i, j) of m. The result ok is false if the method At of m panics.
func element(m mat.Matrix, i, j int) (x float64, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return m.At(i, j), true
}

// shortText returns the text of a value that is hard to read field by field: a time, a duration, a big number, or an
// error made by package errors or fmt. It calls only compiled methods, so it never runs code of a cell. It returns false
// for other values, and for numbers whose texts would be too long.
func shortText(v reflect.Value) (string, bool) {
	if !v.CanInterface() || v.Type().NumMethod() == 0 || v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer && v.IsNil() {
		return "", false
	}
	const longest = 4096 // maximum size of a big number, in bits
	switch x := v.Interface().(type) {
	case time.Duration:
		return x.String(), true
	case time.Time:
		return x.String(), true
	case *big.Int:
		if x.BitLen() <= longest {
			return x.String(), true
		}
	case *big.Rat:
		if x.Num().BitLen()+x.Denom().BitLen() <= longest {
			return x.String(), true
		}
	case *big.Float:
		return x.Text('g', 20), true
	case error:
		switch v.Type().String() { // the texts of these values are in fields
		case "*errors.errorString", "*fmt.wrapError", "*fmt.wrapErrors":
			return x.Error(), true
		}
	}
	return "", false
}

// maxKeys is the maximum number of map entries that are read.
const maxKeys = 200_000

// sortedKeys returns the keys of the map m in the order of compareKeys. If m has more than maxKeys entries, sortedKeys
// returns only maxKeys of the keys, and the result all is false.
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
