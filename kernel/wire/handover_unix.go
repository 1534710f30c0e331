//go:build unix

package wire

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// CanHandOver reports whether a program can replace this one and inherit its files.
const CanHandOver = true

var errCannotHandOver error

// fileOf returns the file descriptor of a connection or listener.
func fileOf(c any) (fd int, err error) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return 0, fmt.Errorf("wire: %T has no file", c)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0, err
	}
	err = raw.Control(func(n uintptr) { fd = int(n) })
	return fd, err
}

// Exec replaces this program with another one, which inherits the working directory and the files of st. The argument
// named also is one more file that the other program inherits. Inherited files keep their descriptors. The sockets must
// be held. Exec returns only if it fails, and then nothing has changed.
func (st *State) Exec(program string, argv, env []string, also *os.File) error {
	// The lock keeps programs that are started now from inheriting the files.
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	files := append(st.files(), int(also.Fd()))
	defer closeOnExec(files, true)
	if err := closeOnExec(files, false); err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	if err := syscall.Exec(program, argv, env); err != nil {
		return &os.PathError{Op: "exec", Path: program, Err: err}
	}
	return nil
}

// closeOnExec sets whether the files are closed when another program replaces this one.
func closeOnExec(files []int, on bool) error {
	flag := 0
	if on {
		flag = unix.FD_CLOEXEC
	}
	var errs []error
	for _, fd := range files {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, flag)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// inherit takes over the open files of st. If one of these files is not a socket, inherit leaves all of them alone.
func inherit(st *State) (*inheritedFiles, error) {
	for _, fd := range st.files() {
		if typ, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE); err != nil || typ != unix.SOCK_STREAM {
			return nil, fmt.Errorf("wire: file %d is not a socket that this program has inherited", fd)
		}
	}
	listens := map[int]bool{}
	for _, s := range st.sockets() {
		listens[s.Listener] = true
	}
	got := &inheritedFiles{map[int]net.Listener{}, map[int]net.Conn{}}
	var errs []error
	for _, fd := range st.files() {
		f := os.NewFile(uintptr(fd), "socket")
		if listens[fd] {
			ln, err := net.FileListener(f)
			errs = append(errs, err)
			if err == nil {
				got.listeners[fd] = ln
			}
		} else {
			nc, err := net.FileConn(f)
			errs = append(errs, err)
			if err == nil {
				got.conns[fd] = nc
			}
		}
		f.Close() // package net has duplicated the descriptor
	}
	err := errors.Join(errs...)
	if err == nil {
		return got, nil
	}
	for _, ln := range got.listeners {
		ln.Close()
	}
	for _, nc := range got.conns {
		nc.Close()
	}
	return nil, fmt.Errorf("wire: the sockets were not inherited: %w", err)
}

// inherit takes over the open files of st.
func (st *PipesState) inherit() (*pipe, error) {
	if err := closeOnExec([]int{st.In, st.Out}, true); err != nil {
		return nil, fmt.Errorf("wire: the pipes were not inherited: %w", err)
	}
	return &pipe{in: os.NewFile(uintptr(st.In), "input"), out: os.NewFile(uintptr(st.Out), "output")}, nil
}
