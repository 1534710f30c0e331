//go:build !unix

package jupyter

import "os"

// Stderr returns a file for the kernel's own log. Text written to it reaches the current standard error, even if
// os.Stderr is later redirected into the output of cells.
func Stderr() *os.File {
	f := *os.Stderr
	return &f
}
