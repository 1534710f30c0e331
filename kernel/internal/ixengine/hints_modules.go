package ixengine

import (
	"go/ast"
	"strings"
)

// loadedNamed returns the paths of packages with the given name that are run from source and that cells can
// import.
func (s *Session) loadedNamed(name string) (paths []string) {
	for _, p := range s.Loaded() {
		if p.Name == name && !strings.Contains("/"+p.Path+"/", "/internal/") {
			paths = append(paths, p.Path)
		}
	}
	return paths
}

// suggestion returns what Options.Suggest says about a package that a cell uses but has not imported. path
// lists the syntax nodes at the name, innermost first.
func (s *Session) suggestion(name string, path []ast.Node) string {
	if s.opt.Suggest == nil || selectorOf(path) == nil {
		return ""
	}
	return s.opt.Suggest(name)
}
