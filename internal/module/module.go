// Package module is the only package that knows the module's import path. Code that looks for the project's
// own packages in a stack trace, an import or a go.mod asks this package, so that the project also works
// under another path (make rename).
package module

import (
	"reflect"
	"strings"
)

type anchor struct{}

// Path is the import path of the module in go.mod.
var Path = strings.TrimSuffix(reflect.TypeFor[anchor]().PkgPath(), "/internal/module")

// Package returns the import path of the package in a folder of the module. The folder is slash-separated,
// for example "ui/display".
func Package(folder string) string { return Path + "/" + folder }

// Has reports whether an import path belongs to the module. It also accepts the full name of a function, such as
// runtime.Frame.Function, because this name begins with an import path.
func Has(path string) bool {
	_, ok := Folder(path)
	return ok
}

// Folder returns the folder, relative to the module's root, of the package with the given import path. ok is false if
// the package does not belong to the module. If path is the full name of a function, such as runtime.Frame.Function,
// the function's name follows the folder in the result.
func Folder(path string) (folder string, ok bool) { return strings.CutPrefix(path, Path+"/") }
