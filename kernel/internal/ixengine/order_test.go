package ixengine

import (
	"strings"
	"testing"
)

// TestOrder: the var declarations at the beginning of a cell are initialized in Go's order, init functions run
// when the variables that they mention are initialized, and everything else runs in source order.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{[]string{"var t = compute()\nvar table = map[string]int{\"a\": 6}\nfunc compute() int { return table[\"a\"] }\nt"}, "6"},
		{[]string{"var va = vb + 1\nvar vb = 2\nva"}, "3"},
		{[]string{"var (\n\ta, b = f(), 2\n\tc = b + 1\n)\nfunc f() int { return c * 10 }\n[]int{a, b, c}"}, "[30 2 3]"},
		{[]string{"var n = T{}.get()\nvar base = 5\ntype T struct{}\nfunc (T) get() int { return base }\nn"}, "5"},
		{[]string{"base := 1\nfunc get() int { return base }", "var n = get()\nvar base = 7\nn"}, "7"},
		{[]string{"var k = func() int { return z }()\nvar z int = 9\nk"}, "9"},
		{[]string{"var x, y = 1, 2", "var x, y = y, x\n[]int{x, y}"}, "[2 1]"},
		{[]string{"var x = 1", "var x = x + 1\nvar y = x\ny"}, "2"},
		{[]string{"x := 1\nvar y = x + 1\nvar z = y + 1\nz"}, "3"},
		{[]string{"var x = f()\nfunc f() int { return x + 1 }\nx"}, "1"},
		{[]string{"var level = 10\nfunc init() { level *= 2 }\nlevel"}, "20"},
		{[]string{"var table map[string]int\nfunc init() { table = map[string]int{\"a\": 1} }\ntable[\"a\"]"}, "1"},
		{[]string{"var registry = map[string]int{}\nfunc add(n string) { registry[n]++ }\nfunc init() { add(\"a\") }\nfunc init() { add(\"b\"); add(\"a\") }\nregistry"}, "map[a:2 b:1]"},
		{[]string{"seen := 0\nseen++\ntable := map[int]int{}\nfunc init() { table[seen] = 4 }\nseen++\ntable[1]"}, "4"},
		{[]string{"func init() { n = 3 }\nn := 1\nfor range 3 { n *= 2 }\nn"}, "24"},
		{[]string{"package main\nvar out []int\nfunc init() { out = append(out, a) }\nvar a = b * 2\nvar b = 3\nfunc main() { out = append(out, 1) }", "out"}, "[6 1]"},
		{[]string{"package main\nfunc main() { n++ }\nvar n int\nmain()", "n"}, "1"},
		{[]string{"func main() { n++ };\nvar n int;", "n"}, "1"},
		{[]string{"func main() { n++ }\nvar n int\nn = 5", "n"}, "5"},
		{[]string{"func main() { n++ }\nvar n int\nvar f = main", "n"}, "0"},
		{[]string{"n := 0\nfunc main() { n++ }", "package main\ntype T int", "n"}, "0"},
		{[]string{"package main\nfunc main() { n++ }\nvar n int", "package main\nfunc other() {}", "n"}, "1"},
	} {
		if got := outcome(t, c.cells); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s\ngives %s, not %s", strings.Join(c.cells, "\n---\n"), got, c.want)
		}
	}
}
