package kernel

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

func TestNative(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" {
		t.Skip("native cells need the Go toolchain on a Unix system")
	}
	k := open(t)
	took := regexp.MustCompile(`in [0-9.]+ (s|ms):`)
	for i, test := range []struct{ src, want string }{
		{`%%native
import (
	"errors"
	"fmt"
	"sort"
)

type pair struct{ a, b float64 }

func inner(p pair) float64 { return p.a * p.b }

func dot(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += inner(pair{x[i], y[i]})
	}
	return s
}

func fill(x []int, v int) {
	for i := range x {
		x[i] = v
	}
}

func shift(x, y []int) { copy(x, y) }

func tail(x []int) []int { return x[1:] }

func words(w []string) ([]string, error) {
	sort.Strings(w)
	if len(w) == 0 {
		return nil, errors.New("no words")
	}
	return append(w, "end"), nil
}

func all(a bool, b int8, c uint64, d float32, e complex128, s string, f [2]bool) (bool, int8, uint64, float32, complex128, string, [2]bool) {
	return a, b, c, d, e, s, f
}

func at(x []float64, i int) float64 {
	return x[i]
}

func say(s string) { fmt.Println(s) }

func spin() { for { } }

func die() { go func() { panic("gone") }(); select {} }

var calls int

func next() int { calls++; return calls }`,
			"compiled in T: dot, fill, shift, tail, words, all, at, say, spin, die, next\ncannot be called from other cells: inner (a type that cannot be passed)\n"},
		{"x := []float64{1, 2, 3}\ndot(x, x)", "[display ] 14\n"},
		{"n := make([]int, 5)\nfill(n[1:3], 7)\nn", "[display ] [0 7 7 0 0]\n"},
		// slices that share memory, and results that are a part of an argument
		{"o := []int{1, 2, 3, 4, 5}\nshift(o[1:], o[:4])\no", "[display ] [1 1 2 3 4]\n"},
		{"r := tail(o)\nr[0] = 9\no", "[display ] [1 9 2 3 4]\n"},
		{"import \"fmt\"\nw := []string{\"b\", \"\", \"a\"}\nv, err := words(w)\nfmt.Println(w, v, err, len(v))", "[ a b] [ a b end] <nil> 4\n"},
		{"v, err = words(nil)\nfmt.Println(v == nil, err)", "true no words\n"},
		{"import \"math\"\nfmt.Println(all(true, -3, math.MaxUint64, float32(math.Inf(-1)), complex(1, math.NaN()), \"ü\\x00\", [2]bool{false, true}))", "true -3 18446744073709551615 -Inf (1+NaNi) ü\x00 [false true]\n"},
		{"math.Float64bits(at([]float64{math.Float64frombits(0x7ff8000000000123)}, 0)) == 0x7ff8000000000123", "[display ] true\n"},
		{"say(\"hello\")\nfmt.Println(\"after\")", "hello\nafter\n"},
		{"f := at\nfmt.Printf(\"%T %T\\n\", f, tail(o))", "func([]float64, int) float64 []int\n"},
		{"next() + next()", "[display ] 3\n"},
		{"at(x, 5)", "Panic: native at: runtime error: index out of range [5] with length 3 (In[1] line 43)\n  In[13] line 1\n    at(x, 5)\n"},
		{"next()", "[display ] 3\n"},
		{"die()", "@"},
		{"next()", "[display ] 1\n"},
		{"old := func() int { return next() }\nold()", "[display ] 2\n"},
		{"%%native\nfunc next() int { return -1 }", "compiled in T: next\n"},
		{"old()", "[display ] -1\n"},
		{"func next() int { return 100 }\nold()", "[display ] 100\n"},
		{"%%native\nfunc f() int {\n\treturn x\n}", "TypeError: In[21] line 3: undefined: x (a native cell sees nothing of the session)\n    \treturn x\n    \t       ^\n"},
		{"%%native\nx := 1", "TypeError: In[22] line 2: expected declaration, found x (a native cell can contain only declarations)\n    x := 1\n    ^\n"},
		{"%%native\nfunc f(x [][]int, g func()) {}", "CommandError: the cell has no function that other cells can call: f (a type that cannot be passed); parameters and results must be numbers, booleans, strings, arrays of numbers, or slices of these\n  In[23] line 1\n    %%native\n"},
	} {
		got := took.ReplaceAllString(command(t, k, i+1, test.src), "in T:")
		if got != test.want && test.want != "@" {
			t.Errorf("In[%d] %s\n got:\n%s\nwant:\n%s", i+1, test.src, got, test.want)
		}
		if test.want == "@" && !strings.Contains(got, "panic: gone") || strings.Contains(got, "_native") {
			t.Errorf("In[%d] %s\n got:\n%s", i+1, test.src, got)
		}
	}

	if patience.RaceDetector {
		return // the stop flag is deliberately read without a lock
	}
	// A call can be interrupted, and the next call works.
	patience.Try(t, func() string {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		begin := time.Now()
		err := k.Execute(ctx, engine.Cell{Name: "In[50]", Source: "spin()"}, &transcript{})
		var e *engine.Error
		if !errors.As(err, &e) || e.Kind != engine.Interrupted {
			t.Errorf("interrupted: %v", err)
		}
		if took := time.Since(begin); took > time.Second {
			return fmt.Sprintf("the interrupt took %v", took)
		}
		return ""
	})
	if got := command(t, k, 51, "dot(x, x)"); got != "[display ] 14\n" {
		t.Errorf("after the interrupt: %s", got)
	}
}
