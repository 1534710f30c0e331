package provision

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/modules"
)

// renew updates packages in use if a cell imports some of them. paths holds the packages that the cell imports.
// Packages that run from source are reloaded if their files have changed. Compiled-in packages are updated by relink if
// their files have changed or %get has pinned another version.
func (p *Provider) renew(ctx context.Context, paths []string, stay error) error {
	if len(paths) == 0 {
		return nil
	}
	var look []string // own packages, and packages on which they may depend
	for _, s := range p.opt.Loader.Loaded() {
		if s.Version == "" {
			look = append(look, s.Path)
		}
	}
	if slices.ContainsFunc(p.opt.Modules, func(m modules.Module) bool { return m.Local }) {
		look = append(look, p.opt.Packages...)
	}
	if len(look)+len(p.stale) == 0 {
		return nil
	}
	env, err := p.env()
	if err != nil {
		return err
	}
	slices.Sort(look)
	again, fixed := p.divide(env.Changed(slices.Compact(look)))
	if len(again) > 0 {
		if err := p.reload(ctx, env, again, reloadedMessage(again)); err != nil {
			return err
		}
	}
	for _, path := range p.stale {
		if slices.Contains(paths, path) && !slices.Contains(fixed, path) {
			fixed = append(fixed, path)
		}
	}
	return p.relink(ctx, env, fixed, stay)
}

// divide splits the given packages into those that run from source and those that are compiled in.
func (p *Provider) divide(paths []string) (source, compiled []string) {
	for _, path := range paths {
		if p.loaded(path) {
			source = append(source, path)
		} else {
			compiled = append(compiled, path)
		}
	}
	return source, compiled
}

// relink updates the given compiled-in packages, which have changed. It returns a *Replacement for a program with their
// current versions, or nil if paths is empty. If this program must not be replaced, relink returns the error from
// p.restart.
func (p *Provider) relink(ctx context.Context, env Env, paths []string, stay error) error {
	if len(paths) == 0 {
		return nil
	}
	l := p.line()
	defer l.end()
	if !p.opt.Replaceable || stay != nil || p.opt.Held() != "" {
		// The packages stay stale: the Env knows only the new versions.
		for _, path := range paths {
			if !slices.Contains(p.stale, path) {
				p.stale = append(p.stale, path)
			}
		}
		return p.restart(ctx, env, &resolution{compiled: paths, blamed: paths[0], why: &modules.Error{
			Kind: modules.NotFromSource, What: paths[0],
			Text: strings.Join(paths, ", ") + " has changed, but an older version is compiled into this program",
		}}, stay, l)
	}
	prog, err := p.program(ctx, env, p.linked(paths...), nil, paths, l)
	if err != nil {
		return err
	}
	return p.replacement(env, prog, paths)
}

// reloadedMessage returns the message that packages were reloaded from their current files.
func reloadedMessage(paths []string) string {
	return strings.Join(paths, ", ") + " was reloaded from its current files"
}

// reload runs the packages in paths from source again, together with the packages that import them, and prints the
// given text. If a file of a package in paths does not parse, reload returns an error and the session keeps the old
// packages.
func (p *Provider) reload(ctx context.Context, env Env, paths []string, text string) error {
	before := p.opt.Loader.Loaded()
	for _, s := range before {
		if slices.Contains(paths, s.Path) {
			if err := syntax(s); err != nil {
				return err // the session keeps the old package
			}
		}
	}
	p.opt.Loader.Unload(paths)
	var gone []string
	for _, s := range before {
		// Packages that no cell has imported are loaded with the packages that need them, if any still do.
		if !p.opt.Loader.Importable(s.Path) && slices.Contains(p.used, s.Path) {
			gone = append(gone, s.Path)
		}
	}
	l := p.line()
	defer l.end()
	list, err := env.Sources(ctx, p.opt.Loader.Importable, gone, l.say)
	if err != nil {
		return err
	}
	if err := p.load(ctx, list, l); err != nil {
		return p.mended(ctx, err)
	}
	l.end()
	p.say("%s; values created earlier keep the old types", text)
	return nil
}

// mended returns err, the error of a package that could not be reloaded. If the package does not compile, mended adds
// the advice to fix it.
func (p *Provider) mended(ctx context.Context, err error) error {
	var e *engine.Error
	if !isUnfit(ctx, err) || !errors.As(err, &e) || e.Kind != engine.Type {
		return err
	}
	return &modules.Error{Kind: modules.NotCompiling, Text: e.Message, Advice: "fix it and run the cell again; until then, cells cannot import it"}
}

// syntax returns an error if a file of a package does not parse.
func syntax(s engine.Source) error {
	for _, name := range s.Files {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(s.Dir, name)
		}
		_, err := parser.ParseFile(token.NewFileSet(), full, nil, parser.SkipObjectResolution)
		if err == nil {
			continue
		}
		text := err.Error()
		if list, ok := err.(scanner.ErrorList); ok {
			text = fmt.Sprintf("%s line %d: %s", filepath.Base(name), list[0].Pos.Line, list[0].Msg)
		}
		return &modules.Error{
			Kind: modules.NotCompiling, What: s.Path, Text: fmt.Sprintf("%s does not compile: %s", s.Path, text),
			Advice: "fix it and run the cell again; until then, the session uses the previous version",
		}
	}
	return nil
}
