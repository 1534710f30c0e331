package regcode

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
)

// fib returns the Fibonacci function of n. It also passes on a pointer.
func fib(t testing.TB) *Func {
	f := &Func{Name: "fib"}
	code := &Code{
		Ops: []Op{
			{Code: OpIfLT, A: 0, B: 4, To: 5, Or: 1},
			{Code: OpAddI, D: 1, A: 0, Imm: -1},
			{Code: OpAddI, D: 2, A: 0, Imm: -2},
			{Code: OpCallOf, Or: 0},
			{Code: OpJump, To: 6},
			{Code: OpReturn},
			{Code: OpCallOf, Or: 1},
			{Code: OpAdd, D: 0, A: 1, B: 2},
			{Code: OpReturn},
		},
		Calls:  []Call{{Func: f, ArgN: []uint16{1}, ResN: []uint16{1}}, {Func: f, ArgN: []uint16{2}, ResN: []uint16{2}}},
		ConstN: []uint64{2}, AtConstN: 4, NN: 5,
	}
	f.Code.Store(code)
	verify(t, code)
	return f
}

func goFib(n int) int {
	if n < 2 {
		return n
	}
	return goFib(n-1) + goFib(n-2)
}

func TestFib(t *testing.T) {
	f := fib(t)
	for n := range 20 {
		if got, _ := call(noSite(t), f, []uint64{uint64(n)}); int(got) != goFib(n) {
			t.Errorf("fib(%d) = %d", n, got)
		}
	}
}

// chain returns two functions that call each other n times and pass on a list of pointers. When the calls
// return, the number of calls is added to each pointer's target. Each function has a different, large number
// of registers.
func chain(t testing.TB) *Func {
	even, odd := &Func{Name: "even"}, &Func{Name: "odd"}
	build := func(f, other *Func, n, p int) {
		code := &Code{
			Ops: []Op{
				{Code: OpMoveP, D: uint16(p - 1), A: 0},
				{Code: OpIfEQ, A: 0, B: uint16(n - 2), To: 9, Or: 2},
				{Code: OpAddI, D: uint16(n - 1), A: 0, Imm: -1},
				{Code: OpCallOf},
				{Code: OpAddI, D: 0, A: 3, Imm: 1},
				{Code: OpLoad64, D: 1, A: uint16(p - 1)},
				{Code: OpAddI, D: 1, A: 1, Imm: 1},
				{Code: OpStore64, D: 1, A: uint16(p - 1)},
				{Code: OpMoveP, D: 0, A: 2},
				{Code: OpReturn},
			},
			Calls: []Call{{Func: other, ArgN: []uint16{uint16(n - 1)}, ArgP: []uint16{uint16(p - 1)}, ResN: []uint16{3}, ResP: []uint16{2}}},
			NN:    n, NP: p, ConstN: []uint64{0}, AtConstN: n - 2,
		}
		verify(t, code)
		f.Code.Store(code)
	}
	build(even, odd, 7, 5)
	build(odd, even, 40, 30)
	return even
}

// TestDeepCalls: calls continue in other chunks and return from them; the pointer registers are nil
// afterward.
func TestDeepCalls(t *testing.T) {
	f := chain(t)
	for _, depth := range []uint64{0, 1, 13, 14, 20, 100, 1000, 50_000, 30, 50_000} {
		m := Get(noSite(t))
		a := m.Push(f, f.Code.Load(), nil)
		counter := new(uint64)
		a.N[0], a.P[0] = depth, unsafe.Pointer(counter)
		m.Run()
		if a := m.Top(); a.N[0] != depth || a.P[0] != unsafe.Pointer(counter) || *counter != depth {
			t.Errorf("%d calls: %d, counted %d, pointer %v", depth, a.N[0], *counter, a.P[0] == unsafe.Pointer(counter))
		}
		m.Pop()
		checkCleared(t, m)
		m.Put()
	}
}

func checkCleared(t *testing.T, m *Machine) {
	t.Helper()
	for at, c := range m.chunks {
		for i, p := range c.p {
			if p != nil {
				t.Fatalf("pointer %d of chunk %d is not nil", i, at)
			}
		}
	}
}

// fewChunks lowers the bound on the registers of a machine for the test.
func fewChunks(t testing.TB, most int16) {
	before := MostChunks
	t.Cleanup(func() { MostChunks = before })
	MostChunks = most
}

// TestFull: a call for which the machine has no room runs the site. Calls that have been forgotten leave no pointers.
func TestFull(t *testing.T) {
	fewChunks(t, 50)
	f := chain(t)
	sites := 0
	h := site(func(m *Machine, at int32) {
		sites++
		if !m.Full || len(m.Stack) < 50_000 {
			t.Errorf("a site at depth %d, full: %v", len(m.Stack), m.Full)
		}
		m.Forget(100, len(m.Stack)-100)
		panic("full")
	})
	m := Get(h)
	a := m.Push(f, f.Code.Load(), nil)
	a.N[0], a.P[0] = 1<<40, unsafe.Pointer(new(uint64))
	func() {
		defer func() { recover() }()
		m.Run()
	}()
	if sites != 1 || len(m.Stack) != 200 {
		t.Errorf("%d sites, %d calls are left", sites, len(m.Stack))
	}
	m.Unwind(0)
	m.Pop()
	checkCleared(t, m)
}

// TestManyLeaves: a call passes registers of both files in a different order to a callee that is larger than
// a chunk and has many more registers than arguments.
func TestManyLeaves(t *testing.T) {
	large := function(t, "large", &Code{
		Ops: []Op{
			{Code: OpSub, D: 60000, A: 0, B: 1},
			{Code: OpMoveP, D: 50000, A: 1},
			{Code: OpMoveP, D: 1, A: 0},
			{Code: OpMoveP, D: 0, A: 50000},
			{Code: OpMove, D: 0, A: 60000},
			{Code: OpMove, D: 1, A: 2},
			{Code: OpReturn},
		}, NN: 60001, NP: 50001})
	k := Call{Func: large, ArgN: []uint16{5, 3, 0}, ArgP: []uint16{2, 0}, ResN: []uint16{0, 5}, ResP: []uint16{0, 1}}
	f := function(t, "f", &Code{Ops: []Op{{Code: OpCallOf}, {Code: OpReturn}}, Calls: []Call{k}, NN: 6, NP: 3})
	verify(t, f.Code.Load())
	verify(t, large.Code.Load())
	m := Get(noSite(t))
	x, y := unsafe.Pointer(new(int)), unsafe.Pointer(new(int))
	a := m.Push(f, f.Code.Load(), nil)
	copy(a.N[:], []uint64{10, 0, 0, 30, 0, 50})
	copy(a.P[:], []unsafe.Pointer{x, nil, y})
	m.Run()
	if a.N[0] != 20 || a.N[5] != 10 || a.P[0] != x || a.P[1] != y {
		t.Errorf("%v %v", a.N[:6:6], a.P[:3:3])
	}
	m.Pop()
	checkCleared(t, m)
	m.Put()
}

// TestCodeComesLater: a call of a function without code runs the site, until the function has code.
func TestCodeComesLater(t *testing.T) {
	late := &Func{Name: "late"}
	code := &Code{Ops: []Op{{Code: OpAddI, A: 0, Imm: 1}, {Code: OpReturn}}, NN: 1}
	f := function(t, "f", &Code{
		Ops: []Op{{Code: OpCallOf, To: 4}, {Code: OpCallOf, To: 5}, {Code: OpReturn}}, NN: 2,
		Calls: []Call{{Func: late, ArgN: []uint16{0}, ResN: []uint16{0}}},
	})
	verify(t, f.Code.Load())
	h := site(func(m *Machine, at int32) {
		if at != 4 || m.Top().Func != f {
			t.Errorf("site %d of %s", at, m.Top().Func.Name)
		}
		m.Top().N[0] = 100
		late.Code.Store(code)
	})
	if got, _ := call(h, f, []uint64{1}); got != 101 {
		t.Errorf("%d", got)
	}
}

// TestSite: the host executes a site with the call's frame, and returns results.
func TestSite(t *testing.T) {
	frame := unsafe.Pointer(new([10]int))
	f := function(t, "f", &Code{
		Ops: []Op{
			{Code: OpDiv, D: 0, A: 0, B: 1, To: 3},
			{Code: OpDo, To: 9},
			{Code: OpHelp, Or: 0, To: 10},
			{Code: OpHelp, Or: 1, To: 11},
			{Code: OpReturn},
		}, NN: 2, NP: 1,
		Helpers: []Helper{func(n *N, p *P) bool { n[0] *= 2; return true }, func(n *N, p *P) bool { return false }},
	})
	verify(t, f.Code.Load())
	var seen []int32
	h := site(func(m *Machine, at int32) {
		a := m.Top()
		if a.Frame != frame {
			t.Error("another frame")
		}
		if seen = append(seen, at); at == 3 {
			a.N[0] = 40
		} else {
			a.N[0]++
		}
		want := map[int32]int32{3: 1, 9: 2, 11: 4}
		if a.PC != want[at] {
			t.Errorf("site %d: goes on at %d", at, a.PC)
		}
	})
	m := Get(h)
	a := m.Push(f, f.Code.Load(), frame)
	a.N[0], a.N[1] = 7, 0
	m.Run()
	if a.N[0] != (40+1)*2+1 || len(seen) != 3 {
		t.Errorf("%d, sites %v", a.N[0], seen)
	}
	m.Pop()
	m.Put()
}

// TestInnerFrame: frames that the host makes at a site, for the site's call and for outer calls, are released
// when the calls end.
func TestInnerFrame(t *testing.T) {
	inner := function(t, "inner", &Code{Ops: []Op{{Code: OpDo}, {Code: OpReturn}}, NN: 1, NP: 1})
	middle := function(t, "middle", &Code{Ops: []Op{{Code: OpCallOf}, {Code: OpReturn}}, NN: 1, NP: 1, Calls: []Call{{Func: inner}}})
	f := function(t, "f", &Code{Ops: []Op{{Code: OpCallOf}, {Code: OpCallOf}, {Code: OpReturn}}, NN: 1, NP: 1, Calls: []Call{{Func: middle}}})
	h := &frames{t: t}
	call(h, f, nil)
	if h.made != 4 || h.left != 4 {
		t.Errorf("%d frames made, %d left", h.made, h.left)
	}
}

// frames is a host with sites that make frames for the active calls.
type frames struct {
	t          *testing.T
	made, left int
}

func (h *frames) Do(m *Machine, at int32) {
	for i := range m.Stack[1:] {
		a := &m.Stack[i+1]
		if a.Frame != nil {
			h.t.Error("the frame of the call before")
		}
		a.Frame = unsafe.Pointer(new(int))
		h.made++
	}
}

func (h *frames) Left(a *Activation) { h.left++ }

// TestPanics: a panic unwinds through machines that called each other, and later calls work.
func TestPanics(t *testing.T) {
	f := chain(t)
	var deeper func(level int)
	deeper = func(level int) {
		h := site(func(m *Machine, at int32) {
			if level == 3 {
				panic("at the end")
			}
			deeper(level + 1)
		})
		bad := function(t, "bad", &Code{Ops: []Op{{Code: OpDo}, {Code: OpReturn}}, NN: 1, NP: 1})
		over := function(t, "over", &Code{Ops: []Op{{Code: OpCallOf}, {Code: OpReturn}}, NN: 1, NP: 1, Calls: []Call{{Func: bad}}})
		call(h, over, nil)
	}
	for range 10 {
		func() {
			defer func() {
				if x := recover(); x != "at the end" {
					t.Errorf("recovered %v", x)
				}
			}()
			deeper(0)
		}()
		if got, _ := call(noSite(t), f, []uint64{500}, unsafe.Pointer(new(uint64))); got != 500 {
			t.Errorf("%d", got)
		}
	}
}

func TestMisuse(t *testing.T) {
	f := fib(t)
	refused := func(what string, do func(m *Machine)) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s is not refused", what)
			}
		}()
		do(Get(noSite(t)))
	}
	refused("a second Push", func(m *Machine) { m.Push(f, f.Code.Load(), nil); m.Push(f, f.Code.Load(), nil) })
	refused("Put within a call", func(m *Machine) { m.Push(f, f.Code.Load(), nil); m.Put() })
	refused("Pop without a call", func(m *Machine) { m.Pop() })
	bad := function(t, "bad", &Code{Ops: []Op{{Code: OpDo}, {Code: OpReturn}}})
	refused("a site that leaves calls", func(m *Machine) {
		m.Host = site(func(m *Machine, at int32) { m.enter(f, f.Code.Load()) })
		m.Push(bad, bad.Code.Load(), nil)
		m.Run()
	})
}

// TestCollector: pointers that are only in registers keep their targets alive while the garbage collector
// runs continuously.
func TestCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	type node struct {
		next *node
		v    uint64
	}
	// f makes a list of n0 nodes with a helper and calls itself with the list; then it sums the values.
	f := &Func{Name: "list"}
	code := &Code{
		Ops: []Op{
			{Code: OpHelp},
			{Code: OpIfEQ, A: 0, B: 2, To: 6, Or: 2},
			{Code: OpAddI, D: 0, A: 0, Imm: -1},
			{Code: OpCallOf},
			{Code: OpMoveP, D: 0, A: 1},
			{Code: OpReturn},
			{Code: OpMoveP, D: 1, A: 0},
			{Code: OpNil, D: 3, A: 1},
			{Code: OpIf, A: 3, To: 13, Or: 9},
			{Code: OpLoad64, D: 3, A: 1, Imm: int32(unsafe.Offsetof(node{}.v))},
			{Code: OpAdd, D: 0, A: 0, B: 3},
			{Code: OpLoadP, D: 1, A: 1},
			{Code: OpJump, To: 7},
			{Code: OpReturn},
		},
		Calls: []Call{{Func: f, ArgN: []uint16{0}, ArgP: []uint16{0}, ResN: []uint16{0}, ResP: []uint16{1}}},
		Helpers: []Helper{func(n *N, p *P) bool {
			p[0] = unsafe.Pointer(&node{(*node)(p[0]), n[0]})
			_ = make([]byte, 100)
			return true
		}},
		NN: 4, NP: 2, ConstN: []uint64{0}, AtConstN: 2,
	}
	verify(t, code)
	f.Code.Store(code)
	for range 20 {
		m := Get(noSite(t))
		m.Push(f, code, nil).N[0] = 500
		m.Run()
		runtime.GC()
		got, count := m.Top().N[0], 0
		for x := (*node)(m.Top().P[0]); x != nil; x = x.next {
			if count++; x.v > 500 {
				t.Fatalf("a node with %d", x.v)
			}
		}
		if got != 500*501/2 || count != 501 {
			t.Errorf("sum %d of %d nodes", got, count)
		}
		m.Pop()
		checkCleared(t, m)
		m.Put()
	}
}

// TestTouched: registers that only a site or a helper sets are cleared too.
func TestTouched(t *testing.T) {
	helper := func(n *N, p *P) bool { p[5] = unsafe.Pointer(n); return true }
	helped := function(t, "helped", &Code{Ops: []Op{{Code: OpHelp}, {Code: OpReturn}}, NN: 1, NP: 7, Helpers: []Helper{helper}})
	sited := function(t, "sited", &Code{Ops: []Op{{Code: OpDo}, {Code: OpReturn}}, NN: 1, NP: 7})
	f := function(t, "f", &Code{Ops: []Op{{Code: OpCallOf}, {Code: OpCallOf, Or: 1}, {Code: OpReturn}}, NN: 1, NP: 1, Calls: []Call{{Func: helped}, {Func: sited}}})
	verify(t, f.Code.Load())
	m := Get(site(func(m *Machine, at int32) { m.Top().P[6] = unsafe.Pointer(m) }))
	m.Push(f, f.Code.Load(), nil)
	m.Run()
	m.Pop()
	checkCleared(t, m)
	m.Put()
}

func TestNoAllocations(t *testing.T) {
	f := function(t, "f", &Code{
		Ops:   []Op{{Code: OpDo}, {Code: OpCallOf}, {Code: OpReturn}},
		Calls: []Call{{Func: fib(t), ArgN: []uint16{0}, ResN: []uint16{0}}}, NN: 1, NP: 1,
	})
	m := Get(site(func(m *Machine, at int32) {}))
	n := testing.AllocsPerRun(100, func() {
		m.Push(f, f.Code.Load(), nil).N[0] = 10
		m.Run()
		m.Pop()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
