package ixengine

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"

	"overcomplete/kernel/bind"
)

// Generic members of packages that are compiled in.

var undefinedMember = regexp.MustCompile(`^undefined: (\w+)\.(\w+)$`)

// genericMember returns an error message if pkg.name is a generic function or type of a compiled package, because
// cells cannot use those. Otherwise it returns "".
func genericMember(c *checkedProgram, pkg, name string) string {
	for id, o := range c.info.Uses {
		p, ok := o.(*types.PkgName)
		if !ok || id.Name != pkg {
			continue
		}
		table := bind.Lookup(p.Imported().Path())
		if table == nil {
			continue
		}
		if _, found := slices.BinarySearch(table.Generic, name); found {
			return fmt.Sprintf("%s.%s is generic and %s is compiled in: cells cannot use generic functions and types of compiled packages; "+
				"use those that are not generic, a cell that begins with %%%%native, or, in a session that has not used the package yet, %%mod source %s", pkg, name, table.Path, table.Path)
		}
	}
	return ""
}
