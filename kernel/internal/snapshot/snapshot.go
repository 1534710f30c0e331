// Package snapshot writes the values of variables, with everything that they refer to, and reads them back.
// This includes unexported fields and cycles, and pointers to the same value are read back as pointers to the
// same value.
//
// The reader must be the program that wrote the values, or a program with the same types. Write refuses values
// that cannot be restored exactly:
//
//   - functions, channels, locks, files, connections and the like
//   - interfaces that hold an error, or a value of a type that a cell declares
//   - memory that variables share in part, such as a slice and a part of that slice
//
// # Files in reading order
//
//	snapshot.go  a snapshot of variables
//	write.go     a value as bytes
//	read.go      bytes as a value
//	types.go     types in interfaces, by name
//
// # Traps
//
// The capacity of a slice that is read back is the slice's length. A time.Time loses its monotonic clock, and
// its location is Local, UTC or an offset.
package snapshot

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"unsafe"
)

// A Variable holds the name and the address of a variable.
type Variable struct {
	Name string
	// Addr is a pointer to the variable.
	Addr any
}

func (v Variable) value() reflect.Value { return reflect.ValueOf(v.Addr).Elem() }

// Write writes the values of vars to w. The variables in earlier are those that the caller has saved elsewhere. Write
// returns an error if a variable holds a value that cannot be restored exactly, or if a variable in vars shares memory
// with a variable in earlier.
//
// Equal values give equal bytes, because addresses are not written. So a caller can compare two snapshots to find out
// whether a variable has changed.
func Write(w io.Writer, vars, earlier []Variable) error {
	e := &encoder{seen: map[object]int{}, w: bufio.NewWriter(io.Discard)}
	if err := e.all(earlier); err != nil {
		return err
	}
	known := len(e.seen)
	e.w, e.earlier = bufio.NewWriter(w), known
	if err := e.all(vars); err != nil {
		return err
	}
	if err := e.shared(); err != nil {
		return err
	}
	return e.w.Flush()
}

// Read sets vars to the values that Write wrote for variables of the same types, in the same order. If it
// returns an error, some variables may have been set.
func Read(data []byte, vars []Variable) error {
	d := &decoder{r: bytes.NewReader(data)}
	for _, v := range vars {
		d.objects = append(d.objects, reflect.ValueOf(v.Addr))
	}
	for _, v := range vars {
		if err := d.value(v.value()); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	return nil
}

// all writes the values of vars. Before that, it gives the variables themselves the first object
// numbers, so that values can contain pointers to any of the variables.
func (e *encoder) all(vars []Variable) error {
	for _, v := range vars {
		e.where = v.Name
		if _, _, err := e.object(v.value().Addr().UnsafePointer(), v.value().Type(), 1); err != nil {
			return err
		}
	}
	for _, v := range vars {
		e.where = v.Name
		if err := e.value(v.value()); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	return nil
}

// A span is the range of memory that an object occupies.
type span struct {
	from, to uintptr
	where    string // the variable through which it was found
}

// shared returns an error if two objects overlap in memory.
func (e *encoder) shared() error {
	slices.SortFunc(e.spans, func(a, b span) int {
		switch {
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	for i := 1; i < len(e.spans); i++ {
		a, b := e.spans[i-1], &e.spans[i]
		if b.from < a.to {
			if a.where == b.where {
				return fmt.Errorf("%s: parts of it share memory", a.where)
			}
			return fmt.Errorf("%s and %s share memory", a.where, b.where)
		}
		b.to = max(a.to, b.to)
	}
	return nil
}

// exported returns v without the flag that forbids callers to read and set unexported fields. v must be
// addressable.
func exported(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}
