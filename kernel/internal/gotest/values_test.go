package gotest

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// samples are values of all types that can be fuzzed.
var samples = []any{
	"", "a\x00\xffé世", []byte(nil), []byte{0, 255}, true, false, 0, -1, int(math.MinInt64), int8(-128), int16(300), int32('x'), int64(math.MaxInt64),
	uint(7), uint8(255), uint16(65535), uint32(1 << 31), uint64(math.MaxUint64), float32(0.1), float32(math.Inf(1)), 0.0, 1.0, -2.5, 1e300, math.NaN(), math.Inf(-1), math.Copysign(0, -1),
}

// TestLiteral: a value's literal is Go of the value's type, and of its value where it is a constant.
func TestLiteral(t *testing.T) {
	for _, v := range samples {
		text := literal(v)
		pkg := types.NewPackage("p", "p")
		m := types.NewPackage("math", "math")
		for name, result := range map[string]types.BasicKind{"Float64frombits": types.Float64, "Float32frombits": types.Float32} {
			param := types.NewTuple(types.NewVar(token.NoPos, m, "b", types.Typ[map[types.BasicKind]types.BasicKind{types.Float64: types.Uint64, types.Float32: types.Uint32}[result]]))
			m.Scope().Insert(types.NewFunc(token.NoPos, m, name, types.NewSignatureType(nil, nil, nil, param, types.NewTuple(types.NewVar(token.NoPos, m, "", types.Typ[result])), false)))
		}
		m.MarkComplete()
		pkg.Scope().Insert(types.NewPkgName(token.NoPos, pkg, "math", m))
		tv, err := types.Eval(token.NewFileSet(), pkg, token.NoPos, text)
		if err != nil {
			t.Errorf("%v: %s: %v", v, text, err)
			continue
		}
		if got, want := types.Default(tv.Type).String(), strings.ReplaceAll(reflect.TypeOf(v).String(), "uint8", "byte"); got != want && strings.ReplaceAll(got, "uint8", "byte") != want {
			t.Errorf("%s has type %s, not %s", text, got, want)
		}
		if f, ok := v.(float64); ok && tv.Value != nil {
			if got, _ := constant.Float64Val(tv.Value); got != f {
				t.Errorf("%s is %v, not %v", text, got, f)
			}
		}
	}
}

// TestMutate: a new input has the types of the old one, which is not changed, and all kinds of change come
// about.
func TestMutate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, v := range samples {
		var before any = v
		if b, ok := v.([]byte); ok {
			before = append([]byte(nil), b...)
		}
		different := map[string]bool{}
		for range 2000 {
			got := mutate(r, []any{v})
			if len(got) != 1 || reflect.TypeOf(got[0]) != reflect.TypeOf(v) {
				t.Fatalf("%#v became %#v", v, got)
			}
			different[literal(got[0])] = true
			if n := sizeOf(got); n > longest+16 {
				t.Fatalf("%#v became %d bytes long", v, n)
			}
		}
		if want := 100; len(different) < want && reflect.TypeOf(v).Kind() != reflect.Bool {
			t.Errorf("%#v: only %d values in 2000", v, len(different))
		}
		if b, ok := v.([]byte); ok && string(before.([]byte)) != string(b) {
			t.Errorf("%v was changed to %v", before, b)
		}
	}
	if got := mutate(r, nil); len(got) != 0 {
		t.Error(got)
	}
	long := any(strings.Repeat("x", longest))
	for range 5000 {
		long = mutate(r, []any{long})[0]
		if len(long.(string)) > longest+8*longest {
			t.Fatal("a text grows without an end")
		}
	}
}

// TestMinimize: what is left still fails, is not larger, and is the smallest where the search can find it.
func TestMinimize(t *testing.T) {
	never := func() bool { return false }
	for _, c := range []struct {
		values []any
		fails  func(v []any) bool
		want   string
	}{
		{[]any{"hello, wörld z!"}, func(v []any) bool { return strings.Contains(v[0].(string), "z") }, `f.Add("z")`},
		{[]any{"aaaaaaaaaa"}, func(v []any) bool { return len(v[0].(string)) >= 3 }, `f.Add("000")`},
		{[]any{[]byte("12345"), 700}, func(v []any) bool { return v[1].(int) > len(v[0].([]byte))+10 }, `f.Add([]byte(""), 11)`},
		{[]any{-700}, func(v []any) bool { return v[0].(int) < -5 }, `f.Add(-6)`},
		{[]any{-700}, func(v []any) bool { return v[0].(int) != 0 }, `f.Add(1)`},
		{[]any{int8(-128)}, func(v []any) bool { return v[0].(int8) < 0 }, `f.Add(int8(-1))`},
		{[]any{int64(math.MinInt64)}, func(v []any) bool { return true }, `f.Add(int64(0))`},
		{[]any{uint8(200), true}, func(v []any) bool { return v[0].(uint8) > 99 && v[1].(bool) }, `f.Add(uint8(100), true)`},
		{[]any{123.456}, func(v []any) bool { return v[0].(float64) > 3 }, `f.Add(4.0)`},
		{[]any{math.NaN()}, func(v []any) bool { return true }, "f.Add(math.Float64frombits(0x7ff8000000000001))"},
		{[]any{float32(1e30)}, func(v []any) bool { return v[0].(float32) != 0 }, ""},
	} {
		got, runs := minimize(c.values, c.fails, never)
		if !c.fails(got) {
			t.Errorf("%s does not fail", add(got))
		}
		if text := add(got); c.want != "" && text != c.want {
			t.Errorf("%s became %s, not %s", add(c.values), text, c.want)
		}
		if runs > 5000 {
			t.Errorf("%s took %d runs", add(c.values), runs)
		}
	}
	stopped := 0
	minimize([]any{strings.Repeat("x", 1000)}, func([]any) bool { return true }, func() bool { stopped++; return stopped > 10 })
	if stopped > 100 {
		t.Errorf("asked %d times after the stop", stopped)
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ args, fault string }{
		{"", ""}, {"-v -run TestA|TestB/x -count 3", ""}, {"-run=A -bench . -benchtime 3x", ""}, {"-fuzz X -fuzztime 10s -fuzzminimizetime 1s -timeout 1m", ""}, {"-shuffle 7 -parallel 2", ""},
		{"-run (", "-run: error parsing"}, {"-bench a/(", "-bench: error"}, {"-fuzz [", "-fuzz: error"}, {"-count 0", "number from 1"}, {"-count x", "number from 1"}, {"-parallel -1", "number from 1"},
		{"-shuffle maybe", "on, off or a number"}, {"-benchtime 0x", "-benchtime"}, {"-benchtime fast", "-benchtime"}, {"-benchtime -1s", "-benchtime"}, {"-fuzztime 0s", "-fuzztime"}, {"TestX", "is not a flag"}, {"-exec x", "not defined"}, {"-h", "go test's"},
	} {
		_, err := Parse(strings.Fields(c.args))
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

// TestPlace: the places of package testing are replaced by those of cells.
func TestPlace(t *testing.T) {
	for _, c := range [][2]string{
		{"    value.go:586: \x00In[3]:7\x00got 1\n", "    In[3]:7: got 1\n"},
		{"    value.go:586: \x00In[3]:7\x00 first 1 2\n", "    In[3]:7: first 1 2\n"},
		{"    ???:1: \x00In[3]:7\x00 x\n", "    In[3]:7: x\n"},
		{"    value.go:586: no mark\n", "    no mark\n"},
		{"    mylib.go:12: of a compiled package\nvalue.go:3: printed\n", "    mylib.go:12: of a compiled package\nvalue.go:3: printed\n"},
		{"    x.go:1: \x00m@v1/f.go:9\x00a\n    x.go:1: \x00In[1]:2\x00b", "    m@v1/f.go:9: a\n    In[1]:2: b"},
	} {
		if got := string(place([]byte(c[0]))); got != c[1] {
			t.Errorf("%q became %q, not %q", c[0], got, c[1])
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-run A -v -bench=. -fuzztime 3x -count 2 -timeout 1s")
	f.Fuzz(func(t *testing.T, args string) {
		o, err := Parse(strings.Fields(args))
		if err != nil {
			return
		}
		o.apply(nil)() // must not panic
	})
}

func FuzzMinimize(f *testing.F) {
	f.Add("abc", 3, 2.5, uint8(9))
	f.Fuzz(func(t *testing.T, s string, n int, x float64, u uint8) {
		fails := func(v []any) bool { return len(v[0].(string))+int(v[3].(uint8)) >= len(s) }
		got, runs := minimize([]any{s, n, x, u}, fails, func() bool { return false })
		if !fails(got) || runs > 100000 {
			t.Errorf("%v after %d runs", got, runs)
		}
	})
}
