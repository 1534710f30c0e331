package rt

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
	"testing"
	"unsafe"
)

func TestItabs(t *testing.T) {
	readWriter := TypeWord(reflect.TypeFor[io.ReadWriter]())
	buf := &bytes.Buffer{}
	word, data := Words(buf)
	if TypeOf(word) != reflect.TypeOf(buf) || TypeWord(reflect.TypeOf(buf)) != word {
		t.Fatalf("the type word of %T is that of %v", buf, TypeOf(word))
	}
	if Any(word, data) != any(buf) {
		t.Errorf("the words of an any make another: %v", Any(word, data))
	}
	itab, ok := Itab(readWriter, word)
	if !ok {
		t.Fatalf("%T has not the methods", buf)
	}
	rw := *(*io.ReadWriter)(unsafe.Pointer(&eface{itab, data}))
	fmt.Fprint(rw, "written")
	if buf.String() != "written" {
		t.Errorf("the interface has written %q", buf)
	}
	var compiled io.ReadWriter = buf
	if have := *(*unsafe.Pointer)(unsafe.Pointer(&compiled)); have != itab {
		t.Error("compiled code has another itab")
	}
	if ItabType(itab) != word {
		t.Errorf("the type of the itab is %v", TypeOf(ItabType(itab)))
	}
	for _, v := range []any{1, "a", struct{}{}, bytes.Buffer{}, []int{}, io.EOF} {
		w, _ := Words(v)
		if _, ok := Itab(readWriter, w); ok {
			t.Errorf("%T is a ReadWriter", v)
		}
	}
	if itab, ok := Itab(readWriter, nil); itab != nil || !ok || ItabType(nil) != nil {
		t.Errorf("nil has the itab %v", itab)
	}
	if n := testing.AllocsPerRun(100, func() { Itab(readWriter, word) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

type (
	wrapped struct{ _ *int }
	padded  struct {
		_ struct{}
		_ [1]wrapped
		_ [0]int
	}
)

// TestIsDirect compares IsDirect with the runtime's own interfaces, for compiled types and for types made at
// run time.
func TestIsDirect(t *testing.T) {
	list := []reflect.Type{}
	for _, v := range []any{
		1, "a", 1.5, true, uintptr(1), &numbers, map[int]int{}, make(chan int), deep, unsafe.Pointer(&numbers), wrapped{}, padded{},
		[1]*int{}, [1]int{1}, [2]*int{}, struct{ n int }{1}, struct{}{}, []int{1}, struct{ e any }{1}, complex64(1), [1]map[int]int{}, big{},
		struct {
			f func()
			n int
		}{}, struct{ m map[string]int }{},
	} {
		list = append(list, reflect.TypeOf(v))
	}
	for _, made := range list[:len(list):len(list)] {
		field := reflect.StructField{Name: "Made", Type: made}
		list = append(list, reflect.ArrayOf(1, made), reflect.ArrayOf(2, made), reflect.StructOf([]reflect.StructField{field}),
			reflect.StructOf([]reflect.StructField{{Name: "Before", Type: reflect.TypeFor[[0]int]()}, field}))
	}
	for _, rt := range list {
		// The data word of a direct value is the value.
		mark := unsafe.Pointer(&numbers[7])
		p := reflect.New(rt)
		if rt.Size() >= unsafe.Sizeof(mark) && IsDirect(rt) {
			*(*unsafe.Pointer)(p.UnsafePointer()) = mark
			if _, data := Words(p.Elem().Interface()); data != mark {
				t.Errorf("%v is not direct", rt)
			}
		} else if _, data := Words(p.Elem().Interface()); data == nil {
			t.Errorf("%v is direct", rt)
		}
	}
}

func TestBoxes(t *testing.T) {
	word := func(x any) Type { w, _ := Words(x); return w }
	for _, c := range []struct {
		want any
		data unsafe.Pointer
	}{
		{-1, Box64(math.MaxUint64)},
		{200, Box64(200)},
		{uint64(1 << 60), Box64(1 << 60)},
		{1.5, Box64(math.Float64bits(1.5))},
		{named(7), Box64(7)},
		{rune(-5), Box32(math.MaxUint32 - 4)},
		{float32(2), Box32(math.Float32bits(2))},
		{int16(-2), Box16(math.MaxUint16 - 1)},
		{uint16(9), Box16(9)},
		{true, Box8(1)},
		{byte(255), Box8(255)},
		{int8(-1), Box8(255)},
		{"text", BoxString("text")},
		{tag(""), BoxString("")},
	} {
		if got := Any(word(c.want), c.data); got != c.want || fmt.Sprintf("%T", got) != fmt.Sprintf("%T", c.want) {
			t.Errorf("%T %v, want %T %v", got, got, c.want, c.want)
		}
		if !Equal(word(c.want), c.data, word(c.want), c.data) || Equal(word(c.want), c.data, word(t), unsafe.Pointer(t)) {
			t.Errorf("%v is not equal to itself, or is to something else", c.want)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		sink, sink, sink = Box64(255), Box8(200), BoxString("")
	}); n != 0 {
		t.Errorf("%v allocations for small values", n)
	}
	slice, data := Words([]int{1})
	if got := panicOf(func() { Equal(slice, data, slice, data) }); got != panicOf(func() {
		var a, b any = []int{1}, []int{1}
		_ = a == b
	}) {
		t.Errorf("comparing slices: %q", got)
	}
}
