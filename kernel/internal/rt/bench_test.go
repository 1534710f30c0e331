package rt

import (
	"reflect"
	"strconv"
	"testing"
	"time"
	"unsafe"
)

// Each benchmark performs one operation in three ways: with this package, in compiled Go, and with package
// reflect.

const benchKeys = 1000

func BenchmarkMapIncrement(b *testing.B) {
	m := map[int]int{}
	w, p := TypeWord(reflect.TypeOf(m)), mapWord(m)
	b.Run("rt", func(b *testing.B) {
		for i := range b.N {
			k := uint64(i % benchKeys)
			old := 0
			if e := Get64(w, p, k); e != nil {
				old = *(*int)(e)
			}
			*(*int)(Assign64(w, p, k)) = old + 1
		}
	})
	b.Run("compiled", func(b *testing.B) {
		for i := range b.N {
			m[i%benchKeys]++
		}
	})
	b.Run("reflect", func(b *testing.B) {
		v := reflect.ValueOf(m)
		for i := range b.N {
			k := reflect.ValueOf(i % benchKeys)
			v.SetMapIndex(k, reflect.ValueOf(int(v.MapIndex(k).Int())+1))
		}
	})
}

func BenchmarkMapStringIncrement(b *testing.B) {
	m := map[string]int{}
	keys := make([]string, benchKeys)
	for i := range keys {
		keys[i] = "word" + strconv.Itoa(i)
	}
	w, p := TypeWord(reflect.TypeOf(m)), mapWord(m)
	b.Run("rt", func(b *testing.B) {
		for i := range b.N {
			k := keys[i%benchKeys]
			old := 0
			if e := GetString(w, p, k); e != nil {
				old = *(*int)(e)
			}
			*(*int)(AssignString(w, p, k)) = old + 1
		}
	})
	b.Run("compiled", func(b *testing.B) {
		for i := range b.N {
			m[keys[i%benchKeys]]++
		}
	})
	b.Run("reflect", func(b *testing.B) {
		v := reflect.ValueOf(m)
		for i := range b.N {
			k := reflect.ValueOf(keys[i%benchKeys])
			v.SetMapIndex(k, reflect.ValueOf(int(v.MapIndex(k).Int())+1))
		}
	})
}

func BenchmarkMapRange(b *testing.B) {
	m := map[int]int{}
	for i := range benchKeys {
		m[i] = i
	}
	w, p := TypeWord(reflect.TypeOf(m)), mapWord(m)
	sum := 0
	b.Run("rt", func(b *testing.B) {
		for range b.N {
			var it MapIter
			for it.Init(w, p); it.Key != nil; it.Next() {
				sum += *(*int)(it.Key) + *(*int)(it.Elem)
			}
		}
	})
	b.Run("compiled", func(b *testing.B) {
		for range b.N {
			for k, v := range m {
				sum += k + v
			}
		}
	})
	b.Run("reflect", func(b *testing.B) {
		v := reflect.ValueOf(m)
		for range b.N {
			for it := v.MapRange(); it.Next(); {
				sum += int(it.Key().Int() + it.Value().Int())
			}
		}
	})
}

var sink unsafe.Pointer

func BenchmarkNew(b *testing.B) {
	type node struct {
		left, right *node
		key         int
	}
	t := reflect.TypeFor[node]()
	w := TypeWord(t)
	b.Run("rt", func(b *testing.B) {
		for range b.N {
			sink = New(w)
		}
	})
	b.Run("compiled", func(b *testing.B) {
		for range b.N {
			sink = unsafe.Pointer(new(node))
		}
	})
	b.Run("reflect", func(b *testing.B) {
		for range b.N {
			sink = reflect.New(t).UnsafePointer()
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	const n = 1000
	w := TypeWord(reflect.TypeFor[int]())
	b.Run("rt", func(b *testing.B) {
		for range b.N {
			var data unsafe.Pointer
			capacity := 0
			for i := range n {
				data, capacity = AppendSlice(w, 8, data, i, capacity, unsafe.Pointer(&i), 1)
			}
			sink = data
		}
	})
	b.Run("compiled", func(b *testing.B) {
		for range b.N {
			var s []int
			for i := range n {
				s = append(s, i)
			}
			sink = unsafe.Pointer(unsafe.SliceData(s))
		}
	})
	b.Run("reflect", func(b *testing.B) {
		for range b.N {
			v := reflect.New(reflect.TypeFor[[]int]()).Elem()
			for i := range n {
				v.Set(reflect.Append(v, reflect.ValueOf(i)))
			}
			sink = v.UnsafePointer()
		}
	})
}

func BenchmarkCallback(b *testing.B) {
	run := func(_ *Target, n []uint64, p []unsafe.Pointer) { n[0] = ofBool(n[0] < n[1]) }
	t := reflect.TypeFor[func(i, j int) bool]()
	fn, _ := MakeFunc(t, &Target{Run: run})
	limit := 5
	for _, c := range []struct {
		name string
		less func(i, j int) bool
	}{
		{"rt", *(*func(i, j int) bool)(unsafe.Pointer(&fn))},
		{"compiled", func(i, j int) bool { return i < j+limit }},
		{"reflect", reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(args[0].Int() < args[1].Int())}
		}).Interface().(func(i, j int) bool)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			k := 0
			for i := range b.N {
				if c.less(i, 7) {
					k++
				}
			}
		})
	}
	b.Run("TargetOf", func(b *testing.B) {
		for range b.N {
			if TargetOf(fn) == nil {
				b.Fatal("not recognised")
			}
		}
	})
}

// BenchmarkCall calls a function whose signature has no caller.
func BenchmarkCall(b *testing.B) {
	f := reflect.ValueOf(time.Unix)
	c := CalleeOf(f)
	c.ArgN, c.ResN, c.ResP = []uint16{0, 1}, []uint16{0, 1}, []uint16{0}
	var n Numbers
	var p Pointers
	b.Run("rt", func(b *testing.B) {
		for range b.N {
			n[0], n[1] = 5, 6
			c.Call(&n, &p)
		}
	})
	b.Run("reflect", func(b *testing.B) {
		args := []reflect.Value{reflect.ValueOf(int64(5)), reflect.ValueOf(int64(6))}
		for range b.N {
			f.Call(args)
		}
	})
}
