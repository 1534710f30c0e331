package goprogram

import (
	"path/filepath"

	"golang.org/x/mod/modfile"

	"overcomplete/internal/inside"
	"overcomplete/internal/module"
	"overcomplete/kernel/internal/selfsource"
)

// Checkout returns the root of the checkout of this project that contains one of the folders, or "" if none of
// them is in a checkout.
func Checkout(folders ...string) (root string) {
	for _, dir := range folders {
		dir, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		for last := ""; dir != last; last, dir = dir, filepath.Dir(dir) {
			text, err := inside.ReadFile(dir, filepath.Join(dir, "go.mod"), 1<<20) // reading a pipe with this name would never end
			if err == nil && modfile.ModulePath(text) == module.Path {
				return dir
			}
		}
	}
	return ""
}

// Extract writes the project's own source, embedded in this program, into an existing folder, for building
// programs without a checkout. It fails if this program was built without its source.
func Extract(dir string) error { return selfsource.Extract(dir) }
