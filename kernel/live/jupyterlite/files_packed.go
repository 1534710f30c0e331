//go:build packed

package jupyterlite

import (
	"io/fs"

	"overcomplete/kernel/internal/selfsource"
)

// The files are in the program's source.

func source() (fs.FS, error)   { return selfsource.Folder(own, "app", "extension") }
func prebuilt() (fs.FS, error) { return folder("labextension") }
func pages() (fs.FS, error)    { return folder("pages") }

// own is the folder of this package.
const own = "kernel/live/jupyterlite"

func folder(name string) (fs.FS, error) {
	files, err := selfsource.Folder(own, name)
	if err != nil {
		return nil, err
	}
	return fs.Sub(files, name)
}
