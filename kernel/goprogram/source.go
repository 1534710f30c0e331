package goprogram

import (
	"path/filepath"

	"golang.org/x/mod/modfile"

	"overcomplete/internal/inside"
	"overcomplete/internal/module"
	"overcomplete/kernel/internal/selfsource"
)

// Checkout returns the root of the checkout of this project that one of some folders is in, "" if none is.
func Checkout(folders ...string) (root string) {
	for _, dir := range folders {
		dir, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		for last := ""; dir != last; last, dir = dir, filepath.Dir(dir) {
			text, err := inside.ReadFile(dir, filepath.Join(dir, "go.mod"), 1<<20) // a pipe would never end
			if err == nil && modfile.ModulePath(text) == module.Path {
				return dir
			}
		}
	}
	return ""
}

// Extract writes the project's own source, as this program has it, into a folder, which must exist: for programs that
// are to be built where there is no checkout. The error says that this program has none.
func Extract(dir string) error { return selfsource.Extract(dir) }
