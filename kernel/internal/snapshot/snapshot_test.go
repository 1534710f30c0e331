package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/quick"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/gonum/mat"

	_ "overcomplete/kernel/internal/bindings"
	"overcomplete/kernel/internal/snapshot"
)

type hidden struct {
	a int
	B []string
	m map[string]*hidden
	i any
}

type list struct {
	Value int
	Next  *list
}

// again writes variables, reads the values into new variables, and returns these.
func again(t *testing.T, pointers ...any) []any {
	t.Helper()
	var from, to []snapshot.Variable
	var fresh []any
	for _, p := range pointers {
		q := reflect.New(reflect.TypeOf(p).Elem()).Interface()
		from, to = append(from, snapshot.Variable{Name: "x", Addr: p}), append(to, snapshot.Variable{Name: "x", Addr: q})
		fresh = append(fresh, q)
	}
	var b bytes.Buffer
	if err := snapshot.Write(&b, from, nil); err != nil {
		t.Fatal(err)
	}
	if err := snapshot.Read(b.Bytes(), to); err != nil {
		t.Fatal(err)
	}
	var second bytes.Buffer
	if err := snapshot.Write(&second, to, nil); err != nil || !bytes.Equal(b.Bytes(), second.Bytes()) {
		t.Errorf("%v: the values that were read are written otherwise (%v)", pointers, err)
	}
	return fresh
}

func TestAgain(t *testing.T) {
	h := &hidden{a: 1, B: []string{"x", "", "ö"}, i: mat.NewDense(1, 2, []float64{1, 2})}
	h.m = map[string]*hidden{"self": h, "nil": nil, "other": {i: []any{1, "two", 3.0, nil, map[string]any{"k": int8(4)}}}}
	var empty []int
	none := []int{}
	var noMap map[int]string
	var err error
	number, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	var text strings.Builder
	text.WriteString("kept")
	for _, p := range []any{
		&h, &empty, &none, &noMap, &err, &number, &text,
		new(complex(1, -2)), new([3]bool{true, false, true}), new(struct{}{}), new([]struct{}{{}, {}}), new(map[[2]string]float32{{"a", "b"}: 1}),
		new(dataframe.New(series.New([]float64{1, math.NaN()}, series.Float, "a"), series.New([]string{"x", ""}, series.String, "b"))),
		new(mat.NewSymDense(2, []float64{1, 2, 2, 3})), new(rand.NewPCG(1, 2)), new(rand.New(rand.NewPCG(1, 2))), new(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)),
	} {
		got := again(t, p)[0]
		if _, hasNaN := p.(*dataframe.DataFrame); !reflect.DeepEqual(got, p) && !(hasNaN && fmt.Sprint(got) == fmt.Sprint(p)) {
			t.Errorf("got %v, want %v", reflect.ValueOf(got).Elem(), reflect.ValueOf(p).Elem())
		}
	}
}

// TestRandom compares random values before and after with reflect.DeepEqual.
func TestRandom(t *testing.T) {
	type inner struct {
		A []float64
		B map[string][]uint8
		C *[4]int16
		D *string
	}
	check := func(a []inner, b map[int]inner, c *inner, d [2]string, e []map[bool]int) bool {
		for _, p := range []any{&a, &b, &c, &d, &e} {
			if !reflect.DeepEqual(again(t, p)[0], p) {
				return false
			}
		}
		return true
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}

// TestIdentity: references to the same value still refer to one value afterward.
func TestIdentity(t *testing.T) {
	first := &list{Value: 1}
	first.Next = first
	second := first
	x := 7
	p := &x
	m := map[string]int{"a": 1}
	same := m
	s := []int{1, 2}
	r := s
	got := again(t, &first, &second, &x, &p, &m, &same, &s, &r)
	f, g := *got[0].(**list), *got[1].(**list)
	if f != g || f.Next != f {
		t.Error("pointers to one value are read as pointers to several")
	}
	if *got[3].(**int) != got[2].(*int) {
		t.Error("a pointer to a variable is read as a pointer to another")
	}
	(*got[4].(*map[string]int))["b"] = 2
	if len(*got[5].(*map[string]int)) != 2 {
		t.Error("one map is read as two")
	}
	(*got[6].(*[]int))[0] = 5
	if (*got[7].(*[]int))[0] != 5 {
		t.Error("one slice is read as two")
	}
}

func TestRefused(t *testing.T) {
	data := []float64{1, 2, 3}
	part := data[:2]
	element := &data[1]
	var locked sync.Mutex
	locked.Lock()
	var long *list
	for range 200_000 {
		long = &list{Next: long}
	}
	for _, test := range []struct {
		want    string
		vars    []any
		earlier []any
	}{
		{"function", []any{new(func() {})}, nil},
		{"channel", []any{new(make(chan int))}, nil},
		{"field f", []any{new(struct{ f func() }{func() {}})}, nil},
		{"os.File", []any{new(os.Stdout)}, nil},
		{"sync.Mutex", []any{&locked}, nil},
		{"an error", []any{new(error(io.EOF))}, nil},
		{"an error", []any{new(any(errors.Join(io.EOF)))}, nil},
		{"reflect", []any{new(reflect.TypeFor[int]())}, nil},
		{"reflect", []any{new(reflect.ValueOf(1))}, nil},
		{"share memory", []any{&data, &part}, nil},
		{"share memory", []any{&data, &element}, nil},
		{"share memory", []any{&part}, []any{&data}},
		{"shares memory", []any{new(data)}, []any{&data}},
		{"too deep", []any{&long}, nil},
		{"keys", []any{new(map[any]int{1: 1})}, nil},
	} {
		var vars, earlier []snapshot.Variable
		for _, p := range test.vars {
			vars = append(vars, snapshot.Variable{Name: "x", Addr: p})
		}
		for _, p := range test.earlier {
			earlier = append(earlier, snapshot.Variable{Name: "e", Addr: p})
		}
		err := snapshot.Write(io.Discard, vars, earlier)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("want an error with %q, got %v", test.want, err)
		}
	}
}

// FuzzRead: damaged files give errors.
func FuzzRead(f *testing.F) {
	type all struct {
		hidden
		l *list
		s [][]string
		c complex64
	}
	from := all{hidden{1, []string{"a"}, map[string]*hidden{"x": {}}, 2.5}, &list{}, [][]string{{"b"}}, 1}
	var b bytes.Buffer
	if err := snapshot.Write(&b, []snapshot.Variable{{Name: "x", Addr: &from}}, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		snapshot.Read(data, []snapshot.Variable{{Name: "x", Addr: new(all)}})
	})
}
