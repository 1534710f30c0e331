package tablegen

import (
	"fmt"
	"path"
)

// Alias returns the name of a package in a file that contains the tables of several packages. The file imports the
// package under this name.
func Alias(importPath, name string) string {
	if base := path.Base(importPath); base != name {
		return name + "_" + Identifier(base) // encoding/json/v2 beside encoding/json
	}
	return name
}

// ImportLine returns the line that imports a package under a name, which may be _.
func ImportLine(importPath, name string) string {
	if name == path.Base(importPath) {
		return fmt.Sprintf("\t%q\n", importPath)
	}
	return fmt.Sprintf("\t%s %q\n", name, importPath)
}
