package native

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"overcomplete/internal/patience"
	rc "overcomplete/kernel/internal/regcode"
)

// walk returns code that returns the sum of a list of nodes, and stores the last node in *n.
func walk() *rc.Code {
	a := newAsm().numbers("sum").pointers("n", "last").constant("zero", 0)
	a.op(rc.OpMove, "sum", "zero")
	a.loop("nodes")
	a.op(rc.OpNil, "end?", "*n")
	a.branch(rc.OpIf, "end?", "", "end", "")
	a.op(rc.OpLoad64, "i", "*n").Imm = int32(unsafe.Offsetof(node{}.i))
	a.op(rc.OpAdd, "s", "sum", "i")
	a.op(rc.OpLoadP, "*next", "*n").Imm = int32(unsafe.Offsetof(node{}.next))
	a.op(rc.OpMove, "sum", "s")
	a.op(rc.OpMoveP, "*last", "*n")
	a.op(rc.OpMoveP, "*n", "*next")
	a.jump("nodes")
	a.label("end")
	a.op(rc.OpReturn)
	return a.done()
}

func nodes(n int) (head *node) {
	for i := range n {
		head = &node{i: int64(i), next: head}
	}
	return head
}

// compiled compiles the first loop of code.
func compiled(t testing.TB, code *rc.Code) rc.Native {
	t.Helper()
	run, err := compiler(t).Compile(code, code.Loops[0])
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// turns runs a loop until it ends.
func turns(code *rc.Code, run rc.Native, r registers) int32 {
	for {
		if at, _ := run(nil, r.n, r.p); at != code.Loops[0].At {
			return at
		}
	}
}

// TestOpsAreCounted: native code reports about as many ops as the machine would execute, for lists of various
// lengths.
func TestOpsAreCounted(t *testing.T) {
	code := walk()
	run := compiled(t, code)
	a := code.Loops[0].At
	length := int32(len(code.Ops)) - 1 - a
	for _, n := range []int{0, 1, 2, 100} {
		r := enter(code)
		r.p[0] = unsafe.Pointer(nodes(n))
		if _, ops := run(nil, r.n, r.p); ops < int32(n)*(length-1) || ops > int32(n)*(length+1) {
			t.Errorf("%d turns of %d ops: %d ops", n, length, ops)
		}
	}
}

// TestCollector: pointers are correct while the garbage collector runs continuously and frees lists that were
// just made.
func TestCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	code := walk()
	run := compiled(t, code)
	var stop atomic.Bool
	var others sync.WaitGroup
	others.Go(func() {
		for !stop.Load() {
			runtime.GC()
		}
	})
	calls := 20_000
	if testing.Short() {
		calls = 2000
	}
	var two sync.WaitGroup
	for range 2 {
		two.Go(func() {
			r := enter(code)
			for range calls {
				r.n[0] = 0
				r.p[0], r.p[1] = unsafe.Pointer(nodes(50)), nil
				turns(code, run, r)
				if last := (*node)(r.p[1]); r.n[0] != 50*49/2 || last == nil || last.i != 0 || last.next != nil || r.p[0] != nil {
					t.Errorf("sum %d, last %v", r.n[0], last)
					return
				}
			}
		})
	}
	two.Wait()
	stop.Store(true)
	others.Wait()
}

var global struct {
	nodes [3]node
	x     [8]float64
}

// hasWindow skips a test if modules can access all memory, so that there is no window.
func hasWindow(t *testing.T) {
	if compiler(t).engine.target().Base == 0 {
		t.Skip("all memory is in the window")
	}
}

// TestOutside: the machine executes accesses outside of the window.
func TestOutside(t *testing.T) {
	hasWindow(t)
	global.nodes[0] = node{i: 5, next: &global.nodes[1]}
	global.nodes[1] = node{i: 6, next: nodes(3)}
	code := walk()
	run := compiled(t, code)
	r := enter(code)
	r.p[0] = unsafe.Pointer(&node{i: 1, next: &global.nodes[0]})
	if at, _ := run(nil, r.n, r.p); at <= code.Loops[0].At || r.p[0] != unsafe.Pointer(&global.nodes[0]) || r.n[0] != 1 {
		t.Errorf("at %d, sum %d, %p", at, r.n[0], r.p[0])
	}
	force(t, nil)
	if got := do(nil, fresh(code), nil, []unsafe.Pointer{unsafe.Pointer(&global.nodes[0])}, 1)[0]; got != 5+6+2+1+0 {
		t.Errorf("sum %d", got)
	}
	squares := sumOfSquares(new(byte))
	run = compiled(t, squares)
	r = enter(squares)
	r.n[0], r.p[0] = uint64(len(global.x)), unsafe.Pointer(&global.x)
	if at, _ := run(nil, r.n, r.p); at != squares.Loops[0].At+1 {
		t.Errorf("at %d with elements outside", at)
	}
	r.n[0], r.p[0] = 0, nil
	if at, _ := run(nil, r.n, r.p); at != 12 {
		t.Errorf("at %d without elements", at)
	}
	copying := copies(8)
	run = compiled(t, copying)
	r = enter(copying)
	r.n[0], r.n[1], r.n[2] = 1, 2, 2
	r.p[0], r.p[1] = slicePointer(make([]float64, 2)), unsafe.Pointer(&global.x)
	if at, _ := run(nil, r.n, r.p); copying.Ops[at].Code != rc.OpCopy {
		t.Errorf("at %v with elements outside to copy", copying.Ops[at])
	}
}

// forever returns a loop that runs until the stop flag is set.
func forever(stop *byte) *rc.Code {
	a := newAsm().numbers("i").pointers("stop")
	a.loop("turns")
	a.op(rc.OpLoad8, "stop?", "*stop")
	a.branch(rc.OpIf, "stop?", "", "end", "")
	a.add("i1", "i", 1)
	a.op(rc.OpMove, "i", "i1")
	a.jump("turns")
	a.label("end")
	a.op(rc.OpReturn)
	code := a.done()
	code.AtConstP, code.ConstP = 0, []unsafe.Pointer{unsafe.Pointer(stop)}
	return code
}

// TestTurnsAreShort: a loop returns within a millisecond, and sees the stop flag. Times are medians because
// other processes run.
func TestTurnsAreShort(t *testing.T) {
	stop := new(byte)
	code := forever(stop)
	run := compiled(t, code)
	r := enter(code)
	patience.Try(t, func() string {
		var longest []time.Duration
		before := r.n[0]
		for range 200 {
			began := time.Now()
			if at, _ := run(nil, r.n, r.p); at != code.Loops[0].At {
				t.Fatalf("at %d", at)
			}
			longest = append(longest, time.Since(began))
		}
		if m := median(longest); m > time.Millisecond || m < turn/20 {
			return fmt.Sprintf("a turn takes %v", m)
		}
		if r.n[0]-before < 200*leastFuel/10 {
			return fmt.Sprintf("%d turns", r.n[0]-before)
		}
		return ""
	})
	*stop = 1
	if at, _ := run(nil, r.n, r.p); at != 6 {
		t.Errorf("at %d with the flag set", at)
	}
}

func median(d []time.Duration) time.Duration {
	for i := range d {
		for j := i; j > 0 && d[j] < d[j-1]; j-- {
			d[j], d[j-1] = d[j-1], d[j]
		}
	}
	return d[len(d)/2]
}

// counting is an engine that counts the existing modules.
type counting struct {
	engine
	there *atomic.Int32
}

type counted struct {
	instance
	there *atomic.Int32
}

func (c counting) start(code []byte) (instance, error) {
	in, err := c.engine.start(code)
	c.there.Add(1)
	return &counted{in, c.there}, err
}

func (c *counted) close() {
	c.instance.close()
	c.there.Add(-1)
}

// TestModulesGo: a module is freed together with its code.
func TestModulesGo(t *testing.T) {
	var there atomic.Int32
	c := &Compiler{counting{compiler(t).engine, &there}}
	const modules = 300
	for range modules {
		code := walk()
		run, err := c.Compile(code, code.Loops[0])
		if err != nil {
			t.Fatal(err)
		}
		code.Loops[0].Run.Store(&run)
		r := enter(code)
		r.p[0] = unsafe.Pointer(nodes(3))
		run(nil, r.n, r.p)
	}
	patience.Wait(func() bool { runtime.GC(); return there.Load() == 0 })
	if n := there.Load(); n > 0 {
		t.Errorf("%d of %d modules are there still", n, modules)
	}
}

// TestRegistersOutside: if the registers are outside of the window, native code does nothing.
func TestRegistersOutside(t *testing.T) {
	hasWindow(t)
	code := walk()
	run := compiled(t, code)
	r := enter(code)
	if at, _ := run(nil, asN(unsafe.Pointer(&global.x)), r.p); at != code.Loops[0].At+1 {
		t.Errorf("at %d", at)
	}
}
