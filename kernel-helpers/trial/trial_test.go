package trial_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"overcomplete/kernel-helpers/ended"
	"overcomplete/kernel-helpers/trial"
	"overcomplete/ui/progress"
)

type setting struct {
	Name  string
	Shift float64
}

func (s setting) String() string { return s.Name }

// noise draws from a seed: the same for each setting.
func noise(seed uint64) float64 { return math.Sin(12.9898 * float64(seed)) }

func measure(_ context.Context, s setting, seed uint64) (map[string]float64, error) {
	return map[string]float64{"score": s.Shift + noise(seed), "loss": -s.Shift}, nil
}

var both = []setting{{"a_1", 0}, {"b|2", 1}}

func TestRun(t *testing.T) {
	var steps []int
	table, err := trial.Run(t.Context(), both, trial.Seeds(4), measure, &trial.Options{Workers: 3, Recorder: progress.Func(func(e progress.Event) { steps = append(steps, e.Step, e.Total) })})
	if err != nil || table.Status != ended.Done {
		t.Fatal(err)
	}
	if fmt.Sprint(table.Measures, table.Seeds) != "[loss score] [1 2 3 4]" || fmt.Sprint(steps) != "[0 8 1 8 2 8 3 8 4 8 5 8 6 8 7 8 8 8]" {
		t.Error(table.Measures, table.Seeds, steps)
	}
	one, err := trial.Run(t.Context(), both, trial.Seeds(4), measure, &trial.Options{Workers: 1})
	if err != nil || fmt.Sprint(one.Values) != fmt.Sprint(table.Values) {
		t.Error("the result depends on the number of goroutines")
	}
	for i, s := range both {
		for j := range 4 {
			if got := table.Values[1][i][j]; got != s.Shift+noise(uint64(j+1)) {
				t.Errorf("setting %d, seed %d: %v", i, j+1, got)
			}
		}
	}
	if f := table.Frame(); f.Err != nil || f.Nrow() != 8 || fmt.Sprint(f.Names()) != "[setting seed loss score]" {
		t.Error(f)
	}
}

// TestCompare compares the p-values with closed forms: Student's distribution has them for 1 and 2 degrees of freedom.
func TestCompare(t *testing.T) {
	values := map[uint64][2]float64{1: {3, 1}, 2: {5, 4}, 3: {4, 4.5}}
	f := func(_ context.Context, s int, seed uint64) (map[string]float64, error) {
		return map[string]float64{"x": values[seed][s]}, nil
	}
	for n := 2; n <= 3; n++ {
		table, err := trial.Run(t.Context(), []int{0, 1}, trial.Seeds(n), f, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := table.Compare("x", 0, 1)
		d := []float64{2, 1, -0.5}[:n]
		mean, square := 0.0, 0.0
		for _, v := range d {
			mean += v / float64(n)
		}
		for _, v := range d {
			square += (v - mean) * (v - mean)
		}
		T := mean / math.Sqrt(square/float64(n-1)/float64(n))
		p := 1 - 2/math.Pi*math.Atan(math.Abs(T))
		if n == 3 {
			p = 1 - math.Abs(T)/math.Sqrt(2+T*T)
		}
		if c.N != n || math.Abs(c.T-T) > 1e-12 || math.Abs(c.P-p) > 1e-9 {
			t.Errorf("%d seeds: %+v, want t %v, p %v", n, c, T, p)
		}
	}
	table, err := trial.Run(t.Context(), []int{0, 0}, trial.Seeds(3), f, nil)
	if c := table.Compare("x", 0, 1); err != nil || !math.IsNaN(c.P) {
		t.Errorf("%+v", c)
	}
}

func TestTables(t *testing.T) {
	table, err := trial.Run(t.Context(), both, trial.Seeds(3), measure, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := table.Markdown(); strings.Contains(s, "**") || strings.Contains(s, "| p |") {
		t.Errorf("nobody said what is better:\n%s", s)
	}
	table.Higher("score").Lower("loss")
	if table.Best("score") != 1 || table.Best("loss") != 1 {
		t.Error(table.Best("score"), table.Best("loss"))
	}
	for what, c := range map[string]struct{ got, want string }{
		"Markdown": {table.Markdown(), `| b\|2 | **−1.00 ± 0.00** |  | **`},
		"LaTeX":    {table.Tabular(), `b|2 & \textbf{$-$1.00 $\pm$ 0.00} &  & \textbf{`},
		"HTML":     {table.HTML(), "<td>b|2</td><td><b>−1.00 ± 0.00</b></td><td></td><td><b>"},
		"text":     {table.String(), "b|2      −1.00 ± 0.00 *"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s:\n%s\nhas no\n%s", what, c.got, c.want)
		}
	}
	if s := table.Tabular(); !strings.Contains(s, `a\_1`) || strings.Count(s, "&") != 3*4 {
		t.Error(s)
	}
}

func TestCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "trials.jsonl")
	var calls atomic.Int64
	counted := func(ctx context.Context, s setting, seed uint64) (map[string]float64, error) {
		calls.Add(1)
		m, err := measure(ctx, s, seed)
		m["odd"] = math.NaN()
		m["endless"] = math.Inf(1)
		return m, err
	}
	run := func(code string, seeds int) *trial.Table {
		t.Helper()
		table, err := trial.Run(t.Context(), both, trial.Seeds(seeds), counted, &trial.Options{Cache: path, Code: code})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	first := run("1", 3)
	if again := run("1", 3); calls.Load() != 6 || again.Kept != 6 || fmt.Sprint(again.Values) != fmt.Sprint(first.Values) {
		t.Errorf("%d calls, %d kept, %v and %v", calls.Load(), again.Kept, first.Values, again.Values)
	}
	if more := run("1", 4); calls.Load() != 8 || more.Kept != 6 {
		t.Errorf("%d calls, %d kept", calls.Load(), more.Kept)
	}
	if run("2", 3); calls.Load() != 14 {
		t.Errorf("other code is kept: %d calls", calls.Load())
	}
	// A line that was cut off is ignored, and the lines after it can be read.
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b[:len(b)-9], 0o644); err != nil {
		t.Fatal(err)
	}
	if run("2", 3); calls.Load() != 15 {
		t.Errorf("%d calls", calls.Load())
	}
	if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := trial.Run(t.Context(), both, trial.Seeds(1), measure, &trial.Options{Cache: path}); err == nil || !strings.Contains(err.Error(), "line 1 of") {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	f := func(_ context.Context, s setting, seed uint64) (map[string]float64, error) {
		switch {
		case s.Shift == 1 && seed == 2:
			return nil, broken
		case seed == 1:
			return map[string]float64{"x": 1}, fmt.Errorf("almost: %w", ended.ErrNotConverged)
		}
		return map[string]float64{"x": 1}, nil
	}
	if _, err := trial.Run(t.Context(), both, trial.Seeds(3), f, nil); !errors.Is(err, broken) || !strings.Contains(err.Error(), "setting 1 (b|2), seed 2") {
		t.Error(err)
	}
	if table, err := trial.Run(t.Context(), both[:1], trial.Seeds(3), f, nil); err != nil || table.NotConverged != 1 {
		t.Error(err)
	}
	for _, c := range []struct {
		settings []setting
		seeds    []uint64
		opt      trial.Options
		want     string
	}{{nil, trial.Seeds(1), trial.Options{}, "0 settings"}, {both, nil, trial.Options{}, "0 seeds"}, {both, trial.Seeds(1), trial.Options{Workers: -1}, "Workers is -1"}} {
		if _, err := trial.Run(t.Context(), c.settings, c.seeds, measure, &c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	nothing := func(context.Context, setting, uint64) (map[string]float64, error) { return nil, nil }
	if _, err := trial.Run(t.Context(), both, trial.Seeds(1), nothing, nil); err == nil || !strings.Contains(err.Error(), "nothing was measured") {
		t.Error(err)
	}
}

// An interrupted run returns what it has, and keeps it.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "trials.jsonl")
	f := func(ctx context.Context, s setting, seed uint64) (map[string]float64, error) {
		if seed == 3 {
			stop()
		}
		return measure(ctx, s, seed)
	}
	table, err := trial.Run(ctx, both[:1], trial.Seeds(5), f, &trial.Options{Workers: 1, Cache: path})
	if !errors.Is(err, context.Canceled) || table == nil || table.Status != ended.Interrupted || !math.IsNaN(table.Values[1][0][2]) || table.Values[1][0][1] != noise(2) {
		t.Fatal(table, err)
	}
	table, err = trial.Run(t.Context(), both[:1], trial.Seeds(5), measure, &trial.Options{Cache: path})
	if err != nil || table.Kept != 2 {
		t.Error(table, err)
	}
}

// A bar is a recorder that notes the last event, and whether the work has ended.
type bar struct {
	last  progress.Event
	ended int
}

func (b *bar) Record(e progress.Event) { b.last = e }
func (b *bar) Done()                   { b.ended++ }

// A bar ends with the trials, however they end. One that is interrupted would show for ever how much time is left.
func TestBarEnds(t *testing.T) {
	for name, c := range map[string]struct {
		fail func(cancel func()) error
		step int
	}{
		"done":        {func(func()) error { return nil }, 4},
		"interrupted": {func(cancel func()) error { cancel(); return nil }, 1},
		"failed":      {func(func()) error { return errors.New("no") }, 2},
	} {
		var b bar
		ctx, cancel := context.WithCancel(t.Context())
		trial.Run(ctx, both[:1], trial.Seeds(4), func(ctx context.Context, s setting, seed uint64) (map[string]float64, error) {
			if seed == 2 {
				if err := c.fail(cancel); err != nil {
					return nil, err
				}
			}
			return measure(ctx, s, seed)
		}, &trial.Options{Workers: 1, Recorder: &b})
		cancel()
		if b.ended != 1 || b.last.Step != c.step || b.last.Total != 4 {
			t.Errorf("%s: %+v", name, b)
		}
	}
	// Where all trials are kept, the bar is full.
	path := filepath.Join(t.TempDir(), "kept.jsonl")
	for range 2 {
		var b bar
		if _, err := trial.Run(t.Context(), both, trial.Seeds(4), measure, &trial.Options{Cache: path, Recorder: &b}); err != nil || b.last.Step != 8 || b.ended != 1 {
			t.Errorf("%+v, %v", b, err)
		}
	}
}
