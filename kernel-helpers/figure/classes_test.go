package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"
	"testing"
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
		func() {
			defer func() {
				if s := fmt.Sprint(recover()); !strings.HasPrefix(s, "figure: Classes") {
					t.Errorf("panic %q", s)
				}
			}()
			bad()
		}()
	}
}
