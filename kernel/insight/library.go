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
)

// A library has the packages that cells can import now, and what these mention: those that
// are compiled in, which package apidoc describes, and those that the session runs from
// source, which are read here.
type library struct {
	loaded []engine.Source
	stamp  []time.Time // of the files of local packages
	source map[string]*sourcePackage
}

// A sourcePackage is a package that the session runs from source. What is nil has not been
// asked for.
type sourcePackage struct {
	engine.Source
	types    *types.Package
	checking bool
	comments map[string]string
}

// newLibrary returns the library of a session that runs packages from source.
func newLibrary(loaded []engine.Source) *library {
	lib := &library{loaded: loaded, stamp: stamps(loaded), source: map[string]*sourcePackage{}}
	for _, s := range loaded {
		lib.source[s.Path] = &sourcePackage{Source: s}
	}
	return lib
}

// holds reports whether the library is that of a session with these packages, and their
// files are what they were.
func (lib *library) holds(loaded []engine.Source) bool {
	return len(loaded) == len(lib.loaded) && (len(loaded) == 0 ||
		reflect.DeepEqual(loaded, lib.loaded) && slices.Equal(stamps(loaded), lib.stamp))
}

// stamps returns the times of the files of those packages that may change.
func stamps(list []engine.Source) (times []time.Time) {
	for _, s := range list {
		if s.Version != "" {
			continue
		}
		for _, name := range s.Files {
			var t time.Time
			if info, err := os.Stat(filepath.Join(s.Dir, name)); err == nil {
				t = info.ModTime()
			}
			times = append(times, t)
		}
	}
	return times
}

// lookup returns what apidoc's index has of a package.
func (lib *library) lookup(path string) (apidoc.Package, bool) {
	if p := lib.source[path]; p != nil {
		return apidoc.Package{Name: p.Name}, true
	}
	return apidoc.Lookup(path)
}

// paths returns the import paths of the packages that cells can import, sorted.
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

// hidden reports whether only packages of the same module can import path.
func hidden(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal") || strings.HasPrefix(path, "vendor/")
}

// named returns the paths of the packages called name, best guess first.
func (lib *library) named(name string) []string {
	list := apidoc.Named(name)
	for _, s := range lib.loaded {
		if s.Name == name && !hidden(s.Path) && !slices.Contains(list, s.Path) {
			list = append(list, s.Path)
		}
	}
	return list
}

// types returns a package, nil if it is not known. Of a package that is run from source,
// function bodies are left out, and faults.
func (lib *library) types(path string) *types.Package {
	p := lib.source[path]
	if p == nil {
		return apidoc.Types(path)
	}
	if p.types != nil || p.checking {
		return p.types
	}
	p.checking = true // packages do not import each other in a circle; if these do, nothing is lost
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
	p.types = pkg
	return pkg
}

// parse parses the package's files, as far as they are there and are Go.
func (p *sourcePackage) parse(fset *token.FileSet, mode parser.Mode) (files []*ast.File) {
	for _, name := range p.Files {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, mode)
		if f != nil && (err == nil || f.Name != nil && f.Name.Name == p.Name) {
			files = append(files, f)
		}
	}
	return files
}

// A packageImporter imports what a package that is run from source imports.
type packageImporter struct {
	lib *library
	as  map[string]string // paths in files -> packages
}

func (i packageImporter) Import(path string) (*types.Package, error) {
	if to := i.as[path]; to != "" {
		path = to
	}
	return i.lib.importPath(path)
}

// doc returns a symbol's doc comment without comment markers, "" if it has none.
func (lib *library) doc(path, symbol string) string {
	p := lib.source[path]
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

// exported returns the names of a package that cells can use.
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

// importPath is types with an error for what is not known.
func (lib *library) importPath(path string) (*types.Package, error) {
	if pkg := lib.types(path); pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// refresh makes in.lib that of the session as it is now, and reports whether it was.
func (in *Insight) refresh() bool {
	var loaded []engine.Source
	if l, ok := in.session.(engine.Loader); ok {
		loaded = l.Loaded()
	}
	if in.lib.holds(loaded) {
		return true
	}
	in.lib = newLibrary(slices.Clone(loaded))
	return false
}

// local reports whether a package is the user's own, which no other machine has.
func (lib *library) local(path string) bool {
	p := lib.source[path]
	return p != nil && p.Version == ""
}
