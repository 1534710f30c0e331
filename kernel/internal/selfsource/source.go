package selfsource

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/modfile"

	"overcomplete/internal/module"
)

// ErrNone means that this program has no source; the errors of Key and Extract wrap it.
var ErrNone = errors.New("this program does not contain its own source")

// Key returns a hash of the names and contents of this program's source files. It returns an error that wraps ErrNone
// if the program has no source.
func Key() (string, error) {
	if len(packed) > 0 {
		h, _, err := readHeader(packed)
		return h.Key, err
	}
	t, err := checkout()
	if err != nil {
		return "", err
	}
	return t.key, nil
}

// Extract writes this program's source and the archive of the source into the folder dir, which must exist. A program
// that is built there with the tag packed contains the same source. Extract returns an error that wraps ErrNone if
// this program has no source.
func Extract(dir string) error {
	var t tree
	data := packed
	if len(packed) > 0 {
		var err error
		if t, err = unpack(packed); err != nil {
			return fmt.Errorf("the source in this program: %w", err)
		}
	} else {
		c, err := checkout()
		if err != nil {
			return err
		}
		if t = c.tree; t.key() != c.key {
			return fmt.Errorf("%w: the source has changed", ErrNone)
		}
		if data, err = t.pack(Quick); err != nil {
			return err
		}
	}
	for name, text := range t {
		if err := write(dir, name, text); err != nil {
			return err
		}
	}
	return write(dir, own+"/"+archive, data)
}

func write(dir, name string, data []byte) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("a file of the source is called %q", name)
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// Folder returns the source files below the given subfolders of dir, as a file system whose root is dir. It works only
// in a program built with the tag packed. A call takes 50 ms, because it unpacks the archive.
//
// The archive in the program contains these files anyway, compressed. So a package that is seldom used should get its
// files from Folder: if it embedded them, the program would contain them twice.
func Folder(dir string, subfolders ...string) (fs.FS, error) {
	t, _, err := unpackOwn(packed)
	if err != nil {
		return nil, fmt.Errorf("the source in this program: %w", err)
	}
	return t.folder(dir, subfolders...), nil
}

// GoMod returns the text of the source's go.mod.
func GoMod() ([]byte, error) {
	if len(packed) > 0 {
		h, _, err := readHeader(packed)
		return []byte(h.GoMod), err
	}
	t, err := checkout()
	if err != nil {
		return nil, err
	}
	return t.tree["go.mod"], nil
}

type checkedOut struct {
	tree tree
	key  string
}

// checkout reads the checkout from which this program was built.
var checkout = sync.OnceValues(func() (*checkedOut, error) {
	root := builtIn()
	if root == "" {
		return nil, fmt.Errorf("%w", ErrNone)
	}
	t, err := read(os.DirFS(root))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if name := changed(root, t); name != "" {
		return nil, fmt.Errorf("%w: %s has changed since it was built", ErrNone, filepath.Join(root, filepath.FromSlash(name)))
	}
	return &checkedOut{t, t.key()}, nil
})

// changed returns the name of a file of t that is missing below root or was written after this program, or "" if there
// is no such file.
func changed(root string, t tree) string {
	built := builtAt()
	for name := range t {
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || info.ModTime().After(built) {
			return name
		}
	}
	return ""
}

// builtAt returns the time at which the program file was written.
func builtAt() time.Time {
	exe, err := os.Executable()
	if err != nil {
		return time.Time{}
	}
	info, err := os.Stat(exe)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// builtIn returns the root of the checkout from which this program was built, or "" if it is unknown. A program built
// with -trimpath does not contain the path of the checkout. Then builtIn returns the parent of the folder that
// contains the program, if that parent is a checkout. For a test it returns the checkout in which the test runs.
func builtIn() string {
	_, name, _, _ := runtime.Caller(0)
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		root := strings.TrimSuffix(filepath.Dir(name), filepath.FromSlash("/"+own))
		if ofModule(root) {
			return root
		}
	}
	if testing.Testing() {
		dir, err := os.Getwd()
		for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if ofModule(dir) {
				return dir
			}
		}
		return ""
	}
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		return ""
	}
	if root := filepath.Dir(filepath.Dir(exe)); ofModule(root) {
		return root
	}
	return ""
}

// ofModule reports whether a folder is the root of this module.
func ofModule(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && modfile.ModulePath(text) == module.Path
}
