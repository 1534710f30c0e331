//go:build !packed

package live

import (
	"embed"
	"io/fs"
)

// The scripts of a live page. 'make live-page' bundles those that end in .br from the folder page.
//
//go:embed assets
var embedded embed.FS

func assets() (fs.FS, error) { return embedded, nil }
