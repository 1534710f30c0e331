package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unique"
)

type person struct {
	name string
	age  int
}

type myErr struct{ code int }

func (e *myErr) Error() string { return fmt.Sprint("code ", e.code) }

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func zip[A, B any](a []A, b []B) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		for i := range min(len(a), len(b)) {
			if !yield(a[i], b[i]) {
				return
			}
		}
	}
}

func Result() string {
	var out []string
	say := func(a ...any) { out = append(out, fmt.Sprint(a...)) }

	xs := []float64{3, 1, 2}
	slices.Sort(xs)
	say(xs, slices.Max(xs), slices.Index(xs, 2), slices.Contains(xs, 7))
	m := map[string]int{"b": 2, "a": 1}
	say(slices.Sorted(maps.Keys(m)))
	say(maps.Collect(slices.All([]string{"x", "y"})))
	people := []person{{"ann", 30}, {"bob", 20}, {"cy", 20}}
	slices.SortStableFunc(people, func(a, b person) int { return cmp.Compare(a.age, b.age) })
	say(people, cmp.Or(0, 5))
	slices.SortFunc(people, func(a, b person) int {
		return cmp.Or(-cmp.Compare(a.age, b.age), strings.Compare(a.name, b.name))
	})
	say(people)
	say(slices.Collect(count(4)))
	for p := range strings.SplitSeq("p,q", ",") {
		say(p)
	}
	say(slices.Collect(strings.SplitSeq("r,s", ",")))
	say(slices.Collect(strings.FieldsSeq(" t  u ")), len(slices.Sorted(strings.Lines("b\na\n"))))
	for a, b := range zip([]int{1, 2}, []string{"one", "two"}) {
		say(a, b)
	}
	next, stop := iter.Pull(count(3))
	v, ok := next()
	stop()
	say(v, ok)

	once := sync.OnceValue(func() int { say("once"); return 7 })
	say(once() + once())
	var p atomic.Pointer[person]
	p.Store(&people[0])
	say(p.Load().name)
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { n.Add(1) })
	}
	wg.Wait()
	say(n.Load())
	r := rand.New(rand.NewPCG(1, 2))
	say(rand.N(int64(1)), r.IntN(1000) < 1000, rand.N(5) < 5)

	err := fmt.Errorf("wrap: %w", &myErr{4})
	if e, ok := errors.AsType[*myErr](err); ok {
		say(e.code)
	}
	var target *myErr
	say(errors.As(err, &target), target)
	_, perr := os.Open("no such file")
	if e, ok := errors.AsType[*fs.PathError](perr); ok {
		say(e.Op, errors.Is(perr, fs.ErrNotExist))
	}
	say(min(3, 1, 2), max(2.5, 1))
	clear(m)
	say(len(m), reflect.TypeFor[person]().Name())
	i, found := slices.BinarySearch(xs, 2)
	say(i, found, slices.Repeat([]int{1}, 3))
	for c := range slices.Chunk([]int{1, 2, 3}, 2) {
		say(c)
	}
	say(unique.Make("a") == unique.Make("a"))
	var sm sync.Map
	sm.Store("k", 1)
	for k, v := range sm.Range {
		say(k, v)
	}
	return strings.Join(out, "|")
}

// want: [1 2 3] 3 1 false|[a b]|map[0:x 1:y]|[{bob 20} {cy 20} {ann 30}] 5|[{ann 30} {bob 20} {cy 20}]|[0 1 2 3]|p|q|[r s]|[t u] 2|1one|2two|0 true|once|14|ann|10|0 true true|4|true code 4|opentrue|1 2.5|0person|1 true [1 1 1]|[1 2]|[3]|true|k1
