package report

import (
	"os"

	"golang.org/x/sys/unix"
)

// swap replaces the folder at final with the folder at made. If both exist and the file system allows it, swap
// exchanges them in one step, so that a reader always finds the old or the new folder.
func swap(made, final string) error {
	if _, err := os.Lstat(final); err == nil {
		if unix.Renameat2(unix.AT_FDCWD, made, unix.AT_FDCWD, final, unix.RENAME_EXCHANGE) == nil {
			return nil
		}
	}
	return swapByTwo(made, final)
}
