//go:build !linux

package report

// swap replaces the folder at final by the folder at made.
func swap(made, final string) error { return swapByTwo(made, final) }
