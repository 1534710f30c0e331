package ixengine

import (
	"go/types"
	"reflect"
	"slices"
	"unsafe"
)

// Fields of structs. To make a struct with an embedded field, the interpreter asks package reflect for a struct
// whose field has the same name but is not embedded, and then marks the field as embedded. Whenever package
// reflect is asked for that struct again, it returns the marked one. So struct{ T T } and struct{ T } would be
// one type, in which T is embedded. After type Dog struct{ Animal } and type Owner struct{ Animal Animal },
// encoding/json would leave out the name of Owner's field. Therefore named structs get fields of their own.
// Unnamed structs still have this fault.

// A structType has the layout of a reflect.Type of a struct (internal/abi).
type structType struct {
	size, pointers uintptr
	hash           uint32
	flags          [4]uint8
	equal, gc      unsafe.Pointer
	text, pointer  int32
	pkgPath        *byte
	fields         []structField
}

type structField struct {
	name *byte          // a byte of flags, the name's length as a varint, its letters; then a tag's length and letters
	_    unsafe.Pointer // the type
	_    uintptr        // the offset
}

// The flags of a field's name.
const (
	hasTag     = 1 << 1
	isEmbedded = 1 << 3
)

// mendNamed corrects rt, the runtime type made for t. A struct belongs to the package of its first unexported field, or to
// no package if it has none: otherwise package reflect would not convert a type MyTime time.Time to time.Time. And
// mendNamed corrects which fields are marked as embedded. rt may share its list of fields with a struct that embeds more
// fields (see couldEmbed); in that case rt gets a list of its own.
func (l *loader) mendNamed(t *types.Named, rt reflect.Type) {
	s, ok := t.Underlying().(*types.Struct)
	if !ok || rt.NumField() != s.NumFields() {
		return
	}
	if _, known := l.LookupReflect(t); known { // compiled, or of an earlier program
		return
	}
	st := (*structType)(dataOf(rt))
	st.pkgPath = packageOf(s)
	if len(st.fields) != s.NumFields() || !couldEmbed(s) {
		return
	}
	fields := slices.Clone(st.fields)
	for i := range fields {
		name := cloneName(fields[i].name)
		name[0] &^= isEmbedded
		if s.Field(i).Embedded() {
			name[0] |= isEmbedded
		}
		fields[i].name = &name[0]
	}
	st.fields = fields
}

// mendPackage sets the package of the unexported fields of rt, the runtime type of t, if the interpreter has made rt
// with methods, because in that case the interpreter leaves the package out. Without the package, package reflect takes
// the fields for exported ones, and encoding/json writes the field of struct{ error }.
func mendPackage(t *types.Struct, rt reflect.Type) {
	if !madeWithMethods(rt) {
		return
	}
	(*structType)(dataOf(rt)).pkgPath = packageOf(t)
}

// packageOf returns what a structType for t has as its package.
func packageOf(t *types.Struct) *byte {
	for f := range t.Fields() {
		if !f.Exported() && f.Pkg() != nil { // nil: a field of a compiled struct such as the one in sql.Tx
			like := reflect.StructOf([]reflect.StructField{{Name: "x", PkgPath: f.Pkg().Path(), Type: reflect.TypeFor[int]()}})
			return (*structType)(dataOf(like)).pkgPath
		}
	}
	return nil
}

// couldEmbed reports whether s has a field that could be embedded, but is not: its name is the name of its type.
func couldEmbed(s *types.Struct) bool {
	for f := range s.Fields() {
		t := types.Unalias(f.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		named, ok := t.(interface{ Obj() *types.TypeName })
		if ok && !f.Embedded() && f.Name() == named.Obj().Name() {
			return true
		}
	}
	return false
}

// cloneName returns a copy of a field's name and tag.
func cloneName(name *byte) []byte {
	end := 1
	skip := func() { // a varint, and as many bytes as it says
		n, shift := 0, 0
		for {
			b := *(*byte)(unsafe.Add(unsafe.Pointer(name), end))
			end++
			n |= int(b&0x7f) << shift
			if b < 0x80 {
				break
			}
			shift += 7
		}
		end += n
	}
	skip()
	if *name&hasTag != 0 {
		skip()
	}
	return slices.Clone(unsafe.Slice(name, end))
}
