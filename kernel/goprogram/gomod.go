package goprogram

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"overcomplete/internal/module"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/notebook"
)

// A Module holds a go.mod file and its go.sum file.
type Module struct{ Mod, Sum []byte }

// write writes the files into a folder.
func (m Module) write(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), m.Mod, 0o666); err != nil {
		return err
	}
	if len(m.Sum) == 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), m.Sum, 0o666)
}

// modulePath returns the module path of a program with the given name. Usually the path is the name. If the standard
// library has packages of that name, modulePath returns a different path, because the go command would reject the name
// as ambiguous.
func modulePath(name string) string {
	for _, path := range apidoc.Paths() {
		if first, _, _ := strings.Cut(path, "/"); first == name {
			return name + "-notebook"
		}
	}
	return name
}

// moduleOf returns the module of a program. imports has the paths of the packages that the program imports, and gets
// has the arguments of the notebook's %get commands.
func moduleOf(imports, gets []string, nb *notebook.Notebook, opt Options) (Module, error) {
	base, err := modfile.Parse("go.mod", opt.GoMod, nil)
	if err != nil {
		return Module{}, fmt.Errorf("go.mod of %s: %w", module.Path, err)
	}
	f := &modfile.File{Syntax: &modfile.FileSyntax{}}
	if err := f.AddModuleStmt(modulePath(opt.Name)); err != nil {
		return Module{}, err
	}
	version := "1.26"
	if base.Go != nil {
		version = base.Go.Version
	}
	if err := f.AddGoStmt(version); err != nil {
		return Module{}, err
	}
	outside := slices.ContainsFunc(imports, func(p string) bool { return module.Has(p) || dotted(p) })
	if !outside {
		f.Cleanup()
		return Module{Mod: modfile.Format(f.Syntax)}, nil
	}
	versions := map[string]string{}
	want := func(path, version string) {
		if path != module.Path && (versions[path] == "" || semver.Compare(version, versions[path]) > 0) {
			versions[path] = version
		}
	}
	for _, r := range base.Require {
		want(r.Mod.Path, r.Mod.Version)
	}
	sum := string(opt.GoSum)
	if l := nb.Lock(); l != nil {
		pins, err := modfile.Parse("go.mod", []byte(l.Mod), nil)
		if err != nil {
			return Module{}, fmt.Errorf("the versions in the notebook's metadata: %w", err)
		}
		for _, r := range pins.Require {
			want(r.Mod.Path, r.Mod.Version)
		}
		for _, r := range pins.Replace {
			if r.Old.Path != module.Path {
				if r.New.Version == "" && !opt.Modules {
					return Module{}, fmt.Errorf("the notebook replaces the module %s by the folder %s, which the go command would read; --modules allows this", r.Old.Path, r.New.Path)
				}
				if err := f.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version); err != nil {
					return Module{}, err
				}
			}
		}
		sum += "\n" + l.Sum
	}
	done, err := modfile.ParseLax("go.mod", opt.resolved, nil)
	if err != nil {
		return Module{}, err
	}
	for _, r := range done.Require {
		want(r.Mod.Path, r.Mod.Version)
	}
	for _, g := range gets {
		if path, version, ok := strings.Cut(g, "@"); ok && semver.IsValid(version) {
			want(path, version)
		}
	}
	var list []*modfile.Require
	for path, version := range versions {
		r := &modfile.Require{Indirect: !slices.ContainsFunc(imports, func(p string) bool { return providedBy(p, versions) == path })}
		r.Mod.Path, r.Mod.Version = path, version
		list = append(list, r)
	}
	if slices.ContainsFunc(imports, module.Has) {
		r := &modfile.Require{}
		r.Mod.Path, r.Mod.Version = module.Path, "v0.0.0"
		list = append(list, r)
		if opt.Source != "" {
			if err := f.AddReplace(module.Path, "", opt.Source, ""); err != nil {
				return Module{}, err
			}
		}
	}
	slices.SortFunc(list, func(a, b *modfile.Require) int { return strings.Compare(a.Mod.Path, b.Mod.Path) })
	f.SetRequireSeparateIndirect(list)
	f.SortBlocks()
	f.Cleanup()
	lines := strings.Split(sum, "\n")
	slices.Sort(lines)
	lines = slices.DeleteFunc(slices.Compact(lines), func(l string) bool { return strings.TrimSpace(l) == "" })
	return Module{Mod: modfile.Format(f.Syntax), Sum: []byte(strings.Join(lines, "\n") + "\n")}, nil
}

// providedBy returns the path of the module that provides a package, or "" if none does. The keys of modules are the
// paths of the possible modules.
func providedBy(pkg string, modules map[string]string) (path string) {
	for m := range modules {
		if (pkg == m || strings.HasPrefix(pkg, m+"/")) && len(m) > len(path) {
			path = m
		}
	}
	return path
}

// dotted reports whether the first element of an import path has a dot, as in the paths of other modules. No path of
// the standard library has one.
func dotted(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}
