// Package beyond uses instances of package loopy's generic types and never names them.
package beyond

import (
	"fmt"

	"local.test/uses"
)

// Push uses a variable of another package.
func Push(n int) int {
	for range n {
		s, ok := uses.Top()
		if ok {
			uses.Squares.Push(s)
		}
	}
	for _, s := range uses.Squares.All() {
		n += int(s.A)
	}
	return n + uses.Squares.Len()
}

// Of has a field of a generic type of another package.
type Of[T any] struct{ uses.Box[T] }

// Show formats the field, whose methods nobody mentions.
func (o Of[T]) Show() string { return fmt.Sprint(o.Inside) }

// New fills the field.
func New[T any](x T) Of[T] { return Of[T]{uses.Put(x)} }
