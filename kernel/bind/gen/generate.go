package main

import (
	"fmt"
	"go/types"
	"path"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"

	"overcomplete/internal/module"
	"overcomplete/kernel/internal/tablegen"
	"overcomplete/kernel/toolchain"
)

// A file is the generated table of one package. Its name and text are those of a file that contains only this table
// (see fileName). The text is nil if the package could not be loaded.
type file struct {
	name string
	text []byte

	path    string   // import path of the package
	skipped []string // exported names that a table cannot contain
}

// generate makes the tables of all packages that cells may import. If words are given, it makes only the tables of
// packages whose paths contain one of the words. An error in errs concerns a single package; the tables of the other
// packages are complete. If nothing can be generated, files is empty.
func generate(root string, words []string) (files []file, errs []error) {
	wanted := func(path string) bool {
		return len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(path, w) })
	}
	ownPaths, err := discover(root)
	if err != nil {
		return nil, []error{err}
	}
	bound := map[string]bool{"unsafe": true}
	var patterns []string
	for _, list := range [][]string{standardOf(toolchain.Current()), thirdParty, ownPaths} {
		for _, path := range list {
			bound[path] = true
			if wanted(path) {
				patterns = append(patterns, path)
			}
		}
	}
	for _, path := range viaInterpreter {
		bound[path] = true
	}
	if len(patterns) == 0 {
		return nil, []error{fmt.Errorf("gen: no package matches %q", words)}
	}
	pkgs, err := packages.Load(&packages.Config{
		Dir:        root,
		Mode:       packages.NeedName | packages.NeedTypes | packages.NeedImports,
		BuildFlags: buildFlags,
	}, patterns...)
	if err != nil {
		return nil, []error{fmt.Errorf("gen: %w", err)}
	}
	for _, p := range pkgs {
		f := file{name: fileName(p.PkgPath), path: p.PkgPath}
		if len(p.Errors) > 0 || p.Types == nil {
			for _, e := range p.Errors {
				errs = append(errs, fmt.Errorf("gen: %s: %v", p.PkgPath, e))
			}
			files = append(files, f)
			continue
		}
		opt := tablegen.Options{
			Package:  "bindings",
			Variable: strings.TrimSuffix(path.Base(f.name), suffix),
			Alias:    tablegen.Alias(p.PkgPath, p.Name),
			Bound:    func(path string) bool { return bound[path] },
			Own:      slices.Contains(ownPaths, p.PkgPath),
		}
		if opt.Own && tablegen.IsGeneric(p.Types) {
			if opt.Source, opt.Sourced, err = source(root, p.PkgPath, opt.Bound); err != nil {
				errs = append(errs, err)
			}
		}
		f.text, f.skipped, err = tablegen.Table(p.Types, opt)
		if err != nil {
			errs = append(errs, err)
		}
		files = append(files, f)
	}
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	for i := 1; i < len(files); i++ {
		if files[i].name == files[i-1].name {
			errs = append(errs, fmt.Errorf("gen: two packages would have the table %s", files[i].name))
		}
	}
	return files, errs
}

// source returns Go source with the generic declarations of a package, for its table, and their names; see
// [tablegen.Source].
func source(root, path string, bound func(path string) bool) (text string, names []string, err error) {
	pkgs, err := packages.Load(&packages.Config{
		Dir:        root,
		Mode:       packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedFiles | packages.NeedCompiledGoFiles,
		BuildFlags: buildFlags,
	}, path)
	if err != nil {
		return "", nil, fmt.Errorf("gen: %w", err)
	}
	if len(pkgs[0].Errors) > 0 {
		return "", nil, fmt.Errorf("gen: %s: %v", path, pkgs[0].Errors[0])
	}
	return tablegen.Source(pkgs[0], bound, func(types.Object) bool { return true })
}

// buildFlags are the flags of make's builds. With other flags, the go command would compile all packages once more to
// obtain their types.
var buildFlags = []string{"-trimpath"}

// discover returns the paths of the packages of this module that cells may import, sorted. The paths include those of
// packages that do not compile; the error is reported when such a package is loaded.
func discover(root string) ([]string, error) {
	pkgs, err := packages.Load(&packages.Config{Dir: root, Mode: packages.NeedName | packages.NeedFiles}, own...)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	var paths []string
	for _, p := range pkgs {
		parts := strings.Split(p.PkgPath, "/")
		folder, _ := module.Folder(p.PkgPath)
		if slices.Contains(unbound, folder) || p.Name == "main" || len(p.GoFiles) == 0 || slices.Contains(parts, "internal") || slices.Contains(parts, "testdata") {
			continue
		}
		paths = append(paths, p.PkgPath)
	}
	slices.Sort(paths)
	return paths, nil
}
