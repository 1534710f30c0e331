package rt

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

// escaped keeps slices off the stack, because slices on the stack grow differently.
var escaped any

// parts returns the leaves of s.
func parts[E any](s []E) (data unsafe.Pointer, n, capacity int) {
	return unsafe.Pointer(unsafe.SliceData(s)), len(s), cap(s)
}

// whole makes a slice from its leaves.
func whole[E any](data unsafe.Pointer, n, capacity int) []E {
	return *(*[]E)(unsafe.Pointer(&slice{data, n, capacity}))
}

// testAppend appends to a slice in every way, and compares the slice and its capacity with those in compiled
// Go.
func testAppend[E comparable](t *testing.T, elem func(i int) E) {
	et := reflect.TypeFor[E]()
	t.Run(et.String(), func(t *testing.T) {
		w, size := TypeWord(et), et.Size()
		one := func(s []E, v E) []E {
			data, n, c := parts(s)
			data, c = AppendSlice(w, size, data, n, c, unsafe.Pointer(&v), 1)
			return whole[E](data, n+1, c)
		}
		compare := func(how string, got, want []E) {
			t.Helper()
			if !slices.Equal(got, want) || cap(got) != cap(want) {
				t.Fatalf("%s: %d elements with capacity %d, want %d with %d\n%v\n%v", how, len(got), cap(got), len(want), cap(want), got, want)
			}
			for i, v := range got[len(got):cap(got)] {
				if v != *new(E) {
					t.Fatalf("%s: what is behind the end at %d is %v", how, i, v)
				}
			}
		}
		var got, want []E
		for i := range 3000 {
			before := cap(want)
			got, want = one(got, elem(i)), append(want, elem(i))
			escaped = want
			if cap(got) != cap(want) {
				t.Fatalf("%d elements have capacity %d, want %d", i+1, cap(got), cap(want))
			}
			if cap(want) != before {
				compare("one by one", got, want)
			}
		}
		compare("one by one", got, want)
		for n := range 40 {
			for more := range 90 {
				made := slices.Repeat([]E{elem(7)}, more)
				got, want := make([]E, n), make([]E, n)
				for i := range n {
					got[i], want[i] = elem(i), elem(i)
				}
				data, l, c := parts(got)
				from, count, _ := parts(made)
				data, c = AppendSlice(w, size, data, l, c, from, count)
				want = append(want, made...)
				escaped = want
				compare(fmt.Sprint(n, " and ", more), whole[E](data, n+more, c), want)
			}
		}
		// Append a slice to itself.
		data, n, c := parts(got[:2000])
		data, c = AppendSlice(w, size, data, n, c, data, n)
		compare("itself", whole[E](data, 2*n, c), append(want[:2000], want[:2000]...))
	})
}

func TestAppend(t *testing.T) {
	testAppend(t, func(i int) int { return i })
	testAppend(t, func(i int) uint8 { return uint8(i) })
	testAppend(t, func(i int) bool { return i%3 == 0 })
	testAppend(t, func(i int) int16 { return int16(-i) })
	testAppend(t, func(i int) rune { return rune(i) })
	testAppend(t, func(i int) float32 { return float32(i) / 3 })
	testAppend(t, func(i int) float64 { return float64(i) / 3 })
	testAppend(t, func(i int) *int { return &numbers[i%len(numbers)] })
	testAppend(t, func(i int) string { return fmt.Sprint(i) })
	testAppend(t, func(i int) point { return point{int32(i), 1} })
	testAppend(t, func(i int) [3]uint64 { return [3]uint64{uint64(i)} })
	testAppend(t, func(i int) [5]byte { return [5]byte{byte(i)} })
	testAppend(t, func(i int) big { return big{uint64(i)} })
	testAppend(t, func(i int) struct{} { return struct{}{} })
	testAppend(t, func(i int) struct {
		name string
		next *int
	} {
		return struct {
			name string
			next *int
		}{fmt.Sprint(i), &numbers[1]}
	})
}

var numbers [100]int

func TestMakeAndClear(t *testing.T) {
	type node struct {
		next *node
		name string
		n    int
	}
	et := reflect.TypeFor[node]()
	w := TypeWord(et)
	p := (*node)(New(w))
	if *p != (node{}) {
		t.Errorf("a new value is %v", *p)
	}
	*p = node{p, "a", 1}
	var q node
	if Move(w, unsafe.Pointer(&q), unsafe.Pointer(p)); q != *p {
		t.Errorf("moved: %v", q)
	}
	if Clear(w, unsafe.Pointer(p)); *p != (node{}) || q.name != "a" {
		t.Errorf("cleared: %v", *p)
	}
	s := whole[node](NewArray(w, 10, 20), 10, 20)
	for i := range s {
		s[i] = q
	}
	ClearArray(w, unsafe.Pointer(&s[2]), 7)
	if s[1] != q || s[2] != (node{}) || s[8] != (node{}) || s[9] != q {
		t.Errorf("cleared from 2 to 8: %v", s)
	}
	if n := Copy(w, unsafe.Pointer(&s[2]), 8, unsafe.Pointer(&s[0]), 9); n != 8 || s[2] != q || s[3] != q || s[4] != (node{}) {
		t.Errorf("copied %d: %v", n, s)
	}
}

func TestMakePanics(t *testing.T) {
	ints := TypeWord(reflect.TypeFor[int]())
	minus, huge := -1, math.MaxInt/4
	for _, c := range []struct{ compiled, fast func() }{
		{func() { escaped = make([]int, minus) }, func() { NewArray(ints, minus, minus) }},
		{func() { escaped = make([]int, huge) }, func() { NewArray(ints, huge, huge) }},
		{func() { escaped = make([]int, 2, huge) }, func() { NewArray(ints, 2, huge) }},
		{func() { escaped = make([]int, 2, -minus) }, func() { NewArray(ints, 2, -minus) }},
		{
			func() { escaped = append(make([]struct{}, math.MaxInt), struct{}{}) },
			func() {
				AppendSlice(TypeWord(reflect.TypeFor[struct{}]()), 0, unsafe.Pointer(&numbers), math.MaxInt, math.MaxInt, unsafe.Pointer(&numbers), 1)
			},
		},
	} {
		if got, want := panicOf(c.fast), panicOf(c.compiled); got != want || want == "" {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// TestCollector: objects reachable only through memory allocated here stay alive, and memory allocated while
// the garbage collector marks is marked.
func TestCollector(t *testing.T) {
	type node struct {
		next  *node
		value int
	}
	w, ptr := TypeWord(reflect.TypeFor[node]()), TypeWord(reflect.TypeFor[*node]())
	mt := reflect.TypeFor[map[int]*node]()
	mw := TypeWord(mt)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for round := range 30 {
		m := MakeMap(mw, 0)
		var data unsafe.Pointer
		capacity := 0
		var last *node
		for i := range 2000 {
			n := (*node)(New(w))
			n.value, n.next = i+round, last
			last = n
			*(**node)(Assign64(mw, m, uint64(i))) = n
			data, capacity = AppendSlice(ptr, unsafe.Sizeof(n), data, i, capacity, unsafe.Pointer(&n), 1)
		}
		s := whole[*node](data, 2000, capacity)
		var it MapIter
		for it.Init(mw, m); it.Key != nil; it.Next() {
			i := *(*int)(it.Key)
			if n := *(**node)(it.Elem); n != s[i] || n.value != i+round {
				t.Fatalf("the node of %d has %d", i, n.value)
			}
		}
		for i, n := 1999, last; n != nil; i, n = i-1, n.next {
			if n.value != i+round {
				t.Fatalf("%d in the list has %d", i, n.value)
			}
		}
	}
	close(stop)
	<-done
}

// TestAdvance: the remaining slice has the same elements as with compiled slicing, and the data never points
// past the end.
func TestAdvance(t *testing.T) {
	s := make([]int32, 10, 20)
	data, _, c := parts(s)
	for low := range 21 {
		want := s[low:cap(s)]
		got := Advance(data, uintptr(low)*4, c-low)
		if len(want) > 0 && got != unsafe.Pointer(&want[0]) || len(want) == 0 && got != data {
			t.Errorf("from %d on: %p of %p", low, got, data)
		}
	}
}
