package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"overcomplete/internal/panics"
)

func TestClasses(t *testing.T) {
	for _, n := range []int{2, 8, 10, 26} {
		seen := map[color.NRGBA]bool{}
		for i := range n {
			seen[classColor(i, n)] = true
		}
		if len(seen) != n {
			t.Errorf("%d colours for %d classes", len(seen), n)
		}
	}
	x, y, labels := []float64{0, 1, 2, 3}, []float64{0, 1, 0, 1}, []int{0, 0, 1, -1}
	plain := Classes("points", x, y, nil, nil).PNG()
	for _, f := range []*Figure{Classes("points", x, y, labels, nil), Classes("points", x, y, labels, []string{"a", "b"})} {
		if b := f.PNG(); bytes.Equal(b, plain) || !bytes.Equal(b, f.PNG()) {
			t.Error("labels are not shown, or two drawings differ")
		}
	}
	for _, bad := range []func(){
		func() { Classes("", x, y[1:], nil, nil) },
		func() { Classes("", x, y, labels[1:], nil) },
		func() { Classes("", x, y, labels, []string{"a"}) },
	} {
		if s := fmt.Sprint(panics.Value(bad)); !strings.HasPrefix(s, "figure: Classes") {
			t.Errorf("panic %q", s)
		}
	}
}

// Names that cover one another are moved apart, the others stay where they are.
func TestSeparate(t *testing.T) {
	box := func(x, y float64) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: vg.Length(x), Y: vg.Length(y)}, Max: vg.Point{X: vg.Length(x + 20), Y: vg.Length(y + 10)}}
	}
	for name, places := range map[string][]vg.Rectangle{
		"apart":      {box(0, 0), box(50, 0), box(0, 30)},
		"in a row":   {box(0, 0), box(15, 0), box(30, 0), box(200, 0)},
		"in a heap":  {box(0, 0), box(3, 2), box(5, -4), box(-6, 1), box(200, 0)},
		"above":      {box(0, 8), box(1, 0), box(200, 0)},
		"same place": {box(0, 0), box(0, 0), box(200, 0)},
	} {
		far, before := places[len(places)-1], slices.Clone(places)
		separate(places)
		for i, a := range places {
			for _, b := range places[:i] {
				x, y := min(a.Max.X, b.Max.X)-max(a.Min.X, b.Min.X), min(a.Max.Y, b.Max.Y)-max(a.Min.Y, b.Min.Y)
				if x > 0.1 && y > 0.1 {
					t.Errorf("%s: %v and %v cover one another", name, a, b)
				}
			}
		}
		if places[len(places)-1] != far || name == "apart" && !slices.Equal(places, before) {
			t.Errorf("%s: one that nothing covered was moved: %v", name, places)
		}
		if name == "above" && places[0].Min.Y < places[1].Min.Y {
			t.Errorf("the upper one went down: %v", places)
		}
	}
}
