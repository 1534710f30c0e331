//go:build !linux

package separate

import (
	"errors"
	"os"
)

// A memory stands for the memory that two programs share on Linux. Other systems have no such memory: newMemory returns
// nil, and m.grow and m.see return an error.
type memory struct {
	file  *os.File
	bytes []byte
}

func newMemory() *memory         { return nil }
func (m *memory) grow(int) error { return errors.ErrUnsupported }
func (m *memory) see(int) error  { return errors.ErrUnsupported }
func (m *memory) close()         {}
