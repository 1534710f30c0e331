package main

// The names of types that programs see.

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

type celsius float64

func (c celsius) String() string { return fmt.Sprintf("%g°", float64(c)) }

type box[T any] struct{ V T }

func (b box[T]) Get() T { return b.V }

type pair[K comparable, V any] struct {
	Key K
	Val V
}

func (p *pair[K, V]) Set(k K, v V) { p.Key, p.Val = k, v }

type list[T any] []T
type number interface{ ~int | ~float64 }
type only struct{ n int }
type seen struct{ n int }

func (s *seen) Add(n int) *seen { s.n += n; return s }

func kind[T any](v T) any { return only{1} }

func local[T any](v T) any {
	type inner struct{ V T }
	return inner{v}
}

func plainLocal() any {
	type inner struct{ a int }
	return box[inner]{inner{2}}
}

func show(v any) {
	t := reflect.TypeOf(v)
	fmt.Printf("%T %q %q %q %d\n", v, t.Name(), t.String(), t.PkgPath(), t.NumMethod())
}

func panics(f func()) {
	defer func() { fmt.Printf("%T %v\n", recover(), "") }()
	f()
}

type shape interface{ Area() float64 }
type square[T number] struct{ Side T }

func (s square[T]) Area() float64 { return float64(s.Side * s.Side) }

func Run() {
	show(box[celsius]{3})
	show(&box[celsius]{3})
	show(box[box[celsius]]{})
	show(box[*celsius]{})
	show(box[[]celsius]{})
	show(box[map[string]celsius]{})
	show(box[func(celsius) error]{})
	show(pair[celsius, box[int]]{})
	show(&pair[string, celsius]{})
	show(list[celsius]{})
	show(list[only]{})
	show(box[seen]{})
	show(box[any]{})
	show(box[error]{})
	show(box[struct{ A celsius }]{})
	show(square[celsius]{2})
	show([]box[celsius]{})
	show(map[celsius]box[celsius]{})
	show(kind(1))
	show(kind("a"))
	show(local(1))
	show(local(celsius(2)))
	fmt.Println(strings.HasPrefix(fmt.Sprintf("%T", plainLocal()), "main.box[main.inner·"))
	fmt.Printf("%v %+v %#v\n", box[celsius]{3}, box[celsius]{3}, box[celsius]{3})
	fmt.Printf("%#v\n", pair[celsius, []box[celsius]]{1, []box[celsius]{{2}}})
	show(slices.Values([]int{1}))
	show(maps.Keys(map[string]celsius{}))
	show(maps.All(map[string]box[celsius]{}))
	var s iter.Seq2[int, celsius]
	show(s)
	show([]iter.Seq[int]{})
	show(func(iter.Seq[int]) iter.Seq[string] { return nil })
	show(box[iter.Seq[int]]{})
	show(sync.OnceValue(func() celsius { return 1 }))
	panics(func() { panic(box[celsius]{1}) })
	panics(func() { panic(&pair[celsius, int]{}) })
	b, err := json.Marshal(box[celsius]{3})
	fmt.Println(string(b), err)
	var n int
	fmt.Println(json.Unmarshal([]byte(`{"V": "x"}`), &box[celsius]{}), n)
	_, err = json.Marshal(box[chan celsius]{})
	fmt.Println(err)
	var a any = box[celsius]{1}
	func() {
		defer func() { fmt.Println(recover()) }()
		_ = a.(box[int])
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		_ = a.(shape)
	}()
}
