package programs

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		name      string
		of        func(string, int, bool) (Text, error)
		atCell    bool
		declare   string // part of the expected declarations
		run       string
		undeclare string // text that must be absent
	}{
		{"Go", Go, false, "func Sum(n int) float64 {", "fmt.Println(Sum(7))", "package"},
		{"Go at cell level", Go, true, "", "n := 7\ns := 0.0\nfor i := 0; i < n; i++ {\n\ts += float64(i) * 0.5\n}\nfmt.Println(s)", "Sum"},
		{"Python", Python, false, "def run(n):", "result = run(7)", ""},
		{"Python at cell level", Python, true, "", "n = 7\ns = 0.0\nfor i in range(n):\n    s += i * 0.5\nresult = s", "run"},
	} {
		got, err := c.of("sum", 7, c.atCell)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.Contains(got.Declare, c.declare) || c.undeclare != "" && strings.Contains(got.Declare, c.undeclare) {
			t.Errorf("%s declares %q", c.name, got.Declare)
		}
		if got.Run != c.run {
			t.Errorf("%s runs %q, should be %q", c.name, got.Run, c.run)
		}
	}
	if _, err := Go("fib", 7, true); err == nil {
		t.Error("fib's function is one line and has no body to stand in a cell")
	}
	if _, err := Go("nothing", 7, false); err == nil {
		t.Error("a program that is not there")
	}
}

// TestPythonGlobals: global declarations of a function are omitted if all variables are global.
func TestPythonGlobals(t *testing.T) {
	got, err := Python("globals", 3, true)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.Run, "global") || !strings.Contains(got.Declare, "rate = 3.75") {
		t.Errorf("%+v", got)
	}
}
