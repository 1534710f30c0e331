//go:build !unix

package grade

import "io/fs"

// diskUsage returns the size of a file, as an approximation of its disk usage.
func diskUsage(info fs.FileInfo) int64 { return info.Size() }
