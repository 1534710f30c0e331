// Command faults shows one of two faults of Go on wasm: nilkey or codeaddress.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/goplus/reflectx"
)

type cell struct {
	before *cell
	_      [120]byte
}

// T has a method.
type T struct{}

// Method does nothing.
func (T) Method() {}

func main() {
	switch os.Args[1] {
	case "nilkey":
		nilKey()
	case "codeaddress":
		codeAddress()
	}
}

// nilKey looks for nil in a map of more than 896 elements with interfaces for keys.
func nilKey() {
	for range 20 { // each map has a seed of its own
		m := map[any]int{}
		for i := range 2000 {
			m[i] = i + 1
		}
		if m[nil] != 0 {
			panic("nil is in the map")
		}
		m[nil] = 7
		if m[nil] != 7 {
			panic("nil is not in the map")
		}
	}
	fmt.Println("no fault")
}

// codeAddress has a heap that reaches the number by which reflect calls a method.
func codeAddress() {
	debug.SetGCPercent(-1) // while the heap grows there is nothing to be found, and that takes most of the time
	at := reflect.TypeOf(T{}).Method(0).Func.Pointer()
	var kept *cell
	found := false
	for range 8_000_000 {
		c := &cell{}
		switch address := uintptr(unsafe.Pointer(c)); {
		case at-address < unsafe.Sizeof(*c):
			found = true
			continue
		case address > at+1<<20 && found:
			runtime.GC() // finds what lies there free
			runtime.GC()
			m := reflect.TypeOf(T{}).Method(0)
			runtime.GC() // finds the number,
			runtime.GC() // and that it is of something free
			runtime.KeepAlive(m)
			x, _ := reflectx.MethodByName(reflect.TypeOf(T{}), "Method")
			runtime.GC()
			runtime.GC()
			x.Func.Call([]reflect.Value{reflect.ValueOf(T{})})
			made := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "T", Type: reflect.TypeOf(T{}), Anonymous: true}})).Elem()
			runtime.GC()
			runtime.GC()
			made.Interface().(interface{ Method() }).Method()
			runtime.KeepAlive(kept)
			fmt.Println("no fault")
			return
		}
		c.before, kept = kept, c
	}
	fmt.Println("no memory there:", at)
}
