package regcode

import (
	"strings"
	"testing"
	"unsafe"
)

// adder returns a function for closures. Its parameters are the number n0 and a pointer; the captured values
// are the numbers n1 and n2 and a pointer. The function returns n0 + n1*10 + n2*100 and both pointers, the
// captured pointer first.
func adder(t testing.TB) *Func {
	code := &Code{
		Ops: []Op{
			{Code: OpMul, D: 1, A: 1, B: 3},
			{Code: OpMul, D: 2, A: 2, B: 4},
			{Code: OpAdd, D: 0, A: 0, B: 1},
			{Code: OpAdd, D: 0, A: 0, B: 2},
			{Code: OpMoveP, D: 2, A: 0},
			{Code: OpMoveP, D: 0, A: 1},
			{Code: OpMoveP, D: 1, A: 2},
			{Code: OpReturn},
		},
		NN: 5, NP: 3, ConstN: []uint64{10, 100}, AtConstN: 3, ParamsP: 2,
	}
	verify(t, code)
	return function(t, "adder", code)
}

// callsTwice returns a function that executes op, which makes the call k, twice. The function returns the
// result of the second call.
func callsTwice(t testing.TB, op Op, k Call) *Func {
	second := op
	second.To++
	code := &Code{Ops: []Op{op, second, {Code: OpReturn}}, Calls: []Call{k}, NN: 6, NP: 6}
	verify(t, code)
	return function(t, "caller", code)
}

func TestCallFunc(t *testing.T) {
	x, y := unsafe.Pointer(new(int)), unsafe.Pointer(new(int))
	value, other := unsafe.Pointer(new(int)), unsafe.Pointer(new(int))
	c := &Closure{Func: adder(t), N: []uint64{2, 3}, P: []unsafe.Pointer{x}}
	find := func(fn unsafe.Pointer) *Closure {
		if fn == value {
			return c
		}
		return nil
	}
	f := callsTwice(t, Op{Code: OpCallFunc, A: 3, To: 5}, Call{Closure: find, ArgN: []uint16{4}, ArgP: []uint16{5}, ResN: []uint16{0}, ResP: []uint16{0, 1}})
	m := Get(noSite(t))
	a := m.Push(f, f.Code.Load(), nil)
	a.N[4], a.P[3], a.P[5] = 1, value, y
	m.Run()
	if a := m.Top(); a.N[0] != 321 || a.P[0] != x || a.P[1] != y {
		t.Errorf("%d, %v, %v", a.N[0], a.P[0] == x, a.P[1] == y)
	}
	m.Pop()
	checkCleared(t, m)
	m.Put()

	var sites []int32
	h := site(func(m *Machine, at int32) { sites = append(sites, at); m.Top().N[0] = 7 })
	if n, _ := call(h, f, nil, nil, nil, nil, other); n != 7 || len(sites) != 2 || sites[0] != 5 || sites[1] != 6 {
		t.Errorf("another func value: %d, sites %v", n, sites)
	}
	c.Func = &Func{Name: "without code"}
	sites = nil
	if n, _ := call(h, f, nil, nil, nil, nil, value); n != 7 || len(sites) != 2 {
		t.Errorf("no code: %d, sites %v", n, sites)
	}
}

// TestCallMethod: a method call finds the function by the type word. A receiver that is not the data word
// itself is loaded from the address in the data word.
func TestCallMethod(t *testing.T) {
	types := make([]uint64, 8)
	word := func(i int) unsafe.Pointer { return unsafe.Pointer(&types[i]) }
	load := func(from unsafe.Pointer, n *N, p *P) {
		v := (*[3]uint64)(from)
		n[0], n[1], p[0] = v[0], v[1], word(7)
	}
	asked := map[unsafe.Pointer]int{}
	direct := function(t, "direct", &Code{Ops: []Op{{Code: OpLoad64, D: 0, A: 0}, {Code: OpReturn}}, NN: 1, NP: 1, ParamsP: 1})
	loaded := adder(t)
	find := func(word unsafe.Pointer) *Method {
		asked[word]++
		switch i := (uintptr(word) - uintptr(unsafe.Pointer(&types[0]))) / 8; {
		case i == 6:
			return nil
		case i%2 == 0:
			return &Method{Type: word, Func: direct, NP: 1}
		}
		return &Method{Type: word, Func: loaded, Load: load, NN: 2, NP: 1}
	}
	f := callsTwice(t, Op{Code: OpCallMethod, A: 2, B: 3, To: 1}, Call{Methods: &Methods{Find: find}, ArgN: []uint16{4}, ArgP: []uint16{5}, ResN: []uint16{0}, ResP: []uint16{0}})
	value := &[3]uint64{4, 5, 6}
	for round := range 3 {
		for i := range 6 {
			m := Get(noSite(t))
			a := m.Push(f, f.Code.Load(), nil)
			a.N[4], a.P[2], a.P[3] = 9, word(i), unsafe.Pointer(value)
			m.Run()
			want := uint64(4)
			if i%2 == 1 {
				want = 4 + 50 + 900
			}
			if got := m.Top().N[0]; got != want {
				t.Errorf("round %d, type %d: %d, want %d", round, i, got, want)
			}
			m.Pop()
			checkCleared(t, m)
			m.Put()
		}
	}
	for i := range 3 {
		if asked[word(i)] != 1 {
			t.Errorf("type %d was looked for %d times", i, asked[word(i)])
		}
	}
	sites := 0
	h := site(func(m *Machine, at int32) { sites++ })
	call(h, f, nil, nil, nil, word(6), unsafe.Pointer(value))
	call(h, f, nil, nil, nil, nil, nil)
	if sites != 4 {
		t.Errorf("%d sites", sites)
	}
}

func TestVerifyDynamicCalls(t *testing.T) {
	find := func(unsafe.Pointer) *Closure { return nil }
	for _, c := range []struct {
		op   Opcode
		call Call
		ok   bool
	}{
		{OpCallFunc, Call{Closure: find}, true},
		{OpCallMethod, Call{Methods: &Methods{}}, true},
		{OpCallFunc, Call{Func: &Func{}}, false},
		{OpCallMethod, Call{Closure: find}, false},
		{OpCallOf, Call{Closure: find}, false},
		{OpCallOf, Call{Func: &Func{}, Closure: find}, false},
	} {
		err := (&Code{Ops: []Op{{Code: c.op}, {Code: OpReturn}}, Calls: []Call{c.call}, NN: 1, NP: 1}).Verify()
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "no function") {
			t.Errorf("%v %+v: %v", c.op, c.call, err)
		}
	}
}
