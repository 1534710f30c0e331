package rt

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// makeFunc returns a Go function of type F with the body run.
func makeFunc[F any](t testing.TB, run func(n []uint64, p []unsafe.Pointer)) F {
	t.Helper()
	target := &Target{Run: func(_ *Target, n []uint64, p []unsafe.Pointer) { run(n, p) }}
	fn, ok := MakeFunc(reflect.TypeFor[F](), target)
	if !ok {
		t.Fatalf("no wrapper for %v", reflect.TypeFor[F]())
	}
	return *(*F)(unsafe.Pointer(&fn))
}

type (
	tag   string
	small int32
	flag  bool
	octet byte
)

// samples holds values for each letter in signatures, of unnamed and of named types.
var samples = map[rune][]any{
	'i': {-7, uint(1 << 63), int64(math.MinInt64), uint64(math.MaxUint64), uintptr(5), named(-1)},
	'r': {rune(-1), rune(math.MaxInt32), small(math.MinInt32)},
	'y': {byte(255), octet(3)},
	'f': {-0.5, math.Inf(-1), math.Copysign(0, -1)},
	'g': {float32(1.5), float32(math.Inf(1))},
	'c': {complex(1, -2)},
	'b': {true, false, flag(true)},
	's': {"text", "", tag("tag")},
	'l': {[]float64{1, 2, 3}[:2], []string(nil), []byte("bytes")},
	'p': {&numbers[3], map[int]int{1: 2}, make(chan int), (*int)(nil), unsafe.Pointer(&numbers)},
	'e': {[]any{1, "a", nil, &numbers}},
	'm': {[]error{io.EOF, nil, fs.ErrNotExist}, []fmt.Stringer{reflect.Int, nil, time.Second}},
}

// sample returns the i-th sample for a letter, converted to the type that the function letter maps to that
// letter.
func sample(letter rune, i int) reflect.Value {
	list := samples[letter]
	if letter == 'e' || letter == 'm' {
		list := reflect.ValueOf(list[i%len(list)])
		return list.Index(i % list.Len())
	}
	return reflect.ValueOf(list[i%len(list)])
}

// leavesOfValue appends the leaves of v, as in package regcode.
func leavesOfValue(v reflect.Value, n []uint64, p []unsafe.Pointer) ([]uint64, []unsafe.Pointer) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(n, 1), p
		}
		return append(n, 0), p
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return append(n, uint64(v.Int())), p
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return append(n, v.Uint()), p
	case reflect.Float64:
		return append(n, math.Float64bits(v.Float())), p
	case reflect.Float32:
		return append(n, uint64(math.Float32bits(float32(v.Float())))), p
	case reflect.Complex64:
		c := complex64(v.Complex())
		return append(n, uint64(math.Float32bits(real(c))), uint64(math.Float32bits(imag(c)))), p
	case reflect.Complex128:
		return append(n, math.Float64bits(real(v.Complex())), math.Float64bits(imag(v.Complex()))), p
	case reflect.String:
		data, l := StringLeaves(v.String())
		return append(n, l), append(p, data)
	case reflect.Slice:
		return append(n, uint64(v.Len()), uint64(v.Cap())), append(p, v.UnsafePointer())
	case reflect.Interface:
		w, data := Words(v.Interface())
		return n, append(p, w, data)
	case reflect.Struct:
		for _, f := range v.Fields() {
			n, p = leavesOfValue(f, n, p)
		}
		return n, p
	case reflect.Array:
		for i := range v.Len() {
			n, p = leavesOfValue(v.Index(i), n, p)
		}
		return n, p
	default:
		return n, append(p, v.UnsafePointer())
	}
}

// TestWrappers: each wrapper passes all arguments and the result, for all types with the same letters, and
// its functions are recognized.
func TestWrappers(t *testing.T) {
	for _, w := range wrappers {
		parameters, results, _ := strings.Cut(w.signature, ":")
		for round := range 7 {
			var args []reflect.Value
			var in, out []reflect.Type
			var n []uint64
			var p []unsafe.Pointer
			for i, letter := range parameters {
				v := sample(letter, round+i)
				args, in = append(args, v), append(in, v.Type())
				n, p = leavesOfValue(v, n, p)
			}
			var want []reflect.Value
			var resN []uint64
			var resP []unsafe.Pointer
			for i, letter := range results {
				v := sample(letter, round+2*i)
				want, out = append(want, v), append(out, v.Type())
				resN, resP = leavesOfValue(v, resN, resP)
			}
			ft := reflect.FuncOf(in, out, false)
			calls := 0
			target := &Target{Run: func(_ *Target, gotN []uint64, gotP []unsafe.Pointer) {
				calls++
				if len(gotN) < max(len(n), len(resN)) || len(gotP) < max(len(p), len(resP)) {
					t.Fatalf("%v: %d and %d registers", ft, len(gotN), len(gotP))
				}
				if !slices.Equal(gotN[:len(n)], n) || !slices.Equal(gotP[:len(p)], p) {
					t.Errorf("%v: the registers are %v, %v, want %v, %v", ft, gotN, gotP, n, p)
				}
				deep(100) // moves the stack, and the registers with it
				copy(gotN, resN)
				copy(gotP, resP)
			}}
			fn, ok := MakeFunc(ft, target)
			if !ok {
				t.Fatalf("no wrapper for %v", ft)
			}
			if TargetOf(fn) != target {
				t.Errorf("%v: the target is not recognised", ft)
			}
			res := reflect.NewAt(ft, unsafe.Pointer(&fn)).Elem().Call(args)
			if calls != 1 {
				t.Errorf("%v: %d calls", ft, calls)
			}
			var gotN []uint64
			var gotP []unsafe.Pointer
			for _, v := range res {
				gotN, gotP = leavesOfValue(v, gotN, gotP)
			}
			if !slices.Equal(gotN, resN) || !slices.Equal(gotP, resP) {
				t.Errorf("%v: the result is %v, want %v", ft, res, want)
			}
		}
	}
}

// deep uses much of the stack.
func deep(n int) (sum int) {
	var room [200]int
	for i := range room {
		room[i] = n + i
	}
	if n > 0 {
		sum = deep(n - 1)
	}
	for _, x := range room {
		sum += x
	}
	return sum
}

func TestTargetOfOthers(t *testing.T) {
	x := 1
	for name, f := range map[string]any{
		"a function":      deep,
		"a closure":       func() int { x++; return x },
		"a method":        reflect.ValueOf("").Type().String,
		"one of reflect":  reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { return nil }).Interface(),
		"a nil function":  (func())(nil),
		"compiled less":   func(i, j int) bool { return i < j+x },
		"another package": strings.ToUpper,
	} {
		if fn := reflect.ValueOf(f).Pointer(); fn != 0 {
			_, word := Words(f)
			if target := TargetOf(word); target != nil {
				t.Errorf("%s has the target %v", name, target)
			}
		} else if TargetOf(nil) != nil {
			t.Errorf("nil has a target")
		}
	}
}

func TestNoWrapper(t *testing.T) {
	for _, f := range []any{
		func(int8) {}, func() (error, error) { return nil, nil }, func(error, error, error) {}, func() (e struct{ error }) { return },
		func(point) {}, func([2]int) {}, func(complex64) {}, func(a, b, c, d, e, f, g int) {}, func(int16, string) bool { return true },
		1, (*int)(nil),
	} {
		if _, ok := MakeFunc(reflect.TypeOf(f), &Target{}); ok {
			t.Errorf("%T has a wrapper", f)
		}
	}
}

// TestCompiledCallers: compiled code can call functions made by the wrappers, and panics of Run propagate to
// that code.
func TestCompiledCallers(t *testing.T) {
	xs := []float64{5, 2, 8, 1, 9, 3}
	want := slices.Sorted(slices.Values(xs))
	sort.Slice(xs, makeFunc[func(i, j int) bool](t, func(n []uint64, p []unsafe.Pointer) {
		n[0] = ofBool(xs[n[0]] < xs[n[1]])
	}))
	if !slices.Equal(xs, want) {
		t.Errorf("sort.Slice gives %v", xs)
	}
	if s := strings.Map(makeFunc[func(rune) rune](t, func(n []uint64, p []unsafe.Pointer) {
		if n[0] == 'ä' {
			n[0] = ^uint64(0)
		} else {
			n[0]++
		}
	}), "aäb"); s != "bc" {
		t.Errorf("strings.Map gives %q", s)
	}
	words := []tag{"b", "c", "a"}
	type order func(a, b tag) int
	slices.SortFunc(words, makeFunc[order](t, func(n []uint64, p []unsafe.Pointer) {
		n[0] = uint64(strings.Compare(String(p[0], n[0]), String(p[1], n[1])))
	}))
	if fmt.Sprint(words) != "[a b c]" {
		t.Errorf("slices.SortFunc gives %v", words)
	}
	panics := makeFunc[func(string) string](t, func(n []uint64, p []unsafe.Pointer) { panic("from " + String(p[0], n[0])) })
	if got := panicOf(func() { panics("below") }); got != "from below" {
		t.Errorf("the panic is %q", got)
	}
}

// TestCallbackCollector: objects referred to only by the registers of a call stay alive while the garbage
// collector runs, and so do results.
func TestCallbackCollector(t *testing.T) {
	double := makeFunc[func(s string) string](t, func(n []uint64, p []unsafe.Pointer) {
		runtime.GC()
		s := String(p[0], n[0])
		s += s
		p[0], n[0] = StringLeaves(s)
		s = ""
		runtime.GC()
	})
	for i := range 20 {
		s := fmt.Sprint("a fairly long text, number ", i)
		want := s + s
		if got := double(strings.Clone(s)); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}

func TestCallbackAllocations(t *testing.T) {
	less := makeFunc[func(i, j int) bool](t, func(n []uint64, p []unsafe.Pointer) { n[0] = ofBool(n[0] < n[1]) })
	grad := makeFunc[func(grad, x []float64)](t, func(n []uint64, p []unsafe.Pointer) {})
	grads, x := make([]float64, 3), make([]float64, 3)
	key := makeFunc[func(a, b any) int](t, func(n []uint64, p []unsafe.Pointer) { n[0] = 1 })
	if n := testing.AllocsPerRun(100, func() {
		less(1, 2)
		grad(grads, x)
		key(nil, t)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
