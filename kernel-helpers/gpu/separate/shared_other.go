//go:build !linux

package separate

import (
	"errors"
	"os"
)

// A memory is not shared on this system.
type memory struct {
	file  *os.File
	bytes []byte
}

func newMemory() *memory         { return nil }
func (m *memory) grow(int) error { return errors.ErrUnsupported }
func (m *memory) see(int) error  { return errors.ErrUnsupported }
func (m *memory) close()         {}
