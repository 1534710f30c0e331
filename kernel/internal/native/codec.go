package native

// This file is compiled into both programs; see program.go.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"unsafe"
)

// A message consists of regions, followed by values. Regions are the memory to which slices refer; in the
// values, a slice is encoded as a part of a region. So slices that share memory on one side share it on the
// other.

type writer struct{ b []byte } // b begins with space for the length of the frame; see frame

// newWriter returns a writer with room for a message with these regions, the pieces of memory to which slices refer.
func newWriter(regions []reflect.Value) *writer {
	size := 4096
	for _, s := range regions {
		size += 32 + s.Len()*int(s.Type().Elem().Size())
	}
	return &writer{make([]byte, 8, size)}
}

func (w *writer) num(n uint64)   { w.b = binary.LittleEndian.AppendUint64(w.b, n) }
func (w *writer) int(n int)      { w.num(uint64(n)) }
func (w *writer) text(s string)  { w.int(len(s)); w.b = append(w.b, s...) }
func (w *writer) bytes(b []byte) { w.b = append(w.b, b...) }
func (w *writer) bool(yes bool)  { w.b = append(w.b, map[bool]byte{true: 1}[yes]) }

// frame writes the length of the message into the space reserved for it at the beginning, and returns the complete
// message.
func (w *writer) frame() []byte {
	binary.LittleEndian.PutUint64(w.b, uint64(len(w.b)-8))
	return w.b
}

func raw(p unsafe.Pointer, size uintptr) []byte { return unsafe.Slice((*byte)(p), size) }

// errShort is the value with which a reader panics; receive turns the panic into an error.
var errShort = errors.New("the message ends too early")

type reader struct{ b []byte }

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		panic(errShort)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}
func (r *reader) num() uint64  { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *reader) int() int     { return int(r.num()) }
func (r *reader) text() string { return string(r.take(r.int())) }
func (r *reader) bool() bool   { return r.take(1)[0] == 1 }

// maxFrame is a limit that no valid message reaches.
const maxFrame = 1 << 36

// readFrame reads one message.
func readFrame(from io.Reader) (*reader, error) {
	var head [8]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > maxFrame { // the cell itself may have written to the pipe; make would panic
		return nil, errShort
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(from, b); err != nil {
		return nil, err
	}
	return &reader{b}, nil
}

var errorType = reflect.TypeFor[error]()

// scalar writes a value that is not a slice. The value must be addressable.
func (w *writer) scalar(v reflect.Value) {
	switch {
	case v.Type() == errorType:
		w.bool(!v.IsNil())
		if !v.IsNil() {
			w.text(v.Interface().(error).Error())
		}
	case v.Kind() == reflect.String:
		w.text(v.String())
	default:
		w.bytes(raw(v.Addr().UnsafePointer(), v.Type().Size()))
	}
}

func (r *reader) scalar(v reflect.Value) {
	switch {
	case v.Type() == errorType:
		if r.bool() {
			v.Set(reflect.ValueOf(errors.New(r.text())))
		}
	case v.Kind() == reflect.String:
		v.SetString(r.text())
	default:
		copy(raw(v.Addr().UnsafePointer(), v.Type().Size()), r.take(int(v.Type().Size())))
	}
}

// contentOf returns the elements of a region in encoded form; for numbers this is the memory itself.
func contentOf(s reflect.Value) []byte {
	if s.Type().Elem().Kind() != reflect.String {
		return raw(s.UnsafePointer(), uintptr(s.Len())*s.Type().Elem().Size())
	}
	var w writer
	for i := range s.Len() {
		w.text(s.Index(i).String())
	}
	return w.b
}

func (r *reader) content(s reflect.Value) {
	if s.Type().Elem().Kind() == reflect.String {
		for i := range s.Len() {
			s.Index(i).SetString(r.text())
		}
		return
	}
	n := uintptr(s.Len()) * s.Type().Elem().Size()
	copy(raw(s.UnsafePointer(), n), r.take(int(n)))
}

// part reports whether the slice s lies in a region, and returns the index in the region at which s begins.
func part(region, s reflect.Value) (off int, ok bool) {
	if region.Type() != s.Type() {
		return 0, false
	}
	size := s.Type().Elem().Size()
	from, at := region.Pointer(), s.Pointer()
	if at < from || at+uintptr(s.Len())*size > from+uintptr(region.Len())*size {
		return 0, false
	}
	return int((at - from) / size), true
}

// merge appends regions to the given list until each slice in values lies in a single region, and returns the list. (A
// region is a piece of memory that a message carries.) Slices of the same type that overlap get a common region.
//
// The given regions are not extended. For example, if the given regions hold the arguments of a call, a result that
// extends beyond an argument gets a new region.
func merge(regions []reflect.Value, values []reflect.Value) []reflect.Value {
	var found []reflect.Value
	for _, v := range values {
		if v.Kind() != reflect.Slice || v.Len() == 0 || v.Type().Elem().Size() == 0 {
			continue
		}
		if !slices.ContainsFunc(regions, func(r reflect.Value) bool { _, ok := part(r, v); return ok }) {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b reflect.Value) int {
		switch pa, pb := a.Pointer(), b.Pointer(); {
		case pa < pb:
			return -1
		case pa > pb:
			return 1
		}
		return 0
	})
	fixed := len(regions)
	for _, s := range found {
		if n := len(regions); n > fixed && regions[n-1].Type() == s.Type() {
			last, size := regions[n-1], s.Type().Elem().Size()
			end, sEnd := last.Pointer()+uintptr(last.Len())*size, s.Pointer()+uintptr(s.Len())*size
			if s.Pointer() < end {
				if sEnd > end {
					length := int((sEnd - last.Pointer()) / size)
					regions[n-1] = reflect.SliceAt(s.Type().Elem(), last.UnsafePointer(), length)
				}
				continue
			}
		}
		regions = append(regions, s)
	}
	return regions
}

// values writes the given values. Each slice among them must lie in one of the given regions, the
// pieces of memory that the message carries.
func (w *writer) values(regions, values []reflect.Value) {
	for _, v := range values {
		if v.Kind() != reflect.Slice {
			w.scalar(v)
			continue
		}
		switch {
		case v.IsNil():
			w.int(-1)
		case v.Len() == 0 || v.Type().Elem().Size() == 0:
			w.int(-2)
			w.int(v.Len())
		default:
			i := slices.IndexFunc(regions, func(r reflect.Value) bool { _, ok := part(r, v); return ok })
			off, _ := part(regions[i], v)
			w.int(i)
			w.int(off)
			w.int(v.Len())
		}
	}
}

// values reads values of the given types into new variables. The slices of these values
// lie in the given regions.
func (r *reader) values(regions []reflect.Value, types []reflect.Type) []reflect.Value {
	var values []reflect.Value
	for _, t := range types {
		v := reflect.New(t).Elem()
		values = append(values, v)
		if t.Kind() != reflect.Slice {
			r.scalar(v)
			continue
		}
		switch i := r.int(); i {
		case -1:
		case -2:
			n := r.int()
			v.Set(reflect.MakeSlice(t, n, n))
		default:
			off, n := r.int(), r.int()
			v.Set(regions[i].Slice3(off, off+n, off+n))
		}
	}
	return values
}

// newRegions writes regions that the other side does not have yet. The type of a region is written as an index into
// types, which is the list of the types of the message's values. The other side knows this list too.
func (w *writer) newRegions(regions []reflect.Value, types []reflect.Type) {
	w.int(len(regions))
	for _, s := range regions {
		w.int(slices.Index(types, s.Type()))
		w.int(s.Len())
		w.bytes(contentOf(s))
	}
}

// newRegions reads what writer.newRegions has written, and returns the given regions followed by the new ones. sent
// holds the contents of the new regions in encoded form.
func (r *reader) newRegions(regions []reflect.Value, types []reflect.Type) (_ []reflect.Value, sent [][]byte) {
	for range r.int() {
		t, n := types[r.int()], r.int()
		s := reflect.MakeSlice(t, n, n)
		from := r.b
		r.content(s)
		regions, sent = append(regions, s), append(sent, from[:len(from)-len(r.b)])
	}
	return regions, sent
}

// changed writes, for each region, whether its content differs from the content in the snapshot and,
// if so, the new content.
func (w *writer) changed(regions []reflect.Value, snapshot [][]byte) {
	for i, s := range regions {
		now := contentOf(s)
		same := bytes.Equal(now, snapshot[i])
		w.bool(!same)
		if !same {
			w.bytes(now)
		}
	}
}

func (r *reader) changed(regions []reflect.Value) {
	for _, s := range regions {
		if r.bool() {
			r.content(s)
		}
	}
}

// types returns the types of a function's parameters and results.
func types(f reflect.Type) (in, out []reflect.Type) {
	for i := range f.NumIn() {
		in = append(in, f.In(i))
	}
	for i := range f.NumOut() {
		out = append(out, f.Out(i))
	}
	return in, out
}

// addressable copies values into variables, because scalar needs addressable values.
func addressable(values []reflect.Value, types []reflect.Type) []reflect.Value {
	out := make([]reflect.Value, len(values))
	for i, v := range values {
		out[i] = reflect.New(types[i]).Elem()
		out[i].Set(v)
	}
	return out
}

// serve answers one request in the cell's program: it finds the requested function in table, and calls it. The function
// panicLine returns the line in which a panic occurred.
func serve(table map[string]any, request *reader, panicLine func() int) (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			w := newWriter(nil)
			w.bool(false)
			w.text(fmt.Sprint(p))
			w.int(panicLine())
			answer = w.frame()
		}
	}()
	f := reflect.ValueOf(table[request.text()])
	in, out := types(f.Type())
	regions, sent := request.newRegions(nil, in)
	args := request.values(regions, in)
	results := addressable(f.Call(args), out)
	n := len(regions)
	regions = merge(regions, results)
	w := newWriter(regions)
	w.bool(true)
	w.changed(regions[:n], sent)
	w.newRegions(regions[n:], out)
	w.values(regions, results)
	return w.frame()
}
