package gotest

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ args, fault string }{
		{"", ""}, {"-v -run TestA|TestB/x -count 3", ""}, {"-run=A -bench . -benchtime 3x", ""}, {"-timeout 1m", ""}, {"-run ^(TestA|TestB)$/[|/](x)", ""}, {`-run \(|\[`, ""}, {"-run (A|B)/(", "-run: error parsing"}, {"-shuffle 7 -parallel 2", ""},
		{"-run (", "-run: error parsing"}, {"-bench a/(", "-bench: error"}, {"-fuzz X", "go test -fuzz fuzzes it"}, {"-count 0", "1 or larger"}, {"-count x", "1 or larger"}, {"-parallel -1", "1 or larger"},
		{"-shuffle maybe", "on, off or a number"}, {"-benchtime 0x", "-benchtime"}, {"-benchtime fast", "-benchtime"}, {"-benchtime -1s", "-benchtime"}, {"TestX", "is not a flag"}, {"-exec x", "not defined"}, {"-h", "go test's"},
	} {
		_, err := Parse(strings.Fields(c.args))
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

// TestPlace: positions of package testing are replaced by positions in cells.
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
	f.Add("-run A -v -bench=. -count 2 -timeout 1s")
	f.Fuzz(func(t *testing.T, args string) {
		o, err := Parse(strings.Fields(args))
		if err != nil {
			return
		}
		o.apply()() // must not panic
	})
}
