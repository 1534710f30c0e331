package main

import (
	"os"
	"path/filepath"

	"overcomplete/internal/inside"
)

// destination returns where a command writes what it makes of a notebook, and makes the folder for it. out is
// what somebody has named, a file or a folder; "" stands for the notebook's folder. name is that of the
// file there, which nobody has named: no link at it is followed out of the folder.
func destination(notebook, out, name string) (string, error) {
	folder := filepath.Dir(notebook)
	switch {
	case isFolder(out):
		folder = filepath.Clean(out)
	case out != "":
		return out, os.MkdirAll(filepath.Dir(out), 0o755)
	}
	to := filepath.Join(folder, name)
	if err := inside.Check(folder, to); err != nil {
		return "", err
	}
	return to, os.MkdirAll(filepath.Dir(to), 0o755)
}
