// Package plain exports two names, one of them generic.
package plain

func New() string { return "" }

func Must[T any](v T, err error) T { return v }
