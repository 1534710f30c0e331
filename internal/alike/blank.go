package alike

import (
	"math/cmplx"
	"reflect"
)

// Blank reports whether a value contains nothing but zeros and NaNs, empty texts, false and nil.
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
