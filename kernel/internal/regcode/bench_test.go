package regcode

import (
	"testing"
	"unsafe"
)

// stopFlag is the flag that loops of cells check in each iteration.
var stopFlag = new([8]byte)

// askedSum is like sum, but its loop checks the stop flag in each iteration, as loops of cells do.
func askedSum(t testing.TB) *Func {
	code := &Code{
		Ops: []Op{
			{Code: OpMove, D: 1, A: 4},
			{Code: OpMove, D: 2, A: 4},
			{Code: OpLoop},
			{Code: OpLoad8, D: 3, A: 0},
			{Code: OpIf, A: 3, To: 9, Or: 5},
			{Code: OpIfLT, A: 1, B: 0, To: 6, Or: 9},
			{Code: OpAdd, D: 2, A: 2, B: 1},
			{Code: OpAddI, D: 1, A: 1, Imm: 1},
			{Code: OpJump, To: 2},
			{Code: OpMove, D: 0, A: 2},
			{Code: OpReturn},
		},
		NN: 5, NP: 1, ConstN: []uint64{0}, AtConstN: 4, ConstP: []unsafe.Pointer{unsafe.Pointer(stopFlag)}, Loops: []*Loop{{At: 2}},
	}
	verify(t, code)
	return function(t, "askedSum", code)
}

// dot returns a function that computes the dot product of the slices (p0, n0) and (p1, n1).
func dot(t testing.TB) *Func {
	code := &Code{
		Ops: []Op{
			{Code: OpMove, D: 2, A: 6},
			{Code: OpMove, D: 3, A: 6},
			{Code: OpLoop},
			{Code: OpLoad8, D: 4, A: 2},
			{Code: OpIf, A: 4, To: 12, Or: 5},
			{Code: OpIfLT, A: 2, B: 0, To: 6, Or: 12},
			{Code: OpAt64, D: 4, A: 0, B: 2, C: 0},
			{Code: OpAt64, D: 5, A: 1, B: 2, C: 1},
			{Code: OpFMul, D: 4, A: 4, B: 5},
			{Code: OpFAdd, D: 3, A: 3, B: 4},
			{Code: OpAddI, D: 2, A: 2, Imm: 1},
			{Code: OpJump, To: 2},
			{Code: OpMove, D: 0, A: 3},
			{Code: OpReturn},
		},
		NN: 7, NP: 3, ConstN: []uint64{0}, AtConstN: 6, ConstP: []unsafe.Pointer{unsafe.Pointer(stopFlag)}, AtConstP: 2, Loops: []*Loop{{At: 2}},
	}
	verify(t, code)
	return function(t, "dot", code)
}

func perTurn(b *testing.B, turns int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(turns), "ns/turn")
}

func BenchmarkLoop(b *testing.B) {
	f := askedSum(b)
	for b.Loop() {
		call(noSite(b), f, []uint64{1_000_000})
	}
	perTurn(b, 1_000_000)
}

func BenchmarkDot(b *testing.B) {
	f := dot(b)
	x := make([]float64, 1000)
	for b.Loop() {
		call(noSite(b), f, []uint64{1000, 1000}, unsafe.Pointer(&x[0]), unsafe.Pointer(&x[0]))
	}
	perTurn(b, 1000)
}

func BenchmarkFib25(b *testing.B) {
	f := fib(b)
	for b.Loop() {
		call(noSite(b), f, []uint64{25})
	}
	perTurn(b, 242785)
}

func BenchmarkGoFib25(b *testing.B) {
	for b.Loop() {
		goFib(25)
	}
}

// benchmarkIn measures a loop whose body has the additional op.
func benchmarkIn(b *testing.B, op Op, h Host, callee *Func) {
	code := &Code{
		Ops: []Op{
			{Code: OpLoop},
			{Code: OpIfLT, A: 1, B: 0, To: 2, Or: 5},
			op,
			{Code: OpAddI, D: 1, A: 1, Imm: 1},
			{Code: OpJump, To: 0},
			{Code: OpReturn},
		},
		NN: 6, NP: 2, Loops: []*Loop{{At: 0}},
		Helpers: []Helper{func(n *N, p *P) bool { return true }},
		Calls:   []Call{{Func: callee, ArgN: []uint16{1, 2}, ArgP: []uint16{1}, ResN: []uint16{3}}},
		Math1:   []func(float64) float64{func(x float64) float64 { return x }},
	}
	if callee == nil {
		code.Calls = nil
	}
	verify(b, code)
	f := function(b, "loop", code)
	for b.Loop() {
		call(h, f, []uint64{1000, 0})
	}
	perTurn(b, 1000)
}

func BenchmarkIn(b *testing.B) {
	leaf := function(b, "leaf", &Code{Ops: []Op{{Code: OpAdd, A: 0, B: 1}, {Code: OpReturn}}, NN: 2, NP: 1})
	none := site(func(m *Machine, at int32) {})
	b.Run("move", func(b *testing.B) { benchmarkIn(b, Op{Code: OpMove, D: 2, A: 3}, none, nil) })
	b.Run("call", func(b *testing.B) { benchmarkIn(b, Op{Code: OpCallOf}, none, leaf) })
	b.Run("site", func(b *testing.B) { benchmarkIn(b, Op{Code: OpDo}, none, nil) })
	b.Run("helper", func(b *testing.B) { benchmarkIn(b, Op{Code: OpHelp}, none, nil) })
	b.Run("math", func(b *testing.B) { benchmarkIn(b, Op{Code: OpCall1, D: 2, A: 2}, none, nil) })
}

func BenchmarkCallFromGo(b *testing.B) {
	f := function(b, "leaf", &Code{Ops: []Op{{Code: OpAdd, A: 0, B: 1}, {Code: OpReturn}}, NN: 2, NP: 1})
	h := noSite(b)
	for b.Loop() {
		call(h, f, nil)
	}
}
