package modules

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"overcomplete/internal/module"
	"overcomplete/internal/tablefile"
	"overcomplete/kernel/internal/tablegen"
)

// Overlay files have names in the folders of the kernel's source, but are stored in b.dir.
const (
	commandFolder = "cmd/overcomplete"
	tablesFolder  = "kernel/internal/bindings"
	// tablesWithin is the name of a package and of its folder. The package has the tables of internal
	// packages of the user's modules. The folder is in a place from which these packages may be imported.
	tablesWithin = "overcomplete_tables"
)

// overlay writes the additional files of the extended program: a table for each wanted package, through which cells
// import the package; completion data; a list of the packages; and new tables for packages of raised modules.
func (b *buildPlan) overlay(ctx context.Context, all []*goPackage, companions []string, m *manifest) error {
	again, err := b.tablesOf(b.raisedModules(all))
	if err != nil {
		return err
	}
	loaded, err := b.load(ctx, 0, slices.AppendSeq(slices.Concat(m.Packages, companions), maps.Keys(again)))
	if err != nil {
		return err
	}
	m.Packages = choose(loaded, m.Packages, companions)
	loaded = slices.DeleteFunc(loaded, func(p *packages.Package) bool {
		return again[p.PkgPath] == nil && !slices.Contains(m.Packages, p.PkgPath)
	})
	has := func(path string) bool { return slices.Contains(m.Packages, path) || bound(path) != "" }
	sources, err := b.genericSources(ctx, all, loaded, again, has)
	if err != nil {
		return err
	}
	imports := map[string]bool{}
	missing := map[string][]string{}
	raised := map[string]map[string][]byte{} // the new tables by file and path
	for i, p := range loaded {
		opt := sources[p.PkgPath]
		opt.Package, opt.Variable, opt.Bound = "main", fmt.Sprintf("module_%d", i), has
		at := b.sourcePath(commandFolder, fmt.Sprintf("module_%d_bind.go", i))
		old := again[p.PkgPath]
		if old != nil {
			opt.Package, opt.Variable, opt.Alias = "bindings", old.variable, tablegen.Alias(p.PkgPath, p.Name)
		} else if parent, ok := internalTo(p.PkgPath); ok {
			opt.Package = tablesWithin
			at = filepath.Join(folderOf(all, p.PkgPath, parent), tablesWithin, filepath.Base(at))
			imports[parent+"/"+tablesWithin] = true
		}
		text, generic, err := tablegen.Table(p.Types, opt)
		if text == nil {
			return err
		}
		missing[p.PkgPath] = append(generic, revealed(p.Types)...)
		if old != nil {
			if raised[old.file] == nil {
				raised[old.file] = map[string][]byte{}
			}
			raised[old.file][p.PkgPath] = text
		} else if err := b.put(at, text); err != nil {
			return err
		}
	}
	for file, tables := range raised {
		if err := b.replaceTables(b.sourcePath(tablesFolder, file), tables); err != nil {
			return err
		}
	}
	members, err := tablegen.Describe(loaded, missing)
	if err != nil {
		return err
	}
	archive, err := tablegen.WriteZip(members, zip.Deflate, nil)
	if err != nil {
		return err
	}
	if err := b.put(b.sourcePath(commandFolder, "api.zip"), archive); err != nil {
		return err
	}
	text, err := registration(m, slices.Sorted(maps.Keys(imports)))
	if err != nil {
		return err
	}
	if err := b.put(b.sourcePath(commandFolder, "modules_bind.go"), text); err != nil {
		return err
	}
	return b.writeOverlay()
}

// sourcePath returns the path of a file in a folder of the kernel's source.
func (b *buildPlan) sourcePath(folder, name string) string {
	return filepath.Join(b.source, filepath.FromSlash(folder), name)
}

// registration returns the Go file that registers the packages compiled into the extended program.
func registration(m *manifest, imports []string) ([]byte, error) {
	is := compiledIn
	is.Packages, is.Modules, is.Local, is.Version = m.Packages, m.Modules, m.Local, Version()
	list, err := json.Marshal(is)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(tablegen.Generated)
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"embed\"\n\n\t%q\n\t%q\n", module.Package("kernel/bind"), module.Package("kernel/modules"))
	for _, path := range imports {
		fmt.Fprintf(&b, "\t_ %q\n", path)
	}
	fmt.Fprintf(&b, ")\n\n//go:embed api.zip\nvar moduleArchives embed.FS\n\nfunc init() {\n\tbind.Describe(moduleArchives)\n\tmodules.Register(%q)\n}\n", list)
	return b.Bytes(), nil
}

// internalTo returns the part of an import path before the last "internal" element (the parent). Only packages whose
// path is the parent, or lies below it, may import the package. ok is false if the import path has no such element, or
// begins with it.
func internalTo(path string) (parent string, ok bool) {
	i := strings.LastIndex("/"+path+"/", "/internal/")
	if i <= 0 {
		return "", false
	}
	return path[:i-1], true
}

// folderOf returns the folder for the import path parent. It looks in pkgs for the package with the given path, which
// must be below parent, and goes up from the package's folder. So it also finds a folder without Go files.
func folderOf(pkgs []*goPackage, path, parent string) string {
	dir := ""
	for _, p := range pkgs {
		if p.ImportPath == path {
			dir = p.Dir
		}
	}
	for range strings.Count(strings.TrimPrefix(path, parent), "/") {
		dir = filepath.Dir(dir)
	}
	return dir
}

// put adds a file with the given text to the overlay. The argument at is the path at which the build then finds the
// text.
func (b *buildPlan) put(at string, text []byte) error {
	file := filepath.Join(b.dir, fmt.Sprintf("overlay-%d%s", len(b.over), filepath.Ext(at)))
	b.over[at] = file
	return os.WriteFile(file, text, 0o600)
}

func (b *buildPlan) overlayFile() string { return filepath.Join(b.dir, "overlay.json") }

func (b *buildPlan) writeOverlay() error {
	text, err := json.Marshal(map[string]any{"Replace": b.over})
	if err != nil {
		return err
	}
	return os.WriteFile(b.overlayFile(), text, 0o600)
}

// load type-checks packages, and returns what mode asks for besides their types. It reads the types of their imports
// from export data.
func (b *buildPlan) load(ctx context.Context, mode packages.LoadMode, paths []string) ([]*packages.Package, error) {
	loaded, err := packages.Load(&packages.Config{
		Context:    ctx,
		Dir:        b.source,
		Mode:       mode | packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedFiles,
		Env:        append(os.Environ(), b.env...),
		BuildFlags: b.flags(),
	}, paths...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, classify(paths[0], err.Error())
	}
	slices.SortFunc(loaded, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	for _, p := range loaded {
		p.GoFiles = slices.DeleteFunc(p.GoFiles, func(file string) bool { return filepath.Base(file) == guardFile })
		if len(p.Errors) > 0 {
			var said []string
			for _, e := range p.Errors {
				// The go command repeats the compiler's messages about the package without a position.
				if text := e.Error(); !strings.HasPrefix(text, "-: #") || len(p.Errors) == 1 {
					said = append(said, text)
				}
			}
			e := classify(p.PkgPath, strings.Join(said, "\n"))
			if e.Kind == Failed {
				e.Kind, e.Text, e.Advice = NotCompiling, p.PkgPath+" does not compile: "+said[0], anotherVersion(p.PkgPath)
			}
			return nil, e
		}
	}
	if len(loaded) == 0 {
		return nil, errors.New("the go command found no package")
	}
	return loaded, nil
}

// A tablePlace says where the kernel's source has the table of a compiled-in package, through which cells import the
// package: in which file, and in which variable.
type tablePlace struct{ file, variable string }

var tableVariable = regexp.MustCompile(`\nvar pkg_(\w+) = `)

// tablesOf finds, in the kernel's source, the tables (see tablePlace) of the packages that belong to the given
// modules. It returns the places of the tables, by the import paths of the packages.
func (b *buildPlan) tablesOf(mods map[string]bool) (map[string]*tablePlace, error) {
	places := map[string]*tablePlace{}
	if len(mods) == 0 {
		return places, nil
	}
	files, err := filepath.Glob(b.sourcePath(tablesFolder, "*_bind.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		tables, err := tablefile.Read(file)
		if err != nil {
			return nil, err
		}
		for _, table := range tables {
			path, variable := tablefile.Path(table), tableVariable.FindSubmatch(table)
			for mod := range mods {
				if within(path, mod) && variable != nil {
					places[path] = &tablePlace{filepath.Base(file), string(variable[1])}
				}
			}
		}
	}
	return places, nil
}

// replaceTables puts a changed copy of a file with tables into the overlay. The map changes holds the new tables, by
// the import paths of their packages; other tables stay as they are.
func (b *buildPlan) replaceTables(file string, changes map[string][]byte) error {
	tables, err := tablefile.Read(file)
	if err != nil {
		return err
	}
	for i, table := range tables {
		if text := changes[tablefile.Path(table)]; text != nil {
			tables[i] = text
		}
	}
	text, err := tablefile.Join(tables...)
	if err != nil {
		return err
	}
	return b.put(file, text)
}
