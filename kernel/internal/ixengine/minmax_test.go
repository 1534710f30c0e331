package ixengine

import "testing"

func TestMinMax(t *testing.T) {
	for _, l := range Levels {
		t.Run(l.Name, func(t *testing.T) {
			defer l.Force()()
			s := fresh(t, Options{})
			run(t, s, `import "math"
import "fmt"
type count uint16
func least(c int) int { return min(3, c) }
u, nan, zero, negative := uintptr(0), math.NaN(), 0.0, math.Copysign(0, -1)
single, text, named := float32(nan), "b", count(7)`)
			for _, c := range []struct{ src, want string }{
				{"fmt.Sprint(min(1, u), max(u, 9, 3), min(3, 4, u))", "0 9 0"},
				{"fmt.Sprint(min(1, nan), max(nan, 1), max(2, 1, nan), min(single, 1))", "NaN NaN NaN NaN"},
				{"fmt.Sprint(math.Signbit(min(zero, negative)), math.Signbit(min(negative, zero)), math.Signbit(max(negative, zero)), math.Signbit(max(zero, negative)))", "true true false false"},
				{"fmt.Sprint(max(text, \"a\"), min(text, \"a\", \"c\"), least(1), least(9))", "ba1 3"},
				{"fmt.Sprintf(\"%T %v\", min(named, 3), min(named, 3))", "main.count 3"},
			} {
				if got := run(t, s, c.src)[0].Value; got != c.want {
					t.Errorf("%s is %v, want %s", c.src, got, c.want)
				}
			}
		})
	}
}
