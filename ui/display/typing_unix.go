//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package display

import (
	"os"

	"golang.org/x/sys/unix"
)

// hideTyping turns off the echo of the terminal f until the returned function is called. It returns an error if f is
// not a terminal.
func hideTyping(f *os.File) (show func(), err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var old *unix.Termios
	e := raw.Control(func(fd uintptr) {
		if old, err = unix.IoctlGetTermios(int(fd), getTerminal); err != nil {
			return
		}
		hidden := *old
		hidden.Lflag &^= unix.ECHO
		err = unix.IoctlSetTermios(int(fd), setTerminal, &hidden)
	})
	if e != nil {
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	return func() {
		raw.Control(func(fd uintptr) { unix.IoctlSetTermios(int(fd), setTerminal, old) })
	}, nil
}
