package jupyter

import (
	"os"

	"overcomplete/kernel/internal/capture"
)

// Stdio returns the standard input and the standard output of this process, for wire.OpenPipes. From then on, no other
// code uses these two files: the process has an empty standard input, and text that it prints goes to the standard
// error. Call Stdio before anything is printed.
func Stdio() (in, out *os.File, err error) { return capture.TakeStdio() }
