package export

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"overcomplete/internal/inside"
	"overcomplete/kernel/notebook"
)

// Share moves common content of the pages below a folder into shared files: the font of their formulas into
// math-….woff, and pictures into pictures/. A site of many pages then stores the font and each picture only once. The
// pages must be as HTML or Slides returned them. Do not use Share for pages that readers pass on one by one; they
// should embed everything.
func Share(folder string) error {
	if err := shareFont(folder); err != nil {
		return err
	}
	return sharePictures(folder)
}

// eachPage calls f for the pages below a folder, sorted by name.
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

// address returns the address of a file relative to a page.
func address(page, file string) (string, error) {
	to, err := filepath.Rel(filepath.Dir(page), file)
	return filepath.ToSlash(to), err
}

// removeStale removes the files that an earlier version of the site left below a folder: those that match the pattern
// and are not listed as wanted.
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
