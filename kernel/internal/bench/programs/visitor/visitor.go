// Package visitor evaluates an expression tree, and measures its depth, with visitors.
package visitor

type node interface{ accept(v visitor) float64 }

type visitor interface {
	visitNumber(n *number) float64
	visitSum(s *sum) float64
	visitProduct(p *product) float64
}

type number struct{ value float64 }
type sum struct{ left, right node }
type product struct{ left, right node }

func (n *number) accept(v visitor) float64  { return v.visitNumber(n) }
func (s *sum) accept(v visitor) float64     { return v.visitSum(s) }
func (p *product) accept(v visitor) float64 { return v.visitProduct(p) }

type evaluator struct{ visited int }

func (e *evaluator) visitNumber(n *number) float64 {
	e.visited++
	return n.value
}

func (e *evaluator) visitSum(s *sum) float64 {
	e.visited++
	return s.left.accept(e) + s.right.accept(e)
}

func (e *evaluator) visitProduct(p *product) float64 {
	e.visited++
	return p.left.accept(e) * p.right.accept(e)
}

type depth struct{}

func (depth) visitNumber(*number) float64       { return 1 }
func (d depth) visitSum(s *sum) float64         { return 1 + max(s.left.accept(d), s.right.accept(d)) }
func (d depth) visitProduct(p *product) float64 { return 1 + max(p.left.accept(d), p.right.accept(d)) }

func build(depth, i int) node {
	switch {
	case depth == 0:
		return &number{float64(i%7) * 0.25}
	case i%4 == 0:
		return &product{build(depth-1, 2*i+1), build(depth-1, 2*i+2)}
	}
	return &sum{build(depth-1, 2*i+1), build(depth-1, 2*i+2)}
}

// Run evaluates an expression tree of depth n with one visitor, and measures the tree's depth with another. It returns
// the sum of the value, the number of nodes that the first visitor has visited, and the depth.
func Run(n int) float64 {
	tree := build(n, 1)
	e := &evaluator{}
	return tree.accept(e) + float64(e.visited) + tree.accept(depth{})
}
