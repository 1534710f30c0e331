package grade

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// mostFiles limits the number of files and folders in a student's folder.
const mostFiles = 10000

var errLarge = errors.New("too large")

// copyFolder copies a student's files. It skips links, which could lead anywhere. limit is the folder's limit in bytes;
// the copied files may use at most half of this limit.
func copyFolder(from, to string, limit int64) error {
	files, size := 0, int64(0)
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if !d.IsDir() && !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		if !d.IsDir() {
			page := int64(os.Getpagesize()) // a file takes whole pages
			size += (info.Size() + page - 1) / page * page
		}
		if files > mostFiles/2 || size > limit/2 {
			return fmt.Errorf("its folder is %w", errLarge)
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// isTooLarge reports whether a folder exceeds its limit on bytes or files, or contains something that cannot be
// examined: a path that is too long, a folder without read permission. Files may appear and disappear during
// the check.
func isTooLarge(folder string, most int64) bool {
	files, size := 0, int64(0)
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if files++; files > mostFiles {
			return errLarge
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			if size += diskUsage(info); size > most {
				return errLarge
			}
		}
		return nil
	})
	return err != nil
}

// remove removes a folder, even if a student's cell has taken away permissions in it.
func remove(folder string) error {
	if os.RemoveAll(folder) == nil {
		return nil
	}
	root, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil {
		return err
	}
	defer root.Close()
	unlock(root, filepath.Base(folder))
	return os.RemoveAll(folder)
}

// unlock gives the owner full permissions on a folder and all folders in it. It opens each folder from the folder
// above, because paths may be longer than the system allows. It ignores errors: removing the folder reports them.
func unlock(in *os.Root, name string) {
	in.Chmod(name, 0o700)
	root, err := in.OpenRoot(name)
	if err != nil {
		return
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if e.IsDir() {
			unlock(root, e.Name())
		}
	}
}
