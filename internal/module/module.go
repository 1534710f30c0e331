// Package module knows the import path of the module, and is the only package that does: code that
// looks for the project's own packages in a stack trace, in an import or in a go.mod asks here, so
// that the project also works under another path (make rename).
package module

import (
	"reflect"
	"strings"
)

type anchor struct{}

// Path is the import path of the module, as go.mod has it.
var Path = strings.TrimSuffix(reflect.TypeFor[anchor]().PkgPath(), "/internal/module")

// Package returns the import path of the package in a folder of the module, which is
// given with slashes: "ui/display".
func Package(folder string) string { return Path + "/" + folder }

// Has reports whether an import path, or the runtime's name of a function, belongs to the module.
func Has(path string) bool {
	_, ok := Folder(path)
	return ok
}

// Folder returns the folder of the module that an import path names, and reports whether
// it names one. It also accepts the names of functions as the runtime writes them, since
// these begin with an import path.
func Folder(path string) (folder string, ok bool) { return strings.CutPrefix(path, Path+"/") }
