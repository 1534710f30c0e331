package native

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// counter returns code that adds 1 to the second field of a struct n times, and adds up the field's values, which it
// loads twice. N registers: 0 n, 1 i, 2 the sum, 3 the old value, 4 and 5 the new one, 6 it again, 7 whether to stop;
// constant 8: 0. P registers: 0 the struct, 1 its field; constant 2: the stop flag.
func counter(stop *uint32) *rc.Code {
	return &rc.Code{
		NN: 9, NP: 3, ConstN: []uint64{0}, AtConstN: 8, ConstP: []unsafe.Pointer{unsafe.Pointer(stop)}, AtConstP: 2,
		Ops: []rc.Op{
			0:  {Code: rc.OpMove, D: 1, A: 8},
			1:  {Code: rc.OpMove, D: 2, A: 8},
			2:  {Code: rc.OpLoop, Or: 0},
			3:  {Code: rc.OpLoad8, D: 7, A: 2, C: 1},
			4:  {Code: rc.OpIf, A: 7, To: 15, Or: 5},
			5:  {Code: rc.OpIfLT, A: 1, B: 0, To: 6, Or: 15},
			6:  {Code: rc.OpField, D: 1, A: 0, Imm: 8},
			7:  {Code: rc.OpLoad64, D: 3, A: 1},
			8:  {Code: rc.OpAddI, D: 4, A: 3, Imm: 1},
			9:  {Code: rc.OpStore64, D: 4, A: 0, Imm: 8},
			10: {Code: rc.OpLoad64, D: 5, A: 1},
			11: {Code: rc.OpLoad64, D: 6, A: 0, Imm: 8},
			12: {Code: rc.OpAdd, D: 2, A: 2, B: 6},
			13: {Code: rc.OpAddI, D: 1, A: 1, Imm: 1},
			14: {Code: rc.OpJump, To: 2},
			15: {Code: rc.OpReturn},
		},
		Loops: []*rc.Loop{{At: 2}},
	}
}

func TestLoadedAgain(t *testing.T) {
	force(t, func(err error) { t.Error(err) })
	x := &[3]int64{1, 2, 3}
	const n = 1000
	out := do(hosted(func(*rc.Machine, int32) { t.Error("an op failed") }), counter(new(uint32)), []uint64{n}, []unsafe.Pointer{unsafe.Pointer(x)}, 7)
	if want := int64(n*2 + n*(n+1)/2); *x != [3]int64{1, 2 + n, 3} || int64(out[2]) != want || out[5] != out[6] {
		t.Errorf("the field is %d and the sum is %d, not %d; the last values are %d and %d", x[1], out[2], want, out[5], out[6])
	}
}

// TestStopIsSeen: a loop that asks whether to stop asks when its fuel is used up.
func TestStopIsSeen(t *testing.T) {
	force(t, func(err error) { t.Error(err) })
	var stop uint32
	time.AfterFunc(10*time.Millisecond, func() { atomic.StoreUint32(&stop, 1) })
	x := new([3]int64)
	out := do(hosted(func(*rc.Machine, int32) { t.Error("an op failed") }), counter(&stop), []uint64{1 << 50}, []unsafe.Pointer{unsafe.Pointer(x)}, 3)
	if out[1] == 0 || out[1] == 1<<50 {
		t.Errorf("%d rounds", out[1])
	}
}
