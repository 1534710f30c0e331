package jupyter

import (
	"os"

	"overcomplete/kernel/internal/capture"
)

// Stdio returns the standard input and output of this process, for wire.OpenPipes. From then on nothing else
// reads from in or writes to out: the input of the process is empty, and what it prints goes to the standard
// error. Call it before anything is printed.
func Stdio() (in, out *os.File, err error) { return capture.TakeStdio() }
