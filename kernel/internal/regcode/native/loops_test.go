package native

import (
	"runtime"
	"testing"
	"unsafe"

	rc "overcomplete/kernel/internal/regcode"
)

// compiler returns the compiler of this process.
func compiler(t testing.TB) *Compiler {
	t.Helper()
	c, err := New()
	if err != nil {
		t.Skip(err)
	}
	return c
}

// registers holds the registers of a call.
type registers struct {
	n *rc.N
	p *rc.P
}

// enter returns the registers of a call, with the constants set.
func enter(c *rc.Code) registers {
	n, p := make([]uint64, c.NN+1), make([]unsafe.Pointer, c.NP+1)
	copy(n[c.AtConstN:], c.ConstN)
	copy(p[c.AtConstP:], c.ConstP)
	return registers{asN(unsafe.Pointer(&n[0])), asP(unsafe.Pointer(&p[0]))}
}

// asN and asP convert in a way that avoids checkptr, which would complain that there are fewer registers.
func asN(n unsafe.Pointer) *rc.N { return *(**rc.N)(unsafe.Pointer(&n)) }
func asP(p unsafe.Pointer) *rc.P { return *(**rc.P)(unsafe.Pointer(&p)) }

// sumOfSquares returns code for Σ x[i]². N registers: 0 the length, 1 i, 2 the sum, 3 an element, 4 its
// square, 5 i+1; constant 6: 0. P registers: 0 x, 1 the stop flag.
func sumOfSquares(stop *byte) *rc.Code {
	return &rc.Code{
		NN: 9, NP: 2, ConstN: []uint64{0}, AtConstN: 6, ConstP: []unsafe.Pointer{unsafe.Pointer(stop)}, AtConstP: 1,
		Ops: []rc.Op{
			0:  {Code: rc.OpMove, D: 1, A: 6},
			1:  {Code: rc.OpMove, D: 2, A: 6},
			2:  {Code: rc.OpLoop, Or: 0},
			3:  {Code: rc.OpLoad8, D: 8, A: 1},
			4:  {Code: rc.OpIf, A: 8, To: 12, Or: 5},
			5:  {Code: rc.OpIfLT, A: 1, B: 0, To: 6, Or: 12},
			6:  {Code: rc.OpAt64, D: 3, A: 0, B: 1, C: 0},
			7:  {Code: rc.OpFMul, D: 4, A: 3, B: 3},
			8:  {Code: rc.OpFAdd, D: 2, A: 2, B: 4},
			9:  {Code: rc.OpAddI, D: 5, A: 1, Imm: 1},
			10: {Code: rc.OpMove, D: 1, A: 5},
			11: {Code: rc.OpJump, To: 2},
			12: {Code: rc.OpReturn},
		},
		Loops: []*rc.Loop{{At: 2}},
	}
}

func TestSumOfSquares(t *testing.T) {
	c := compiler(t)
	code := sumOfSquares(new(byte))
	run, err := c.Compile(code, code.Loops[0])
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 1000_000)
	for i := range x {
		x[i] = float64(i) / 7
	}
	r := enter(code)
	r.n[0] = uint64(len(x))
	r.p[0] = unsafe.Pointer(&x[0])
	calls := 0
	for at := int32(2); at == 2; calls++ {
		at, _ = run(nil, r.n, r.p)
		if at != 2 && at != 12 {
			t.Fatalf("at %d", at)
		}
	}
	want := 0.0
	for _, v := range x {
		want += v * v
	}
	if got := *(*float64)(unsafe.Pointer(&r.n[2])); got != want || r.n[1] != uint64(len(x)) {
		t.Errorf("%v of %d, want %v", got, r.n[1], want)
	}
	t.Log(calls)
	runtime.KeepAlive(x)
}

func BenchmarkSumOfSquares(b *testing.B) {
	c := compiler(b)
	code := sumOfSquares(new(byte))
	run, err := c.Compile(code, code.Loops[0])
	if err != nil {
		b.Fatal(err)
	}
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = float64(i) / 7
	}
	r := enter(code)
	r.n[0] = uint64(len(x))
	r.p[0] = unsafe.Pointer(&x[0])
	b.Run("native", func(b *testing.B) {
		for b.Loop() {
			r.n[1], r.n[2] = 0, 0
			for at := int32(2); at == 2; {
				at, _ = run(nil, r.n, r.p)
			}
		}
	})
	b.Run("compiled", func(b *testing.B) {
		s := 0.0
		for b.Loop() {
			for i := range x {
				s += x[i] * x[i]
			}
		}
		_ = s
	})
	b.Run("short", func(b *testing.B) {
		r.n[0] = 10
		for b.Loop() {
			r.n[1], r.n[2] = 0, 0
			for at := int32(2); at == 2; {
				at, _ = run(nil, r.n, r.p)
			}
		}
	})
}
