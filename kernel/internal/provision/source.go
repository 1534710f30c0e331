package provision

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/modules"
)

// resolution says how packages can be made importable.
type resolution struct {
	list []engine.Source // packages to load, dependencies first
	// generic holds the packages that always run from source because they are mostly generic. compiled holds
	// the other packages.
	generic, compiled []string
	why               error  // reason why not all of the packages can be run from source, or nil
	blamed            string // the import that causes the error why
}

// unfit records that the packages cannot be run from source.
func (f *resolution) unfit(paths []string, err error) {
	f.compiled, f.list, f.generic = paths, nil, nil
	f.blame(paths, err)
}

// blame records err as the reason why one of the packages cannot be run from source.
func (f *resolution) blame(paths []string, err error) {
	text, _ := message(err)
	var e *engine.Error
	if errors.As(err, &e) && e.Kind == engine.Panic {
		text = "its initialization panics: " + text
	}
	f.blamed = paths[0]
	for _, path := range paths {
		if strings.Contains(text, path) {
			f.blamed = path
		}
	}
	switch {
	case strings.Contains(text, doesNotCompile): // the text names the package that the user must fix
	case !strings.Contains(text, strings.TrimRight(notFromSource, ": ")) && kindOf(err) == "":
		text = f.blamed + notFromSource + text
	case !strings.Contains(text, f.blamed): // the text is about a package that the blamed package imports
		text = f.blamed + ": " + text
	}
	f.why = &modules.Error{Kind: modules.NotFromSource, What: f.blamed, Text: text}
}

// Separators between a package and the reason, in messages of the Env and the Loader.
const (
	notFromSource  = " cannot be run from source: "
	doesNotCompile = " does not compile: "
)

// sources determines how packages can be made importable. It returns an error if no way works.
func (p *Provider) sources(ctx context.Context, env Env, paths []string, say func(string)) (*resolution, error) {
	f := &resolution{}
	list, err := env.Sources(ctx, p.opt.Loader.Importable, paths, say)
	switch {
	case err == nil:
		f.list = list
		p.sort(f, paths)
		return f, nil
	case !compilable(err):
		return nil, err
	case len(paths) == 1:
		f.unfit(paths, err)
		return f, nil
	}
	// At least one of the packages cannot be run from source. Find out which, because the others may be
	// generic.
	for _, path := range paths {
		one, err := env.Sources(ctx, p.opt.Loader.Importable, []string{path}, say)
		switch {
		case err == nil:
			alone := &resolution{list: one}
			p.sort(alone, []string{path})
			f.generic = append(f.generic, alone.generic...)
			f.compiled = append(f.compiled, alone.compiled...)
			if len(alone.generic) > 0 {
				f.add(one)
			}
		case !compilable(err):
			return nil, err
		default:
			f.compiled = append(f.compiled, path)
			f.blame([]string{path}, err)
		}
	}
	return f, nil
}

// sort sorts the packages into packages that always run from source and packages that are compiled.
func (p *Provider) sort(f *resolution, paths []string) {
	for _, path := range paths {
		i := slices.IndexFunc(f.list, func(s engine.Source) bool { return s.Path == path })
		if i >= 0 && (p.isUsersOwn(path) || p.mostlyGeneric(f.list[i])) {
			f.generic = append(f.generic, path)
		} else {
			f.compiled = append(f.compiled, path)
		}
	}
}

// add adds packages that are not in the list yet.
func (f *resolution) add(list []engine.Source) {
	for _, s := range list {
		if !slices.ContainsFunc(f.list, func(t engine.Source) bool { return t.Path == s.Path }) {
			f.list = append(f.list, s)
		}
	}
}

// load runs packages from source.
func (p *Provider) load(ctx context.Context, list []engine.Source, l *line) error {
	l.doing("running " + names(list, nil) + " from source")
	err := p.opt.Loader.Load(ctx, list)
	if err != nil {
		return err
	}
	var without []string
	for _, s := range list {
		if s.WithoutC {
			without = append(without, s.Path)
		}
	}
	if len(without) > 0 {
		l.end()
		p.sayWithoutC(without)
	}
	return nil
}

// sayWithoutC tells the user that the C code of packages is left out, what this means, and how to include it.
func (p *Provider) sayWithoutC(paths []string) {
	p.say("%s has C code, which is left out, so the package may not work; to include the code, write `%%mod cgo on` above the import", strings.Join(paths, ", "))
}

// names returns the modules of the packages at paths, with their versions, as text for the user. If paths is nil, the
// text names the last package in list, which needs the others.
func names(list []engine.Source, paths []string) string {
	if paths == nil && len(list) > 0 {
		paths = []string{list[len(list)-1].Path}
	}
	var all []string
	for _, path := range paths {
		name := path
		for _, s := range list {
			if s.Path == path && s.Version != "" {
				name = s.Module + " " + s.Version
			}
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

// compilable reports whether packages may still be compiled into a program although Sources returned err. For example,
// a compiled program may contain other versions of the kernel's own modules.
func compilable(err error) bool {
	kind := kindOf(err)
	return kind == modules.NotFromSource || kind == modules.Conflict
}

func kindOf(err error) modules.Kind {
	var e *modules.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// mostlyGeneric reports whether more than half of the names that a package exports are generic. The compiled
// package's table would lack these names. A file that cannot be parsed counts as empty.
func (p *Provider) mostlyGeneric(s engine.Source) bool {
	known, ok := p.generic[s.Dir]
	if !ok {
		known = mostlyGeneric(s)
		p.generic[s.Dir] = known
	}
	return known
}

func mostlyGeneric(s engine.Source) bool {
	exported, generic := 0, 0
	for _, name := range s.Files {
		if !filepath.IsAbs(name) {
			name = filepath.Join(s.Dir, name)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			e, g := count(d)
			exported += e
			generic += g
		}
	}
	return 2*generic > exported
}

// count returns how many names a declaration exports, and how many of them are generic. Methods do not count;
// they come with their types.
func count(d ast.Decl) (exported, generic int) {
	note := func(name *ast.Ident, params *ast.FieldList) {
		if name.IsExported() {
			exported++
			if params != nil {
				generic++
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			note(d.Name, d.Type.TypeParams)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if it, ok := spec.Type.(*ast.InterfaceType); ok && spec.TypeParams == nil && isConstraint(it) {
					// A constraint is only used by generic functions, so do not count it.
					continue
				}
				note(spec.Name, spec.TypeParams)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					note(id, nil)
				}
			}
		}
	}
	return exported, generic
}

// isConstraint reports whether an interface has an element such as ~T or T | U, which only a constraint may have.
func isConstraint(t *ast.InterfaceType) bool {
	for _, f := range t.Methods.List {
		if len(f.Names) > 0 {
			continue
		}
		switch x := f.Type.(type) {
		case *ast.UnaryExpr:
			return x.Op == token.TILDE
		case *ast.BinaryExpr:
			return x.Op == token.OR
		}
	}
	return false
}
