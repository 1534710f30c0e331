package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// A fake is a turner that records its turns.
type fake struct {
	name   string
	log    *[]string
	shows  []string // outputs of its turns; the last one repeats
	fails  int      // number of the turn that fails, from 1
	closed bool
	n      int
}

func (f *fake) turn() (string, float64, error) {
	*f.log = append(*f.log, f.name)
	text := f.shows[min(f.n, len(f.shows)-1)]
	f.n++
	if f.n == f.fails {
		return "", 0, errors.New("broken")
	}
	return text, float64(f.n), nil
}

func (f *fake) close() { f.closed = true }

func TestRace(t *testing.T) {
	var log []string
	a := &side{turner: &fake{name: "a", log: &log, shows: []string{"1"}}, rounds: 3}
	b := &side{turner: &fake{name: "b", log: &log, shows: []string{"1"}}, rounds: 1}
	c := &side{turner: &fake{name: "c", log: &log, shows: []string{"1"}, fails: 2}, rounds: 3}
	race(3, time.Hour, []*side{a, b, c})
	if got, want := strings.Join(log, ""), "abc"+"bca"+"a"+"a"; got != want {
		t.Errorf("turns %s, should be %s", got, want)
	}
	if a.first != 1 || !slices.Equal(a.later, []float64{2, 3, 4}) {
		t.Errorf("a: %v, then %v", a.first, a.later)
	}
	if c.err == nil || len(c.later) != 0 {
		t.Errorf("c fails in its second turn: %v, %v", c.err, c.later)
	}
}

// TestRaceBudget: a side that has used up its share takes only leastTurns.
func TestRaceBudget(t *testing.T) {
	var log []string
	a := &side{turner: &fake{name: "a", log: &log, shows: []string{"1"}}, rounds: 5}
	race(5, 0, []*side{a})
	if len(a.later) != leastTurns {
		t.Errorf("%d turns without time for them, should be %d", len(a.later), leastTurns)
	}
}

// TestRaceChanged: a side with a different output in a later turn has failed.
func TestRaceChanged(t *testing.T) {
	var log []string
	a := &side{turner: &fake{name: "a", log: &log, shows: []string{"1", "1", "2"}}, rounds: 5}
	race(5, time.Hour, []*side{a})
	if a.err == nil || !strings.Contains(a.err.Error(), "2") {
		t.Errorf("the error is %v", a.err)
	}
}

// TestCompiledPanics: a panic of a program is an error of the program's row.
func TestCompiledPanics(t *testing.T) {
	if _, _, err := (compiledProgram{func(int) string { panic("no convergence") }, 1}).turn(); err == nil || !strings.Contains(err.Error(), "no convergence") {
		t.Errorf("the error is %v", err)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 9, 2}, 3}} {
		if got := median(c.v); got != c.want {
			t.Errorf("median(%v) = %v, should be %v", c.v, got, c.want)
		}
	}
}

func TestClose9(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"1", "1", true}, {"1e+06", "1000000.0", true}, {"0.1", "0.1001", false}, {"ab", "ab", true}, {"ab", "1", false}} {
		if close9(c.a, c.b) != c.want {
			t.Errorf("close9(%s, %s) is %v", c.a, c.b, !c.want)
		}
	}
}

// TestCompare: a side with a wrong answer fails. A right answer, or a missing one, changes nothing.
func TestCompare(t *testing.T) {
	var log []string
	var e entries
	add := func(text string) *side { return e.add(&fake{name: "x", log: &log, shows: []string{text}}, nil, 1) }
	inGo, right, wrong, absent := add("1"), add("1"), add("2"), e.add(nil, nil, 1)
	broken := e.add(nil, errors.New("no kernel"), 1)
	e.run(1, time.Hour)
	for _, s := range []*side{right, wrong, absent, broken} {
		e.compare("the cell", s, inGo, identical)
	}
	if right.figure() == 0 || wrong.figure() != 0 || absent.figure() != 0 || broken.figure() != 0 {
		t.Errorf("figures %v, %v, %v, %v", right.figure(), wrong.figure(), absent.figure(), broken.figure())
	}
	if want := "no kernel\nthe cell shows 2, compiled Go 1"; e.fault() != want {
		t.Errorf("faults %q, should be %q", e.fault(), want)
	}
	for _, s := range e.sides {
		if !s.turner.(*fake).closed {
			t.Error("a turner is left open")
		}
	}
}
