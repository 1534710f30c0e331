// Package generic exports three names, two of them generic; the constraint does not count.
package generic

type Number interface{ ~int | ~float64 }

func Map[T, R any](list []T, f func(T) R) []R { return nil }

type Set[T comparable] map[T]struct{}

func (s Set[T]) Len() int { return len(s) }

const Most = 1

func unexported() {}
