//go:build !unix

package capture

import (
	"fmt"
	"os"
)

// TakeStdio returns the standard input and output of this process for the caller alone: os.Stdin becomes
// empty, and os.Stdout becomes os.Stderr. Call it before Start.
func TakeStdio() (in, out *os.File, err error) {
	empty, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, fmt.Errorf("capture: %w", err)
	}
	in, out = os.Stdin, os.Stdout
	os.Stdin, os.Stdout = empty, os.Stderr
	return in, out, nil
}
