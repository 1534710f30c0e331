package main

import (
	"os"
	"path/filepath"

	"overcomplete/internal/inside"
)

// destination returns the path at which a command writes its output for a notebook, and makes the folder for it. The
// argument out is a file or a folder named by the user; "" stands for the notebook's folder. The argument name is the
// output's default name in that folder. If a symbolic link with the default name leads out of the folder, destination
// returns an error, because the user has not chosen that name.
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
