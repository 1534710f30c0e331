// Package trees builds binary trees and counts their nodes.
package trees

// A Tree is a node with two subtrees, or with none.
type Tree struct{ Left, Right *Tree }

// Make returns a full tree of the given depth.
func Make(depth int) *Tree {
	if depth == 0 {
		return &Tree{}
	}
	return &Tree{Make(depth - 1), Make(depth - 1)}
}

// Count returns the number of nodes.
func (t *Tree) Count() int {
	if t.Left == nil {
		return 1
	}
	return 1 + t.Left.Count() + t.Right.Count()
}

// Run builds four full trees of depth n, and returns the total number of their nodes.
func Run(n int) int {
	total := 0
	for range 4 {
		total += Make(n).Count()
	}
	return total
}
