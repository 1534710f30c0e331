// Package apidoc describes the packages that cells can import: their types, as go/types represents them (including the
// names of parameters), and their doc comments. It needs neither a source tree nor a toolchain.
//
// The descriptions are in embedded archives written by kernel/bind/gen: api.zip for the oldest version of Go with which
// this project was tried, and an archive such as api_go127.zip for each later version. The archive for a later version
// has only the members that differ from api.zip, and most of these store only their differences (see Delta). The
// members of an archive are:
//
//	index.json    for each import path the package's name and synopsis
//	types         export data of all packages and of the types that they mention
//	docs.json     for each import path the package's doc comments by symbol
//
// Data is read only when it is needed. The types of all packages are read together (some 100 ms, 8 MB). The doc
// comments of all packages are unpacked together (some 30 ms, 3 MB), because separate files for the packages would
// take a fifth more space, and are decoded package by package.
//
// The symbols of a package are "" for the package itself, "Dense" for a top-level declaration, and "Dense.At" for a
// method or field, including methods of interfaces. Package "builtin" has the doc comments of Go's predeclared names,
// and no types.
package apidoc

import (
	"archive/zip"
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"overcomplete/internal/module"
	"overcomplete/kernel/toolchain"
)

//go:embed api*.zip
var own embed.FS

// sources holds the file systems that contain archives, this package's own first.
var sources = []fs.FS{own}

// Add adds a file system that contains further archives. They have the same names as this package's own archives:
// api.zip and its variants for later versions of Go. Call Add only from init functions, because it must run before
// anything is looked up.
func Add(archives fs.FS) { sources = append(sources, archives) }

// Sources returns the file systems that contain archives.
func Sources() []fs.FS { return slices.Clone(sources) }

// A Package is an entry of the index, which lists the described packages by import path.
type Package struct {
	// Name is the package's name in Go source.
	Name string `json:"name"`
	// Synopsis is the first sentence of the package's doc comment.
	Synopsis string `json:"synopsis,omitempty"`
	// Missing lists exported names that cells cannot use.
	Missing []string `json:"missing,omitempty"`
}

// Names of the members of an archive.
const (
	IndexFile = "index.json"
	TypesFile = "types"
	DocsFile  = "docs.json"
)

// Builtin is the path under which Go's predeclared names are documented.
const Builtin = "builtin"

// ArchiveName returns the name of an archive. If minor is 0, this is the full archive, which describes the oldest
// version of Go. Otherwise it is the archive for the version of Go with this minor number (go1.26 if minor is 26),
// which contains only the differences from the full archive.
func ArchiveName(minor int) string {
	if minor == 0 {
		return "api.zip"
	}
	return fmt.Sprintf("api_go1%d.zip", minor)
}

// Archives returns the names of the one or two archives that together describe a version of Go, which is given by its
// minor number. If the given names include archives of differences for this version or earlier ones, the newest of
// these archives comes first, and its members take precedence. The full archive comes last.
func Archives(names []string, minor int) []string {
	for m := minor; m > 0; m-- {
		if name := ArchiveName(m); slices.Contains(names, name) {
			return []string{name, ArchiveName(0)}
		}
	}
	return []string{ArchiveName(0)}
}

// members returns the contents of the archive members with the given name. At most one of these members is from this
// package's archives, and at most one from each file system passed to Add. members panics if an archive cannot be read.
func members(name string) [][]byte {
	list, err := readers()
	if err != nil {
		panic(fmt.Sprintf("apidoc: %v", err)) // the archives are compiled in, and tested
	}
	var all [][]byte
	for _, source := range list {
		data, ok, err := find(source, name)
		if err != nil {
			panic(fmt.Sprintf("apidoc: %s: %v", name, err))
		}
		if ok {
			all = append(all, data)
		}
	}
	return all
}

// find returns the content of a member of the archives of one version of Go, from the first archive that has the
// member. If that archive stores only the member's differences, find applies them to the same member of the last
// archive, which is the full one. ok is false if no archive has the member.
func find(archives []map[string]*zip.File, name string) (data []byte, ok bool, err error) {
	for _, files := range archives {
		if f := files[name]; f != nil {
			data, err = read(f)
			return data, true, err
		}
		if f, full := files[name+DeltaSuffix], archives[len(archives)-1][name]; f != nil && full != nil {
			old, err := read(full)
			if err != nil {
				return nil, false, err
			}
			if data, err = read(f); err == nil {
				data, err = Patch(old, data)
			}
			return data, true, err
		}
	}
	return nil, false, nil
}

func read(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Members returns the contents of all members, by name, of the archives of one version of Go. The archives must be in
// the order of the names that [Archives] returns.
func Members(archives ...[]byte) (map[string][]byte, error) {
	var list []map[string]*zip.File
	for _, a := range archives {
		files, err := filesOf(a)
		if err != nil {
			return nil, err
		}
		list = append(list, files)
	}
	members := map[string][]byte{}
	for _, files := range list {
		for name := range files {
			name = strings.TrimSuffix(name, DeltaSuffix)
			data, ok, err := find(list, name)
			if err != nil || !ok {
				return nil, fmt.Errorf("apidoc: %s: %w", name, cmp.Or(err, fs.ErrNotExist))
			}
			members[name] = data
		}
	}
	return members, nil
}

// filesOf returns the files of an archive by name.
func filesOf(archive []byte) (map[string]*zip.File, error) {
	z, err := NewReader(archive)
	if err != nil {
		return nil, err
	}
	files := map[string]*zip.File{}
	for _, f := range z.File {
		files[f.Name] = f
	}
	return files, nil
}

// readers holds, for each source, the archives for the version of Go that this program was built with, indexed
// by member.
var readers = sync.OnceValues(func() ([][]map[string]*zip.File, error) {
	var list [][]map[string]*zip.File
	for _, source := range sources {
		entries, err := fs.ReadDir(source, ".")
		if err != nil {
			return nil, err
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		var archives []map[string]*zip.File
		for _, name := range Archives(names, toolchain.Current()) {
			data, err := fs.ReadFile(source, name)
			if err != nil {
				return nil, err
			}
			files, err := filesOf(data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			archives = append(archives, files)
		}
		list = append(list, archives)
	}
	return list, nil
})

var index = sync.OnceValue(func() map[string]Package {
	m := map[string]Package{}
	for _, data := range members(IndexFile) {
		if err := json.Unmarshal(data, &m); err != nil {
			panic(fmt.Sprintf("apidoc: %s: %v", IndexFile, err))
		}
	}
	return m
})

// paths returns the sorted import paths. byName returns the same paths by package name, likeliest first.
var paths = sync.OnceValue(func() []string {
	var list []string
	for p := range index() {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
})

var byName = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, p := range paths() {
		name := index()[p].Name
		m[name] = append(m[name], p)
	}
	for _, list := range m {
		slices.SortStableFunc(list, func(a, b string) int { return Rank(a) - Rank(b) })
	}
	return m
})

// Paths returns the import paths of the described packages, sorted.
func Paths() []string { return slices.Clone(paths()) }

// Lookup returns the entry for an import path in the index of described packages, if there is one.
func Lookup(path string) (Package, bool) {
	p, ok := index()[path]
	return p, ok
}

// Named returns the import paths of the packages with the given name, likeliest first.
func Named(name string) []string { return slices.Clone(byName()[name]) }

// Rank returns a number that orders packages of the same name: the likelier package has the lower number. This
// project's packages come first, then packages with the usual meaning of the name, then specialized packages.
func Rank(path string) int {
	switch {
	case module.Has(path):
		return 0
	case path == "math/rand/v2", path == "text/template":
		return 1
	case strings.HasPrefix(path, "crypto/"), strings.HasPrefix(path, "html/"):
		return 3
	}
	return 2
}

var universe = sync.OnceValue(func() map[string]*types.Package {
	m := map[string]*types.Package{}
	for _, data := range members(TypesFile) {
		if _, err := gcexportdata.ReadBundle(bytes.NewReader(data), token.NewFileSet(), m); err != nil {
			panic(fmt.Sprintf("apidoc: types: %v", err))
		}
	}
	m["unsafe"] = types.Unsafe
	return m
})

// Types returns the package with the given path, or nil if it is not described. If cells cannot import a
// package, but other packages mention its types, the result has only these types.
func Types(path string) *types.Package { return universe()[path] }

// Doc returns the doc comment of a symbol of the package with the given path, without comment markers. It returns ""
// if the symbol has none. Very long comments are cut.
func Doc(path, symbol string) string { return docs(path)[symbol] }

var (
	docMu    sync.Mutex
	docCache = map[string]map[string]string{}
)

func docs(path string) map[string]string {
	docMu.Lock()
	defer docMu.Unlock()
	if m, ok := docCache[path]; ok {
		return m
	}
	if _, ok := index()[path]; !ok && path != Builtin {
		return nil
	}
	m := map[string]string{}
	if data, ok := encodedDocs()[path]; ok {
		if err := json.Unmarshal(data, &m); err != nil {
			panic(fmt.Sprintf("apidoc: %s: %v", path, err))
		}
	}
	docCache[path] = m
	return m
}

// encodedDocs holds the doc comments of each package as JSON.
var encodedDocs = sync.OnceValue(func() map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for _, data := range members(DocsFile) {
		if err := json.Unmarshal(data, &m); err != nil {
			panic(fmt.Sprintf("apidoc: %s: %v", DocsFile, err))
		}
	}
	return m
})
