package insight

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/wellknown"
)

// A library holds the packages that answers need: the packages that cells can import now, the packages on this machine
// that cells could import (see availableModules), and the packages that any of these mention. Compiled packages are
// described by package apidoc. The library itself reads packages of other modules, and the packages that the session
// runs from source.
type library struct {
	available *availableModules
	loaded    []engine.Source
	source    map[string]*sourcePackage
	missed    map[string]time.Time // when a path was looked for and not found

	local []engine.Source // packages with files that may change
	stamp []time.Time     // modification times of these files

	until time.Time // deadline of this query for checking packages that are not loaded
	late  bool      // a package was left out because of the deadline
}

// A sourcePackage is a package that the library reads from source. The fields types and comments are nil until they
// are needed.
type sourcePackage struct {
	engine.Source
	loaded   bool
	types    *types.Package
	late     bool // an import has been left out because of the deadline
	checking bool
	comments map[string]string
}

// patience is how long one query may check packages that no cell has imported yet. The next query continues with the
// remaining packages. Tests wait longer, because their machine may be busy.
var patience = 1200 * time.Millisecond

// forget is how long the library waits before it looks again for a package that it has not found.
const forget = 20 * time.Second

// newLibrary returns the library for a session. The given packages are those that the session runs from source.
func newLibrary(loaded []engine.Source, o *availableModules) *library {
	lib := &library{available: o, loaded: loaded, source: map[string]*sourcePackage{}, missed: map[string]time.Time{}}
	for _, s := range loaded {
		lib.add(s).loaded = true
	}
	return lib
}

func (lib *library) add(s engine.Source) *sourcePackage {
	p := &sourcePackage{Source: s}
	lib.source[s.Path] = p
	if s.Version == "" {
		lib.local = append(lib.local, s)
		lib.stamp = append(lib.stamp, stamps(s)...)
	}
	return p
}

// stamps returns the modification times of a package's files.
func stamps(s engine.Source) (times []time.Time) {
	for _, name := range s.Files {
		var t time.Time
		if info, err := os.Stat(filepath.Join(s.Dir, name)); err == nil {
			t = info.ModTime()
		}
		times = append(times, t)
	}
	return times
}

// isCurrent reports whether the library still fits a session: the library was made for the same list of loaded
// packages, and the files of local packages are unchanged.
func (lib *library) isCurrent(loaded []engine.Source) bool {
	if len(loaded) != len(lib.loaded) || len(loaded) > 0 && !reflect.DeepEqual(loaded, lib.loaded) {
		return false
	}
	var now []time.Time
	for _, s := range lib.local {
		now = append(now, stamps(s)...)
	}
	return slices.Equal(now, lib.stamp)
}

// begin starts a query: it sets the deadline, and resets the packages that the previous query left incomplete.
func (lib *library) begin() {
	lib.until, lib.late = time.Now().Add(patience), false
	for _, p := range lib.source {
		if p.late {
			p.types, p.late = nil, false
		}
	}
}

// find returns the package with the given path if the library can read it from source. It returns nil if the package is
// only compiled in, or is not on this machine.
func (lib *library) find(path string) *sourcePackage {
	if p := lib.source[path]; p != nil {
		return p
	}
	if _, ok := apidoc.Lookup(path); ok || time.Since(lib.missed[path]) < forget {
		return nil
	}
	s, ok := lib.available.find(path)
	if !ok {
		lib.missed[path] = time.Now()
		return nil
	}
	return lib.add(s)
}

// lookup returns a description of a package, in the form of an entry of apidoc's index.
func (lib *library) lookup(path string) (apidoc.Package, bool) {
	if p := lib.find(path); p != nil {
		return apidoc.Package{Name: p.Name}, true
	}
	return apidoc.Lookup(path)
}

// paths returns the import paths of the packages that cells can import now, sorted.
func (lib *library) paths() []string {
	list := apidoc.Paths()
	for _, s := range lib.loaded {
		if !hidden(s.Path) {
			list = append(list, s.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// hidden reports whether cells cannot import the package with the given path because it is internal or vendored.
func hidden(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal") || strings.HasPrefix(path, "vendor/")
}

// named returns the paths of the packages with the given name, best guess first.
func (lib *library) named(name string) []string {
	list := apidoc.Named(name)
	for _, s := range lib.loaded {
		if s.Name == name && !hidden(s.Path) && !slices.Contains(list, s.Path) {
			list = append(list, s.Path)
		}
	}
	for _, path := range lib.available.Named(name) {
		if !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	if path := wellknown.Named(name); len(list) == 0 && path != "" && lib.find(path) != nil {
		return []string{path}
	}
	return list
}

// types returns a package, or nil if it is unknown. After the query's deadline it also returns nil for a package that
// has not been checked yet, unless the session runs this package from source. Packages read from source have no
// function bodies, and their errors are ignored.
func (lib *library) types(path string) *types.Package {
	if pkg := apidoc.Types(path); pkg != nil && lib.source[path] == nil {
		return pkg
	}
	p := lib.find(path)
	if p == nil {
		return nil
	}
	if p.types != nil || p.checking {
		return p.types
	}
	if !p.loaded && time.Now().After(lib.until) {
		lib.late = true
		return nil
	}
	p.checking = true // guards against import cycles, which are invalid
	defer func() { p.checking = false }()
	fset := token.NewFileSet()
	files := p.parse(fset, parser.SkipObjectResolution)
	conf := &types.Config{
		Importer:                 packageImporter{lib, p.ImportMap},
		Sizes:                    types.SizesFor("gc", runtime.GOARCH),
		IgnoreFuncBodies:         true,
		FakeImportC:              true,
		DisableUnusedImportCheck: true,
		Error:                    func(error) {},
	}
	if version.IsValid(p.GoVersion) {
		conf.GoVersion = p.GoVersion
	}
	pkg := types.NewPackage(path, p.Name)
	types.NewChecker(conf, fset, pkg, nil).Files(files)
	pkg.MarkComplete()
	p.types, p.late = pkg, lib.late
	return pkg
}

// parse parses the package's files. It ignores files that are missing or not Go.
func (p *sourcePackage) parse(fset *token.FileSet, mode parser.Mode) (files []*ast.File) {
	for _, name := range p.Files {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, mode)
		if f != nil && (err == nil || f.Name != nil && f.Name.Name == p.Name) {
			files = append(files, f)
		}
	}
	return files
}

// A packageImporter resolves the imports of a package that the library reads from source.
type packageImporter struct {
	lib *library
	as  map[string]string // import paths in files -> package paths
}

func (i packageImporter) Import(path string) (*types.Package, error) {
	if to := i.as[path]; to != "" {
		path = to
	}
	return i.lib.importPath(path)
}

// doc returns a symbol's doc comment without comment markers, or "" if there is none.
func (lib *library) doc(path, symbol string) string {
	p := lib.find(path)
	if p == nil {
		return apidoc.Doc(path, symbol)
	}
	if p.comments == nil {
		fset := token.NewFileSet()
		files := p.parse(fset, parser.ParseComments|parser.SkipObjectResolution)
		p.comments, _ = apidoc.Comments(path, fset, files)
		if p.comments == nil {
			p.comments = map[string]string{}
		}
	}
	return p.comments[symbol]
}

// exported returns the names in a package that cells can use.
func (lib *library) exported(pkg *types.Package) (names []string) {
	if pkg == types.Unsafe {
		return pkg.Scope().Names()
	}
	entry, _ := lib.lookup(pkg.Path())
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) && !slices.Contains(entry.Missing, name) {
			names = append(names, name)
		}
	}
	return names
}

// importPath is like lib.types, but returns an error for an unknown package.
func (lib *library) importPath(path string) (*types.Package, error) {
	if pkg := lib.types(path); pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// refresh makes in.lib fit the current session. It reports whether this was already the case.
func (in *Insight) refresh() bool {
	var loaded []engine.Source
	if in.session != nil {
		loaded = in.session.Loaded()
	}
	if in.available.refresh() && in.lib.isCurrent(loaded) {
		return true
	}
	in.lib = newLibrary(slices.Clone(loaded), in.available)
	return false
}

// isLocal reports whether a package belongs to one of the user's own modules, which have no version.
func (lib *library) isLocal(path string) bool {
	p := lib.find(path)
	return p != nil && p.Version == ""
}

// origin describes where a package comes from, and whether cells can already import it.
func (p *sourcePackage) origin() string {
	from := "of module " + p.Module
	if p.Version != "" {
		from += " " + p.Version
	} else {
		from += " in " + p.Dir
	}
	if p.loaded {
		return from + ", run from source"
	}
	return from + ", not in use yet"
}
