package ixengine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// outcome runs cells one after the other in a fresh session and describes their results.
func outcome(t *testing.T, cells []string) string {
	s := fresh(t, Options{})
	var out []string
	for i, src := range cells {
		shows, err := s.Run(context.Background(), engine.Cell{Name: fmt.Sprint("c", i), Source: src})
		switch e := err.(type) {
		case nil:
			for _, v := range shows {
				out = append(out, fmt.Sprint(v.Value))
			}
		case *engine.Error:
			out = append(out, e.Traceback()...)
		default:
			out = append(out, e.Error())
		}
	}
	return strings.Join(out, "\n")
}

// compareTyped runs cells with and without register code.
func compareTyped(t *testing.T, cells []string, want string) {
	t.Helper()
	defer func() { fast = true }()
	fast = false
	alone := outcome(t, cells)
	fast = true
	if got := outcome(t, cells); got != alone || want != "" && got != want {
		t.Errorf("%s\ngives %s\nthe interpreter alone %s\nwant %s", strings.Join(cells, "\n---\n"), got, alone, want)
	}
}

func TestTypedCalls(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{[]string{"func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfib(20)"}, "6765"},
		{[]string{"func gcd(a, b uint) uint { for b != 0 { a, b = b, a%b }; return a }\ns := uint(0)\nfor i := uint(1); i < 50; i++ { s += gcd(i, 36) }\ns"}, ""},
		{[]string{"func even(n int) bool { if n == 0 { return true }; return odd(n-1) }\nfunc odd(n int) bool { if n == 0 { return false }; return even(n-1) }\nk := 0\nfor i := 0; i < 30; i++ { if even(i) { k++ } }\nk"}, "15"},
		// redeclared functions: old callers call the new version, even in a running loop
		{[]string{"func f(x float64) float64 { return x + 1 }\nfunc g() float64 { s := 0.0; for i := 0; i < 10; i++ { s += f(s) }; return s }\ng()",
			"h := g", "func f(x float64) float64 { return x * 0 }\nh() + g()", "func f(x float64) float64 { return 2 }\n[]float64{h(), g(), f(0)}"}, "1023\n0\n[20 20 2]"},
		{[]string{"func f(x int) int { return x + 1 }", "g := func() int { s := 0; for i := 0; i < 5; i++ { s = f(s) }; return s }\ng()",
			"func f(x string) string { return x }\ng()"}, "5\n5"},
		// failures occur at the same line
		{[]string{"func f(x int) int {\n\ty := 10 - x\n\treturn 100 /\n\t\ty\n}\ns := 0\nfor i := 0; i < 20; i++ {\n\ts += f(i)\n}"}, ""},
		{[]string{"xs := []float64{1, 2, 3}\nfunc at(i int) float64 {\n\treturn xs[i]\n}\nfunc deep(n, i int) float64 {\n\tif n == 0 {\n\t\treturn at(i)\n\t}\n\treturn deep(n-1, i) + 1\n}\ns := 0.0\nfor i := 0; i < 5; i++ { s += deep(10, i) }", "s"}, ""},
		{[]string{"func f(x int) int { if x == 7 { panic(\"seven\") }; return x }\ns := 0\nfunc g() (err any) { defer func() { err = recover() }(); for i := 0; ; i++ { s += f(i) } }\ng()", "s"}, "seven\n21"},
		{[]string{"func sh(n int) int { return 1 << n }\ns := 0\nfor n := 3; ; n-- {\n\ts += sh(n)\n}", "s"}, ""},
		// changes between the calls take effect
		{[]string{"k := 1\nxs := []int{1, 2, 3}\nfunc f(i int) int { return xs[i%len(xs)] * k }\ns := 0\nfor i := 0; i < 9; i++ { k = i; xs[i%3] += f(i); s += f(i) }\ns"}, ""},
		{[]string{"k := 0\nfunc count() int { k++; return k }\nfunc f(i int) int { return i + count() }\ns := 0\nfor i := 0; i < 9; i++ { s += f(i) }\n[]int{s, k}"}, "[81 9]"},
		// the interpreter makes one of several calls; the calls before and after it stay in register code
		{[]string{"import \"fmt\"\nfunc f(i int) int { if i%4 == 3 { return len(fmt.Sprint(i)) }; return i }\nfunc g() []int {\n\tout := make([]int, 12)\n\tt := 0\n\tfor i := 0; i < 12; i++ {\n\t\ta := i * 3\n\t\tout[i] = f(i) + a\n\t\tb := f(a) * a\n\t\tt += b - f(i+1)\n\t\tout[i] += t\n\t}\n\treturn out\n}\ng()"}, ""},
		{[]string{"import \"math\"\nfunc f(x float64) float64 { return math.Sqrt(math.Abs(math.Sin(x))) + math.Pow(x, 2) + math.Max(x, math.NaN()) }\ns := 0.0\nfor i := 0; i < 9; i++ { s += math.Floor(f(float64(i))) + math.Hypot(3, 4) + math.Mod(7, 3) }\ns"}, "NaN"},
		{[]string{"import \"math\"\nfunc f(x float64) float64 { return math.Exp(-x*x) * math.Cos(x) }\nfunc integrate(a, b float64, n int) float64 { h := (b - a) / float64(n); s := 0.0; for i := 0; i < n; i++ { s += f(a + (float64(i)+0.5)*h) }; return s * h }\nintegrate(-3, 3, 1000)"}, ""},
		{[]string{"func f(a, b, c, d, e, g, h, k int) int { x, y := a*b, c*d; z, w := e*g, h*k; u, v := x+y, z+w; p, q := x-y, z-w; r, s := u*p, v*q; return x + y*2 + z*3 + w*5 + u*7 + v*11 + p*13 + q*17 + r*19 + s*23 }\nt := 0\nfor i := 0; i < 9; i++ { t ^= f(i, 1, i, 3, 4, i, 6, 7) }\nt"}, ""},
		{[]string{"func f(x uint8, y int16, b bool, z float32) int16 { if b { return y - int16(x) }; return int16(z) }\ns := int16(0)\nfor i := 0; i < 300; i++ { s += f(uint8(i), int16(i*999), i%3 == 0, float32(i)/3) }\ns"}, ""},
		{[]string{"func f(x int) (y int) { defer func() { y++ }(); return x }\ns := 0\nfor i := 0; i < 5; i++ { s += f(i) }\ns"}, "15"},
		{[]string{"func f(x int) int { return x + 1 }\ns := 0\nfor i := 0; i < 5; i++ { f(i); s++ }\ns"}, "5"},
		{[]string{"func collatz(n int) int { k := 0; for n != 1 { if n%2 == 0 { n /= 2 } else { n = 3*n + 1 }; k++ }; return k }\nbest := 0\nfor i := 1; i < 100; i++ { if k := collatz(i); k > best { best = k } }\nbest"}, "118"},
		{[]string{"func f(n int) int { if n == 0 { return 0 }; return 1 + f(n-1) }\nf(25000)"}, "25000"}, // deeper than register code goes
		{[]string{"c := make(chan int)\nfunc f(n int) int { if n == 0 { return 0 }; return n + f(n-1) }\nfor g := range 4 { go func() { s := 0; for i := 0; i < 200; i++ { s += f(g) }; c <- s }() }\n<-c + <-c + <-c + <-c"}, "2000"},
	} {
		compareTyped(t, c.cells, c.want)
	}
}

// TestTypedCallsRandom compares random functions of numbers that call each other.
func TestTypedCallsRandom(t *testing.T) {
	n := 30
	if testing.Short() {
		n = 10
	}
	invalid := 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 5))
		const funcs = 4
		kinds := make([]string, funcs)
		for i := range kinds {
			kinds[i] = []string{"int", "float64", "uint8"}[r.IntN(3)]
		}
		var expr func(kind string, depth int, vars map[string]string, calls bool) string
		expr = func(kind string, depth int, vars map[string]string, calls bool) string {
			if depth == 0 || r.IntN(5) == 0 {
				for name, k := range vars {
					if k == kind && r.IntN(2) == 0 {
						return name
					}
				}
				return fmt.Sprintf("%s(%d)", kind, r.IntN(9))
			}
			sub := func() string { return expr(kind, depth-1, vars, calls) }
			switch p := r.IntN(12); {
			case p < 4:
				return "(" + sub() + []string{" + ", " - ", " * "}[r.IntN(3)] + sub() + ")"
			case p == 4 && kind != "float64":
				return "(" + sub() + []string{" / ", " % "}[r.IntN(2)] + sub() + ")"
			case p == 5 && kind == "int":
				return "(" + sub() + " << (" + sub() + " & 7))"
			case p == 6 && kind == "float64":
				return "math." + []string{"Sin", "Abs", "Floor"}[r.IntN(3)] + "(" + sub() + ")"
			case p == 7:
				return fmt.Sprintf("xs%s[(%s) %% 7]", kind, expr("int", depth-1, vars, calls))
			case p < 11 && calls:
				k := r.IntN(funcs)
				return fmt.Sprintf("%s(f%d(fuel - 1, %s, %s))", kind, k, expr("int", depth-1, vars, false), expr("float64", depth-1, vars, false))
			default:
				from := []string{"int", "uint8"}[r.IntN(2)]
				return kind + "(" + expr(from, depth-1, vars, calls) + ")"
			}
		}
		src := "import \"math\"\nvar _ = math.Pi\nxsint := []int{3, 1, 4, 1, 5, 9, 2}\nxsfloat64 := []float64{2, 7, 1, 8, 2, 8, 1}\nxsuint8 := []uint8{1, 4, 1, 4, 2, 1, 3}\n"
		for i, kind := range kinds {
			vars := map[string]string{"a": "int", "x": "float64", "fuel": "int"}
			src += fmt.Sprintf("func f%d(fuel, a int, x float64) %s {\n\tif fuel <= 0 { return %s }\n", i, kind, expr(kind, 1, vars, false))
			src += "\tb := " + expr(kind, 3, vars, true) + "\n"
			vars["b"] = kind
			switch r.IntN(3) {
			case 0:
				src += "\tfor k := 0; k < 3; k++ {\n\t\tb += " + expr(kind, 2, vars, true) + "\n\t}\n"
			case 1:
				src += "\tif " + expr(kind, 2, vars, true) + " < b {\n\t\treturn " + expr(kind, 2, vars, true) + "\n\t}\n"
			}
			src += "\treturn " + expr(kind, 3, vars, true) + "\n}\n"
		}
		cells := []string{src}
		for i := range kinds {
			cells = append(cells, fmt.Sprintf("s%d := 0.0\nfor i := 0; i < 12; i++ {\n\ts%d = s%d/2 + float64(f%d(3, i, 0.5))\n}", i, i, i, i), fmt.Sprintf("s%d", i))
		}
		compareTyped(t, cells, "")
		if t.Failed() {
			return
		}
		if strings.HasPrefix(outcome(t, cells[:1]), "TypeError") {
			invalid++
		}
	}
	if 2*invalid > n {
		t.Errorf("%d of %d programs are none", invalid, n)
	}
}

// TestTypedCallsUsed counts allocations: the interpreter would make one allocation for each addition.
func TestTypedCallsUsed(t *testing.T) {
	s := fresh(t, Options{})
	run(t, s, "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfunc half(x float64) float64 { return x / 2 }")
	for _, src := range []string{"fib(24)", "t := 0.0\nfor i := 0; i < 100000; i++ { t += half(float64(i)) }"} {
		patience.Try(t, func() string { // leftovers of an earlier test may allocate too
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run(t, s, src)
			runtime.ReadMemStats(&after)
			if n := after.Mallocs - before.Mallocs; n > 20000 {
				return fmt.Sprintf("%s allocates %d times", src, n)
			}
			return ""
		})
	}
}

// TestTypedCallsStop stops endless functions that register code calls.
func TestTypedCallsStop(t *testing.T) {
	patience.SkipShort(t, "it stops endless calls, again and again")
	for _, c := range []struct{ src, kind string }{
		{"func f(n int) int { for { n++ } }\nfunc g(n int) int { if n == 0 { return f(0) }; return g(n-1) }\nfor i := 0; ; i++ { g(i % 7) }", "interrupted"},
		{"func f(n int) int { if n < 2 { return n }; return f(n-1) + f(n-2) }\ns := 0\nfor i := 0; ; i++ { s += f(38) }", "interrupted"},
	} {
		s := fresh(t, Options{})
		var err error
		var late time.Duration
		// A busy machine may need longer until the first statement runs, or until the cell has ended.
		for _, after := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second, 5 * time.Second, 10 * time.Second} {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			from := time.Now()
			_, err = s.Run(ctx, engine.Cell{Name: "c", Source: c.src})
			cancel()
			late = time.Since(from) - after
			if e, ok := err.(*engine.Error); ok && len(e.Frames) > 0 && late < 2*time.Second {
				break
			}
		}
		if e, ok := err.(*engine.Error); !ok || e.Kind != engine.Interrupted || len(e.Frames) == 0 || late > 2*time.Second {
			t.Errorf("%s\nends with %v, %v after the interrupt", c.src, err, late)
		}
		if got := run(t, s, "6*7")[0].Value; got != 42 {
			t.Errorf("then 6*7 is %v", got)
		}
	}
	s := fresh(t, Options{})
	_, err := s.Run(context.Background(), engine.Cell{Name: "c", Source: "func f(n int) int { return f(n+1) + 1 }\nf(0)"})
	if err == nil || !strings.Contains(err.Error(), stackOverflow) {
		t.Errorf("recursion without end: %v", err)
	}
}
