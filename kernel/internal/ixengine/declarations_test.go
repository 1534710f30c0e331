package ixengine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

// replay runs the declarations of a session in a new one.
func replay(t *testing.T, s *Session) *Session {
	t.Helper()
	now := fresh(t, Options{})
	if err := now.Load(context.Background(), s.Loaded()); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Declarations() {
		if _, err := now.Run(context.Background(), c); err != nil {
			t.Errorf("%s\n%s\n%s", c.Name, c.Source, traceback(err.(*engine.Error)))
		}
	}
	return now
}

func cells(t *testing.T, s *Session, list ...string) {
	t.Helper()
	for i, src := range list {
		if _, err := s.Run(context.Background(), engine.Cell{Name: fmt.Sprintf("In[%d]", i+1), Source: src}); err != nil {
			t.Fatalf("%s\n%s", src, traceback(err.(*engine.Error)))
		}
	}
}

func TestDeclarations(t *testing.T) {
	s := fresh(t, Options{})
	loadModules(t, s, "loopy")
	cells(t, s,
		"import (\"fmt\"; str \"strings\"; . \"math\")\nimport \"local.test/loopy\"",
		"x := 5\n\n// Point is a point.\n// It has two lines of comment.\ntype Point struct{ X, Y float64 }\n\nfunc (p Point) String() string {\n\treturn fmt.Sprint(\"(\", p.X, \" \", p.Y, \")\")\n}\nx++\nfunc bad() {\n\tvar m map[int]int\n\tm[1] = 2\n}\nx",
		"const (\n\tA = iota\n\tB\n\tC\n)\ntype (\n\tName string\n\tBoth struct {\n\t\tPoint\n\t\tName\n\t}\n)\nconst Big, Small = 1 << 70, 1e-9",
		"func first() int { return second() + 1 }\nfunc second() int { return 1 }",
		"func second() int { return third() * 10 }\nfunc third() int { return B }",
		"const B = 7",
		"type Node struct{ N int }\nfunc (n Node) Next() *Node { return nil }\ntype Keep struct{ n Node }",
		"type Leaf struct{ n *Node }",
		"type Node struct{ Leaves []Leaf; N int }\nfunc (n Node) Size() int { return len(n.Leaves) }",
		"func lost() int { return x }",
		"func gone() int { return later() }\nfunc later() int { return 1 }\nfunc later2() int { return lost() }",
		"func up(s string) string { return str.ToUpper(s) + fmt.Sprint(Floor(2.5)) }\ntype Sq struct{ loopy.Square; list loopy.List[Point] }",
		"func later(n int) int { return n }",
		"func Gen[T any](list ...T) int { return len(list) }\ntype Stack[T any] struct{ items []T }\nfunc (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }",
		"f := func() int { return 1 }\nvar y, z = 1, 2; type Last int; n := 3",
	)
	now := replay(t, s)
	if len(now.Vars()) > 0 {
		t.Errorf("there are variables: %v", now.Vars())
	}
	for _, c := range []struct{ src, want string }{
		{"fmt.Sprint(Point{1, 2}, A, B, C, first())", "(1 2) 0 7 2 71"},
		{"var b Both\nb.X, b.Name = 2, \"b\"\nfmt.Sprint(b.X, b.Name, Big >> 69, Small)", "2b2 1e-09"},
		{"fmt.Sprint(Node{Leaves: []Leaf{{nil}, {nil}}}.Size(), Keep{}.n.N)", "2 0"},
		{"fmt.Sprint(up(\"a\"), Sq{}.Area(), Sq{}.list.Next == nil, later(3))", "A20 true 3"},
		{"s := &Stack[Point]{}\ns.Push(Point{})\nfmt.Sprint(Gen(1, 2), len(s.items), Last(3))", "2 1 3"},
	} {
		if got := shown(t, now, c.src); got != c.want {
			t.Errorf("%s\nis %q, want %q", c.src, got, c.want)
		}
	}
	// What needs variables, or did not compile any more, is gone.
	for _, src := range []string{"lost()", "later2()", "gone()", "Node{}.Next()", "f()"} {
		fails(t, now, src)
	}
	// Lines are those of the first cell.
	e := fails(t, now, "bad()")
	if len(e.Frames) != 2 || e.Frames[0].Cell != "In[2]" || e.Frames[0].Line != 13 || strings.TrimSpace(e.Frames[0].Source) != "m[1] = 2" {
		t.Errorf("%s", traceback(e))
	}
	for _, d := range now.Names().Decls {
		if slices.Contains(d.Names, "Point") && !strings.Contains(d.Cell.Source, "\n// Point is a point.\n// It has two lines of comment.\ntype Point") {
			t.Errorf("the comment of Point is lost:\n%s", d.Cell.Source)
		}
	}
	// Once more.
	if got := shown(t, replay(t, now), "fmt.Sprint(Point{1, 2}, A, B, C, first())"); got != "(1 2) 0 7 2 71" {
		t.Error(got)
	}
	if list := fresh(t, Options{}).Declarations(); len(list) > 0 {
		t.Errorf("an empty session has %v", list)
	}
}

// TestComponents compares components with reachability on all graphs of four nodes.
func TestComponents(t *testing.T) {
	nodes := []string{"a", "b", "c", "d"}
	for graph := range 1 << 16 {
		needs := map[string][]string{}
		reach := map[[2]string]bool{}
		for i, v := range nodes {
			for j, w := range nodes {
				if graph>>(4*i+j)&1 == 1 {
					needs[v] = append(needs[v], w)
					reach[[2]string{v, w}] = true
				}
			}
		}
		for _, k := range nodes {
			for _, i := range nodes {
				for _, j := range nodes {
					if reach[[2]string{i, k}] && reach[[2]string{k, j}] {
						reach[[2]string{i, j}] = true
					}
				}
			}
		}
		at := map[string]int{}
		n := 0
		for i, list := range components(nodes, needs) {
			for _, v := range list {
				at[v] = i
				n++
			}
		}
		for _, v := range nodes {
			for _, w := range nodes {
				there, back := reach[[2]string{v, w}], reach[[2]string{w, v}]
				if v != w && (there && back) != (at[v] == at[w]) || there && at[w] > at[v] || n != len(nodes) {
					t.Fatalf("graph %v: %v", needs, components(nodes, needs))
				}
			}
		}
	}
}
