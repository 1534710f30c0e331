// Package nested reads and writes txtar archives that contain archives, so that many small test cases are in one file.
// In the outer archive, the file NAME/PATH is the file PATH of the inner archive NAME, and the file NAME holds the
// comment of this inner archive.
package nested

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/atomicfile"
)

// A File is a txtar archive that contains other archives.
type File struct {
	path    string
	comment []byte
	list    []Archive
}

// An Archive is one of the archives in a File, with its name.
type Archive struct {
	Name string
	*txtar.Archive
}

// Read reads the archives in the file with the given path. They are in the order in which they first appear in the
// file.
func Read(path string) (*File, error) {
	whole, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, comment: whole.Comment}
	for _, part := range whole.Files {
		name, rest, isFile := strings.Cut(part.Name, "/")
		if a := f.Archive(name); !isFile && a == nil {
			f.list = append(f.list, Archive{name, &txtar.Archive{Comment: part.Data}})
		} else if !isFile || name == "" || rest == "" {
			return nil, fmt.Errorf("%s: %q is there twice, or is no name", path, part.Name)
		} else {
			if a == nil {
				a = &txtar.Archive{}
				f.list = append(f.list, Archive{name, a})
			}
			a.Files = append(a.Files, txtar.File{Name: rest, Data: part.Data})
		}
	}
	return f, nil
}

// Archives returns all archives in f. The archives are not copies: a change to one of them changes f.
func (f *File) Archives() []Archive { return f.list }

// Archive returns the archive with the given name, or nil.
func (f *File) Archive(name string) *txtar.Archive {
	for _, a := range f.list {
		if a.Name == name {
			return a.Archive
		}
	}
	return nil
}

// Write writes f to the file that it was read from.
func (f *File) Write() error {
	whole := &txtar.Archive{Comment: f.comment}
	for _, a := range f.list {
		if len(bytes.TrimSpace(a.Comment)) > 0 {
			whole.Files = append(whole.Files, txtar.File{Name: a.Name, Data: a.Comment})
		}
		for _, part := range a.Files {
			whole.Files = append(whole.Files, txtar.File{Name: a.Name + "/" + part.Name, Data: part.Data})
		}
	}
	return atomicfile.Write(f.path, txtar.Format(whole), 0o644)
}
