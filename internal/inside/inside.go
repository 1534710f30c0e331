// Package inside makes sure that a program does not leave a folder when it reads and writes files in that folder. A
// folder that the user has received, for example in an archive, may contain symbolic links to files elsewhere. These
// links may have the names of files that a program reads or writes.
//
// The rule: a link is followed if the user named the link when starting the program, or if the link leads to a place
// below the folder that the user named. Every other link is refused, with a *LinkError.
package inside

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A LinkError is the error for a symbolic link that leads out of a folder, or to nothing.
type LinkError struct {
	Folder, Link string
	To           string // where the link leads, "" if it leads nowhere
}

// Error describes the problem and what the user can do.
func (e *LinkError) Error() string {
	to := e.To
	if to == "" {
		to = "what is not there"
	}
	return fmt.Sprintf("%s is a link to %s, out of the folder %s, and is not followed: remove it, or name another place", e.Link, to, e.Folder)
}

// Check returns an error if path is not in folder, if it leads out of folder through a link, or if it exists and is
// neither a file nor a folder. path need not exist. Links in the name of the folder itself are followed.
func Check(folder, path string) error {
	_, err := resolve(folder, path)
	return err
}

// resolve checks path as Check does, and returns it with all links resolved.
func resolve(folder, path string) (string, error) {
	root, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is not in the folder %s", path, folder)
	}
	if root, err = filepath.EvalSymlinks(root); errors.Is(err, fs.ErrNotExist) {
		return abs, nil // nothing below exists yet, so it contains no links
	} else if err != nil {
		return "", err
	}
	at := root
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := filepath.EvalSymlinks(next)
			if err != nil {
				return "", &LinkError{Folder: root, Link: next}
			}
			if rel, err := filepath.Rel(root, to); err != nil || !filepath.IsLocal(rel) {
				return "", &LinkError{root, next, to}
			}
			next = to
		}
		at = next
	}
	if info, err := os.Stat(at); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return "", fmt.Errorf("%s is neither a file nor a folder", path)
	}
	return at, nil
}

// MkdirAll makes the folder at the given path and its missing parents. It returns an error if Check rejects the path.
func MkdirAll(folder, path string, mode fs.FileMode) error {
	if err := Check(folder, path); err != nil {
		return err
	}
	return os.MkdirAll(path, mode)
}

// ReadFile reads a file in the given folder. It returns an error if Check rejects the path, or if the file has more
// than the given number of bytes.
func ReadFile(folder, path string, most int64) ([]byte, error) {
	at, err := resolve(folder, path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > most:
		return nil, fmt.Errorf("%s has more than %d bytes", path, most)
	}
	f, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
