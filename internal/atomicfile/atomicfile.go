// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes data to the file at path with the permissions mode, whatever the
// umask; but nobody except the owner may write to the file. It writes a
// temporary file in the same folder and renames it, so that a reader, or a
// program that runs after a crash, finds either the old content or the new
// content, never a part of one. The error is the file system's, which names the
// path.
func Write(path string, data []byte, mode fs.FileMode) error {
	s, err := Stage(path, data, mode)
	if err != nil {
		return err
	}
	return s.Commit()
}

// A Staged file lies whole under a temporary name beside the file that it is to
// replace. Exactly one of its methods must be called.
type Staged struct{ temporary, path string }

// Stage does all of Write that may well fail, but not the last step, for
// which there may be something to wait for: another file that is to change
// together with this one.
func Stage(path string, data []byte, mode fs.FileMode) (s *Staged, err error) {
	// CreateTemp makes files that only their owner can read: a secret is not
	// readable by others for a moment either.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return nil, err
	}
	// The data must be on the disk before the name is: after a loss of power
	// some file systems would else keep the name of an empty file.
	if err = f.Sync(); err != nil {
		return nil, err
	}
	if err = f.Chmod(mode &^ 0o022); err != nil {
		return nil, err
	}
	if err = f.Close(); err != nil {
		return nil, err
	}
	return &Staged{f.Name(), path}, nil
}

// Commit puts the file in its place.
func (s *Staged) Commit() error {
	err := os.Rename(s.temporary, s.path)
	if err != nil {
		os.Remove(s.temporary)
	}
	return err
}

// Discard leaves what is in the file's place as it is.
func (s *Staged) Discard() { os.Remove(s.temporary) }

// Create is Write for a file that must not be there yet: of several that create
// it at once one succeeds, and the others get fs.ErrExist.
func Create(path string, data []byte, mode fs.FileMode) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	s, err := Stage(path, data, mode)
	if err != nil {
		return err
	}
	if err := os.Link(s.temporary, path); err == nil || errors.Is(err, fs.ErrExist) {
		s.Discard()
		return err
	}
	return s.Commit() // on a file system without hard links the last of several wins
}
