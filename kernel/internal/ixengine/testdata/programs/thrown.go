package main

// Compiled code that recovers a panic gets the value itself.

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"text/template"
)

var sentinel = errors.New("sentinel")

type fault struct{ code int }

func (f *fault) Error() string { return fmt.Sprint("fault ", f.code) }

type label struct{ v any }

func (t label) String() string { panic(t.v) }

type bad struct{ v any }

func (b *bad) MarshalJSON() ([]byte, error) { panic(b.v) }

func execute(v any) {
	t := template.Must(template.New("t").Funcs(template.FuncMap{"f": func() int { panic(v) }}).Parse("{{f}}"))
	err := t.Execute(new(strings.Builder), nil)
	var f *fault
	var r runtime.Error
	fmt.Println(errors.Is(err, sentinel), errors.As(err, &f), errors.As(err, &r), err)
}

func index() {
	t := template.Must(template.New("t").Funcs(template.FuncMap{"f": func(n int) int { return []int{1}[n] }}).Parse("{{f 3}}"))
	err := t.Execute(new(strings.Builder), nil)
	var r runtime.Error
	fmt.Println(errors.As(err, &r), err)
}

func back(f func()) {
	defer func() {
		r := recover()
		e, _ := r.(error)
		fmt.Printf("%T %v %v\n", r, r, errors.Is(e, sentinel))
	}()
	f()
}

func through(v any) {
	back(func() { sort.Slice([]int{2, 1}, func(i, j int) bool { panic(v) }) })
	back(func() { slices.SortFunc([]int{2, 1}, func(a, b int) int { panic(v) }) })
	back(func() { new(sync.Once).Do(func() { panic(v) }) })
	back(func() { sync.OnceFunc(func() { panic(v) })() })
	back(func() {
		f := sync.OnceFunc(func() { panic(v) })
		func() { defer func() { recover() }(); f() }()
		f()
	})
	back(func() { sync.OnceValue(func() int { panic(v) })() })
	back(func() { strings.Map(func(rune) rune { panic(v) }, "x") })
	back(func() { reflect.ValueOf(func() { panic(v) }).Call(nil) })
	back(func() { json.Marshal(&bad{v}) })
	back(func() {
		next, stop := iter.Pull(func(yield func(int) bool) { panic(v) })
		defer stop()
		next()
	})
	back(func() {
		for range slices.Values([]int{1, 2}) {
			panic(v)
		}
	})
	fmt.Println(label{v})
	fmt.Printf("%v %s %d\n", label{v}, label{v}, v)
}

func Run() {
	for _, v := range []any{sentinel, &fault{3}, "text", 7, fault{1}, struct{ a int }{2}, nil} {
		execute(v)
		if _, ok := v.(*fault); ok {
			continue
		}
		through(v)
	}
	index()
}
