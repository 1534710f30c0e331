//go:build !linux

package report

// swap replaces the folder at the path final by the folder at the path made.
func swap(made, final string) error { return swapByTwo(made, final) }
