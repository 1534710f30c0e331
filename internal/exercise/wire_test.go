package exercise

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"
)

type sample struct {
	A *mat.Dense
	V *mat.VecDense
	L [][]float64
	Z complex128
	N int8
	U uint
	S string
	B bool
	P *int
}

func taskOf(f any) *Task { return &Task{Signature: f} }

func TestWire(t *testing.T) {
	seven := 7
	for _, c := range []struct{ f, result any }{
		{(func() float64)(nil), math.Inf(-1)},
		{(func() float64)(nil), 0.1},
		{(func() int)(nil), -1 << 63},
		{(func() *mat.Dense)(nil), (*mat.Dense)(nil)},
		{(func() *mat.Dense)(nil), mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6e-300})},
		{(func() *mat.VecDense)(nil), mat.NewVecDense(2, []float64{1, 2})},
		{(func() []string)(nil), []string{"a", ""}},
		{(func() []float64)(nil), []float64(nil)},
		{(func() []float64)(nil), []float64{}},
		{(func() sample)(nil), sample{L: [][]float64{{1}, nil}, Z: 1 + 2i, N: -8, U: 3, S: "s", B: true, P: &seven, V: mat.NewVecDense(1, nil)}},
		{(func() *sample)(nil), &sample{A: &mat.Dense{}, V: &mat.VecDense{}}},
	} {
		task := taskOf(c.f)
		if err := checkSendable(task.Type().Out(0), map[reflect.Type]bool{}); err != nil {
			t.Error(err)
		}
		sent, err := task.Encode(c.result)
		if err != nil {
			t.Errorf("%v: %v", c.result, err)
			continue
		}
		if got, err := task.Decode(sent); err != nil || !reflect.DeepEqual(got, c.result) {
			t.Errorf("%s: %#v, %v", sent, got, err)
		}
	}
	if sent, err := taskOf((func() float64)(nil)).Encode(math.NaN()); err != nil {
		t.Error(err)
	} else if got, err := taskOf((func() float64)(nil)).Decode(sent); err != nil || !math.IsNaN(got.(float64)) {
		t.Errorf("NaN is %v, %v", got, err)
	}
}

// Forged results from a student's process are refused, without a crash and without allocating a matrix larger
// than the input.
func TestForged(t *testing.T) {
	for _, c := range []struct {
		f    any
		sent string
	}{
		{(func() *mat.Dense)(nil), `{"R":4294967296,"C":4294967296,"X":[]}`},
		{(func() *mat.Dense)(nil), `{"R":8589934592,"C":2147483649,"X":["1","2"]}`},
		{(func() *mat.Dense)(nil), `{"R":1000000,"C":0,"X":null}`},
		{(func() *mat.Dense)(nil), `{"R":-1,"C":-2,"X":["1","2"]}`},
		{(func() *mat.Dense)(nil), `{"R":1,"C":2,"X":["1"]}`},
		{(func() *mat.VecDense)(nil), `{"R":1,"C":2,"X":["1","2"]}`},
		{(func() *mat.Dense)(nil), `[]`},
		{(func() *mat.Dense)(nil), ``},
		{(func() float64)(nil), `1`},
		{(func() float64)(nil), `"x"`},
		{(func() float64)(nil), `null`},
		{(func() int8)(nil), `"300"`},
		{(func() []float64)(nil), `{"a":1}`},
		{(func() []float64)(nil), `["1",2]`},
		{(func() complex128)(nil), `["1"]`},
		{(func() *int)(nil), `["1","2"]`},
		{(func() sample)(nil), `{}`},
		{(func() sample)(nil), `[[[`},
		{(func() bool)(nil), `"true"`},
	} {
		if got, err := taskOf(c.f).Decode([]byte(c.sent)); err == nil {
			t.Errorf("%s is taken for %#v", c.sent, got)
		}
	}
	for _, f := range []any{(func() any)(nil), (func() func())(nil), (func() map[int]int)(nil), (func() []error)(nil), (func() mat.Matrix)(nil)} {
		if checkSendable(reflect.TypeOf(f).Out(0), map[reflect.Type]bool{}) == nil {
			t.Errorf("%T can be sent", f)
		}
	}
}
