package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"time"
	"unsafe"
)

type decoder struct {
	r       *bytes.Reader
	objects []reflect.Value // pointers, slices and maps, in the writer's order
}

var errDamaged = errors.New("the file is damaged")

func (d *decoder) number() (uint64, error) {
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		return 0, errDamaged
	}
	return n, nil
}

func (d *decoder) bytes() ([]byte, error) {
	n, err := d.number()
	if err != nil || n > uint64(d.r.Len()) {
		return nil, errDamaged
	}
	b := make([]byte, n)
	d.r.Read(b)
	return b, nil
}

// value reads a value and stores it in v, which must be addressable. If v is an unexported field, the caller must first
// make the field settable by calling exported.
func (d *decoder) value(v reflect.Value) error {
	t := v.Type()
	switch v.Kind() {
	case reflect.String, reflect.Struct, reflect.Array, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		v.SetZero()
		return nil
	default:
		return d.basic(v)
	}
	switch v.Kind() {
	case reflect.String:
		b, err := d.bytes()
		v.SetString(string(b))
		return err
	case reflect.Array:
		return d.elements(v)
	case reflect.Struct:
		if t == timeType {
			b, err := d.bytes()
			if err != nil {
				return err
			}
			return v.Addr().Interface().(*time.Time).UnmarshalBinary(b)
		}
		for i := range v.NumField() {
			if err := d.value(exported(v.Field(i))); err != nil {
				return err
			}
		}
		return nil
	case reflect.Interface:
		return d.dynamic(v)
	}
	return d.reference(v)
}

func (d *decoder) basic(v reflect.Value) error {
	n, err := d.number()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(n != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Float64frombits(n))
	case reflect.Complex64, reflect.Complex128:
		im, err := d.number()
		if err != nil {
			return err
		}
		v.SetComplex(complex(math.Float64frombits(n), math.Float64frombits(im)))
	default:
		v.SetUint(n)
	}
	return nil
}

// reference reads a pointer, a slice or a map.
func (d *decoder) reference(v reflect.Value) error {
	how, err := d.number()
	if err != nil {
		return err
	}
	if how == isNil {
		v.SetZero()
		return nil
	}
	n, err := d.number()
	if err != nil {
		return err
	}
	if how == isSeen {
		return d.seen(v, n)
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		d.objects = append(d.objects, p)
		v.Set(p.Convert(v.Type()))
		return d.value(p.Elem())
	case reflect.Slice:
		if n > uint64(d.r.Len()) && v.Type().Elem().Size() > 0 || n > math.MaxInt32*1024 {
			return errDamaged // each element takes at least one byte
		}
		s := reflect.MakeSlice(v.Type(), int(n), int(n))
		v.Set(s)
		if n == 0 {
			return nil
		}
		d.objects = append(d.objects, s)
		return d.elements(s)
	}
	m := reflect.MakeMap(v.Type())
	d.objects = append(d.objects, m)
	v.Set(m)
	if n, err = d.number(); err != nil {
		return err
	}
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := errors.Join(d.value(key), d.value(value)); err != nil {
			return err
		}
		m.SetMapIndex(key, value)
	}
	return nil
}

// seen sets v, which is a pointer, a slice or a map, so that it refers to the object with the given id. That object has
// already been read.
func (d *decoder) seen(v reflect.Value, id uint64) error {
	n, err := d.number()
	if err != nil || id >= uint64(len(d.objects)) {
		return errDamaged
	}
	o := d.objects[id]
	switch {
	case v.Kind() == reflect.Slice && o.Kind() == reflect.Pointer && n == 1: // a slice of a single variable
		o = reflect.NewAt(reflect.ArrayOf(1, v.Type().Elem()), o.UnsafePointer()).Elem().Slice(0, 1)
	case v.Kind() == reflect.Pointer && o.Kind() == reflect.Slice && o.Len() == 1: // a pointer to the slice's only element
		o = o.Index(0).Addr()
	case v.Kind() != o.Kind():
		return errDamaged
	}
	if !o.CanConvert(v.Type()) {
		return errDamaged
	}
	v.Set(o.Convert(v.Type()))
	return nil
}

// elements reads the elements of an array or slice.
func (d *decoder) elements(v reflect.Value) error {
	if n := v.Len(); n > 0 && isPlain(v.Type().Elem()) {
		b := unsafe.Slice((*byte)(unsafe.Pointer(v.Index(0).UnsafeAddr())), uintptr(n)*v.Type().Elem().Size())
		if _, err := io.ReadFull(d.r, b); err != nil {
			return errDamaged
		}
		return nil
	}
	for i := range v.Len() {
		if err := d.value(exported(v.Index(i))); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) dynamic(v reflect.Value) error {
	how, err := d.number()
	if err != nil {
		return err
	}
	if how == isNil {
		v.SetZero()
		return nil
	}
	name, err := d.bytes()
	if err != nil {
		return err
	}
	t := typeNamed(string(name))
	if t == nil || !t.AssignableTo(v.Type()) {
		return fmt.Errorf("there is no type %s", name)
	}
	c := reflect.New(t).Elem()
	if err := d.value(c); err != nil {
		return err
	}
	v.Set(c)
	return nil
}
