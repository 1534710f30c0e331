//go:build !linux

package report

// swap puts the folder at the path made in the place of the folder at the path final.
func swap(made, final string) error { return swapByTwo(made, final) }
