package native

import (
	"runtime"
	"slices"
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

// copies returns code that, for each i below most, copies n elements to element i of a list, and then sets the list's
// first byte to i.
func copies(size int) *rc.Code {
	a := newAsm().numbers("most", "n", "length", "i", "next").pointers("list", "from", "to").constant("zero", 0)
	a.op(rc.OpMove, "i", "zero")
	a.loop("turns")
	a.branch(rc.OpIfLT, "i", "most", "", "end")
	a.op(rc.OpElem, "*to", "*list", "i", "length").Imm = int32(size)
	a.op(rc.OpCopy, "", "*to", "*from", "n").Imm = int32(size)
	a.op(rc.OpStore8, "i", "*list")
	a.add("next", "i", 1)
	a.op(rc.OpMove, "i", "next")
	a.jump("turns")
	a.label("end")
	a.op(rc.OpReturn)
	return a.done()
}

// TestCopies: a loop copies elements of all sizes as Go does, where the memory overlaps too. It copies nothing from nil.
func TestCopies(t *testing.T) {
	const length = 40
	for _, size := range []int{1, 2, 4, 8} {
		code := copies(size)
		run := compiled(t, code)
		list, want := make([]byte, length*size), make([]byte, length*size)
		for i := range list {
			list[i], want[i] = byte(i*i), byte(i*i)
		}
		const most, n = 25, 15
		for i := range most {
			copy(want[i*size:], want[:n*size])
			want[0] = byte(i)
		}
		r := enter(code)
		r.n[0], r.n[1], r.n[2] = most, n, length
		r.p[0], r.p[1] = slicePointer(list), slicePointer(list)
		if at := turns(code, run, r); code.Ops[at].Code != rc.OpReturn {
			t.Errorf("elements of %d bytes: the module exits at %v", size, code.Ops[at])
		}
		if !slices.Equal(list, want) {
			t.Errorf("elements of %d bytes:\n%v\nwant\n%v", size, list, want)
		}
		r.n[1], r.p[1] = 0, nil
		if at := turns(code, run, r); code.Ops[at].Code != rc.OpReturn {
			t.Errorf("nothing from nil: the module exits at %v", code.Ops[at])
		}
	}
}
