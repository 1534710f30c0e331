package main

// Nothing panics with nil.

import (
	"errors"
	"fmt"
	"runtime"
)

func try(name string, f func()) {
	defer func() {
		r := recover()
		e, ok := r.(*runtime.PanicNilError)
		err, isRuntime := r.(runtime.Error)
		fmt.Printf("%s: %T %v %v %v %v\n", name, r, r, ok, isRuntime, e != nil && errors.Is(err, e))
	}()
	f()
}

func named() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	panic(nil)
}

func Run() {
	var e error
	var a any
	var i fmt.Stringer
	try("nil", func() { panic(nil) })
	try("error", func() { panic(e) })
	try("any", func() { panic(a) })
	try("Stringer", func() { panic(i) })
	try("deferred", func() { defer panic(nil) })
	try("deferred error", func() { defer panic(e); panic(1) })
	try("pointer", func() { panic((*int)(nil)) })
	try("again", func() {
		defer func() { panic(recover()) }()
	})
	try("kept", func() {
		defer func() { fmt.Println(recover(), e == nil, a == nil) }()
		defer panic(e)
		if e == nil {
			panic(e)
		}
	})
	try("none", func() {})
	fmt.Println(named())
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { fmt.Println(recover()) }()
		panic(a)
	}()
	<-done
	panic(nil)
}
