package check_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/panics"
	"overcomplete/kernel-helpers/check"
	"overcomplete/ui/cell"
	"overcomplete/ui/display"
)

const wanted = "wanted is a func([]float64) []float64"

func init() {
	check.Register(check.Task{
		Name: "test-double", Notebook: "test", Function: "double",
		Signature: (func(x []float64) []float64)(nil),
		Draw: func(seed uint64) check.Case {
			return check.Case{Sizes: "3 numbers", Args: []any{[]float64{float64(seed%100) + 1, 2, 3}}}
		},
		Reference: func(c check.Case) any {
			x := c.Args[0].([]float64)
			return []float64{2 * x[0], 2 * x[1], 2 * x[2]}
		},
		Hint:  func(check.Case) string { return "Twice each <number>." },
		Limit: 200 * time.Millisecond,
	})
}

func TestExercise(t *testing.T) {
	right := func(x []float64) []float64 { return []float64{2 * x[0], 2 * x[1], 2 * x[2]} }
	if v := check.Exercise("test-double", right); !v.Right || v.Hint != "" || v.Text != "right, on 6 cases" {
		t.Errorf("%+v", v)
	}
	done := make(chan struct{})
	defer close(done)
	for _, c := range []struct {
		name, text string
		f          any
		early      bool // the function is rejected before the first call
	}{
		{"wrong", "not right", func(x []float64) []float64 { return []float64{2 * x[0], 2 * x[1], 5} }, false},
		{"one only", "a list of one number, wanted is a list of 3 numbers", func(x []float64) []float64 { return x[:1] }, false},
		{"empty", "wanted is a list of 3 numbers", func(x []float64) []float64 { return []float64{3} }, false},
		{"NaN", "a NaN", func(x []float64) []float64 { return []float64{2 * x[0], math.NaN(), 6} }, false},
		{"panic", "it panicked: runtime error: slice bounds", func(x []float64) []float64 { return x[len(x)+2:] }, false},
		{"long panic", "...", func(x []float64) []float64 { panic(strings.Repeat("é", 1000)) }, false},
		{"changes", "it changed its input, argument 1", func(x []float64) []float64 {
			for i := range x {
				x[i] *= 2
			}
			return x
		}, false},
		{"endless", "it did not end within 200ms", func(x []float64) []float64 { <-done; return x }, false},
		{"goexit", "returned nothing", func(x []float64) []float64 { runtime.Goexit(); return x }, false},
		{"other type", wanted + ", this is a func(float64) float64", func(x float64) float64 { return x }, true},
		{"a result", wanted + ", this is a []float64: give the function itself", []float64{2}, true},
		{"no function", wanted + ", this is nil", nil, true},
		{"nil function", wanted + ", this is nil", (func(x []float64) []float64)(nil), true},
	} {
		v := check.Exercise("test-double", c.f)
		if v.Right || !strings.Contains(v.Text, c.text) {
			t.Errorf("%s: %+v", c.name, v)
		}
		if !c.early && (v.Hint != "Twice each <number>." || !strings.HasPrefix(v.Text, "case 1 (3 numbers, seed ")) {
			t.Errorf("%s: %+v", c.name, v)
		}
		if strings.Contains(v.Text, "got") || len(v.Text) > 600 {
			t.Errorf("%s tells too much: %+v", c.name, v)
		}
	}
	if v := check.Exercise("pca-0", right); v.Right || !strings.Contains(v.Text, "no such exercise; there are test-double") {
		t.Errorf("%+v", v)
	}
}

// TestInterrupt checks that interrupting the cell ends the exercise without a verdict.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	previous := cell.SetContext(func() context.Context { return ctx })
	defer func() { cell.SetContext(previous) }()
	if err, _ := panics.Value(func() {
		check.Exercise("test-double", func(x []float64) []float64 { cancel(); <-ctx.Done(); return x })
	}).(error); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRegister(t *testing.T) {
	whole := check.Task{
		Name: "test-two", Function: "f", Signature: (func() int)(nil), Draw: func(uint64) check.Case { return check.Case{} },
		Reference: func(check.Case) any { return 1 }, Hint: func(check.Case) string { return "" },
	}
	check.Register(whole)
	for want, change := range map[string]func(t *check.Task){
		"already":             func(t *check.Task) {},
		"no Name":             func(t *check.Task) { t.Name = "" },
		"no Function":         func(t *check.Task) { t.Function = "" },
		"no Signature":        func(t *check.Task) { t.Signature = 3 },
		"no Draw":             func(t *check.Task) { t.Draw = nil },
		"no Reference":        func(t *check.Task) { t.Reference = nil },
		"no Hint":             func(t *check.Task) { t.Hint = nil },
		"below 0":             func(t *check.Task) { t.Points = -1 },
		"one result, (func(f": func(t *check.Task) { t.Signature = (func(...int) int)(nil) },
	} {
		task := whole
		change(&task)
		if got := fmt.Sprint(panics.Value(func() { check.Register(task) })); !strings.Contains(got, want) {
			t.Errorf("%s: %s", want, got)
		}
	}
}

func TestClose(t *testing.T) {
	for _, c := range []struct {
		r    check.Result
		text string
	}{
		{check.Close(1, 1.0), "✓ right: no difference"},
		{check.Close([]float64{1, 2.02}, []float64{1, 2}, 0.1), "✓ right: the largest difference is 1.0e-02 of the largest number at [1]"},
		{check.Close([]float64{1, 2}, []float64{1, 3}), "✗ not close at [1]: got 2, want 3"},
		{check.Close([]float64{1, 2}, []float64{1}), "✗ the shape is wrong: it is a list of 2 numbers, wanted is a list of one number"},
		{check.Close(math.NaN(), math.NaN()), "✗ a NaN: got NaN, want NaN"},
	} {
		if c.r.String() != c.text || c.r.Right != strings.HasPrefix(c.text, "✓") {
			t.Errorf("%v, want %s", c.r, c.text)
		}
	}
	for _, f := range []func(){func() { check.Close(1, 1, 0) }, func() { check.Close(1, 1, 1, 2) }, func() { check.Close(1, 1, math.NaN()) }} {
		if panics.Value(f) == nil {
			t.Error("a tolerance that is none was taken")
		}
	}
}

// A function that returns nothing, or only zeros, counts as not started. Half an answer counts as wrong, and so does
// one that fails.
func TestUntouched(t *testing.T) {
	for how, f := range map[string]func(x []float64) []float64{
		"nil":   func(x []float64) []float64 { return nil },
		"zeros": func(x []float64) []float64 { return make([]float64, 3) },
		"NaN":   func(x []float64) []float64 { return []float64{math.NaN(), 0, 0} },
	} {
		if v := check.Exercise("test-double", f); v.Right || v.Hint != "" || !strings.HasPrefix(v.String(), "○ test-double: not started") {
			t.Errorf("%s: %v", how, v)
		}
	}
	calls := 0
	for how, f := range map[string]func(x []float64) []float64{
		"once": func(x []float64) []float64 {
			if calls++; calls > 1 {
				return nil
			}
			return x
		},
		"panics": func(x []float64) []float64 { panic("to do") },
	} {
		if v := check.Exercise("test-double", f); v.Right || !strings.HasPrefix(v.String(), "✗") {
			t.Errorf("%s: %v", how, v)
		}
	}
}

// A mistake is named only if it explains the results of all cases.
func TestMistakes(t *testing.T) {
	half := func(c check.Case) any { return c.Args[0].(float64) / 2 }
	check.Register(check.Task{
		Name: "test-abs", Function: "abs", Signature: (func(float64) float64)(nil),
		Draw:      func(seed uint64) check.Case { return check.Case{Sizes: "a number", Args: []any{float64(seed%9) - 4.5}} },
		Reference: func(c check.Case) any { return math.Abs(c.Args[0].(float64)) },
		Empty:     func(check.Case) any { return 7.0 },
		Mistakes: []check.Mistake{
			{Says: "Half of it.", Result: half},
			{Says: "The sign is <kept>.", Result: func(c check.Case) any { return c.Args[0] }},
		},
		Nudges: [2]string{"Look.", "Think."},
		Hint:   func(check.Case) string { return "Do." },
	})
	for _, c := range []struct {
		f             func(x float64) float64
		mistake, text string
	}{
		{func(x float64) float64 { return x }, "The sign is <kept>.", "cases are right"},
		{func(x float64) float64 { return x / 2 }, "Half of it.", "case 1 (a number, seed "},
		{func(x float64) float64 { return x / 3 }, "", "the result is not right"},
		{func(x float64) float64 { return 7 }, "", "not started"},
		{math.Abs, "", "right, on 6 cases"},
	} {
		v := check.Exercise("test-abs", c.f)
		if v.Mistake != c.mistake || !strings.Contains(v.Text, c.text) {
			t.Errorf("%v, want %q and %q", v, c.mistake, c.text)
		}
	}
	v := check.Exercise("test-abs", func(x float64) float64 { return x })
	if want := "\n  The sign is <kept>.\n  Hint 1 of 3: Look.\n  Hint 2 of 3: Think.\n  Hint 3 of 3: Do."; !strings.HasSuffix(v.String(), want) {
		t.Error(v)
	}
	if page := v.HTML(); strings.Contains(page, "<kept>") || !strings.Contains(page, "<details><summary>Hint 1 of 3</summary>Look.<details><summary>Hint 2 of 3</summary>Think.<details>") ||
		strings.Count(page, "<details>") != strings.Count(page, "</details>") {
		t.Error(page)
	}
}

// TestHTML checks that a student's panic message cannot break the page.
func TestHTML(t *testing.T) {
	v := check.Exercise("test-double", func(x []float64) []float64 { panic("<script>") })
	var _ display.HTMLer = v
	if page := v.HTML(); strings.Contains(page, "<script>") || !strings.Contains(page, "Hint: Twice each &lt;number&gt;.") || !strings.Contains(page, "#D55E00") {
		t.Error(page)
	}
	var _ display.HTMLer = check.Result{}
	if page := check.Close(1, 1).HTML(); !strings.Contains(page, "#009E73") || !strings.Contains(page, "✓") {
		t.Error(page)
	}
	if !strings.HasSuffix(v.String(), "\n  Hint: Twice each <number>.") {
		t.Error(v)
	}
}

func TestMust(t *testing.T) {
	right := check.Verdict{Right: true, Text: "right"}
	if right.Must() != right {
		t.Error("a right verdict changes")
	}
	wrong := check.Verdict{Exercise: "e", Text: "not right", Hint: "Think."}
	if p := panics.Value(func() { wrong.Must() }); p != wrong.String() {
		t.Error(p)
	}
}

// TestNotStarted checks that an exercise that was not started is neither green nor red, and earns no points.
func TestNotStarted(t *testing.T) {
	v := check.NotStarted("a-1")
	if v.Right || !strings.HasPrefix(v.String(), "○ a-1: not started") || strings.Contains(v.HTML(), "#D55E00") || strings.Contains(v.HTML(), "#009E73") {
		t.Errorf("%v, %s", v, v.HTML())
	}
	if panics.Value(func() { v.Must() }) == nil {
		t.Error("Must takes it")
	}
}
