//go:build packed

package live

import (
	"io/fs"
	"sync"

	"overcomplete/kernel/internal/selfsource"
)

// assets returns the scripts of a live page, which are in the program's source.
var assets = sync.OnceValues(func() (fs.FS, error) { return selfsource.Folder("kernel/live", "assets") })
