package cycle

import (
	"fmt"
	"testing"
	"time"
)

type (
	slices []slices
	maps   map[string]maps
	within struct {
		name string
		more map[string]any
	}
	shown map[string]any
)

func (shown) String() string { return "shown" }

func TestIn(t *testing.T) {
	m := map[string]any{"a": 1}
	m["self"] = m
	s := []any{1, 2}
	s[1] = s
	through := map[string]any{"list": s}
	ss := slices{nil}
	ss[0] = ss
	mm := maps{}
	mm["x"] = mm
	w := within{"w", m}
	var any1 any = m
	sh := shown{}
	sh["self"] = sh
	row := []any{1, "a", nil}
	shared := []any{row, row, map[string]any{"row": row}}
	p := &struct{ self any }{}
	p.self = p
	for _, c := range []struct {
		name string
		v    any
		want bool
	}{
		{"nil", nil, false},
		{"map", m, true},
		{"pointer to it", &m, true},
		{"pointer to a pointer, which fmt does not follow", &[]*map[string]any{&m}, false},
		{"slice", s, true},
		{"slice in a map", through, true},
		{"slices of their own type", ss, true},
		{"maps of their own type", mm, true},
		{"field", w, true},
		{"array", [2]any{m, 1}, true},
		{"pointer to an interface, which fmt does not follow", &any1, false},
		{"with a String method", sh, false},
		{"the same slice twice", shared, false},
		{"pointers", p, false},
		{"nested", map[string]any{"a": []any{1, map[string]any{"b": nil}}}, false},
		{"empty", slices{{}, {}}, false},
		{"time", time.Now(), false},
		{"numbers", [][]float64{{1}, {2}}, false},
	} {
		if got := In(c.v); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if !c.want {
			_ = fmt.Sprint(c.v) // must terminate, because v has no cycle any more
		}
	}
}

// TestShared: without recording what it has seen, In would take 2^60 steps.
func TestShared(t *testing.T) {
	v := []any{1}
	for range 60 {
		v = []any{v, v}
	}
	if In(v) {
		t.Error("there is no cycle")
	}
}
