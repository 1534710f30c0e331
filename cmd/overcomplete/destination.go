package main

import (
	"os"
	"path/filepath"

	"overcomplete/internal/inside"
)

// destination returns the path of the file to which a command writes its output for a notebook, and makes that file's
// folder. out is the file or folder that the user chose; "" stands for the notebook's folder. In a folder, the file
// gets its default name. If a symbolic link with the default name leads out of the folder, destination returns an
// error, because the user has not chosen that name.
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
