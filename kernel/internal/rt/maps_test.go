package rt

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// mapWord returns a map as a pointer.
func mapWord[K comparable, V any](m map[K]V) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m))
}

// fastMap operates on a map of type t with the functions for its kind, as register code does.
type fastMap struct {
	t    Type
	kind MapKind
}

func newFastMap(t reflect.Type) fastMap { return fastMap{TypeWord(t), MapKindOf(t)} }

func (f fastMap) get(m, key unsafe.Pointer) unsafe.Pointer {
	switch f.kind {
	case Map32:
		return Get32(f.t, m, *(*uint32)(key))
	case Map64:
		return Get64(f.t, m, *(*uint64)(key))
	case MapPtr:
		return GetPtr(f.t, m, *(*unsafe.Pointer)(key))
	case MapString:
		return GetString(f.t, m, *(*string)(key))
	}
	return Get(f.t, m, key)
}

func (f fastMap) assign(m, key unsafe.Pointer) unsafe.Pointer {
	switch f.kind {
	case Map32:
		return Assign32(f.t, m, *(*uint32)(key))
	case Map64:
		return Assign64(f.t, m, *(*uint64)(key))
	case MapPtr:
		return AssignPtr(f.t, m, *(*unsafe.Pointer)(key))
	case MapString:
		return AssignString(f.t, m, *(*string)(key))
	}
	return Assign(f.t, m, key)
}

func (f fastMap) delete(m, key unsafe.Pointer) {
	switch f.kind {
	case Map32:
		Delete32(f.t, m, *(*uint32)(key))
	case Map64:
		Delete64(f.t, m, *(*uint64)(key))
	case MapString:
		DeleteString(f.t, m, *(*string)(key))
	default:
		Delete(f.t, m, key)
	}
}

// testMap performs the same random steps on a map of compiled Go and on a map of this package.
func testMap[K, V comparable](t *testing.T, kind MapKind, key func(i int) K, elem func(i int) V) {
	mt := reflect.TypeFor[map[K]V]()
	t.Run(mt.String(), func(t *testing.T) {
		f := newFastMap(mt)
		if f.kind != kind {
			t.Errorf("the kind of %v is %d, not %d", mt, f.kind, kind)
		}
		et := TypeWord(mt.Elem())
		want := map[K]V{}
		m := MakeMap(f.t, 0)
		// The same map, as a map of compiled Go.
		got := *(*map[K]V)(unsafe.Pointer(&m))
		rnd := rand.New(rand.NewPCG(1, 2))
		for step := range 5000 {
			k, v := key(rnd.IntN(300)), elem(step)
			switch rnd.IntN(8) {
			case 0, 1, 2:
				want[k] = v
				Move(et, f.assign(m, unsafe.Pointer(&k)), unsafe.Pointer(&v))
			case 3:
				delete(want, k)
				f.delete(m, unsafe.Pointer(&k))
			case 4:
				if step%500 == 0 {
					runtime.GC()
				}
			default:
				w, ok := want[k]
				p := f.get(m, unsafe.Pointer(&k))
				if ok != (p != nil) || ok && *(*V)(p) != w {
					t.Fatalf("step %d: the element of %v is at %v, want %v, %v", step, k, p, w, ok)
				}
				if general := Get(f.t, m, unsafe.Pointer(&k)); general != p {
					t.Fatalf("step %d: Get(%v) = %v, not %v", step, k, general, p)
				}
			}
			if Len(m) != len(want) {
				t.Fatalf("step %d: length %d, want %d", step, Len(m), len(want))
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("the map is\n%v, want\n%v", got, want)
		}
		seen := map[K]V{}
		var it MapIter
		for it.Init(f.t, m); it.Key != nil; it.Next() {
			seen[*(*K)(it.Key)] = *(*V)(it.Elem)
		}
		if !maps.Equal(seen, want) {
			t.Errorf("range over the map gives\n%v, want\n%v", seen, want)
		}
		ClearMap(f.t, m)
		if len(got) != 0 || Len(m) != 0 {
			t.Errorf("%d entries are in a map that was cleared", len(got))
		}
	})
}

type (
	point struct{ x, y int32 }
	label string
	named int64
	big   [17]uint64 // too large to be stored in the map itself
)

func TestMaps(t *testing.T) {
	integer := func(i int) int { return i*i - 40 }
	testMap(t, Map64, integer, integer)
	testMap(t, Map64, func(i int) int64 { return int64(i) << 40 }, func(i int) string { return fmt.Sprint(i) })
	testMap(t, Map64, func(i int) uint64 { return -uint64(i) }, func(i int) bool { return i%3 == 0 })
	testMap(t, Map64, func(i int) uintptr { return uintptr(i) }, func(i int) *int { return &i })
	testMap(t, Map64, func(i int) named { return named(i) }, func(i int) any { return i })
	testMap(t, Map64, integer, func(i int) [16]uint64 { return [16]uint64{15: uint64(i)} })
	testMap(t, MapAny, integer, func(i int) big { return big{16: uint64(i)} })
	testMap(t, Map64, integer, func(i int) struct{} { return struct{}{} })
	testMap(t, Map32, func(i int) int32 { return int32(i) - 100 }, func(i int) float64 { return float64(i) })
	testMap(t, Map32, func(i int) rune { return rune(i) << 20 }, func(i int) *string { s := fmt.Sprint(i); return &s })
	testMap(t, MapString, func(i int) string { return fmt.Sprint(i) }, integer)
	testMap(t, MapString, func(i int) label { return label(strings.Repeat("x", i)) }, func(i int) string { return fmt.Sprint(i) })
	testMap(t, MapAny, func(i int) string { return fmt.Sprint(i) }, func(i int) big { return big{3: uint64(i)} })
	pointers := make([]*int, 300)
	for i := range pointers {
		pointers[i] = &i
	}
	testMap(t, MapPtr, func(i int) *int { return pointers[i] }, integer)
	testMap(t, MapPtr, func(i int) unsafe.Pointer { return unsafe.Pointer(pointers[i]) }, func(i int) *int { return &i })
	testMap(t, MapAny, func(i int) *int { return pointers[i] }, func(i int) big { return big{uint64(i)} })
	testMap(t, MapAny, func(i int) bool { return i%2 == 0 }, integer)
	testMap(t, MapAny, func(i int) uint8 { return uint8(i) }, integer)
	testMap(t, MapAny, func(i int) int16 { return int16(i) - 9 }, integer)
	testMap(t, MapAny, func(i int) float64 { return float64(i-100) / 3 }, integer)
	testMap(t, MapAny, func(i int) float32 { return float32(i) / 3 }, integer)
	testMap(t, MapAny, func(i int) complex128 { return complex(float64(i), -1) }, integer)
	testMap(t, MapAny, func(i int) point { return point{int32(i), -int32(i)} }, integer)
	testMap(t, MapAny, func(i int) [2]string { return [2]string{fmt.Sprint(i), "a"} }, integer)
	testMap(t, MapAny, func(i int) big { return big{16: uint64(i)} }, func(i int) *int { return &i })
	testMap(t, MapAny, func(i int) any {
		return [...]any{i, fmt.Sprint(i), float64(i), point{int32(i), 2}}[i%4]
	}, integer)
	testMap(t, MapAny, func(i int) fmt.Stringer { return reflect.Kind(i) }, integer)
}

// TestMapFloats: each NaN is a separate key; +0 and -0 are the same key, and a map keeps the sign of the zero
// that was assigned last.
func TestMapFloats(t *testing.T) {
	var m map[float64]int
	w := TypeWord(reflect.TypeOf(m))
	p := MakeMap(w, 4)
	m = *(*map[float64]int)(unsafe.Pointer(&p))
	negative := math.Copysign(0, -1)
	for i, k := range []float64{math.NaN(), math.NaN(), 0, negative} {
		*(*int)(Assign(w, p, unsafe.Pointer(&k))) = i
	}
	nan := math.NaN()
	if len(m) != 3 || m[0] != 3 || Get(w, p, unsafe.Pointer(&nan)) != nil {
		t.Errorf("NaN twice and both zeros give %v", m)
	}
	Delete(w, p, unsafe.Pointer(&nan))
	if len(m) != 3 {
		t.Errorf("a NaN was deleted: %v", m)
	}
	for k := range m {
		if k == 0 && !math.Signbit(k) {
			t.Errorf("the key is still +0: compiled Go replaces it")
		}
	}
	ClearMap(w, p)
	if len(m) != 0 {
		t.Errorf("clear left %v", m)
	}
}

// panicOf calls f and returns the text of its panic.
func panicOf(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestMapPanics(t *testing.T) {
	var nilInts map[int]int
	var nilAny map[any]int
	anys := map[any]int{1: 1}
	var unhashable any = []int{1}
	ints, anyWord := TypeWord(reflect.TypeOf(nilInts)), TypeWord(reflect.TypeOf(nilAny))
	for name, c := range map[string]struct{ compiled, fast func() }{
		"assignment to nil": {func() { nilInts[1] = 1 }, func() { Assign64(ints, nil, 1) }},
		"general assignment to nil": {func() { nilAny[1] = 1 }, func() {
			var k any = 1
			Assign(anyWord, nil, unsafe.Pointer(&k))
		}},
		"unhashable get":    {func() { _ = anys[unhashable] }, func() { Get(anyWord, mapWord(anys), unsafe.Pointer(&unhashable)) }},
		"unhashable in nil": {func() { _ = nilAny[unhashable] }, func() { Get(anyWord, nil, unsafe.Pointer(&unhashable)) }},
		"unhashable assign": {func() { anys[unhashable] = 2 }, func() { Assign(anyWord, mapWord(anys), unsafe.Pointer(&unhashable)) }},
		"unhashable delete": {func() { delete(anys, unhashable) }, func() { Delete(anyWord, mapWord(anys), unsafe.Pointer(&unhashable)) }},
	} {
		if got, want := panicOf(c.fast), panicOf(c.compiled); got != want || want == "" {
			t.Errorf("%s: panic %q, want %q", name, got, want)
		}
	}
	if Get64(ints, nil, 1) != nil || Len(nil) != 0 {
		t.Error("a nil map has elements")
	}
	Delete64(ints, nil, 1)
	var it MapIter
	if it.Init(ints, nil); it.Key != nil {
		t.Error("a nil map has a first entry")
	}
}

// TestMapChangesDuringRange: an entry that exists during the whole loop is visited once, even if the map
// grows and shrinks. An entry that is deleted before its turn is not visited.
func TestMapChangesDuringRange(t *testing.T) {
	for _, size := range []int{1, 7, 8, 9, 100, 3000} {
		m := map[int]int{}
		for i := range size {
			m[i] = i
		}
		w, p := TypeWord(reflect.TypeOf(m)), mapWord(m)
		count := map[int]int{}
		deleted := map[int]bool{}
		added := size
		var it MapIter
		for it.Init(w, p); it.Key != nil; it.Next() {
			k := *(*int)(it.Key)
			if count[k]++; count[k] > 1 {
				t.Fatalf("size %d: %d comes twice", size, k)
			}
			if deleted[k] {
				t.Fatalf("size %d: %d comes, but was deleted", size, k)
			}
			if added < 10*size {
				for range 20 {
					*(*int)(Assign64(w, p, uint64(added))) = added
					added++
				}
			}
			if victim := k ^ 1; k%3 == 0 && victim < size && count[victim] == 0 {
				Delete64(w, p, uint64(victim))
				deleted[victim] = true
			}
		}
		for i := range size {
			if !deleted[i] && count[i] != 1 {
				t.Errorf("size %d: %d came %d times", size, i, count[i])
			}
		}
	}
}

// TestMapsMadeAtRunTime: maps with types made at run time, such as those of cells, work with the fast
// functions too.
func TestMapsMadeAtRunTime(t *testing.T) {
	elem := reflect.StructOf([]reflect.StructField{{Name: "Made", Type: reflect.TypeFor[[3]int]()}})
	mt := reflect.MapOf(reflect.TypeFor[int](), elem)
	f := newFastMap(mt)
	m := MakeMap(f.t, 100)
	for i := range 1000 {
		(*[3]int)(Assign64(f.t, m, uint64(i)))[1] = i
	}
	v := reflect.NewAt(mt, unsafe.Pointer(&m)).Elem()
	for i := range 1000 {
		if got := v.MapIndex(reflect.ValueOf(i)).Field(0).Index(1).Int(); got != int64(i) {
			t.Fatalf("element %d is %d", i, got)
		}
	}
}
