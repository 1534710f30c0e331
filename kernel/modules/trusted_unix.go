//go:build unix

package modules

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// trusted returns an error unless the file or folder belongs to the user, and only the user can write to it.
func trusted(name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", name)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a folder", name)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("other users can write to %s (mode %v)", name, info.Mode().Perm())
	}
	return nil
}

// stamp returns a value that changes with every write to a file, or "" if unknown.
func stamp(file string) string {
	var s unix.Stat_t
	if unix.Lstat(file, &s) != nil {
		return ""
	}
	return fmt.Sprint(s.Dev, s.Ino, s.Size, s.Mtim.Nano(), s.Ctim.Nano())
}
