package export

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		page, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return f(path, page)
	})
}

// keep writes a shared file.
func keep(path string, data []byte) error {
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

// removeStale removes those files of a pattern that no page asks for: they are of an earlier site.
func removeStale(pattern string, wanted ...string) error {
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
