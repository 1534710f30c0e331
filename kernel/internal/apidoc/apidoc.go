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

// sources have archives, this package's first.
var sources = []fs.FS{own}

// Add makes known what further archives describe: api.zip and its like in a file system.
// It is for init functions, before anything is looked up.
func Add(archives fs.FS) { sources = append(sources, archives) }

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

// ArchiveName returns the name of the archive with what differs with go1.minor; 0: with
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

// members reads the files of a name, at most one of each source.
func members(name string) [][]byte {
	list, err := readers()
	if err != nil {
		panic(fmt.Sprintf("apidoc: %v", err)) // they are compiled in, and tested
	}
	var all [][]byte
	for _, source := range list {
		for _, files := range source {
			member, ok := files[name]
			if !ok {
				continue
			}
			f, err := member.Open()
			if err != nil {
				panic(fmt.Sprintf("apidoc: %s: %v", name, err))
			}
			data, err := io.ReadAll(f)
			f.Close()
			if err != nil {
				panic(fmt.Sprintf("apidoc: %s: %v", name, err))
			}
			all = append(all, data)
			break // of this source the first archive that has it counts
		}
	}
	return all
}

// readers has for each source the archives of the Go that this program was built with, by
// member.
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
			z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			files := map[string]*zip.File{}
			for _, f := range z.File {
				files[f.Name] = f
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

// Paths returns the import paths that are described, sorted.
func Paths() []string { return slices.Clone(paths()) }

// Lookup returns the index entry of an import path.
func Lookup(path string) (Package, bool) {
	p, ok := index()[path]
	return p, ok
}

// Named returns the import paths of the packages called name, best guess first.
func Named(name string) []string { return slices.Clone(byName()[name]) }

// Rank orders packages of one name: this project's, then the rest with the
// usual meaning of the name before special ones.
func Rank(path string) int {
	switch {
	case isOwn(path):
		return 0
	case path == "math/rand/v2", path == "text/template":
		return 1
	case strings.HasPrefix(path, "crypto/"), strings.HasPrefix(path, "html/"):
		return 3
	}
	return 2
}

func isOwn(path string) bool {
	_, own := module.Folder(path)
	return own
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

// Types returns a package, nil if it is not described. Packages that cells cannot
// import, but whose types others mention, are there with those types only.
func Types(path string) *types.Package { return universe()[path] }

// Doc returns a symbol's doc comment as it is in the source, without comment
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
	for _, data := range members(DocFolder + path) {
		if err := json.Unmarshal(data, &m); err != nil {
			panic(fmt.Sprintf("apidoc: %s: %v", path, err))
		}
	}
	docCache[path] = m
	return m
}
