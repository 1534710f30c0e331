//go:build !unix

package jupyter

import "os"

// Stderr returns a file for the kernel's own log that stays what standard error
// is now, also when os.Stderr is later redirected into cells' output.
func Stderr() *os.File {
	f := *os.Stderr
	return &f
}
