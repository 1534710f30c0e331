package live

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/gcexportdata"

	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/tablegen"
)

// docs merges archives of documentation into one archive, without the packages for which leaves(path) is true. It does
// not compress the members of the archive: the kernel is compressed as a whole, and becomes smaller this way.
func docs(archives [][]byte, leaves func(path string) bool) ([]byte, error) {
	members, err := apidoc.Members(archives...)
	if err != nil {
		return nil, fmt.Errorf("the documentation of packages: %w", err)
	}
	for name, text := range members {
		if members[name], err = member(name, text, leaves); err != nil {
			return nil, fmt.Errorf("the documentation of packages: %s: %w", name, err)
		}
	}
	return tablegen.WriteZip(members, zip.Store, nil)
}

// member returns the new text of the archive member with the given name, without the packages for which leaves(path) is
// true.
func member(name string, text []byte, leaves func(path string) bool) ([]byte, error) {
	switch name {
	case apidoc.IndexFile, apidoc.DocsFile:
		return byPath(text, leaves)
	case apidoc.TypesFile:
		return bundle(text, leaves), nil
	}
	return text, nil
}

// byPath removes the packages for which leaves(path) is true from a JSON object whose keys are import paths.
func byPath(text []byte, leaves func(path string) bool) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for path := range all {
		if leaves(path) {
			delete(all, path)
		}
	}
	return json.Marshal(all)
}

// bundle removes the packages for which leaves(path) is true. The given data are the types of packages as export data.
// If one of the other packages refers to types of a removed package, the references stay. If this program cannot read
// data, for example because a later Go version wrote it, bundle returns data unchanged.
func bundle(data []byte, leaves func(path string) bool) []byte {
	fset := token.NewFileSet()
	all, err := gcexportdata.ReadBundle(bytes.NewReader(data), fset, map[string]*types.Package{})
	if err != nil {
		return data
	}
	all = slices.DeleteFunc(all, func(p *types.Package) bool { return leaves(p.Path()) })
	var out bytes.Buffer
	if gcexportdata.WriteBundle(&out, fset, all) != nil {
		return data
	}
	return out.Bytes()
}
