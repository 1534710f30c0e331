package wasm_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"overcomplete/internal/wasm"
)

// start encodes a module and starts it in wazero.
func start(t *testing.T, m *wasm.Module) api.Module {
	t.Helper()
	code, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { r.Close(ctx) })
	mod, err := r.Instantiate(ctx, code)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func call(t *testing.T, m api.Module, name string, args ...uint64) []uint64 {
	t.Helper()
	r, err := m.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestControl tests loops, ifs, locals, a call and a memory. It computes Σ i² over the even i below n, with
// intermediate results in memory.
func TestControl(t *testing.T) {
	m := wasm.New()
	m.Memory(1, 0)
	m.ExportMemory("mem")
	square := m.Func("square", []wasm.Type{wasm.I32}, []wasm.Type{wasm.I32})
	square.Return(wasm.I32.Mul(square.Param(0), square.Param(0)))
	f := m.Func("sum", []wasm.Type{wasm.I32}, []wasm.Type{wasm.I32})
	i, s := f.Local(wasm.I32), f.Local(wasm.I32)
	f.For(i, wasm.Int(0), f.Param(0), 1, func() {
		f.If(wasm.I32.Eqz(wasm.I32.And(i, wasm.Int(1))), func() {
			f.Set(s, wasm.I32.Add(s, wasm.Call(square, i)))
		}, func() {
			f.StoreOp("i32.store8", i, 100, wasm.Int(7))
		})
	})
	f.Return(s)
	f.Export("sum")
	mod := start(t, m)
	if got := call(t, mod, "sum", 10)[0]; got != 0+4+16+36+64 {
		t.Errorf("sum %d", got)
	}
	if b, _ := mod.Memory().Read(100, 4); string(b) != "\x00\x07\x00\x07" {
		t.Errorf("memory %q", b)
	}
	if got := call(t, mod, "sum", 0)[0]; got != 0 {
		t.Errorf("sum of none %d", got)
	}
}

// TestBranches tests blocks, branches, a loop and a select.
func TestBranches(t *testing.T) {
	m := wasm.New()
	f := m.Func("which", []wasm.Type{wasm.I32}, []wasm.Type{wasm.I64})
	s := f.Let(wasm.Int64(-5))
	f.Block(func(all *wasm.Label) {
		f.Block(func(odd *wasm.Label) {
			f.BrIf(odd, wasm.I32.And(f.Param(0), wasm.Int(1)))
			f.Set(s, wasm.I64.Add(s, wasm.Int64(2)))
			f.Br(all)
		})
		f.Set(s, wasm.I64.Add(s, wasm.Int64(20)))
	})
	f.Loop(func(again *wasm.Label) {
		f.Set(s, wasm.I64.Add(s, wasm.Int64(1)))
		f.BrIf(again, wasm.I64.Lt(s, wasm.Int64(0)))
	})
	f.Return(wasm.Select(wasm.I32.Gt(f.Param(0), wasm.Int(100)), wasm.Int64(math.MinInt64), s))
	f.Export("which")
	mod := start(t, m)
	for _, c := range [][2]int64{{0, 0}, {2, 0}, {3, 16}, {101, math.MinInt64}} {
		if got := int64(call(t, mod, "which", uint64(c[0]))[0]); got != c[1] {
			t.Errorf("which(%d) = %d, want %d", c[0], got, c[1])
		}
	}
}

// TestVectors tests lanes, shuffles, constants, comparisons, and all kinds of loads and stores.
func TestVectors(t *testing.T) {
	m := wasm.New()
	m.Memory(1, 1)
	m.ExportMemory("mem")
	f := m.Func("f", nil, []wasm.Type{wasm.F64})
	f.Store(wasm.F64, wasm.Int(0), 0, wasm.Float64(3))
	f.Store(wasm.F64, wasm.Int(8), 0, wasm.Float64(-4))
	x := f.Let(wasm.F64x2.Load(wasm.Int(0), 0))
	f.Store(wasm.F64x2, wasm.Int(16), 0, wasm.F64x2.Shuffle(x, wasm.F64x2.Const(0.5), 1, 2))
	f.Store(wasm.V128, wasm.Int(0), 32, wasm.F64x2.Choose(wasm.F64x2.Lt(x, wasm.F64x2.Const(0)), wasm.F64x2.Neg(x), x))
	f.StoreLane(wasm.F64x2, wasm.Int(48), 0, x, 1)
	f.Store(wasm.V128, wasm.Int(80), 0, wasm.F64x2.LoadLane(wasm.Int(0), 8, wasm.F64x2.LoadSplat(wasm.Int(0), 0), 0))
	f.CopyMemory(wasm.Int(100), wasm.Int(0), wasm.Int(8))
	f.Return(wasm.F64x2.Extract(wasm.F64x2.Sqrt(wasm.F64x2.Abs(x)), 1))
	f.Export("f")
	mod := start(t, m)
	if got := math.Float64frombits(call(t, mod, "f")[0]); got != 2 {
		t.Errorf("f = %v", got)
	}
	mem := mod.Memory()
	for at, want := range map[uint32]float64{16: -4, 24: 0.5, 32: 3, 40: 4, 48: -4, 80: -4, 88: 3, 100: 3} {
		if got, _ := mem.ReadFloat64Le(at); got != want {
			t.Errorf("at %d: %v, want %v", at, got, want)
		}
	}
}

// The tables' instructions have the right encodings. Each instruction is used in a module that wazero
// validates. For some instructions with codes at the ends of the tables' rows, results are compared too.
func TestInstructions(t *testing.T) {
	zero := func(typ wasm.Type) wasm.Value {
		if typ == wasm.V128 {
			return wasm.I32x4.Const(0)
		}
		return typ.Const(0)
	}
	m := wasm.New()
	m.Memory(1, 0)
	n := 0
	for name, params := range wasm.Instructions() {
		f := m.Func(name, nil, nil)
		var operands []wasm.Value
		for _, p := range params {
			operands = append(operands, zero(p))
		}
		f.Drop(wasm.Op(name, operands...))
		n++
	}
	for name, store := range wasm.Accesses() {
		f := m.Func(name, nil, nil)
		if store == wasm.None {
			f.Drop(wasm.LoadOp(name, wasm.Int(0), 1000))
		} else {
			f.StoreOp(name, wasm.Int(0), 5, zero(store))
		}
	}
	for i, typ := range []wasm.Type{wasm.I8x16, wasm.I16x8, wasm.I32x4, wasm.I64x2, wasm.F32x4, wasm.F64x2} {
		f := m.Func(typ.String(), nil, nil)
		v := wasm.Vector([16]byte{byte(i)})
		f.Drop(typ.Extract(v, typ.Lanes()-1))
		f.StoreLane(typ, wasm.Int(0), 0, typ.LoadLane(wasm.Int(0), 0, v, 1), typ.Lanes()-1)
		f.Drop(typ.LoadSplat(wasm.Int(0), 0))
	}
	if n < 330 {
		t.Errorf("%d instructions", n)
	}
	start(t, m)
}

// The instructions do what their names say: if two groups had swapped codes, modules would be valid but
// wrong.
func TestMeaning(t *testing.T) {
	m := wasm.New()
	cases := map[string]struct {
		v    wasm.Value
		want uint64
	}{
		"i32.rotr":                {wasm.Op("i32.rotr", wasm.Int(1), wasm.Int(1)), 1 << 31},
		"i64.ge_u":                {wasm.I64.GeU(wasm.Int64(-1), wasm.Int64(1)), 1},
		"f64.copysign":            {wasm.Op("f64.copysign", wasm.Float64(2), wasm.Float64(-0.5)), math.Float64bits(-2)},
		"i64.extend32_s":          {wasm.Op("i64.extend32_s", wasm.Int64(1<<31)), 0xffffffff80000000},
		"i64.trunc_sat_f64_u":     {wasm.Op("i64.trunc_sat_f64_u", wasm.Float64(-1)), 0},
		"f64.convert_i64_u":       {wasm.Op("f64.convert_i64_u", wasm.Int64(-1)), math.Float64bits(1 << 64)},
		"i8x16.avgr_u":            {wasm.I8x16.Extract(wasm.Op("i8x16.avgr_u", wasm.I8x16.Const(3), wasm.I8x16.Const(4)), 9), 4},
		"i16x8.extmul_high_u":     {wasm.I16x8.Extract(wasm.Op("i16x8.extmul_high_i8x16_u", wasm.I8x16.Const(200), wasm.I8x16.Const(200)), 7), 40000},
		"i32x4.dot_i16x8_s":       {wasm.I32x4.Extract(wasm.Op("i32x4.dot_i16x8_s", wasm.I16x8.Const(3), wasm.I16x8.Const(-5)), 2), uint64(math.MaxUint32 - 29)},
		"i32x4.max_u":             {wasm.I32x4.Extract(wasm.Op("i32x4.max_u", wasm.I32x4.Const(1), wasm.I32x4.Const(-1)), 0), math.MaxUint32},
		"i64x2.ge_s":              {wasm.I64x2.Extract(wasm.I64x2.Ge(wasm.I64x2.Const(-1), wasm.I64x2.Const(1)), 1), 0},
		"i64x2.shr_s":             {wasm.I64x2.Extract(wasm.I64x2.ShrS(wasm.I64x2.Const(-8), wasm.Int(1)), 1), 0xfffffffffffffffc},
		"f32x4.pmax":              {wasm.F32x4.Extract(wasm.F32x4.PMax(wasm.F32x4.Const(1), wasm.F32x4.Const(math.NaN())), 3), uint64(math.Float32bits(1))},
		"f64x2.pmin":              {wasm.F64x2.Extract(wasm.F64x2.PMin(wasm.F64x2.Const(2), wasm.F64x2.Const(1)), 1), math.Float64bits(1)},
		"f64x2.sqrt":              {wasm.F64x2.Extract(wasm.F64x2.Sqrt(wasm.F64x2.Const(4)), 1), math.Float64bits(2)},
		"f64x2.nearest":           {wasm.F64x2.Extract(wasm.Op("f64x2.nearest", wasm.F64x2.Const(2.5)), 1), math.Float64bits(2)},
		"f64x2.convert_low_u":     {wasm.F64x2.Extract(wasm.Op("f64x2.convert_low_i32x4_u", wasm.I32x4.Const(-1)), 1), math.Float64bits(math.MaxUint32)},
		"v128.andnot":             {wasm.I32x4.Extract(wasm.V128.AndNot(wasm.I32x4.Const(6), wasm.I32x4.Const(2)), 0), 4},
		"i8x16.swizzle":           {wasm.I8x16.Extract(wasm.Op("i8x16.swizzle", wasm.I8x16.Const(9), wasm.I8x16.Const(16)), 0), 0},
		"f32x4.demote":            {wasm.F32x4.Extract(wasm.Op("f32x4.demote_f64x2_zero", wasm.F64x2.Const(1.5)), 1), uint64(math.Float32bits(1.5))},
		"i16x8.q15mulr_sat_s":     {wasm.I16x8.Extract(wasm.Op("i16x8.q15mulr_sat_s", wasm.I16x8.Const(-32768), wasm.I16x8.Const(-32768)), 0), 32767},
		"i32x4.extadd_pairwise":   {wasm.I32x4.Extract(wasm.Op("i32x4.extadd_pairwise_i16x8_s", wasm.I16x8.Const(-3)), 0), math.MaxUint32 - 5},
		"i32x4.trunc_sat_f64x2":   {wasm.I32x4.Extract(wasm.Op("i32x4.trunc_sat_f64x2_s_zero", wasm.F64x2.Const(-7.9)), 1), math.MaxUint32 - 6},
		"f32x4.convert_i32x4_s":   {wasm.F32x4.Extract(wasm.Op("f32x4.convert_i32x4_s", wasm.I32x4.Const(-2)), 1), uint64(math.Float32bits(-2))},
		"i16x8.bitmask":           {wasm.I16x8.Bitmask(wasm.I16x8.Lt(wasm.I16x8.Const(-1), wasm.I16x8.Const(0))), 255},
		"i64x2.all_true":          {wasm.Op("i64x2.all_true", wasm.I64x2.Const(1)), 1},
		"i8x16.narrow_i16x8_u":    {wasm.I8x16.Extract(wasm.Op("i8x16.narrow_i16x8_u", wasm.I16x8.Const(-1), wasm.I16x8.Const(300)), 15), 255},
		"i64x2.extend_high_u":     {wasm.I64x2.Extract(wasm.Op("i64x2.extend_high_i32x4_u", wasm.I32x4.Const(-1)), 0), math.MaxUint32},
		"f32.nearest":             {wasm.Op("f32.nearest", wasm.F32.Const(-1.5)), uint64(math.Float32bits(-2))},
		"i32.reinterpret_f32":     {wasm.Op("i32.reinterpret_f32", wasm.F32.Const(1)), 0x3f800000},
		"i64.trunc_f32_s":         {wasm.Op("i64.trunc_f32_s", wasm.F32.Const(-9)), math.MaxUint64 - 8},
		"a large negative number": {wasm.Int64(math.MinInt64 + 1), 1<<63 + 1},
		"an unsigned number":      {wasm.Int(0xfffffff0), 0xfffffff0},
	}
	for name, c := range cases {
		f := m.Func(name, nil, []wasm.Type{wasm.TypeOf(c.v)})
		f.Return(c.v)
		f.Export(name)
	}
	mod := start(t, m)
	for name, c := range cases {
		if got := call(t, mod, name)[0]; got != c.want {
			t.Errorf("%s: %#x, want %#x", name, got, c.want)
		}
	}
}

// A function may return several results.
func TestResults(t *testing.T) {
	m := wasm.New()
	both := m.Func("both", []wasm.Type{wasm.I64, wasm.I64}, []wasm.Type{wasm.I64, wasm.F64})
	both.Return(wasm.I64.Sub(both.Param(0), both.Param(1)), wasm.Float64(0.5))
	f := m.Func("f", nil, []wasm.Type{wasm.F64})
	x, y := f.Local(wasm.I64), f.Local(wasm.F64)
	f.CallInto([]wasm.Local{x, y}, both, wasm.Int64(7), wasm.Int64(3))
	f.Return(wasm.F64.Add(wasm.Op("f64.convert_i64_s", x), y))
	f.Export("f")
	if got := math.Float64frombits(call(t, start(t, m), "f")[0]); got != 4.5 {
		t.Errorf("f = %v, want 4.5", got)
	}
}

// Each mistake is found and reported with its location.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		want string
		make func(m *wasm.Module, f *wasm.Func)
	}{
		{"f64x2.add: operand 2 is an i32, not a v128", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.F64x2.Add(wasm.F64x2.Const(1), wasm.Int(1))) }},
		{"i64x2.min_s: there is no such instruction", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.I64x2.Min(wasm.I64x2.Const(1), wasm.I64x2.Const(1))) }},
		{"i32.add: 1 operands, want 2", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.Op("i32.add", wasm.Int(1))) }},
		{"operand 1 is nil", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.I32.Add(nil, wasm.Int(1))) }},
		{"local.set: operand 1 is an f64, not an i32", func(m *wasm.Module, f *wasm.Func) { f.Set(f.Param(0), wasm.Float64(1)) }},
		{"a local of another function", func(m *wasm.Module, f *wasm.Func) { g := m.Func("g", nil, nil); g.Set(f.Param(0), wasm.Int(1)) }},
		{"function g: drop: a local of function f", func(m *wasm.Module, f *wasm.Func) { g := m.Func("g", nil, nil); g.Drop(f.Param(0)) }},
		{"operand 2 has a local of function g, another one of f", func(m *wasm.Module, f *wasm.Func) {
			g := m.Func("g", nil, nil)
			f.Drop(wasm.I32.Add(f.Param(0), g.Local(wasm.I32)))
		}},
		{"parameter 3 of 1", func(m *wasm.Module, f *wasm.Func) { f.Param(3) }},
		{"br: the label's block is not open here", func(m *wasm.Module, f *wasm.Func) {
			var l *wasm.Label
			f.Block(func(out *wasm.Label) { l = out })
			f.Br(l)
		}},
		{"return: 0 operands, want 1", func(m *wasm.Module, f *wasm.Func) { f.Return() }},
		{"call of h: operand 1 is an i32, not an f32", func(m *wasm.Module, f *wasm.Func) {
			h := m.Func("h", []wasm.Type{wasm.F32}, nil)
			f.Call(h, wasm.Int(0))
		}},
		{"call of h: 1 variables for 2 results", func(m *wasm.Module, f *wasm.Func) {
			h := m.Func("h", nil, []wasm.Type{wasm.I32, wasm.I32})
			f.CallInto([]wasm.Local{f.Param(0)}, h)
		}},
		{"call of h: variable 1 cannot take its result", func(m *wasm.Module, f *wasm.Func) {
			f.CallInto([]wasm.Local{f.Param(0)}, m.Func("h", nil, []wasm.Type{wasm.F64}))
		}},
		{"it has 0 results", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.Call(m.Func("h", nil, nil))) }},
		{"f64x2.extract_lane: lane 2 of 2", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.F64x2.Extract(wasm.F64x2.Const(0), 2)) }},
		{"f32x4 shuffle: lane 8", func(m *wasm.Module, f *wasm.Func) {
			f.Drop(wasm.F32x4.Shuffle(wasm.F32x4.Const(0), wasm.F32x4.Const(0), 0, 1, 2, 8))
		}},
		{"v128.const: it has no lanes", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.V128.Const(0)) }},
		{"i32.const: 1.5 is not an integer", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.I32.Const(1.5)) }},
		{"i32.const: 4294967296 has more than 32 bits", func(m *wasm.Module, f *wasm.Func) { f.Drop(wasm.Int(1 << 32)) }},
		{"offset -1 is negative", func(m *wasm.Module, f *wasm.Func) { f.Store(wasm.I32, wasm.Int(0), -1, wasm.Int(0)) }},
		{"i32.load: there is no such store", func(m *wasm.Module, f *wasm.Func) { f.StoreOp("i32.load", wasm.Int(0), 0, wasm.Int(0)) }},
		{"call_indirect: the module has no table", func(m *wasm.Module, f *wasm.Func) { f.CallTable(wasm.Int(0), nil) }},
		{"imports come first", func(m *wasm.Module, f *wasm.Func) { m.ImportFunc("env", "f", nil, nil) }},
		{"the name is taken", func(m *wasm.Module, f *wasm.Func) { f.Export("f"); f.Export("f") }},
		{"the module has one already", func(m *wasm.Module, f *wasm.Func) { m.Memory(1, 0) }},
	} {
		m := wasm.New()
		m.Memory(1, 0)
		f := m.Func("f", []wasm.Type{wasm.I32}, []wasm.Type{wasm.I32})
		c.make(m, f)
		_, err := m.Encode()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "(wasm_test.go:") {
			t.Errorf("%v, want %s and a line of this file", err, c.want)
		}
	}
}

// At most ten mistakes are kept.
func TestManyMistakes(t *testing.T) {
	m := wasm.New()
	f := m.Func("f", nil, nil)
	for range 100 {
		f.Drop(wasm.Op("none"))
	}
	if _, err := m.Encode(); strings.Count(err.Error(), "\n") != 9 {
		t.Errorf("%v", err)
	}
}
