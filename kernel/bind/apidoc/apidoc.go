package apidoc

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"overcomplete/kernel/toolchain"
)

//go:embed api*.zip
var archives embed.FS

// A Package is an entry of the index.
type Package struct {
	// Name is what the package is called in Go source.
	Name string `json:"name"`
	// Synopsis is the first sentence of its doc comment.
	Synopsis string `json:"synopsis,omitempty"`
	// Missing are exported names that cells cannot use all the same.
	Missing []string `json:"missing,omitempty"`
}

// The names of the archive's members.
const (
	IndexFile = "index.json"
	TypesFile = "types"
	DocFolder = "doc/"
)

// Builtin is the path under which Go's own names are documented.
const Builtin = "builtin"

// ArchiveName is the name of the archive with what differs with go1.minor; 0: with
// all, as the oldest version has it.
func ArchiveName(minor int) string {
	if minor == 0 {
		return "api.zip"
	}
	return fmt.Sprintf("api_go1%d.zip", minor)
}

// Archives picks from names those in which go1.minor finds its members, the first that
// has one first.
func Archives(names []string, minor int) []string {
	for m := minor; m > 0; m-- {
		if name := ArchiveName(m); slices.Contains(names, name) {
			return []string{name, ArchiveName(0)}
		}
	}
	return []string{ArchiveName(0)}
}

// member reads a file of the archives, nil if there is none.
func member(name string) []byte {
	list, err := readers()
	if err != nil {
		panic(fmt.Sprintf("apidoc: %v", err)) // they are compiled in, and tested
	}
	for _, files := range list {
		member, ok := files[name]
		if !ok {
			continue
		}
		f, err := member.Open()
		if err != nil {
			panic(fmt.Sprintf("apidoc: %s: %v", name, err))
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			panic(fmt.Sprintf("apidoc: %s: %v", name, err))
		}
		return data
	}
	return nil
}

// readers are the archives of the Go that this program was built with, by member.
var readers = sync.OnceValues(func() ([]map[string]*zip.File, error) {
	entries, err := archives.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	var list []map[string]*zip.File
	for _, name := range Archives(names, toolchain.Current()) {
		data, err := archives.ReadFile(name)
		if err != nil {
			return nil, err
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files := map[string]*zip.File{}
		for _, f := range z.File {
			files[f.Name] = f
		}
		list = append(list, files)
	}
	return list, nil
})

var index = sync.OnceValue(func() map[string]Package {
	m := map[string]Package{}
	if err := json.Unmarshal(member(IndexFile), &m); err != nil {
		panic(fmt.Sprintf("apidoc: %s: %v", IndexFile, err))
	}
	return m
})

// paths are the import paths, sorted, and byName the same by package name, the
// best guess first.
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

// Paths gives the import paths that are described, sorted.
func Paths() []string { return slices.Clone(paths()) }

// Lookup gives the index entry of an import path.
func Lookup(path string) (Package, bool) {
	p, ok := index()[path]
	return p, ok
}

// Named gives the import paths of the packages called name, best guess first.
func Named(name string) []string { return slices.Clone(byName()[name]) }

// Rank orders packages of one name: this project's, then the rest with the
// usual meaning of the name before special ones.
func Rank(path string) int {
	switch {
	case strings.HasPrefix(path, "overcomplete/"):
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
	_, err := gcexportdata.ReadBundle(bytes.NewReader(member(TypesFile)), token.NewFileSet(), m)
	if err != nil {
		panic(fmt.Sprintf("apidoc: types: %v", err))
	}
	m["unsafe"] = types.Unsafe
	return m
})

// Types gives a package, nil if it is not described. Packages that cells cannot
// import, but whose types others mention, are there with those types only.
func Types(path string) *types.Package { return universe()[path] }

// Doc gives a symbol's doc comment as it is in the source, without comment
// markers; "" if it has none.
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
	if data := member(DocFolder + path); data != nil {
		if err := json.Unmarshal(data, &m); err != nil {
			panic(fmt.Sprintf("apidoc: %s: %v", path, err))
		}
	}
	docCache[path] = m
	return m
}
