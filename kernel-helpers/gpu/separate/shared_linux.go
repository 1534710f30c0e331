package separate

import (
	"os"

	"golang.org/x/sys/unix"
)

// A memory is a piece of memory that two programs share. It is a file without a name in any folder, so nothing is
// left if both programs are killed, and the size of /dev/shm does not limit it.
type memory struct {
	file  *os.File
	bytes []byte
}

// newMemory returns a new memory, which is still empty, or nil if the system cannot create one.
func newMemory() *memory {
	fd, err := unix.MemfdCreate("overcomplete-gpu", unix.MFD_CLOEXEC)
	if err != nil {
		return nil
	}
	return &memory{file: os.NewFile(uintptr(fd), "memory")}
}

// grow makes the memory at least n bytes long.
func (m *memory) grow(n int) error {
	if n <= len(m.bytes) {
		return nil
	}
	const page = 1 << 16 // a multiple of all systems' pages
	n = (n + page - 1) / page * page
	if err := m.file.Truncate(int64(n)); err != nil {
		return err
	}
	return m.see(n)
}

// see maps the memory, which is n bytes long, into this program, so that m.bytes has at least n bytes.
func (m *memory) see(n int) error {
	if n <= len(m.bytes) {
		return nil
	}
	m.hide()
	b, err := unix.Mmap(int(m.file.Fd()), 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	m.bytes = b
	return nil
}

func (m *memory) hide() {
	if m.bytes != nil {
		unix.Munmap(m.bytes)
		m.bytes = nil
	}
}

func (m *memory) close() {
	if m != nil {
		m.hide()
		m.file.Close()
	}
}
