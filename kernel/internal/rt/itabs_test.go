package rt

import (
	"bytes"
	"fmt"
	"io"
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
