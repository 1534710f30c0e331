package alike

import (
	"fmt"
	"math/cmplx"
	"reflect"

	"gonum.org/v1/gonum/mat"
)

// A kind says what a reading holds: a number, a string, a list and so on.
type kind int

const (
	number kind = iota
	text        // a string or a bool, which must be equal
	numbers
	list
	fields // of a struct
	nothing
)

// A reading is a value converted to lists of numbers.
type reading struct {
	kind  kind
	at    complex128   // for number
	all   []complex128 // for numbers
	parts []reading    // for list and fields
	names []string     // for fields
	is    string       // for text; the type of a struct
}

// deepest limits the nesting, because a list that contains itself would never end.
const deepest = 32

// read converts v to a reading. It returns an error that names the type if v cannot be compared, or if v is nested too
// deeply. depth is how deeply v itself is nested.
func read(v reflect.Value, depth int) (reading, error) {
	if depth > deepest {
		return reading{}, fmt.Errorf("it is nested more than %d deep", deepest)
	}
	if !v.IsValid() {
		return reading{kind: nothing}, nil
	}
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Interface || k == reflect.Slice) && v.IsNil() {
		if k == reflect.Slice {
			return reading{kind: numbers}, nil
		}
		return reading{kind: nothing}, nil
	}
	if v.CanInterface() {
		if r, ok := matrix(v.Interface()); ok {
			return r, nil
		}
		if v.Kind() == reflect.Struct { // only the pointer to a mat.Dense is a matrix
			p := reflect.New(v.Type())
			p.Elem().Set(v)
			if r, ok := matrix(p.Interface()); ok {
				return r, nil
			}
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return read(v.Elem(), depth+1)
	case reflect.Bool, reflect.String:
		return reading{kind: text, is: fmt.Sprintf("%#v", v.Interface())}, nil
	case reflect.Slice, reflect.Array:
		return sequence(v, depth)
	case reflect.Struct:
		return structure(v, depth)
	}
	if at, ok := scalar(v); ok {
		return reading{kind: number, at: at}, nil
	}
	return reading{}, fmt.Errorf("a %v cannot be compared", v.Type())
}

// scalar returns the number in v. It returns false if v is not a number.
func scalar(v reflect.Value) (complex128, bool) {
	switch {
	case v.CanInt():
		return complex(float64(v.Int()), 0), true
	case v.CanUint():
		return complex(float64(v.Uint()), 0), true
	case v.CanFloat():
		return complex(v.Float(), 0), true
	case v.CanComplex():
		return v.Complex(), true
	}
	return 0, false
}

func sequence(v reflect.Value, depth int) (reading, error) {
	if v.Len() == 0 {
		return reading{kind: numbers}, nil
	}
	if _, ok := scalar(v.Index(0)); ok {
		all := make([]complex128, v.Len())
		for i := range all {
			all[i], _ = scalar(v.Index(i))
		}
		return reading{kind: numbers, all: all}, nil
	}
	r := reading{kind: list, parts: make([]reading, v.Len())}
	for i := range r.parts {
		var err error
		if r.parts[i], err = read(v.Index(i), depth+1); err != nil {
			return r, err
		}
	}
	return r, nil
}

func structure(v reflect.Value, depth int) (reading, error) {
	r := reading{kind: fields, is: v.Type().String()}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		part, err := read(v.Field(i), depth+1)
		if err != nil {
			return r, fmt.Errorf("field %s: %w", f.Name, err)
		}
		r.parts, r.names = append(r.parts, part), append(r.names, f.Name)
	}
	if len(r.parts) == 0 && v.NumField() > 0 { // any two structs without fields would agree
		return r, fmt.Errorf("a %v cannot be compared: all of its fields are unexported", v.Type())
	}
	return r, nil
}

// matrix returns the reading of a value of one of package mat's types. It returns false for other values.
func matrix(v any) (reading, bool) {
	switch m := v.(type) {
	case mat.Vector:
		all := make([]complex128, m.Len())
		for i := range all {
			all[i] = complex(m.AtVec(i), 0)
		}
		return reading{kind: numbers, all: all}, true
	case mat.Matrix:
		r, c := m.Dims()
		return rows(r, c, func(i, j int) complex128 { return complex(m.At(i, j), 0) }), true
	case mat.CMatrix:
		r, c := m.Dims()
		return rows(r, c, m.At), true
	}
	return reading{}, false
}

func rows(r, c int, at func(i, j int) complex128) reading {
	m := reading{kind: list, parts: make([]reading, r)}
	for i := range m.parts {
		m.parts[i] = reading{kind: numbers, all: make([]complex128, c)}
		for j := range c {
			m.parts[i].all[j] = at(i, j)
		}
	}
	return m
}

// shape describes a reading in words, without its values.
func (r reading) shape() string {
	switch r.kind {
	case number:
		return "a number"
	case text:
		return "a text or a truth value"
	case nothing:
		return "nothing (nil)"
	case fields:
		return "a " + r.is
	case numbers:
		return count(len(r.all), "number")
	}
	wide := -1
	for _, p := range r.parts {
		if p.kind != numbers || wide >= 0 && len(p.all) != wide {
			return count(len(r.parts), "list")
		}
		wide = len(p.all)
	}
	return fmt.Sprintf("%d×%d numbers", len(r.parts), wide)
}

func count(n int, what string) string {
	if n == 1 {
		return "a list of one " + what
	}
	return fmt.Sprintf("a list of %d %ss", n, what)
}

// Blank reports whether a value contains nothing but zeros, NaNs, empty strings, false and nil.
func Blank(v any) bool {
	r, err := read(reflect.ValueOf(v), 0)
	return err == nil && r.blank()
}

func (r reading) blank() bool {
	none := func(z complex128) bool { return z == 0 || cmplx.IsNaN(z) }
	for _, z := range r.all {
		if !none(z) {
			return false
		}
	}
	for _, p := range r.parts {
		if !p.blank() {
			return false
		}
	}
	switch r.kind {
	case number:
		return none(r.at)
	case text:
		return r.is == "false" || r.is == `""`
	}
	return true
}
