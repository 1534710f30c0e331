package notebook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"overcomplete/internal/atomicfile"
)

// Read reads a notebook from a file.
func Read(path string) (*Notebook, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Write writes the notebook to a file atomically: the file always contains either its old content or the
// complete new notebook. An existing file keeps its permissions. If path is a symbolic link, Write replaces the
// link's target.
func (n *Notebook) Write(path string) error {
	b, err := n.Bytes()
	if err != nil {
		return err
	}
	return WriteFile(path, b)
}

// Stage is like Write, but only writes a temporary file next to the notebook's file. The caller then calls Commit on
// the result to replace the notebook's file; see atomicfile.Stage.
func (n *Notebook) Stage(path string) (*atomicfile.StagedFile, error) {
	b, err := n.Bytes()
	if err != nil {
		return nil, err
	}
	return stage(path, b)
}

// WriteFile writes b to a file as Write does.
func WriteFile(path string, b []byte) error {
	s, err := stage(path, b)
	if err != nil {
		return err
	}
	return s.Commit()
}

func stage(path string, b []byte) (*atomicfile.StagedFile, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case err == nil && !info.Mode().IsRegular(): // renaming would replace a device by a regular file
		return nil, fmt.Errorf("%s is not a file", path)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return atomicfile.Stage(path, b, mode)
}
