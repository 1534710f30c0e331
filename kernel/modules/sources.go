package modules

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	gover "go/version"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
)

// pureGo holds the build tags that make packages select pure Go code, without assembly or unsafe.
const (
	pureGo    = "purego,noasm,generic,nounsafe,safe" + appengine
	appengine = ",appengine"
)

// Sources lists the packages that must run from source so that cells can import the packages with the given paths.
// Dependencies come first. Packages for which bound(path) is true are left out. Versions that are not fixed yet are
// resolved and recorded. The error is of kind NotFromSource if it is already clear at this point that a package
// cannot run from source.
func (e *Env) Sources(ctx context.Context, bound func(path string) bool, paths []string, say func(string)) ([]engine.Source, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if err := e.isOff(paths[0]); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.internal(paths); err != nil {
		return nil, err
	}
	_, all, err := e.resolve(ctx, paths, pureGo, say)
	if err != nil {
		return nil, err
	}
	c := &chooser{bound: bound, own: ownRequires(), byPath: map[string]*goPackage{}, seen: map[string]bool{"unsafe": true}}
	for _, p := range all {
		c.byPath[p.ImportPath] = p
	}
	for _, path := range paths {
		if err := c.need("the cell", path); err != nil {
			return nil, e.adviseLocal(err)
		}
	}
	list, err := locals(c.listed)
	if err != nil {
		return nil, err
	}
	e.recordLocals(list)
	return c.out, nil
}

// A chooser chooses the packages to run from source.
type chooser struct {
	bound  func(string) bool
	own    map[string]string // versions of the modules in this program
	byPath map[string]*goPackage
	seen   map[string]bool
	out    []engine.Source
	listed []*goPackage // the packages of out, as described by the go command
}

// need adds the package with the given path to the packages to run from source, after the packages that it imports. If
// the package is compiled in, only its version is checked. The argument from names the importing package or cell, for
// error messages.
func (c *chooser) need(from, path string) error {
	if c.seen[path] {
		return nil
	}
	c.seen[path] = true
	p := c.byPath[path]
	if c.bound(path) {
		if p == nil {
			return nil
		}
		return c.fits(from, p)
	}
	if p == nil {
		return fmt.Errorf("%s imports %s, which the go command does not list", from, path)
	}
	if err := c.refuse(from, p); err != nil {
		return err
	}
	for _, q := range p.imports() {
		if err := c.need(path, q); err != nil {
			return err
		}
	}
	c.out, c.listed = append(c.out, p.source()), append(c.listed, p)
	return nil
}

// source returns the description of p that the engine needs to run p from source.
func (p *goPackage) source() engine.Source {
	s := engine.Source{
		Path: p.ImportPath, Name: p.Name, Dir: p.Dir, Files: p.GoFiles,
		Embeds: len(p.EmbedPatterns) > 0, ImportMap: p.ImportMap, WithoutC: p.withoutC(pureGo),
	}
	if m := p.Module; m != nil {
		if m.GoVersion != "" {
			s.GoVersion = "go" + m.GoVersion
		}
		mod := m.module()
		s.Module, s.Version = mod.Path, mod.Version
	}
	return s
}

// fits returns an error if the compiled-in version of the package p is older than needed. The argument from names the
// importing package or cell, for the message.
func (c *chooser) fits(from string, p *goPackage) error {
	if p.Module == nil {
		return nil
	}
	m, have := p.Module.module(), c.own[p.Module.Path]
	if have == "" || m.Local || semver.Compare(m.Version, have) <= 0 {
		return nil
	}
	return &Error{Kind: Conflict, What: p.ImportPath,
		Text:   fmt.Sprintf("%s needs %s %s, but %s is compiled into this kernel", from, m.Path, m.Version, have),
		Advice: "restart the kernel to compile them together, or pin an older version of the imported module",
	}
}

// refuse returns an error that says why a package cannot be run from source, or nil if it can.
func (c *chooser) refuse(from string, p *goPackage) error {
	no := func(format string, args ...any) error {
		return &Error{Kind: NotFromSource, What: p.ImportPath,
			Text:   p.ImportPath + " cannot be run from source: " + fmt.Sprintf(format, args...),
			Advice: "restart the kernel to compile the package in",
		}
	}
	switch {
	case p.Standard:
		return &Error{Kind: NotFromSource, What: from,
			Text:   fmt.Sprintf("%s cannot be run from source: it imports %s of the standard library, which cells cannot import", from, p.ImportPath),
			Advice: "restart the kernel to compile the package in",
		}
	case module.Has(p.ImportPath):
		return no("it is part of this kernel, which does not offer it to cells")
	case len(p.CgoFiles) > 0:
		return no("it uses cgo")
	case len(p.SysoFiles) > 0:
		return no("it has compiled parts (%s)", p.SysoFiles[0])
	case secondCopy()[p.ImportPath]:
		return no("its types are already in this kernel, through a compiled-in package")
	}
	if m := p.Module; m != nil {
		if gover.Compare(gover.Lang("go"+m.GoVersion), gover.Lang(runtimeGo())) > 0 {
			return no("it needs Go %s, but this kernel is built with %s", m.GoVersion, runtimeGo())
		}
		if have := c.own[m.Path]; have != "" && partlyBound()[m.Path] && m.module().Version != have {
			return &Error{Kind: Conflict, What: p.ImportPath,
				Text:   fmt.Sprintf("%s belongs to %s %s, but packages of version %s are compiled into this kernel", p.ImportPath, m.Path, m.module().Version, have),
				Advice: "restart the kernel to compile them together",
			}
		}
	}
	return bodiless(p, no)
}

// runtimeGo returns the version of Go that built this program, without any suffix.
func runtimeGo() string {
	v, _, _ := strings.Cut(runtime.Version(), " ")
	if !gover.IsValid(v) {
		return preferred()
	}
	return v
}

// bodiless returns an error if p declares a function without a Go body. Such a function is written in assembly, or
// linked by go:linkname. The function called no makes this error from a format and its values. bodiless also returns an
// error if a file cannot be parsed.
func bodiless(p *goPackage, no func(string, ...any) error) error {
	fset := token.NewFileSet()
	for _, name := range p.GoFiles {
		file := filepath.Join(p.Dir, name)
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return &Error{Kind: NotCompiling, What: p.ImportPath, Text: p.ImportPath + " does not compile: " + strings.TrimPrefix(err.Error(), p.Dir+string(filepath.Separator)), Advice: anotherVersion(p.ImportPath)}
		}
		linked := linknames(f)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body != nil {
				continue
			}
			if to := linked[fn.Name.Name]; to != "" {
				return no("its function %s is linked to %s by go:linkname", fn.Name.Name, to)
			}
			return no("its function %s is written in assembly", fn.Name.Name)
		}
	}
	return nil
}

// linknames returns a map from function names to the targets of their go:linkname directives.
func linknames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if rest, ok := strings.CutPrefix(c.Text, "//go:linkname "); ok {
				if w := strings.Fields(rest); len(w) == 2 {
					names[w[0]] = w[1]
				} else if len(w) == 1 {
					names[w[0]] = "another package"
				}
			}
		}
	}
	return names
}

// secondCopy returns the packages that cells cannot import but whose types occur in the API of importable
// packages. If such a package ran from source, its types would exist twice. All other linked packages may exist
// twice, because values of the two copies never meet.
func secondCopy() map[string]bool {
	found := map[string]bool{}
	for _, p := range bind.All() {
		for _, d := range p.Deps {
			if bind.Name(d.Path) == "" {
				found[d.Path] = true
			}
		}
	}
	return found
}

// partlyBound returns the modules that provide at least one package that cells can import.
func partlyBound() map[string]bool {
	found := map[string]bool{}
	own := ownRequires()
	for _, p := range bind.All() {
		if path, ok := longest(own, p.Path); ok {
			found[path] = true
		}
	}
	return found
}

// internal returns an error if one of the paths is internal to a module and may not be imported by the
// notebook.
func (e *Env) internal(paths []string) error {
	for _, path := range paths {
		parts := strings.Split(path, "/")
		i := slices.Index(parts, "internal")
		if i < 0 || e.ruling.local(path) && e.mayImport(strings.Join(parts[:i], "/")) {
			continue
		}
		return &Error{Kind: InternalPath, What: path, Text: path + " is internal to its module", Advice: "import a package of that module that is not under `internal`"}
	}
	return nil
}

// mayImport reports whether the notebook's folder may import packages that are internal to parent.
func (e *Env) mayImport(parent string) bool {
	q, err := e.ruling.requirement("")
	if err != nil {
		return false
	}
	for path, dir := range q.local {
		rel, err := filepath.Rel(dir, e.opt.Folder)
		if err != nil || !filepath.IsLocal(rel) && rel != "." {
			continue
		}
		here := path
		if rel != "." {
			here += "/" + filepath.ToSlash(rel)
		}
		if within(here, parent) {
			return true
		}
	}
	return false
}

// Outside returns a list of the packages of other modules that the user's own packages import. The user's own packages
// are those with the given paths, and the local packages that these need. The list is in the go command's order, and
// leaves out packages that cells of this program can already import.
func (e *Env) Outside(ctx context.Context, paths []string, say func(string)) ([]engine.Source, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if err := e.isOff(paths[0]); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, all, err := e.resolve(ctx, paths, pureGo, say)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, p := range all {
		if !p.local() {
			continue
		}
		for _, q := range p.imports() {
			wanted[q] = true
		}
	}
	var list []engine.Source
	for _, p := range all {
		if wanted[p.ImportPath] && !p.Standard && p.Module != nil && !p.local() && bind.Name(p.ImportPath) == "" {
			list = append(list, p.source())
		}
	}
	return list, nil
}
