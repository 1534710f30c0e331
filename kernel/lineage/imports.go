package lineage

import (
	"path"
	"slices"
	"strings"
)

// An Import is an import declared in a cell.
type Import struct {
	Name string // name given in the import, or ""; also "." and "_"
	Path string
	Line int // 1-based, in the cell
}

// Names returns the possible names of the package in the cell. If the import gives no name, only the package
// itself determines the name; for nearly all packages it is one of the returned names.
func (i Import) Names() []string {
	switch i.Name {
	case "":
	case "_", ".":
		return nil
	default:
		return []string{i.Name}
	}
	base, folder := path.Base(i.Path), path.Dir(i.Path)
	if isVersion(base) && folder != "." {
		base = path.Base(folder)
	}
	if at := strings.LastIndex(base, ".v"); at > 0 && isVersion(base[at+1:]) {
		base = base[:at]
	}
	names := []string{base}
	bare := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(base, "go-"), "-go"), ".go")
	for _, name := range []string{bare, strings.ReplaceAll(bare, "-", ""), strings.ReplaceAll(bare, "-", "_"), bare[strings.LastIndexByte(bare, '-')+1:]} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// isVersion reports whether a path element is v2, v3...
func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789") == ""
}
