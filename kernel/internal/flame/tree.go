package flame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"overcomplete/kernel/engine"
)

// A Node is a box of the flame graph: a line of a cell, a compiled function, or the garbage collector.
type Node struct {
	Name string // such as "total:3" (function and line) for a line of a cell, or "mat.(*Dense).Mul" for a compiled function
	Text string // source text of a cell's line
	Kind Kind
	// Self is the amount measured in the node alone. Total includes the node's callees. Both are in
	// nanoseconds or bytes.
	Self, Total int64
	Children    []*Node // sorted, largest first
}

// A Kind says what a Node stands for.
type Kind int

// The kinds of node.
const (
	Cell Kind = iota
	Compiled
	Collector
)

// Tree returns the tree of a profile. The root stands for the whole profile. Recursive calls to a compiled function
// are one node.
func Tree(p *engine.Profile) *Node {
	root := &Node{Name: "all"}
	for _, s := range p.Profile.Sample {
		path := []*Node{root}
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				next := newNode(line, p)
				// Recursive calls to a compiled function are one box, like recursion in cells.
				if i := slices.IndexFunc(path, func(n *Node) bool { return n.Kind == Compiled && n.Name == next.Name }); i >= 0 {
					path = path[:i+1]
					continue
				}
				path = append(path, path[len(path)-1].child(next))
			}
		}
		v := s.Value[len(s.Value)-1]
		for _, n := range path {
			n.Total += v
		}
		path[len(path)-1].Self += v
	}
	root.sort()
	return root
}

// newNode returns the node for a frame of a stack: for a line of a cell, a compiled function, or the garbage
// collector.
func newNode(line profile.Line, p *engine.Profile) *Node {
	f := line.Function
	if f.Name == engine.CollectorFrame {
		return &Node{Name: f.Name, Kind: Collector}
	}
	if text, ok := p.Line(f.Filename, int(line.Line)); ok {
		name := f.Name
		if name != f.Filename {
			name += " " + f.Filename
		}
		return &Node{Name: fmt.Sprintf("%s:%d", name, line.Line), Text: strings.TrimSpace(text)}
	}
	return &Node{Name: short(f.Name), Kind: Compiled}
}

// short returns a function's name without the folders of its package's path.
func short(function string) string {
	end := len(function)
	if i := strings.IndexAny(function, "[("); i >= 0 {
		end = i
	}
	return function[strings.LastIndexByte(function[:end], '/')+1:]
}

// child returns the child of n that has the same name and kind as the given node. If n has no such child, the given
// node itself becomes a child of n, and is returned.
func (n *Node) child(like *Node) *Node {
	for _, c := range n.Children {
		if c.Name == like.Name && c.Kind == like.Kind {
			return c
		}
	}
	n.Children = append(n.Children, like)
	return like
}

// sort sorts the children of n and of all nodes below it: largest first, but the garbage collector last. It drops
// nodes with a total of 0.
func (n *Node) sort() {
	n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool { return c.Total == 0 })
	slices.SortFunc(n.Children, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Kind/Collector, b.Kind/Collector), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	for _, c := range n.Children {
		c.sort()
	}
}

// A Row is a row of the table: a line or a function.
type Row struct {
	Name, Text  string
	Self, Total int64
}

// Top returns at most n rows, sorted by Self, largest first. A line or function has one row, in which the amounts of
// all its places in the tree are added up. If it calls itself, Total does not count the inner calls again.
func Top(root *Node, n int) []Row {
	rows := map[string]*Row{}
	var walk func(n *Node, above map[string]bool)
	walk = func(n *Node, above map[string]bool) {
		r := rows[n.Name]
		if r == nil {
			r = &Row{Name: n.Name, Text: n.Text}
			rows[n.Name] = r
		}
		r.Self += n.Self
		first := !above[n.Name]
		if first {
			r.Total += n.Total
			above[n.Name] = true
		}
		for _, c := range n.Children {
			walk(c, above)
		}
		if first {
			delete(above, n.Name)
		}
	}
	for _, c := range root.Children {
		walk(c, map[string]bool{})
	}
	var list []Row
	for _, r := range rows {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(n, len(list))]
}
