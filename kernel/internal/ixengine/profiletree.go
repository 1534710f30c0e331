package ixengine

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A profileLine is a line of a cell's function.
type profileLine struct {
	function string // "" for the statements of a cell
	file     string
	line     int
}

// A node of the calling context tree stands for a line of a cell's function, reached through one particular chain of
// calling lines. A node without a place stands for the calls that its parent, a line, makes. The root is the caller of
// the cell's own lines.
//
// Nodes serve as goroutine labels of package runtime/pprof. Other code expects a label to point to a set of labels,
// which begins with a slice. In a node that slice is empty, and its address (the field mark) distinguishes nodes from
// other labels.
type node struct {
	mark    *byte
	_, _    int
	of      *activeProfile
	parent  *node
	place   *profileLine
	id      uint32               // id of a line
	call    atomic.Pointer[node] // for a line, the node of the calls that it makes
	mu      sync.Mutex
	callees map[*profileLine]*node
	called  map[*lineMarks]*calledLines
}

// A calledLines holds the nodes for the lines of one function when it is called from one particular place. Its field
// named by is the node of that place.
type calledLines struct {
	by    *node
	nodes []*node
}

var ours = new(byte)

//go:linkname setLabel runtime/pprof.runtime_setProfLabel
func setLabel(label unsafe.Pointer)

//go:linkname label runtime/pprof.runtime_getProfLabel
func label() unsafe.Pointer

// nodeOf returns the node to which the label points, or nil if the label is nil or does not point to a node.
// Only the first word of labels that are not nodes may be read.
func nodeOf(label unsafe.Pointer) *node {
	if label == nil || *(**byte)(label) != ours {
		return nil
	}
	return (*node)(label)
}

// calling returns the node for calls made by n.
func (n *node) calling() *node {
	if n.place == nil {
		return n
	}
	if c := n.call.Load(); c != nil {
		return c
	}
	c := &node{mark: ours, of: n.of, parent: n}
	if !n.call.CompareAndSwap(nil, c) {
		c = n.call.Load()
	}
	return c
}

// callerOf returns the node for the calls by which the function that contains the given line was entered. The node n is the current line
// or call. If n is a line of the same function, the result is the parent of n. Otherwise n calls the function, and the
// result is the node for the calls that n makes.
func (n *node) callerOf(line *profileLine) *node {
	if n.place != nil && n.place.function == line.function && n.place.file == line.file {
		return n.parent
	}
	return n.calling()
}

// linesOf returns the nodes for all lines of a function that n calls. n must be a node that stands for calls, not for
// a line.
func (n *node) linesOf(m *lineMarks) *calledLines {
	n.mu.Lock()
	c := n.called[m]
	n.mu.Unlock()
	if c != nil {
		return c
	}
	c = &calledLines{by: n}
	for _, at := range m.lines {
		c.nodes = append(c.nodes, n.line(at))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.called == nil {
		n.called = map[*lineMarks]*calledLines{}
	}
	n.called[m] = c
	return c
}

// mostNodes is the maximum number of nodes. The time or memory that further lines use is credited to their callers.
const mostNodes = 1 << 16

// line returns the node for a line of a function that n calls. n must be a node that stands for calls, not for a line.
// A function that is already in n's chain is not added again, so recursion does not deepen the tree.
func (n *node) line(at *profileLine) *node {
	n.mu.Lock()
	l := n.callees[at]
	n.mu.Unlock()
	if l != nil {
		return l
	}
	base := n
	for b := n; b.parent != nil; b = b.parent.parent {
		if b.parent.place.function == at.function && b.parent.place.file == at.file && at.function != "" {
			base = b.parent.parent
		}
	}
	if base != n {
		l = base.line(at)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if known := n.callees[at]; known != nil {
		return known
	}
	if l == nil {
		if l = n.of.newLine(n, at); l == nil {
			return n
		}
	}
	if n.callees == nil {
		n.callees = map[*profileLine]*node{}
	}
	n.callees[at] = l
	return l
}

// newLine returns a new node, or nil if there are too many nodes.
func (p *activeProfile) newLine(parent *node, at *profileLine) *node {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.nodes) == mostNodes {
		return nil
	}
	if p.start.IsZero() {
		p.start = time.Now()
	}
	l := &node{mark: ours, of: p, parent: parent, place: at, id: uint32(len(p.nodes))}
	p.nodes = append(p.nodes, l)
	return l
}

// place returns the canonical pointer for a profileLine; it is the same for all equal profileLines.
func (p *activeProfile) place(at profileLine) *profileLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.places[at]
	if known == nil {
		known = &at
		p.places[at] = known
	}
	return known
}

// A latest caches the node of one line. Its field pair holds two nodes: the calling node with which line() was last
// called, and the line's node under that calling node.
type latest struct{ pair atomic.Pointer[[2]*node] }

func (l *latest) line(base *node, at *profileLine) *node {
	if p := l.pair.Load(); p != nil && p[0] == base {
		return p[1]
	}
	n := base.line(at)
	l.pair.Store(&[2]*node{base, n})
	return n
}

// frames returns the line of n and the lines that led to it by their calls, innermost first.
func (n *node) frames() (list []goFrame) {
	for ; n != nil; n = n.parent {
		if n.place != nil {
			list = append(list, goFrame{n.place.function, n.place.file, n.place.line})
		}
	}
	for i, f := range list {
		if f.function == "" {
			list[i].function = f.file
		}
	}
	return list
}
