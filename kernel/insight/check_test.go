package insight_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"overcomplete/internal/cputime"
	"overcomplete/kernel/engine"
)

// TestCheck compares Check with the session: Check finds faults if and only if the cell fails to compile when it runs, and
// they are the same faults in the same places.
func TestCheck(t *testing.T) {
	in, s := start(t, cells)
	for _, code := range []string{
		"x := 1", "sq.Side + 1", "sq", "unknown", "sq.Nothing", "var y int = \"a\"", "x := 1 +", "for {", "func f() int { }", "squares[\"a\"]",
		"import \"no/such\"", "ä := undefined2 + word", "fmt.Printn(1)", "type Square struct{ Side string }", "sq := fmt.Sprint(sq)",
		"func area(s Square) int { return s.Side }", "a, b := 1", "%time word + 1", "%time unknown", "%cd ..\nword", "x := 1; x := 2",
		"display.HTML(\"a\")", "%%time\nword", "var _ = strings.ToUpper(\"a\")", "",
	} {
		faults, busy := in.Check(code, nil)
		if busy {
			t.Fatalf("%q: busy", code)
		}
		var got []string
		for _, f := range faults {
			got = append(got, fmt.Sprintf("%d:%d %s (%s)", f.Line, f.Column, f.Message, f.Hint))
		}
		// Run the cell in a session of its own, because a cell that runs changes the session.
		_, fresh := start(t, cells)
		src := code
		if line, ok := strings.CutPrefix(code, "%time "); ok {
			src = "      " + line
		} else if _, rest, ok := strings.Cut(code, "\n"); ok && code[0] == '%' {
			src = "\n" + rest
		}
		_, err := fresh.Run(context.Background(), engine.Cell{Name: "In[9]", Source: src})
		var want []string
		if e, ok := err.(*engine.Error); ok && (e.Kind == engine.Syntax || e.Kind == engine.Type) {
			lines := strings.Split(src, "\n")
			for i, f := range e.Frames {
				column := utf8.RuneCountInString(lines[f.Line-1][:min(f.Col-1, len(lines[f.Line-1]))]) + 1
				want = append(want, fmt.Sprintf("%d:%d %s (%s)", f.Line, column, e.Faults[i], e.Hints[i]))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\ngot  %q\nwant %q", code, got, want)
		}
	}
	// Nothing has changed.
	if _, err := s.Run(context.Background(), engine.Cell{Name: "In[4]", Source: "sq.Side + area(sq)"}); err != nil {
		t.Error(err)
	}
	if _, err := s.Run(context.Background(), engine.Cell{Name: "In[5]", Source: "x"}); err == nil {
		t.Error("a checked cell has declared x")
	}
}

func TestCheckEnds(t *testing.T) {
	in, _ := start(t, cells)
	for code, want := range map[string]string{"ä := größer + word": "1:6-12", "\nsq.Nothing": "2:4-11", "mat.Nothing(1)": "1:5-12"} {
		faults, _ := in.Check(code, nil)
		if len(faults) != 1 {
			t.Fatalf("%q: %v", code, faults)
		}
		f := faults[0]
		if got := fmt.Sprintf("%d:%d-%d", f.Line, f.Column, f.End); got != want {
			t.Errorf("%q: %s, want %s", code, got, want)
		}
	}
}

// TestCheckOthers: names that are declared only by cells that have not run are not reported. Other faults are.
func TestCheckOthers(t *testing.T) {
	in, _ := start(t, cells)
	others := []string{"import \"overcomplete/kernel-helpers/pca\"\nlater, too := 1, 2", "func helper(n int) int { return n }", "not Go ("}
	for code, want := range map[string]int{"helper(later) + too": 0, "pca.New(later)": 0, "helper(missing)": 1, "sq.Nothing + later": 1} {
		if faults, _ := in.Check(code, others); len(faults) != want {
			t.Errorf("%q: %v", code, faults)
		}
	}
	if faults, _ := in.Check("later", nil); len(faults) != 1 {
		t.Error("a name is known although no cell declares it")
	}
}

// TestCheckMany: checks and queries at the same time wait for each other. An editor checks several cells at once, and
// would show old mistakes if a check failed.
func TestCheckMany(t *testing.T) {
	in, _ := start(t, cells)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				if i%4 == 0 {
					in.Complete(t.Context(), "sq.", 3)
					continue
				}
				faults, busy := in.Check("unknown", nil)
				if busy || len(faults) != 1 {
					t.Errorf("busy %v, %v", busy, faults)
				}
			}
		})
	}
	wg.Wait()
}

// TestCheckWhileRunning: while a cell runs, Check reports at once that the session is busy.
func TestCheckWhileRunning(t *testing.T) {
	in, s := start(t, cells)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan bool)
	go func() {
		s.Run(ctx, engine.Cell{Name: "In[9]", Source: "for {}"})
		close(ended)
	}()
	for {
		if _, busy := in.Check("x", nil); busy {
			break
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-ended
	if _, busy := in.Check("x", nil); busy {
		t.Error("busy although nothing runs")
	}
}

// TestCheckTime: in a notebook of 200 cells, a check takes much less than the 100 ms after which a user notices.
func TestCheckTime(t *testing.T) {
	many := slices.Clone(cells)
	var others []string
	for i := range 200 {
		text := fmt.Sprintf("func step%d(n int) int { if n > 0 { return n + %d }; return area2(n) }\nv%d := []float64{1, 2, %d}", i, i, i, i)
		if i < 100 {
			many = append(many, strings.Replace(text, "area2(n)", "0", 1))
		} else {
			others = append(others, text)
		}
	}
	in, _ := start(t, many)
	var times []time.Duration
	for i := range 20 {
		code := fmt.Sprintf("x := step%d(1) + step150(2)\nfmt.Println(x, v%d, undefined%d)", i, i, i)
		before := cputime.Used()
		faults, busy := in.Check(code, others)
		times = append(times, cputime.Used()-before)
		if len(faults) != 1 || busy {
			t.Fatalf("%v %v", faults, busy)
		}
	}
	slices.Sort(times)
	t.Logf("processor time of a check: median %v, first and slowest %v", times[len(times)/2], times[len(times)-1])
	if times[0] > 50*time.Millisecond {
		t.Errorf("all are too slow: %v", times)
	}
}

// TestNames finds places with the cursor |. The names that must be found are in «».
func TestNames(t *testing.T) {
	in, _ := start(t, cells)
	for _, test := range []struct {
		cells []string
		fixed bool
	}{
		{cells: []string{"«x» := 1", "fmt.Println(|«x»)", "func f(x int) int { return x }\n«x» = 2; p.x = 3"}},
		{cells: []string{"x := 1", "func f(«x» int) int { return |«x» + g(«x») }\nx = 2"}},
		{cells: []string{"func «twice|»(n int) int { return 2 * n }", "«twice»(3)\nfunc g() int {\n\treturn «twice»(4)\n}"}},
		{cells: []string{"«größe», b := 1, 2", "%time |«größe» + b", "for i := range «größe» { größer := i; _ = größer }"}},
		{cells: []string{"type «T» struct{ a int }", "t := |«T»{a: 1}\nfunc (t «T») m() «T» { return t }"}},
		{cells: []string{"for i := range 3 { _ = i }", "for |«i» := range 4 { fmt.Println(«i») }"}},
		{cells: []string{"type T struct{ «a» int }", "t := T{«a»: 1}; a := 2; t.|«a»++"}, fixed: true},
		{cells: []string{"|«len»(word)", "«len»(sq)"}, fixed: true},
		{cells: []string{"x := 1", "this is not Go |"}},
	} {
		var texts, want []string
		cell, cursor := 0, 0
		for i, marked := range test.cells {
			text, column, line := "", 1, 1
			for _, r := range marked {
				switch r {
				case '«':
					want = append(want, fmt.Sprintf("%d %d:%d", i, line, column))
				case '»':
				case '|':
					cell, cursor = i, utf8.RuneCountInString(text)
				default:
					text += string(r)
					if column++; r == '\n' {
						line, column = line+1, 1
					}
				}
			}
			texts = append(texts, text)
		}
		n := in.Names(texts, cell, cursor)
		var got []string
		for _, p := range n.Uses {
			got = append(got, fmt.Sprintf("%d %d:%d", p.Cell, p.Line, p.Column))
		}
		if !slices.Equal(got, want) || test.fixed != (n.Fixed != "") {
			t.Errorf("%q: got %v, want %v; %q", test.cells, got, want, n.Fixed)
		}
	}
}

// TestNamesDeclared: the declaration is in the nearest cell above, or in the source of a package.
func TestNamesDeclared(t *testing.T) {
	in, _ := start(t, cells)
	notebook := []string{"x := 1", "x := 2", "x + later", "later := 3\nx := 4"}
	for cursor, want := range map[int]string{0: "[{1  1 1 2}]", 4: "[{3  1 1 6}]"} {
		if n := in.Names(notebook, 2, cursor); fmt.Sprint(n.Declared) != want {
			t.Errorf("%s is declared at %v, want %s", n.Name, n.Declared, want)
		}
	}
	n := in.Names([]string{"strings.ToUpper(word)"}, 0, 9)
	if len(n.Declared) != 1 || n.Declared[0].Cell != -1 || n.Fixed == "" {
		t.Fatalf("%+v", n)
	}
	if f := n.Declared[0]; f.File != "" && (!strings.HasSuffix(f.File, "strings.go") || f.Line < 100) {
		t.Errorf("ToUpper is declared in %+v", f)
	}
}
