package randprog

import (
	"fmt"
	"strings"
)

// A kind is the kind of a type.
type kind int

const (
	boolean kind = iota
	integer
	floating
	complexes
	text
	slice
	array
	structure
	pointer
	mapping
	function
	iface
)

// A goType is a type of the program. There is only one *goType for each name.
type goType struct {
	kind   kind
	name   string  // name or type expression in source form
	basic  string  // name of the underlying basic type
	elem   *goType // element type of slices, arrays, pointers and maps
	key    *goType // key type of maps
	n      int     // number of elements of an array
	fields []field
	params []*goType // parameter types of functions
	result *goType   // result type of functions, nil if there is no result
	bits   int       // size of integers
	signed bool
}

type field struct {
	name     string
	typ      *goType
	embedded bool
}

var (
	boolType    = &goType{kind: boolean, name: "bool", basic: "bool"}
	intType     = &goType{kind: integer, name: "int", basic: "int", bits: 64, signed: true}
	float64Type = &goType{kind: floating, name: "float64", basic: "float64"}
	float32Type = &goType{kind: floating, name: "float32", basic: "float32"}
	complexType = &goType{kind: complexes, name: "complex128", basic: "complex128"}
	stringType  = &goType{kind: text, name: "string", basic: "string"}
	byteType    = &goType{kind: integer, name: "uint8", basic: "uint8", bits: 8}
	runeType    = &goType{kind: integer, name: "int32", basic: "int32", bits: 32, signed: true}
	uintType    = &goType{kind: integer, name: "uint", basic: "uint", bits: 64}
	uint64Type  = &goType{kind: integer, name: "uint64", basic: "uint64", bits: 64}
)

// integers are the unnamed integer types.
var integers = []*goType{
	intType, byteType, runeType, uintType, uint64Type,
	{kind: integer, name: "int8", basic: "int8", bits: 8, signed: true},
	{kind: integer, name: "int16", basic: "int16", bits: 16, signed: true},
	{kind: integer, name: "int64", basic: "int64", bits: 64, signed: true},
	{kind: integer, name: "uint16", basic: "uint16", bits: 16},
	{kind: integer, name: "uint32", basic: "uint32", bits: 32},
	{kind: integer, name: "uintptr", basic: "uintptr", bits: 64},
}

// intern returns the unique *goType with t's name.
func (g *gen) intern(t *goType) *goType {
	if old := g.byName[t.name]; old != nil {
		return old
	}
	g.byName[t.name] = t
	return t
}

func (g *gen) sliceOf(e *goType) *goType {
	return g.intern(&goType{kind: slice, name: "[]" + e.name, elem: e})
}

func (g *gen) arrayOf(n int, e *goType) *goType {
	return g.intern(&goType{kind: array, name: fmt.Sprintf("[%d]%s", n, e.name), elem: e, n: n})
}

func (g *gen) pointerTo(e *goType) *goType {
	return g.intern(&goType{kind: pointer, name: "*" + e.name, elem: e})
}

func (g *gen) mapOf(k, e *goType) *goType {
	return g.intern(&goType{kind: mapping, name: "map[" + k.name + "]" + e.name, key: k, elem: e})
}

func (g *gen) funcOf(result *goType, params ...*goType) *goType {
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	name := "func(" + strings.Join(names, ", ") + ")"
	if result != nil {
		name += " " + result.name
	}
	return g.intern(&goType{kind: function, name: name, params: params, result: result})
}

// isBasic reports whether values of t are numbers, bools or strings.
func (t *goType) isBasic() bool { return t.kind <= text }

// isNumber reports whether t is an integer or float type.
func (t *goType) isNumber() bool { return t.kind == integer || t.kind == floating }

// plain reports whether the text that fmt prints for a value of t determines the value. It is false for pointers, and
// for floats, because different bits can print alike; structs count as not plain.
func (t *goType) plain() bool {
	switch t.kind {
	case boolean, integer, text:
		return true
	case slice, array:
		return t.elem.plain()
	case mapping:
		return t.key.plain() && t.elem.plain()
	}
	return false
}

// isKey reports whether values of t can be map keys in generated programs. Floats cannot, because a lookup of
// NaN never finds an entry.
func (t *goType) isKey() bool {
	switch t.kind {
	case boolean, integer, text:
		return true
	case array:
		return t.elem.isKey()
	case structure:
		for _, f := range t.fields {
			if !f.typ.isKey() {
				return false
			}
		}
		return true
	}
	return false
}

// pickInteger returns an integer type, most often int.
func (g *gen) pickInteger() *goType {
	switch {
	case g.chance(2, 5):
		return intType
	case len(g.namedInts) > 0 && g.chance(1, 8):
		return pick(g, g.namedInts)
	}
	return pick(g, integers)
}

// pickNumber returns a number type.
func (g *gen) pickNumber() *goType {
	switch {
	case g.chance(1, 4):
		return float64Type
	case g.chance(1, 12):
		return float32Type
	}
	return g.pickInteger()
}

// pickBasic returns a number, bool or string type.
func (g *gen) pickBasic() *goType {
	switch g.r.IntN(14) {
	case 0:
		return boolType
	case 1:
		return stringType
	case 2:
		if g.chance(1, 3) {
			return complexType
		}
	}
	return g.pickNumber()
}

// pickKey returns a type for map keys.
func (g *gen) pickKey() *goType {
	var keys []*goType
	for _, t := range g.structs {
		if t.isKey() {
			keys = append(keys, t)
		}
	}
	switch {
	case len(keys) > 0 && g.chance(1, 5):
		return pick(g, keys)
	case g.chance(1, 3):
		return stringType
	}
	return g.pickInteger()
}

// pickType returns a type for a variable.
func (g *gen) pickType() *goType {
	switch g.r.IntN(16) {
	case 0, 1, 2:
		return g.sliceOf(g.pickElem())
	case 3:
		return g.arrayOf(2+g.r.IntN(5), g.pickElem())
	case 4, 5:
		if len(g.structs) > 0 {
			return pick(g, g.structs)
		}
	case 6:
		if len(g.structs) > 0 {
			return g.pointerTo(pick(g, g.structs))
		}
	case 7:
		return g.mapOf(g.pickKey(), g.pickElem())
	case 8:
		if len(g.ifaces) > 0 {
			return pick(g, g.ifaces)
		}
	case 9:
		if g.chance(1, 2) {
			return g.sliceOf(g.sliceOf(g.pickNumber()))
		}
	case 10:
		if g.chance(1, 2) {
			return g.pointerTo(g.pickNumber())
		}
	}
	return g.pickBasic()
}

// pickElem returns a type for elements and fields.
func (g *gen) pickElem() *goType {
	if len(g.structs) > 0 && g.chance(1, 6) {
		return pick(g, g.structs)
	}
	return g.pickBasic()
}
