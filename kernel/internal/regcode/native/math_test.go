package native

import (
	"math"
	"testing"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// exps returns code that sums exp(−x) and pow(x, 0.5) over the elements of *x that are less than 20. The
// machine calls exp and pow.
func exps() *rc.Code {
	a := newAsm().numbers("n").pointers("x").constant("zero", 0).real("none", 0).real("half", 0.5).real("most", 20)
	a.code.Math1 = []func(x float64) float64{math.Exp}
	a.code.Math2 = []func(x, y float64) float64{math.Pow}
	a.op(rc.OpMove, "i", "zero")
	a.op(rc.OpMove, "s", "none")
	a.loop("elements")
	a.branch(rc.OpIfLT, "i", "n", "", "end")
	a.op(rc.OpAt64, "v", "*x", "i", "n")
	a.branch(rc.OpIfFLT, "v", "most", "", "next")
	a.op(rc.OpFNeg, "m", "v")
	a.op(rc.OpCall1, "e", "m").Or = 0
	a.op(rc.OpMove, "h", "half")
	a.op(rc.OpCall2, "p", "v", "h").Or = 0
	a.op(rc.OpFAdd, "s1", "s", "e")
	a.op(rc.OpFAdd, "s2", "s1", "p")
	a.op(rc.OpMove, "s", "s2")
	a.label("next")
	a.add("i1", "i", 1)
	a.op(rc.OpMove, "i", "i1")
	a.jump("elements")
	a.label("end")
	a.op(rc.OpMove, "n", "s")
	a.op(rc.OpReturn)
	return a.done()
}

func expsCompiled(x []float64) (s float64) {
	for _, v := range x {
		if v < 20 {
			s = s + math.Exp(-v) + math.Pow(v, 0.5)
		}
	}
	return s
}

// TestMath: functions of package math give the same results as in compiled Go.
func TestMath(t *testing.T) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = float64(i) / 10
	}
	force(t, nil)
	got := do(nil, exps(), []uint64{uint64(len(x))}, []unsafe.Pointer{slicePointer(x)}, 1)[0]
	if want := expsCompiled(x); math.Float64frombits(got) != want {
		t.Errorf("%v, want %v", math.Float64frombits(got), want)
	}
}
