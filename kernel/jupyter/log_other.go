//go:build !unix

package jupyter

import "os"

// Stderr returns a file for the kernel's own log. What is written to it reaches the present standard error, even if
// os.Stderr is later redirected into the output of cells.
func Stderr() *os.File {
	f := *os.Stderr
	return &f
}
