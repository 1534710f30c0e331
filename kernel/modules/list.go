package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"go/build"
	"io"
	"slices"
	"strings"
)

// A goPackage is the go command's description of a package.
type goPackage struct {
	ImportPath, Name, Dir string
	GoFiles, CgoFiles     []string
	SysoFiles             []string
	IgnoredGoFiles        []string
	EmbedPatterns         []string
	EmbedFiles            []string
	Imports               []string
	ImportMap             map[string]string
	Standard, DepOnly     bool
	Module                *listedModule
	Error                 *struct{ Err string }
}

// A listedModule is the go command's description of a module.
type listedModule struct {
	Path, Version, Dir, GoVersion string
	Main                          bool
	Replace                       *listedModule
}

const listFields = "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,SysoFiles,IgnoredGoFiles,EmbedPatterns,EmbedFiles,Imports,ImportMap,Standard,DepOnly,Module,Error"

// list returns the packages with the given paths and all packages that they need, directly or indirectly. Each package
// comes after its dependencies.
func (v *view) list(ctx context.Context, what, tags string, paths ...string) ([]*goPackage, error) {
	args := append([]string{"list", "-e", "-deps", listFields, "-tags=" + tags}, v.flags...)
	out, err := v.run(ctx, what, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	return parseList(out)
}

// parseList reads the output of go list -json.
func parseList(out []byte) ([]*goPackage, error) {
	var all []*goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(goPackage)
		if err := d.Decode(p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// module converts m to a Module.
func (m *listedModule) module() Module {
	out := Module{Path: m.Path, Version: m.Version, Dir: m.Dir, Local: m.Main}
	if r := m.Replace; r != nil {
		out.Replace = r.Path
		if r.Version != "" {
			out.Replace += "@" + r.Version
		}
		out.Local = r.Version == ""
		if r.Dir != "" {
			out.Dir = r.Dir
		}
	}
	if out.Local {
		out.Version = ""
	}
	return out
}

// local reports whether the package belongs to a module whose source is in one of the user's folders.
func (p *goPackage) local() bool { return p.Module != nil && p.Module.module().Local }

// imports lists the paths of the packages that p imports. It replaces each path in the source with the path
// that ImportMap gives for it, if any.
func (p *goPackage) imports() []string {
	list := slices.Clone(p.Imports)
	for i, q := range list {
		if to := p.ImportMap[q]; to != "" {
			list[i] = to
		}
	}
	return list
}

// withoutC lists those of the given paths whose packages compile without cgo but leave out files that need cgo. The
// packages are in all. Most of these packages return an error when called.
func withoutC(all []*goPackage, paths []string, tags string) (list []string) {
	for _, p := range all {
		if slices.Contains(paths, p.ImportPath) && p.withoutC(tags) {
			list = append(list, p.ImportPath)
		}
	}
	return list
}

// withoutC reports whether the package lacks some of its files because cgo is disabled.
func (p *goPackage) withoutC(tags string) bool {
	with := build.Default
	with.CgoEnabled, with.BuildTags = true, strings.Split(tags, ",")
	return slices.ContainsFunc(p.IgnoredGoFiles, func(name string) bool {
		fits, err := with.MatchFile(p.Dir, name)
		return err == nil && fits && !strings.HasSuffix(name, "_test.go")
	})
}
