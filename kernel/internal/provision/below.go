package provision

import (
	"context"
	"slices"
	"strings"

	"overcomplete/kernel/engine"
)

// replaceForDependencies makes it possible to run the user's own packages from source even if they import packages that
// must be compiled. Such imports belong to other modules, and may be large or contain assembly. paths holds the import
// paths of the user's own packages, and possibly others. replaceForDependencies finds or compiles a program with the
// imports that must be compiled and with these other packages.
//
// The result is a *Replacement for this program. It is nil if there is nothing to compile, if the user's packages
// could not run from source even then, or if the compile fails.
func (p *Provider) replaceForDependencies(ctx context.Context, env Env, paths []string, l *line) error {
	var own, others []string
	for _, path := range paths {
		if p.isUsersOwn(path) {
			own = append(own, path)
		} else {
			others = append(others, path)
		}
	}
	list, err := env.Outside(ctx, own, l.say)
	if err != nil {
		return nil // the error is reported later, when the packages are listed
	}
	list = slices.DeleteFunc(list, func(s engine.Source) bool { return p.opt.Loader.Importable(s.Path) || p.mostlyGeneric(s) })
	var outside []string
	for _, s := range list {
		if !internalTo(s.Path) {
			outside = append(outside, s.Path)
		}
	}
	bound := func(path string) bool { return p.opt.Loader.Importable(path) || slices.Contains(outside, path) }
	if len(others) > 0 {
		found, err := p.sources(ctx, env, others, l.say)
		if err != nil {
			return err
		}
		others = found.compiled
	}
	if len(outside)+len(others) == 0 {
		return nil
	}
	if _, err := env.Sources(ctx, bound, own, l.say); err != nil {
		return nil
	}
	with := slices.Concat(others, outside)
	packages := p.linked(with...)
	prog, err := p.program(ctx, env, packages, list, with, l)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return nil
	}
	p.remember(env, p.record(packages))
	return p.replacement(env, prog, slices.Concat(paths, outside))
}

// internalTo reports whether a package is internal to its module, so that no cell can import it.
func internalTo(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }
