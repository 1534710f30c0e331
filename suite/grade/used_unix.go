//go:build unix

package grade

import (
	"io/fs"
	"syscall"
)

// diskUsage returns the number of bytes that a file occupies on disk, which is less than its size if the file is
// sparse.
func diskUsage(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(s.Blocks) * 512
	}
	return info.Size()
}
