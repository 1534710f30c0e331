package tablegen

import (
	"fmt"
	"path"
)

// Alias returns the name under which a file with the tables of several packages imports the package with the given
// import path. name is the name that the package itself declares. Alias returns this name if it equals the last element
// of the import path. Otherwise it appends that element, as in json_v2 for encoding/json/v2. For the second of two
// packages of the standard library with the same name, it returns a name made of the whole path, as in crypto_rand.
func Alias(importPath, name string) string {
	switch importPath {
	case "crypto/rand", "go/scanner", "html/template": // beside math/rand, text/scanner and text/template
		return Identifier(importPath)
	}
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
