package main

// Nil interfaces in maps, as elements and as keys.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
)

type named interface{ Name() string }

type tag string

func (t tag) Name() string { return string(t) }

var anys = map[string]any{"a": 1, "c": nil}
var keyed = map[any]int{nil: 5, 1: 2}

func literal() (int, bool) {
	m := map[string]any{"a": 1, "c": nil}
	_, ok := m["c"]
	return len(m), ok
}

func assign() (out []any) {
	m := map[string]any{"a": 1}
	m["d"] = nil
	v, ok := m["d"]
	out = append(out, len(m), v, ok)
	m["a"] = nil
	v, ok = m["a"]
	out = append(out, len(m), v, ok, m["none"])
	m["a"] = 3
	delete(m, "d")
	return append(out, m)
}

func elements() (out []any) {
	b, err := json.Marshal(map[string]any{"a": 1, "n": nil})
	out = append(out, string(b), err)
	seen := map[string]error{}
	seen["x"] = err
	seen["y"] = errors.New("y")
	names := map[int]named{1: tag("one"), 2: nil}
	names[3] = nil
	names[1] = nil
	out = append(out, len(seen), seen["x"] == nil, seen["y"], len(names), names[1])
	rows := map[int][]any{1: {nil, 2, nil}, 2: nil}
	inner := map[string]map[string]any{"o": {"i": nil}}
	inner["o"]["j"] = nil
	pairs := map[[2]any]struct{ e error }{{nil, 1}: {}, {1, nil}: {errors.New("e")}}
	_, ok := pairs[[2]any{nil, 1}]
	pairs[[2]any{}] = struct{ e error }{}
	return append(out, rows, inner, len(pairs), ok, pairs[[2]any{1, nil}].e)
}

func keys() (out []any) {
	var key any
	var none error
	m := map[any]int{}
	m[nil] = 5
	m[key]++
	m[key] += 10
	v, ok := m[nil]
	out = append(out, len(m), v, ok)
	_, ok = map[any]int{1: 2}[nil]
	out = append(out, ok, map[any]int{nil: 7}[key])
	delete(m, key)
	delete(m, nil)
	out = append(out, len(m))
	errs := map[error]string{nil: "fine", none: "fine again"}[none]
	byName := map[named][]int{}
	byName[nil] = append(byName[nil], 1)
	byName[tag("b")] = append(byName[tag("b")], 2, 3)
	for k, v := range byName {
		if k == nil {
			out = append(out, "nil key", v)
		}
	}
	both := map[any]any{nil: nil}
	both[key] = key
	for k, v := range both {
		out = append(out, k, v)
	}
	w, ok := both[key]
	clear(byName)
	return append(out, errs, len(byName), len(both), w, ok)
}

func deferred() (m map[any]any) {
	m = map[any]any{nil: nil, 1: nil}
	n := maps.Clone(m)
	defer delete(m, nil)
	defer func() { m["n"] = len(n) }()
	defer clear(n)
	defer clear(map[any]any(nil))
	done := make(chan bool)
	go func() { defer close(done); go delete(map[any]int{nil: 1}, nil) }()
	<-done
	return m
}

func panicking(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return "none"
}

func faults() []any {
	var none map[string]any
	var bad any = []int{1}
	m := map[any]any{}
	return []any{
		panicking(func() { none["x"] = nil }),
		panicking(func() { m[bad] = nil }),
		panicking(func() { _ = m[bad] }),
		panicking(func() { delete(m, bad) }),
		panicking(func() { m[[1]any{func() {}}] = 1 }),
		none["x"], len(none),
		panicking(func() { delete(none, "x"); clear(none) }),
	}
}

func generic[K comparable, V any](k K, v V) (int, bool) {
	m := map[K]V{k: v}
	m[k] = v
	_, ok := m[k]
	delete(m, k)
	return len(m), ok
}

func nans() (int, int) {
	m := map[any]any{math.NaN(): nil}
	m[math.NaN()] = nil
	delete(m, math.NaN())
	n := len(m)
	clear(m)
	return n, len(m)
}

func Run() {
	fmt.Println(literal())
	fmt.Println(assign()...)
	fmt.Println(elements()...)
	fmt.Println(keys()...)
	fmt.Println(deferred())
	fmt.Println(faults()...)
	fmt.Println(generic[any, any](nil, nil))
	fmt.Println(generic[error, int](nil, 1))
	fmt.Println(nans())
	anys["z"] = nil
	keyed[nil]++
	fmt.Println(len(anys), len(keyed), keyed[nil] > 5)
	m := map[string]any{"a": 1, "c": nil}
	m["a"] = nil
	v, ok := m["a"]
	fmt.Println(len(m), v, ok)
}
