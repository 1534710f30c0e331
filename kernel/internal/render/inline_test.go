package render

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel/engine"
	"overcomplete/ui/display"
)

type node struct {
	V           int
	Left, Right *node
}

type event struct {
	Name string
	at   time.Duration
	why  error
	Tags []string
	More any
}

// TestInline: the text of a value shows its structure.
func TestInline(t *testing.T) {
	tree := &node{5, &node{V: 3}, nil}
	deep := &node{V: 1}
	for range 100 {
		deep = &node{V: 2, Left: deep}
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{[]string{"a b", "c"}, `["a b" "c"]`}, {[]string{"a", "b"}, "[a b]"}, {[]string{""}, `[""]`}, {[]any{1, "1"}, `[1 "1"]`},
		{map[string]string{"k": "two words"}, `map[k:"two words"]`}, {map[string]any{"k": "v"}, `map[k:"v"]`}, {map[string]int{"a b": 1}, `map["a b":1]`},
		{tree, "&render.node{V: 5, Left: &render.node{V: 3, Left: nil, Right: nil}, Right: nil}"},
		{[][]*node{{{V: 1}, nil}}, "[[&{V: 1, Left: nil, Right: nil}, <nil>]]"},
		{struct {
			A int
			B string
		}{1, "x"}, `{A: 1, B: "x"}`},
		{[]error{errors.New("a b"), nil}, "[a b <nil>]"}, {[][]float64{{1, 2}, {3, 4.5}}, "[[1 2] [3 4.5]]"}, {[]time.Duration{time.Second}, "[1s]"},
		{struct{ M *mat.Dense }{mat.NewDense(2, 3, nil)}, "{M: mat.Dense 2×3}"}, {struct{ B *bytes.Reader }{bytes.NewReader(nil)}, "{B: &bytes.Reader{…}}"},
		{struct{ L sync.Mutex }{}, "{L: sync.Mutex{…}}"}, {struct{ B []byte }{[]byte("hé")}, `{B: "hé"}`}, {struct{ F func(int) }{}, "{F: nil}"},
		{&[]int{1, 2}, "&[1 2]"}, {struct{ X [][]int }{[][]int{make([]int, 1000)}}, "{X: [[0 0 0 0 0 0 0 0 0 0 … 990 more]]}"},
		{[]any{bad{}}, "[method String panicked: bang]"},
	} {
		if got := textOf(t, c.v); got != c.want {
			t.Errorf("%T: %s, want %s", c.v, got, c.want)
		}
	}
	// Methods of unexported fields are used too, if they are accessible.
	if got, want := inlineOfCell(event{"a", time.Second, errors.New("no"), []string{"x y"}, "z"}), `{Name: "a", at: 1s, why: no, Tags: ["x y"], More: "z"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := textOf(t, deep); strings.Count(got, "&render.node") > maxDepth || !strings.Contains(got, "…") {
		t.Errorf("a deep tree is %s", got)
	}
	big := make([]event, 100)
	for i := range big {
		big[i].Name = strings.Repeat("long ", 50)
	}
	if got := textOf(t, struct{ Big any }{big}); len(got) > 3*enoughFor {
		t.Errorf("%d bytes", len(got))
	}
	wall := make([]float64, 1000)
	for i := range wall {
		wall[i] = float64(i) / 3
	}
	if got := textOf(t, wall); len(got) > 250 || !strings.HasPrefix(got, "[0 0.333333 0.666667 1 ") || !strings.HasSuffix(got, "333] (1000 elements)") {
		t.Errorf("a thousand numbers: %s", got)
	}
}

// inlineOfCell writes a struct as if a cell had declared its type.
func inlineOfCell(e event) string {
	return Text(struct {
		Name string
		at   time.Duration
		why  error
		Tags []string
		More any
	}(e))
}

// TestCircles: a value that contains itself is shown up to the point where it would repeat.
func TestCircles(t *testing.T) {
	m := map[string]any{"a": 1}
	m["self"] = m
	s := []any{nil, 2}
	s[0] = s
	ring := &node{V: 1}
	ring.Left = &node{V: 2, Right: ring}
	type list []list
	l := list{nil}
	l[0] = l
	type box struct{ In any }
	b := &box{}
	b.In = b
	byMap := map[string]*box{"b": {}}
	byMap["b"].In = byMap
	for _, c := range []struct {
		v    any
		want string
	}{
		{m, "map[a:1 self:…]"}, {s, "[… 2]"}, {l, "[…]"},
		{ring, "&render.node{V: 1, Left: &render.node{V: 2, Left: nil, Right: …}, Right: nil}"},
		{*ring, "render.node{V: 1, Left: &render.node{V: 2, Left: nil, Right: &render.node{V: 1, Left: …, Right: nil}}, Right: nil}"},
		{b, "&render.box{In: …}"},
		{byMap, "map[b:&{In: …}]"},
		{[]any{m, m}, "[map[a:1 self:…] map[a:1 self:…]]"},
	} {
		if got := Text(c.v); got != c.want {
			t.Errorf("%T: %s, want %s", c.v, got, c.want)
		}
		Value(c.v) // Value must terminate
		Summary(c.v)
	}
	Value([]*node{ring, ring})
	Value([]box{*b})
	Value(map[string]box{"b": *b})
}

// TestRows: slices of slices of numbers are shown as matrices if they are rectangular.
func TestRows(t *testing.T) {
	d := Value([][]float64{{1, 2}, {3, 4.5}})
	if html, _ := d.Data[display.MIMETypeHTML].(string); !strings.Contains(html, "<td>3</td><td>4.5</td>") || !strings.Contains(html, "[][]float64, 2×2") {
		t.Errorf("%v", d.Data)
	}
	if d.Data[display.MIMETypeText] != "[[1 2] [3 4.5]]" {
		t.Errorf("%v", d.Data)
	}
	if !isRich(Value([2][2]int{{1, 2}, {3, 4}})) {
		t.Error("an array of arrays is no matrix")
	}
	large := make([][]int, 300)
	for i := range large {
		large[i] = make([]int, 200)
	}
	if html, _ := Value(large).Data[display.MIMETypeHTML].(string); strings.Count(html, "<td>") > 200 || !strings.Contains(html, "300×200") {
		t.Error("a large one is not shortened")
	}
	for _, v := range []any{[][]float64{{1}, {2, 3}}, [][]float64{}, [][]float64{{}}, [][]string{{"a"}}, [][]byte{{1}}, [][]bool{{true}}, [][]time.Duration{{1}}} {
		if isRich(Value(v)) {
			t.Errorf("%v is a matrix", v)
		}
	}
}

// TestResultsTell: the output shows invisible strings as quoted strings, and distinguishes runes from
// numbers.
func TestResultsTell(t *testing.T) {
	for _, c := range []struct {
		v    engine.Value
		want string
	}{
		{engine.Value{Value: "", Type: "string"}, `""`}, {engine.Value{Value: " \n", Type: "string"}, `" \n"`}, {engine.Value{Value: "a", Type: "string"}, "a"},
		{engine.Value{Value: 'a', Type: "rune"}, "97 'a'"}, {engine.Value{Value: 'a', Type: "int32"}, "97"},
	} {
		shown, _ := Results([]engine.Value{c.v})
		if got := fmt.Sprint(shown[0].Data[display.MIMETypeText]); got != c.want {
			t.Errorf("%v: %s, want %s", c.v, got, c.want)
		}
	}
}
