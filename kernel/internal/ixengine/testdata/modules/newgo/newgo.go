// Package newgo wants a Go that does not exist.
package newgo

func F() {}
