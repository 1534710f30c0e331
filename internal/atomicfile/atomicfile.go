// Package atomicfile writes files completely or not at all, and removes what killed processes have left behind.
package atomicfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Write writes data to the file at path. The file gets the permissions in mode, but never write permission for group
// and others; the umask has no effect.
//
// Write creates a temporary file in the same folder and renames it. So a reader, or a program started after a crash,
// finds either the old or the new content, never a mixture. Write returns the file system's error, which names the
// path.
func Write(path string, data []byte, mode fs.FileMode) error {
	s, err := Stage(path, data, mode)
	if err != nil {
		return err
	}
	return s.Commit()
}

// A StagedFile is a complete file under a temporary name, next to the file that it will replace. Call exactly
// one of its methods.
type StagedFile struct{ temporary, path string }

// Stage performs all steps of Write except the final rename. It is for files that must change together:
// stage all, then commit all. Most errors then occur before the first rename.
func Stage(path string, data []byte, mode fs.FileMode) (s *StagedFile, err error) {
	// CreateTemp makes files that only their owner can read, so a secret is never readable by
	// others.
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
	// The data must reach the disk before the rename. Otherwise, after a power failure, some file systems
	// would have the new name with an empty file.
	if err = f.Sync(); err != nil {
		return nil, err
	}
	if err = f.Chmod(mode &^ 0o022); err != nil {
		return nil, err
	}
	if err = f.Close(); err != nil {
		return nil, err
	}
	return &StagedFile{f.Name(), path}, nil
}

// Commit renames the file to its final path. If that fails, Commit removes the temporary file.
func (s *StagedFile) Commit() error {
	err := os.Rename(s.temporary, s.path)
	if err != nil {
		os.Remove(s.temporary)
	}
	return err
}

// Discard removes the temporary file and leaves the old file unchanged.
func (s *StagedFile) Discard() { os.Remove(s.temporary) }

// Create is like Write for a file that must not exist yet: if several processes create it at once, one succeeds, and
// the others get an error that wraps fs.ErrExist. On a file system without hard links, however, all of them may
// succeed, and the last one's content stays.
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
	return s.Commit() // on a file system without hard links the last of several processes wins
}

// RemoveOld removes from the folder dir the files and folders whose names begin with prefix, if they are older than age.
// It is for what killed processes have left behind: what running processes are writing is younger. It ignores errors,
// because the next call tries again.
func RemoveOld(dir, prefix string, age time.Duration) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), prefix) && time.Since(info.ModTime()) > age {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// The errors of Unseal.
var (
	ErrMagic = errors.New("it does not begin as such a file does")
	ErrSeal  = errors.New("it is cut off or damaged: its checksum is wrong")
)

// Seal returns the content in a form in which damage can be detected: first magic, then the SHA-256 checksum of the
// content, then the content itself.
func Seal(magic string, content []byte) []byte {
	sum := sha256.Sum256(content)
	return slices.Concat([]byte(magic), sum[:], content)
}

// Unseal reverses Seal: it returns the content if b is what Seal returned for the same magic. The error is ErrMagic if
// b does not begin with magic, and ErrSeal if b is cut off or damaged.
func Unseal(magic string, b []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, ErrMagic
	}
	if len(rest) < sha256.Size {
		return nil, ErrSeal
	}
	content := rest[sha256.Size:]
	if sum := sha256.Sum256(content); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return nil, ErrSeal
	}
	return content, nil
}

// WriteSealed seals the content and writes it to a file as Write does.
func WriteSealed(path, magic string, content []byte, mode fs.FileMode) error {
	return Write(path, Seal(magic, content), mode)
}
