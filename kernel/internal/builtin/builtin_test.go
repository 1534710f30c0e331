package builtin

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"reflect"
	"testing"
	"time"

	_ "overcomplete/cmd/overcomplete/bindings" // for cells that import the library
	"overcomplete/internal/patience"
	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	_ "overcomplete/kernel/internal/bindings"
	"overcomplete/kernel/magic"
	"overcomplete/ui/display"
)

func TestEveryCommandIsThere(t *testing.T) {
	for _, i := range magic.List() {
		if commands[i.Name] == nil {
			t.Errorf("%s is listed and does nothing", i.Name)
		}
	}
	for name := range commands {
		if _, ok := magic.Find(name); !ok {
			t.Errorf("%s is not listed", name)
		}
	}
}

// TestMeasure times a function of known cost.
func TestMeasure(t *testing.T) {
	const each = 200 * time.Microsecond
	var sink [][]byte
	patience.Try(t, func() string { // try again if the machine was busy
		costs := measure(func(n int) {
			for range n {
				sink = append(sink[:0], make([]byte, 1000))
				for end := time.Now().Add(each); time.Now().Before(end); {
				}
			}
		}, 0, 3)
		if len(costs) != 3 {
			t.Fatalf("%d samples", len(costs))
		}
		m := median(costs)
		if m.perRun() < float64(each) || m.perRun() > 30*float64(each) {
			return fmt.Sprintf("%v ns a run, want at least %v", m.perRun(), each)
		}
		if n := float64(m.bytes) / float64(m.runs); n < 1000 || n > 1500 {
			return fmt.Sprintf("%v bytes a run", n)
		}
		// A sample takes about as long as intended: 70 ms are 350 runs on an idle machine.
		if m.runs < 10 || m.runs > 1000 {
			return fmt.Sprintf("%d runs in a sample", m.runs)
		}
		return ""
	})
	calls := 0
	if costs := measure(func(n int) { calls += n }, 5, 4); calls != 20 || len(costs) != 4 {
		t.Errorf("-n 5 -r 4: %d calls, %d samples", calls, len(costs))
	}
	// A slow function runs once.
	calls = 0
	measure(func(n int) { calls += n; time.Sleep(time.Duration(n) * 1100 * time.Millisecond) }, 0, 0)
	if calls != 1 {
		t.Errorf("a slow statement ran %d times", calls)
	}
}

func TestMedian(t *testing.T) {
	if m := median([]cost{{runs: 1, time: 5}, {runs: 1, time: 1}, {runs: 1, time: 3}}); m.time != 3 {
		t.Error(m)
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{duration(0), "0.00 ns"}, {duration(12.34), "12.3 ns"}, {duration(999.4), "999 ns"}, {duration(999.6), "1.00 µs"},
		{duration(123456), "123 µs"}, {duration(2.5e6), "2.50 ms"}, {duration(61e9), "61.0 s"},
		{size(999), "999 B"}, {size(1000), "1.0 kB"}, {size(2_500_000), "2.5 MB"}, {size(3e9), "3.00 GB"},
		{unquoted(`"a b"`), "a b"}, {unquoted("'a'"), "a"}, {unquoted(`"a'`), `"a'`}, {unquoted(`"`), `"`}, {unquoted(""), ""}, {unquoted(`a"b"`), `a"b"`},
		{count(1, "x"), "1 x"}, {count(2, "x"), "2 xs"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"": "0 0 <nil>", "-n 5": "5 0 <nil>", "-r3 -n 10": "10 3 <nil>", "-n 0": "0 0 -n 0: must be an integer, 1 or larger",
		"-x 1": "0 0 unknown flag -x: the flags are -n RUNS and -r REPEATS", "fast": "0 0 \"fast\" is not a flag: the flags are -n RUNS and -r REPEATS",
	} {
		n, r, err := flags(args)
		if got := fmt.Sprint(n, r, err); got != want {
			t.Errorf("%q: got %s, want %s", args, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for s, want := range map[string]string{
		"": "[] <nil>", "a=1 b=x": "[[a 1] [b x]] <nil>", `a="b c" d=2`: "[[a b c] [d 2]] <nil>", "a": `[] "a" does not have the form name=value`, "1=2": `[] "1=2" does not have the form name=value`,
	} {
		list, err := split(s)
		if got := fmt.Sprint(list, err); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestMemory(t *testing.T) {
	type node struct {
		v    int64
		next *node
	}
	ring := &node{}
	ring.next = &node{1, ring}
	shared := make([]float64, 100)
	deep := make([]*int, 300_000)
	for i := range deep {
		deep[i] = new(int)
	}
	for _, test := range []struct {
		v    any
		want uint64
		all  bool
	}{
		{int32(1), 4, true},
		{"abcd", 16 + 4, true},
		{[]float64{1, 2, 3}, 24 + 24, true},
		{ring, 8 + 2*16, true},
		{[][]float64{shared, shared}, 24 + 2*24 + 800, true},
		{[]string{"ab", "c"}, 24 + 2*16 + 3, true},
		{[]any{int64(1), nil}, 24 + 2*16 + 8, true},
		{struct {
			a [4]int64
			b *int64
		}{b: new(int64)}, 40 + 8, true},
		{(map[string]int)(nil), 8, true},
		{deep, 0, false},
	} {
		got, all := memory(reflect.ValueOf(test.v))
		if all != test.all || all && got != test.want {
			t.Errorf("%T holds %d bytes (all: %v), want %d", test.v, got, all, test.want)
		}
	}
}

// A counting session records the cells that it is asked to parse and to run.
type counting struct {
	engine.Session
	parsed int
	ran    []engine.Cell
}

func (s *counting) Vars() []engine.Variable { return nil }

func (s *counting) Parse(cell engine.Cell) (*cellsyntax.Tree, error) {
	s.parsed++
	return cellsyntax.ParseText(token.NewFileSet(), cell.Name, cell.Read())
}

func (s *counting) Run(_ context.Context, cell engine.Cell) ([]engine.Value, error) {
	s.ran = append(s.ran, cell)
	return nil, nil
}

// TestParsedOnce: a cell is scanned when it arrives and parsed once, either by the session or before its
// first piece runs. In the second case a mistake in the last piece is found before the first piece has run.
func TestParsedOnce(t *testing.T) {
	for _, c := range []struct {
		source      string
		parsed, ran int
	}{
		{"x := 1", 0, 1},
		{"func f() int { return 1 }\nf()", 0, 1},
		{"func f() struct{} { return struct{}{} }", 0, 1},
		{"%params\nsize := 1", 1, 1},
		{"x := 1\n%who\ny := 2", 2, 2},
	} {
		s := &counting{}
		r := &Runner{Session: s, Stdout: io.Discard, Stderr: io.Discard, Show: func(d display.Data) {}}
		text := magic.Read(c.source)
		if _, err := r.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: c.source, Text: text}); err != nil {
			t.Errorf("%q: %v", c.source, err)
		}
		if s.parsed != c.parsed || len(s.ran) != c.ran {
			t.Errorf("%q: parsed %d times ahead, ran in %d pieces; want %d and %d", c.source, s.parsed, len(s.ran), c.parsed, c.ran)
		}
		for _, cell := range s.ran {
			if c.parsed == 0 && cell.Text != text {
				t.Errorf("%q: the session has to scan it again", c.source)
			}
			if c.parsed > 0 && cell.Tree == nil {
				t.Errorf("%q: the session has to parse %q again", c.source, cell.Source)
			}
		}
	}
}
