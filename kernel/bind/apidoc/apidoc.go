package apidoc

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
)

//go:embed api.zip
var archive []byte

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

// member reads a file of the archive, nil if there is none.
func member(name string) []byte {
	z, err := reader()
	if err != nil {
		panic(fmt.Sprintf("apidoc: api.zip: %v", err)) // it is compiled in, and tested
	}
	f, err := z.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		panic(fmt.Sprintf("apidoc: api.zip: %s: %v", name, err))
	}
	return data
}

var reader = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
})

var index = sync.OnceValue(func() map[string]Package {
	m := map[string]Package{}
	if err := json.Unmarshal(member(IndexFile), &m); err != nil {
		panic(fmt.Sprintf("apidoc: api.zip: %v", err))
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
		panic(fmt.Sprintf("apidoc: api.zip: types: %v", err))
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
			panic(fmt.Sprintf("apidoc: api.zip: %s: %v", path, err))
		}
	}
	docCache[path] = m
	return m
}
