package modules

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// kernelOnly lists the modules that only the kernel uses. The kernel depends on the internals of these modules,
// so they stay at the tested versions.
var kernelOnly = []string{"github.com/goplus/", "github.com/visualfc/", "github.com/timandy/routine", "github.com/go-zeromq/", "golang.org/x/tools", "golang.org/x/mod"}

func isKernelOnly(path string) bool {
	for _, p := range kernelOnly {
		if path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// merged returns the given text of a go.mod, with the requirements of q added.
func merged(text []byte, q *requirement) ([]byte, error) {
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	own := map[string]string{}
	for _, r := range f.Require {
		own[r.Mod.Path] = r.Mod.Version
	}
	for path, version := range q.requires {
		if isOwn(path) || q.local[path] == "" && semver.Compare(version, own[path]) <= 0 {
			continue
		}
		if err := f.AddRequire(path, version); err != nil {
			return nil, err
		}
	}
	for old, to := range q.replaces {
		if isOwn(old.Path) || isKernelOnly(old.Path) && own[old.Path] != "" {
			continue
		}
		if err := f.AddReplace(old.Path, old.Version, to.Path, to.Version); err != nil {
			return nil, err
		}
	}
	for path, version := range own {
		if isKernelOnly(path) {
			if err := f.AddReplace(path, "", path, version); err != nil {
				return nil, err
			}
		}
	}
	for x := range q.excludes {
		if isOwn(x.Path) || own[x.Path] == x.Version {
			continue
		}
		if err := f.AddExclude(x.Path, x.Version); err != nil {
			return nil, err
		}
	}
	if q.goes != "" && f.Go != nil && semver.Compare("v"+q.goes, "v"+f.Go.Version) > 0 {
		if err := f.AddGoStmt(q.goes); err != nil {
			return nil, err
		}
	}
	f.SortBlocks()
	f.Cleanup()
	return f.Format()
}

// merge writes the go.mod and go.sum of the extended program, that is, of the kernel with the wanted packages. It
// returns all packages that are linked into the extended program.
func (b *buildPlan) merge(ctx context.Context) ([]*goPackage, error) {
	mod, err := os.ReadFile(filepath.Join(b.source, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(b.source, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	b.fresh = newRequirement()
	if err := b.fresh.add(string(mod), "go.mod", b.source); err != nil {
		return nil, err
	}
	if err := b.vendor(); err != nil {
		return nil, err
	}
	if mod, err = merged(mod, b.q); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "go.mod"), mod, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "go.sum"), []byte(joinSums(b.spec.sum, string(sum))), 0o600); err != nil {
		return nil, err
	}
	args := append([]string{"list", "-e", "-deps", listFields}, b.flags("--", "./cmd/overcomplete")...)
	out, err := b.run(ctx, b.spec.packages[0], nil, append(args, b.spec.packages...)...)
	if err != nil {
		return nil, err
	}
	all, err := parseList(out)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.Error != nil {
			return nil, classify(p.ImportPath, p.Error.Err)
		}
	}
	return all, nil
}

// reached returns the packages in a list that the wanted packages need, directly or indirectly.
func (b *buildPlan) reached(all []*goPackage) []*goPackage {
	byPath := map[string]*goPackage{}
	for _, p := range all {
		byPath[p.ImportPath] = p
	}
	seen := map[string]bool{}
	var out []*goPackage
	var visit func(path string)
	visit = func(path string) {
		p := byPath[path]
		if p == nil || seen[path] {
			return
		}
		seen[path] = true
		for _, q := range p.imports() {
			visit(q)
		}
		out = append(out, p)
	}
	for _, path := range b.spec.packages {
		visit(path)
	}
	return out
}

// raisedModules returns the paths of the modules whose version in the extended program (the kernel with the wanted
// packages) differs from the version in a plain kernel.
func (b *buildPlan) raisedModules(all []*goPackage) map[string]bool {
	found := map[string]bool{}
	for _, p := range all {
		if m := p.Module; m != nil && b.fresh.requires[m.Path] != "" {
			got := module.Version{Path: m.Path, Version: m.Version}
			if m.Replace != nil {
				got = module.Version{Path: m.Replace.Path, Version: m.Replace.Version}
			}
			if got != (module.Version{Path: m.Path, Version: b.fresh.requires[m.Path]}) {
				found[m.Path] = true
			}
		}
	}
	return found
}

// withRaised returns mods, followed by the raised modules (see raisedModules) that are not in mods because no wanted
// package needs them. Cells can import the packages of these modules too.
func (b *buildPlan) withRaised(mods []Module, all []*goPackage) []Module {
	raised := b.raisedModules(all)
	for _, m := range mods {
		delete(raised, m.Path)
	}
	var more []Module
	for _, p := range all {
		if p.Module != nil && raised[p.Module.Path] {
			delete(raised, p.Module.Path)
			m := p.Module.module()
			m.Asked = b.fresh.requires[m.Path]
			more = append(more, m)
		}
	}
	slices.SortFunc(more, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return append(mods, more...)
}
