package main

// Iterators that are pulled: nil interfaces pass, and what panics in the iterator panics in its caller.

import (
	"errors"
	"fmt"
	"iter"
)

func Run() {
	next, stop := iter.Pull(func(yield func(error) bool) {
		_ = yield(nil) && yield(errors.New("second")) && yield(nil)
	})
	for v, ok := next(); ok; v, ok = next() {
		fmt.Println(v)
	}
	stop()
	next2, stop2 := iter.Pull2(func(yield func(any, fmt.Stringer) bool) {
		defer fmt.Println("the end")
		for yield(nil, nil) {
		}
	})
	fmt.Println(next2())
	fmt.Println(next2())
	stop2()
	fmt.Println(next2())
	fails := errors.New("fails")
	next3, _ := iter.Pull(func(yield func([]int) bool) {
		yield(nil)
		panic(fails)
	})
	fmt.Println(next3())
	func() {
		defer func() { fmt.Println(recover() == any(fails)) }()
		next3()
	}()
	fmt.Println(next3())
}
