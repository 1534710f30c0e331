package export

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"overcomplete/internal/inside"
	"overcomplete/kernel/notebook"
)

// Share has all pages below a folder that were written by HTML or Slides take what several of them have from files
// there: the font of their formulas from math-….woff, and pictures from pictures/. A site of many pages needs these
// once. Pages by themselves, which readers send about, keep their own.
func Share(folder string) error {
	if err := shareFont(folder); err != nil {
		return err
	}
	return sharePictures(folder)
}

// eachPage calls f with the pages below a folder, in the order of their names.
func eachPage(folder string, f func(path string, page []byte) error) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".html" {
			return err
		}
		page, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return f(path, page)
	})
}

// keep writes a shared file below a folder.
func keep(folder, path string, data []byte) error {
	if err := inside.Check(folder, path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return notebook.WriteFile(path, data)
}

// address is how a page asks for a file.
func address(page, file string) (string, error) {
	to, err := filepath.Rel(filepath.Dir(page), file)
	return filepath.ToSlash(to), err
}

// removeStale removes those files of a pattern below a folder that no page asks for: they are of an earlier site.
func removeStale(folder, pattern string, wanted ...string) error {
	pattern = filepath.Join(folder, pattern)
	if err := inside.Check(folder, filepath.Dir(pattern)); err != nil {
		return err
	}
	old, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, path := range old {
		if slices.Contains(wanted, path) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
