//go:build !linux

package report

// swap replaces the folder final by the folder made.
func swap(made, final string) error { return swapByTwo(made, final) }
