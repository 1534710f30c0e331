package native

import (
	"testing"

	rc "overcomplete/kernel/internal/regcode"
)

// fib returns the Fibonacci function of one number.
func fib() *rc.Func {
	f := &rc.Func{Name: "fib"}
	a := newAsm().numbers("n").constant("two", 2)
	a.branch(rc.OpIfLT, "n", "two", "end", "")
	a.add("n1", "n", -1)
	a.call(f, []string{"n1"}, []string{"a"})
	a.add("n2", "n", -2)
	a.call(f, []string{"n2"}, []string{"b"})
	a.op(rc.OpAdd, "c", "a", "b")
	a.op(rc.OpMove, "n", "c")
	a.label("end")
	a.op(rc.OpReturn)
	f.Code.Store(a.done())
	return f
}

// call appends a call that passes and returns numbers.
func (a *asm) call(f *rc.Func, args, results []string) {
	k := rc.Call{Func: f}
	for _, s := range args {
		k.ArgN = append(k.ArgN, a.reg(s))
	}
	for _, s := range results {
		k.ResN = append(k.ResN, a.reg(s))
	}
	a.op(rc.OpCallOf).Or = int32(len(a.code.Calls))
	a.code.Calls = append(a.code.Calls, k)
}

// fibs returns code that sums fib(i) over all i < n.
func fibs(f *rc.Func) *rc.Code {
	a := newAsm().numbers("n").constant("zero", 0)
	a.op(rc.OpMove, "i", "zero")
	a.op(rc.OpMove, "s", "zero")
	a.loop("numbers")
	a.branch(rc.OpIfLT, "i", "n", "", "end")
	a.call(f, []string{"i"}, []string{"x"})
	a.op(rc.OpAdd, "s1", "s", "x")
	a.add("i1", "i", 1)
	a.op(rc.OpMove, "i", "i1")
	a.op(rc.OpMove, "s", "s1")
	a.jump("numbers")
	a.label("end")
	a.op(rc.OpMove, "n", "s")
	a.op(rc.OpReturn)
	return a.done()
}

func TestCalls(t *testing.T) {
	c := fibs(fib())
	force(t, nil)
	if got := do(nil, fresh(c), []uint64{26}, nil, 1)[0]; got != 196417 {
		t.Errorf("sum %d, want 196417", got)
	}
}

// TestLongCalls: a call of a function that only computes runs natively. If the call takes long, the calls
// within it run natively instead.
func TestLongCalls(t *testing.T) {
	f := fib()
	a := newAsm().numbers("n")
	a.call(f, []string{"n"}, []string{"x"})
	a.op(rc.OpMove, "n", "x")
	a.op(rc.OpReturn)
	code := a.done()
	force(t, nil)
	if got := do(nil, code, []uint64{27}, nil, 1)[0]; got != 196418 {
		t.Errorf("fib(27) = %d, want 196418", got)
	}
}

func BenchmarkFib30(b *testing.B) {
	f := fib()
	a := newAsm().numbers("n")
	a.call(f, []string{"n"}, []string{"x"})
	a.op(rc.OpMove, "n", "x")
	a.op(rc.OpReturn)
	code := a.done()
	for _, hot := range []int{-1, 0} {
		b.Run(map[int]string{-1: "machine", 0: "native"}[hot], func(b *testing.B) {
			force(b, nil)
			rc.Hot = hot
			for b.Loop() {
				do(nil, code, []uint64{30}, nil, 1)
			}
		})
	}
	b.Run("compiled", func(b *testing.B) {
		for b.Loop() {
			kept += fibCompiled(30)
		}
	})
}

func fibCompiled(n int) int {
	if n < 2 {
		return n
	}
	return fibCompiled(n-1) + fibCompiled(n-2)
}
