package grade

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// mostFiles is how many files a student's folder may hold.
const mostFiles = 10000

var errLarge = errors.New("too large")

// copyFolder copies a student's files, but for links, which could lead anywhere.
func copyFolder(from, to string, most int64) error {
	files, size := 0, int64(0)
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if files, size = files+1, size+info.Size(); files > mostFiles || size > most {
			return fmt.Errorf("its folder is %w", errLarge)
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

// tooLarge reports whether a folder holds more bytes or files than it may. Files come and go while it looks.
func tooLarge(folder string, most int64) bool {
	files, size := 0, int64(0)
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if files++; files > mostFiles {
			return errLarge
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			if size += used(info); size > most {
				return errLarge
			}
		}
		return nil
	})
	return err != nil
}
