package callers_test

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/template"

	"overcomplete/kernel/internal/callers"
)

// names returns the functions, files and lines of program counters.
func names(pcs []uintptr) (list []string) {
	frames := callers.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" {
			list = append(list, f.Function)
		}
		if !more {
			return list
		}
	}
}

// TestPositions: Go's own methods resolve the program counters of cells, also if callers adjust them by one, and also
// among program counters of compiled code.
func TestPositions(t *testing.T) {
	f, g := callers.PC("main.f", "In[1]", 3), callers.PC("main.g", "In[2]", 4)
	if f == g || f != callers.PC("main.f", "In[1]", 3) {
		t.Error("the same position has several program counters, or several positions have one")
	}
	for _, pc := range []uintptr{g - 1, g, g + 1} {
		fn := callers.FuncForPC(pc)
		if file, line := fn.FileLine(pc); fn.Name() != "main.g" || file != "In[2]" || line != 4 {
			t.Error(fn.Name(), file, line)
		}
	}
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	frames := callers.CallersFrames([]uintptr{f, pcs[0], g})
	var got []runtime.Frame
	for range 3 {
		next, more := frames.Next()
		if got = append(got, next); more != (len(got) < 3) {
			t.Error("wrong end after", len(got))
		}
	}
	if got[0].Function != "main.f" || got[0].Line != 3 || got[0].File != "In[1]" || got[2].Func.Name() != "main.g" ||
		!strings.HasSuffix(got[1].Function, "TestPositions") || !strings.HasSuffix(got[1].File, "callers_test.go") {
		t.Errorf("%+v", got)
	}
	if callers.FuncForPC(^uintptr(0)) != nil || callers.FuncForPC(callers.PC("main.h", "In[3]", 5)+16) != nil {
		t.Error("there are functions where nothing is")
	}
}

// TestCallers: cells stand in place of the kernel, to which this test's functions belong, and below compiled code.
func TestCallers(t *testing.T) {
	before := callers.SetCells(func() []uintptr {
		return []uintptr{callers.PC("main.f", "In[1]", 3), callers.PC("main.main", "In[2]", 1)}
	})
	t.Cleanup(func() { callers.SetCells(before) })
	pcs := make([]uintptr, 64)
	pcs = pcs[:callers.Callers(0, pcs)]
	if got := names(pcs); !slices.Equal(got, []string{"overcomplete/kernel/internal/callers.Callers", "main.f", "main.main", "runtime.goexit"}) {
		t.Error(got)
	}
	var one [1]uintptr
	if callers.Callers(2, one[:]); one[0] != pcs[2] {
		t.Error("skip does not skip")
	}
	if n := callers.Callers(100, one[:]); n != 0 {
		t.Error(n)
	}
	if pc, file, line, ok := callers.Caller(0); !ok || pc != pcs[1] || file != "In[1]" || line != 3 {
		t.Error(pc, file, line, ok)
	}
	if _, _, _, ok := callers.Caller(100); ok {
		t.Error("there is a caller below all calls")
	}

	for _, text := range []string{string(callers.DebugStack()), func() string { b := make([]byte, 1000); return string(b[:callers.Stack(b, false)]) }()} {
		if !regexp.MustCompile(`^goroutine \d+ \[running\]:\nmain\.f\(\.\.\.\)\n\tIn\[1\]:3\nmain\.main\(\.\.\.\)\n\tIn\[2\]:1\nruntime\.goexit\(`).MatchString(text) {
			t.Error(text)
		}
	}

	var below []string
	functions := template.FuncMap{"keep": func(n int, pcs []uintptr) string { below = names(pcs[:n]); return "" }, "call": callers.Callers}
	pcs = make([]uintptr, 64)
	text := template.Must(template.New("").Funcs(functions).Parse(`{{keep (call 1 .) .}}`))
	if err := text.Execute(new(strings.Builder), pcs); err != nil {
		t.Fatal(err)
	}
	isTemplate := func(f string) bool { return strings.HasPrefix(f, "text/template.") }
	last := slices.IndexFunc(below, func(f string) bool { return f == "main.f" })
	if last < 1 || !isTemplate(below[last-1]) || !slices.Equal(below[last:], []string{"main.f", "main.main", "runtime.goexit"}) {
		t.Error(below)
	}
}
