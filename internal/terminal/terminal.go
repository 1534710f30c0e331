// Package terminal distinguishes terminals from files and pipes.
package terminal

import (
	"io"
	"os"
)

// Is reports whether w is a terminal on which a line can be overwritten.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || f == nil || f.Name() == os.DevNull || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
