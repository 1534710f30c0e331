// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes data to the file at path with the permissions mode. It writes a
// temporary file in the same folder and renames it, so that a reader, or a
// program that runs after a crash, finds either the old content or the new
// content, never a part of one. The error is the file system's, which names the
// path.
func Write(path string, data []byte, mode fs.FileMode) (err error) {
	// CreateTemp makes files that only their owner can read: a secret is not
	// readable by others for a moment either.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	// The data must be on the disk before the name is: after a loss of power
	// some file systems would else keep the name of an empty file.
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
