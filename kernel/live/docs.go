package live

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	"overcomplete/kernel/internal/apidoc"
)

// docs merges archives of documentation into one archive, without the packages that are left out. It does not
// compress the members, because the kernel becomes smaller when it is compressed as a whole.
func docs(archives [][]byte, leaves func(path string) bool) ([]byte, error) {
	members, err := apidoc.Members(archives...)
	if err != nil {
		return nil, fmt.Errorf("the documentation of packages: %w", err)
	}
	for name, text := range members {
		if path, ok := strings.CutPrefix(name, apidoc.DocFolder); ok && leaves(path) {
			delete(members, name)
			continue
		}
		if members[name], err = member(name, text, leaves); err != nil {
			return nil, fmt.Errorf("the documentation of packages: %s: %w", name, err)
		}
	}
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := to.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(members[name]); err != nil {
			return nil, err
		}
	}
	if err := to.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// member returns text, the contents of an archive's file with the given name, without what it says about the packages
// that are left out.
func member(name string, text []byte, leaves func(path string) bool) ([]byte, error) {
	switch name {
	case apidoc.IndexFile:
		return index(text, leaves)
	case apidoc.TypesFile:
		return bundle(text, leaves), nil
	}
	return text, nil
}

// index returns text, the list of packages as JSON, without the packages that are left out.
func index(text []byte, leaves func(path string) bool) ([]byte, error) {
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

// bundle returns data, a bundle of the types of packages, without the packages that are left out. If other packages
// refer to types of these packages, the references stay. A bundle that this program cannot read, for example from a
// later Go version, stays unchanged.
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
