package goprogram

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/mod/modfile"

	"overcomplete/internal/inside"
	"overcomplete/internal/module"
	"overcomplete/kernel/internal/selfsource"
)

// Checkout returns the root folder of a checkout of this project. It looks for a checkout that contains the first of
// the given folders, then the second, and so on. If none of the folders is in a checkout, Checkout returns "".
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

// Source returns the names of the files of this project that are needed to build the program: the files of the packages
// that the program imports, directly or through other packages. root is the folder of the project's source. If the
// program imports no package of this project, the list is nil.
func (p *Program) Source(root string) ([]string, error) {
	var folders []string
	for name, text := range p.Files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			if folder, ok := module.Folder(path); ok {
				folders = append(folders, folder)
			}
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	return selfsource.Needed(os.DirFS(root), folders)
}
