package modules

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
)

// withoutC lists those of the packages named in paths that compile without cgo, and have files that need it: they
// mostly do nothing then but say so, when they are called.
func withoutC(all []*listed, paths []string) (list []string) {
	for _, p := range all {
		if slices.Contains(paths, p.ImportPath) && slices.ContainsFunc(p.IgnoredGoFiles, func(name string) bool { return importsC(filepath.Join(p.Dir, name)) }) {
			list = append(list, p.ImportPath)
		}
	}
	return list
}

// importsC reports whether a file of Go imports "C".
func importsC(name string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		return false
	}
	for _, spec := range f.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	return false
}
