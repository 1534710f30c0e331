package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/modules"
)

// bring makes the packages in paths importable, in one of the ways that doc.go lists. If another program must run the
// cell, the error is a *Replacement. If stay is not nil, it is the reason why this program must not be replaced, and
// bring does not replace it.
func (p *Provider) bring(ctx context.Context, env Env, paths []string, stay error) error {
	replace := p.opt.Replaceable && stay == nil && p.opt.Held() == ""
	l := p.line()
	defer l.end()
	if replace && slices.ContainsFunc(paths, p.isUsersOwn) {
		if err := p.replaceForDependencies(ctx, env, paths, l); err != nil {
			return err
		}
	} else if replace {
		if prog := p.known(env, p.linked(paths...)); prog != nil {
			p.remember(env, p.record(p.linked(paths...)))
			return p.replacement(env, prog, paths)
		}
	}
	found, err := p.sources(ctx, env, paths, l.say)
	if err != nil {
		return err
	}
	if len(found.compiled) == 0 {
		err := p.load(ctx, found.list, l)
		if err == nil || !isUnfit(ctx, err) {
			return err
		}
		found.unfit(paths, err)
	}
	if replace {
		packages := p.linked(found.compiled...)
		prog, err := p.program(ctx, env, packages, found.list, found.compiled, l)
		if err == nil {
			return p.replacement(env, prog, paths)
		}
		if ctx.Err() != nil || found.why != nil {
			return err
		}
		// A package that does not compile does not run from source either, but the reason may be that the
		// compiler or a dependency is missing.
		if p.load(ctx, found.list, l) != nil {
			return err
		}
		for _, path := range found.compiled {
			p.uncompiled[path] = true
		}
		l.end()
		p.say("%s runs from source, because it could not be compiled: %s", names(found.list, found.compiled), firstLine(err))
		return nil
	}
	if found.why == nil {
		switch err := p.load(ctx, found.list, l); {
		case err == nil:
			if !p.opt.Interactive {
				return nil
			}
			l.end()
			p.say("%s runs from source in this session; it is being compiled for the next start", names(found.list, found.compiled))
			p.startNext(env, p.linked(found.compiled...))
			return nil
		case !isUnfit(ctx, err):
			return err
		default:
			found.unfit(found.compiled, err)
		}
	}
	return p.restart(ctx, env, found, stay, l)
}

// restart handles case d of doc.go: it compiles packages that this session cannot use, and returns the error that asks
// the user to restart the kernel. If stay is not nil, it is the reason why this program must not be replaced; the
// error may mention it. If no user is watching (Options.Interactive is false), restart compiles nothing and returns
// found.why, the reason why the packages cannot be used.
func (p *Provider) restart(ctx context.Context, env Env, found *resolution, stay error, l *line) error {
	if !p.opt.Interactive {
		return found.why
	}
	if _, err := p.compile(ctx, env, p.linked(found.compiled...), found.list, found.compiled, l); err != nil {
		return err
	}
	advice := "the package is compiled now: restart the kernel and run the cell again (this program cannot be replaced while it runs)"
	if held := p.opt.Held(); p.opt.Replaceable && held == "" && stay != nil {
		advice = "the package is compiled now, but the new program could not take over: " + firstLine(stay)
	} else if p.opt.Replaceable && held != "" {
		advice = "the package is compiled now: restart the kernel and run the cell again (the session holds " + held + ", which a new program would lose)"
	}
	e := &modules.Error{Kind: modules.NotFromSource, What: found.blamed, Text: found.why.Error(), Advice: advice}
	var why *modules.Error
	if errors.As(found.why, &why) {
		// The package compiles, so the interpreter, or its knowledge of compiled packages, falls short of the
		// compiler.
		e.Text, e.Said = strings.Replace(why.Text, doesNotCompile, notFromSource, 1), why.Said
	}
	return e
}

// known returns a cached program that has the packages and may be run, or nil if there is none.
func (p *Provider) known(env Env, packages []string) *modules.Program {
	if prog := env.Known(packages); prog != nil && p.opt.Check(prog) == nil {
		return prog
	}
	return nil
}

// program returns a program that has the packages, either from the cache or newly compiled. For the parameters, see
// compile.
func (p *Provider) program(ctx context.Context, env Env, packages []string, list []engine.Source, paths []string, l *line) (*modules.Program, error) {
	if prog := p.known(env, packages); prog != nil {
		return prog, nil
	}
	return p.compile(ctx, env, packages, list, paths, l)
}

// compile compiles a program that has the packages, and shows progress. The progress message has the names of the
// modules of the packages in paths, with their versions from list.
func (p *Provider) compile(ctx context.Context, env Env, packages []string, list []engine.Source, paths []string, l *line) (prog *modules.Program, err error) {
	what := p.label(ctx, env, list, paths)
	// One program is compiled at a time: this compile includes the packages of the background compile.
	waiting := p.stopNext()
	defer func() {
		if err != nil && waiting != nil {
			p.startNext(env, waiting)
		}
	}()
	l.begin(compiling + what)
	prog, err = env.Compile(ctx, packages, func(text string) {
		if rest, ok := strings.CutPrefix(text, compiling); ok {
			// If there are several modules, the Env names one; the progress follows in parentheses.
			text = compiling + what
			if i := strings.LastIndex(rest, " ("); i >= 0 {
				text += rest[i:]
			}
		}
		l.say(text)
	})
	if err != nil {
		return nil, err
	}
	if err := p.opt.Check(prog); err != nil {
		return nil, err
	}
	p.remember(env, p.record(packages))
	if prog.Known { // another kernel has just compiled it
		l.end()
		return prog, nil
	}
	l.endWith(fmt.Sprintf("compiled %s in %s", what, l.took()))
	if len(prog.WithoutC) > 0 {
		p.sayWithoutC(prog.WithoutC)
	}
	return prog, nil
}

// compiling is the beginning of an Env's messages about what it compiles.
const compiling = "compiling "

// label returns the modules of the packages in paths, with their versions, as text for the user. It asks env about
// packages that are not in list.
func (p *Provider) label(ctx context.Context, env Env, list []engine.Source, paths []string) string {
	for _, path := range paths {
		if !slices.ContainsFunc(list, func(s engine.Source) bool { return s.Path == path }) {
			mods, err := env.Modules(ctx, []string{path})
			if err == nil && len(mods) > 0 {
				list = append(list, engine.Source{Path: path, Module: mods[0].Path, Version: mods[0].Version})
			}
		}
	}
	return names(list, paths)
}

// replacement returns the *Replacement with which prog runs the cell. In the state that prog receives, the given
// packages are added to the packages in use. replacement also stops the background compile and closes env.
func (p *Provider) replacement(env Env, prog *modules.Program, packages []string) error {
	state, err := p.keep(env, packages)
	if err != nil {
		return err
	}
	// Nothing of this program remains when the other program runs. If this program stays, the background
	// compile is started again.
	p.stopNext()
	env.Close()
	return &Replacement{Program: prog, State: state}
}

// isUnfit reports whether an error of Load says that packages cannot be run from source, and not that loading
// was stopped.
func isUnfit(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	var e *engine.Error
	if !errors.As(err, &e) {
		return true
	}
	return e.Kind != engine.Interrupted && e.Kind != engine.Exit
}

func firstLine(err error) string {
	text, _ := message(err)
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// replaceForDependencies makes it possible to run the user's own packages from source even if they import packages that
// must be compiled. Such imports belong to other modules, and may be large or contain assembly. paths holds the import
// paths of the user's own packages, and possibly others. replaceForDependencies finds or compiles a program with the
// imports that must be compiled and with these other packages.
//
// The result is a *Replacement with that program. It is nil if there is nothing to compile, if the user's packages
// could not run from source even then, or if the compile fails. It is another error if ctx is done while the program
// is compiled, or if the sources of the other packages cannot be listed.
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
