//go:build !linux

package report

// swap replaces the folder at final with the folder at made.
func swap(made, final string) error { return swapByTwo(made, final) }
