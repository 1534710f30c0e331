package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/tablegen"
)

// overlay writes the files that the bigger program has and this one has not: a table for each package, what
// completion knows of them, and a list of them; and tables of packages that come in another version.
func (b *building) overlay(ctx context.Context, all []*listed, m *manifest) error {
	replace := map[string]string{}
	put := func(name string, text []byte) error {
		file := filepath.Join(b.dir, strings.ReplaceAll(name, "/", "+"))
		replace[filepath.Join(b.source, filepath.FromSlash(name))] = file
		return os.WriteFile(file, text, 0o600)
	}
	again, err := b.tablesOf(b.raised(all))
	if err != nil {
		return err
	}
	want := slices.Clone(m.Packages)
	for path := range again {
		want = append(want, path)
	}
	loaded, err := b.load(ctx, want)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, path := range m.Packages {
		wanted[path] = true
	}
	before, _ := CompiledIn() // into this program, and perhaps not into the next
	bound := func(path string) bool {
		return wanted[path] || bind.Name(path) != "" && !slices.Contains(before, path)
	}
	missing := map[string][]string{}
	var described []*packages.Package
	for i, p := range loaded {
		opt := tablegen.Options{Package: "main", Variable: fmt.Sprintf("module_%d", i), Bound: bound}
		name := fmt.Sprintf("cmd/overcomplete/module_%d_bind.go", i)
		if at := again[p.PkgPath]; at != "" {
			opt.Package, opt.Variable, name = "bindings", strings.TrimSuffix(filepath.Base(at), "_bind.go"), at
		}
		text, generic, err := tablegen.Table(p.Types, opt)
		if text == nil {
			return err
		}
		missing[p.PkgPath] = generic
		described = append(described, p)
		if err := put(name, text); err != nil {
			return err
		}
	}
	members, err := tablegen.Describe(described, missing)
	if err != nil {
		return err
	}
	archive, err := tablegen.WriteZip(members)
	if err != nil {
		return err
	}
	if err := put("cmd/overcomplete/api.zip", archive); err != nil {
		return err
	}
	list, err := json.Marshal(struct {
		Packages []string
		Modules  []Module
	}{m.Packages, m.Modules})
	if err != nil {
		return err
	}
	var text bytes.Buffer
	text.WriteString(tablegen.Generated)
	fmt.Fprintf(&text, "package main\n\nimport (\n\t\"embed\"\n\n\t%q\n\t%q\n)\n\n", module.Package("kernel/bind"), module.Package("kernel/modules"))
	fmt.Fprintf(&text, "//go:embed api.zip\nvar moduleArchives embed.FS\n\nfunc init() {\n\tbind.Describe(moduleArchives)\n\tmodules.Register(%q)\n}\n", list)
	if err := put("cmd/overcomplete/modules_bind.go", text.Bytes()); err != nil {
		return err
	}
	over, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, "overlay.json"), over, 0o600)
}

// load type-checks packages, from what compiling their imports leaves.
func (b *building) load(ctx context.Context, paths []string) ([]*packages.Package, error) {
	loaded, err := packages.Load(&packages.Config{
		Context:    ctx,
		Dir:        b.source,
		Mode:       packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedFiles,
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
		if len(p.Errors) > 0 {
			var said []string
			for _, e := range p.Errors {
				said = append(said, e.Error())
			}
			e := classify(p.PkgPath, strings.Join(said, "\n"))
			if e.Kind == Failed {
				e.Kind, e.Text, e.Advice = NotCompiling, p.PkgPath+" does not compile: "+said[0], "try another version: `%get PATH@VERSION`"
			}
			return nil, e
		}
	}
	if len(loaded) == 0 {
		return nil, errors.New("the go command found no package")
	}
	return loaded, nil
}

// tablesOf returns the files of the tables, by package, of the compiled-in packages of some modules.
func (b *building) tablesOf(mods map[string]bool) (map[string]string, error) {
	files := map[string]string{}
	if len(mods) == 0 {
		return files, nil
	}
	const folder = "kernel/internal/bindings"
	err := fs.WalkDir(os.DirFS(b.source), folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_bind.go") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(b.source, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		_, rest, _ := bytes.Cut(text, []byte("\tPath: \""))
		path, _, _ := bytes.Cut(rest, []byte("\""))
		for mod := range mods {
			if within(string(path), mod) {
				files[string(path)] = name
			}
		}
		return nil
	})
	return files, err
}
