// Package uses builds on package loopy.
package uses

import "local.test/loopy"

type Wall struct{ loopy.Square }

var Squares = loopy.NewStack[loopy.Square]()

func Add(s loopy.Square) int {
	Squares.Push(s)
	return Squares.Len()
}

func Top() (loopy.Square, bool) { return Squares.Pop() }

func Walls(n int) []loopy.Shape {
	var list []loopy.Shape
	for i := range n {
		list = append(list, Wall{loopy.Square{A: float64(i)}})
	}
	return list
}

// Box has a generic type of package loopy inside.
type Box[T any] struct{ Inside loopy.Wrapped[T] }

// Put fills a box.
func Put[T any](x T) (b Box[T]) {
	b.Inside.List = &loopy.List[T]{Value: x}
	return b
}
