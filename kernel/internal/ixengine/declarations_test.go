package ixengine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
)

// replay runs the declarations of a session in a new session.
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
	// Declarations that need variables, or no longer compile, do not exist in the new session.
	for _, src := range []string{"lost()", "later2()", "gone()", "Node{}.Next()", "f()"} {
		fails(t, now, src)
	}
	// Line numbers are those of the first cell.
	e := fails(t, now, "bad()")
	if len(e.Frames) != 2 || e.Frames[0].Cell != "In[2]" || e.Frames[0].Line != 13 || strings.TrimSpace(e.Frames[0].Source) != "m[1] = 2" {
		t.Errorf("%s", traceback(e))
	}
	for _, d := range now.Names().Decls {
		if slices.Contains(d.Names, "Point") && !strings.Contains(d.Cell.Source, "\n// Point is a point.\n// It has two lines of comment.\ntype Point") {
			t.Errorf("the comment of Point is lost:\n%s", d.Cell.Source)
		}
	}
	// Replay the replayed session.
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

// randomCell returns a cell that redeclares some of a few names. The declarations mention each other.
func randomCell(r *rand.Rand) string {
	var b strings.Builder
	declared := map[string]bool{}
	for range 1 + r.IntN(3) {
		i := r.IntN(4)
		kind := string("TFCM"[r.IntN(4)])
		if name := fmt.Sprint(kind, i); declared[name] {
			continue
		} else {
			declared[name] = true
		}
		if r.IntN(3) == 0 {
			b.WriteString("// A comment.\n")
		}
		switch j := r.IntN(4); kind {
		case "T":
			fmt.Fprintf(&b, "type T%d struct {\n\tp *T%d\n\tf func(T%d) T%d\n\tn [C%d + 1]int\n}\n", i, j, r.IntN(4), r.IntN(4), j)
		case "M":
			fmt.Fprintf(&b, "func (t T%d) Size() int {\n\treturn len(t.n) + %d\n}\n", i, r.IntN(100))
		case "F": // functions call only functions with higher numbers, so that the calls end
			fmt.Fprintf(&b, "func F%d() int {\n\treturn C%d + len(T%d{}.n) + %d", i, j, j, r.IntN(100))
			if k := i + 1 + r.IntN(3); k < 4 {
				fmt.Fprintf(&b, " + F%d()", k)
			}
			if r.IntN(8) == 0 {
				b.WriteString(" + x")
			}
			b.WriteString("\n}\n")
		case "C":
			fmt.Fprintf(&b, "const (\n\tC%d = iota + %d\n", i, r.IntN(5))
			if k := (i + 1) % 4; r.IntN(2) == 0 && !declared[fmt.Sprint("C", k)] {
				declared[fmt.Sprint("C", k)] = true
				fmt.Fprintf(&b, "\tC%d\n", k)
			}
			b.WriteString(")\n")
		}
		if r.IntN(3) == 0 {
			b.WriteString("x++\n")
		}
	}
	return b.String()
}

// TestDeclarationsRandom redeclares names at random, and compares their meanings in the session with those in
// a session made from its declarations.
func TestDeclarationsRandom(t *testing.T) {
	patience.SkipShort(t, "it declares at random, hundreds of times")
	r := rand.New(rand.NewPCG(1, 2))
	value := func(s *Session, src string) string {
		v, err := s.Run(context.Background(), engine.Cell{Name: "q", Source: src})
		if err != nil {
			return string(err.(*engine.Error).Kind)
		}
		return fmt.Sprint(v[0].Value)
	}
	worked, compared := 0, 0
	for range 25 {
		s := fresh(t, Options{})
		cells(t, s, "x := 0\nconst (\n\tC0 = iota\n\tC1\n\tC2\n\tC3\n)\ntype (\n\tT0 struct{ n [1]int }\n\tT1 struct{ n [2]int }\n\tT2 struct{ t *T1; n [3]int }\n\tT3 struct{ T2 }\n)\nfunc F3() int { return C3 }\nfunc F2() int { return F3() + 1 }")
		for k := range 12 {
			src := randomCell(r)
			if _, err := s.Run(context.Background(), engine.Cell{Name: fmt.Sprintf("In[%d]", k+2), Source: src}); err == nil {
				worked++
			}
		}
		now := replay(t, s)
		if t.Failed() {
			return
		}
		for i := range 4 {
			for _, src := range []string{fmt.Sprintf("F%d()", i), fmt.Sprintf("T%d{}.Size()", i), fmt.Sprintf("len(T%d{}.n)", i), fmt.Sprintf("C%d", i)} {
				old, again := value(s, src), value(now, src)
				if old != again {
					// The function may need x, or call a function that needs x.
					if run(t, now, "x := 0"); value(now, src) == old || strings.HasPrefix(src, "F") {
						continue
					}
					t.Errorf("%s is %s, and then %s", src, old, again)
				} else if old != "TypeError" {
					compared++
				}
			}
		}
	}
	t.Logf("%d cells were run, %d values compared", worked, compared)
	if worked < 50 || compared < 50 {
		t.Error("too few")
	}
}
