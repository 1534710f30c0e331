package snapshot

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// An object is memory to which a pointer, a slice or a map refers. For pointers and slices it consists of n values of
// type typ. For a map, typ is the map type and n is 0.
type object struct {
	at  unsafe.Pointer
	typ reflect.Type
	n   int
}

type encoder struct {
	w       *bufio.Writer
	seen    map[object]int
	spans   []span
	where   string
	earlier int // number of objects of the variables that the caller keeps elsewhere
	depth   int // of references
}

// deepest is the maximum depth of references. It limits the stack, here and in the reader.
const deepest = 100_000

// Markers before a pointer, a slice, a map or an interface.
const (
	isNil = iota
	isNew
	isSeen
)

var timeType = reflect.TypeFor[time.Time]()

// refused returns a short description of t, such as "a channel", if non-zero values of type t cannot be written. It
// returns "" if they can.
func refused(t reflect.Type) string {
	switch path := t.PkgPath(); {
	case t == timeType:
		return ""
	case path == "os", path == "reflect", path == "runtime", path == "sync", path == "plugin", path == "unique", path == "weak", path == "time" && t.Kind() == reflect.Struct,
		path == "net", strings.HasPrefix(path, "net/"), strings.HasPrefix(path, "internal/"), strings.HasPrefix(path, "database/"):
		return "a " + t.String()
	}
	switch t.Kind() {
	case reflect.UnsafePointer:
		return "an unsafe pointer"
	case reflect.Chan:
		return "a channel"
	case reflect.Func:
		return "a function"
	}
	return ""
}

func (e *encoder) number(n uint64) {
	var b [binary.MaxVarintLen64]byte
	e.w.Write(b[:binary.PutUvarint(b[:], n)])
}

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	e.w.WriteString(s)
}

// object returns the number of the object with n values of type typ at the given address. The first call for an object
// assigns the number; for later calls seen is true. object returns an error if the object belongs to a variable that is
// saved elsewhere.
func (e *encoder) object(at unsafe.Pointer, typ reflect.Type, n int) (id int, seen bool, err error) {
	o := object{at, typ, n}
	if id, seen = e.seen[o]; seen {
		if id < e.earlier {
			return 0, false, fmt.Errorf("it shares memory with an earlier variable")
		}
		return id - e.earlier, true, nil
	}
	id = len(e.seen)
	e.seen[o] = id
	if size := uintptr(n) * typ.Size(); size > 0 {
		e.spans = append(e.spans, span{uintptr(at), uintptr(at) + size, e.where})
	}
	return id - e.earlier, false, nil
}

// value writes an addressable value.
func (e *encoder) value(v reflect.Value) error {
	t := v.Type()
	if why := refused(t); why != "" && !v.IsZero() {
		return fmt.Errorf("it is, or contains, %s", why)
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			e.number(1)
		} else {
			e.number(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.number(math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		e.number(math.Float64bits(real(v.Complex())))
		e.number(math.Float64bits(imag(v.Complex())))
	case reflect.String:
		e.text(v.String())
	case reflect.Array:
		return e.elements(v)
	case reflect.Struct:
		if t == timeType {
			text, err := exported(v).Interface().(time.Time).MarshalBinary()
			e.text(string(text))
			return err
		}
		for i := range v.NumField() {
			if err := e.value(exported(v.Field(i))); err != nil {
				return inField(err, t, t.Field(i).Name)
			}
		}
	case reflect.Pointer:
		return e.reference(v.IsNil(), v.UnsafePointer(), t.Elem(), 1, func() error { return e.value(v.Elem()) })
	case reflect.Slice:
		return e.reference(v.IsNil(), v.UnsafePointer(), t.Elem(), v.Len(), func() error { return e.elements(v) })
	case reflect.Map:
		return e.reference(v.IsNil(), v.UnsafePointer(), t, 0, func() error { return e.entries(v) })
	case reflect.Interface:
		return e.dynamic(v)
	}
	return nil
}

// A fieldError is an error about a field.
type fieldError struct{ error }

// inField adds the field's name to an error that names no field yet.
func inField(err error, t reflect.Type, field string) error {
	if _, ok := err.(fieldError); ok {
		return err
	}
	return fieldError{fmt.Errorf("%w (field %s of %s)", err, field, t)}
}

// reference writes a pointer, a slice or a map, which is nil if null is true. The other parameters describe the object
// to which it refers; see the type named object. If that object has not been written yet, reference calls content() to
// write it.
func (e *encoder) reference(null bool, at unsafe.Pointer, typ reflect.Type, n int, content func() error) error {
	if null {
		e.number(isNil)
		return nil
	}
	if n == 0 && typ.Kind() != reflect.Map {
		e.number(isNew)
		e.number(0)
		return nil
	}
	id, seen, err := e.object(at, typ, n)
	if err != nil {
		return err
	}
	if seen {
		e.number(isSeen)
		e.number(uint64(id))
		e.number(uint64(n))
		return nil
	}
	if e.depth++; e.depth > deepest {
		return fmt.Errorf("it is too deep: a chain of %d references", deepest)
	}
	defer func() { e.depth-- }()
	e.number(isNew)
	e.number(uint64(n))
	return content()
}

// elements writes the elements of an array or slice.
func (e *encoder) elements(v reflect.Value) error {
	if n := v.Len(); n > 0 && isPlain(v.Type().Elem()) {
		e.w.Write(unsafe.Slice((*byte)(unsafe.Pointer(v.Index(0).UnsafeAddr())), uintptr(n)*v.Type().Elem().Size()))
		return nil
	}
	for i := range v.Len() {
		if err := e.value(exported(v.Index(i))); err != nil {
			return err
		}
	}
	return nil
}

// isPlain reports whether a value of type t is fully described by its own bytes in memory: whether t is a bool, a
// number, or an array of these.
func isPlain(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return isPlain(t.Elem())
	default:
		return reflect.Bool <= k && k <= reflect.Complex128
	}
}

// entries writes the entries of a map, sorted by the bytes that are written for their keys. It returns an error if the
// keys may refer to memory.
func (e *encoder) entries(v reflect.Value) error {
	e.number(uint64(v.Len()))
	if holdsReference(v.Type().Key()) {
		return fmt.Errorf("it is, or contains, a map with keys of type %s", v.Type().Key())
	}
	type entry struct {
		key   []byte
		value reflect.Value
	}
	var list []entry
	w := e.w
	for it := v.MapRange(); it.Next(); {
		var b bytes.Buffer
		e.w = bufio.NewWriter(&b)
		err := e.value(addressable(it.Key()))
		e.w.Flush()
		if err != nil {
			return err
		}
		list = append(list, entry{b.Bytes(), it.Value()})
	}
	e.w = w
	slices.SortFunc(list, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	for _, one := range list {
		e.w.Write(one.key)
		if err := e.value(addressable(one.value)); err != nil {
			return err
		}
	}
	return nil
}

// holdsReference reports whether values of type t may contain pointers, or other references to memory. Strings do not
// count.
func holdsReference(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsReference(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Array:
		return holdsReference(t.Elem())
	}
	return !isPlain(t) && t.Kind() != reflect.String
}

// addressable returns a copy of v in memory of its own.
func addressable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// dynamic writes the value in an interface, with the name of its type.
func (e *encoder) dynamic(v reflect.Value) error {
	if v.IsNil() {
		e.number(isNil)
		return nil
	}
	if v.Elem().Type().Implements(reflect.TypeFor[error]()) { // it may have to be identical to a variable of a package
		return fmt.Errorf("it is, or contains, an error")
	}
	name := nameOf(v.Elem().Type())
	if name == "" {
		return fmt.Errorf("it is, or contains, an interface that holds a %s", v.Elem().Type())
	}
	e.number(isNew)
	e.text(name)
	return e.value(addressable(v.Elem()))
}
