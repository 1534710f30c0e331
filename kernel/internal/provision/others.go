package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/modules"
)

// replaceForVersions handles packages that every kernel has, if a cell imports them and the notebook asks for another
// version of their module. It returns a *Replacement for a program with that version. If no program can take over,
// replaceForVersions tells the user so once, and the cell gets the version in this program.
func (p *Provider) replaceForVersions(ctx context.Context, paths []string, r Request) error {
	var list []string
	var texts []string
	for _, path := range paths {
		if !thirdParty(path) {
			continue
		}
		env, err := p.env()
		if err != nil {
			return nil // code that needs the Env will report the error
		}
		if asked, have := env.Other(path); asked.Path != "" && !p.told[asked.Path] {
			list = append(list, path)
			if text := differs(asked, have); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	if len(list) == 0 || !r.Whole() {
		return nil
	}
	env := p.opened
	because := ""
	if p.opt.Replaceable && r.Stay == nil && p.opt.Held() == "" {
		l := p.line()
		defer l.end()
		prog, err := p.program(ctx, env, p.linked(list...), nil, list, l)
		if err == nil {
			return p.replacement(env, prog, list)
		}
		if ctx.Err() != nil {
			return err
		}
		l.end()
		because = "could not be compiled (" + firstLine(err) + ")"
	} else {
		because = "takes effect when the kernel is restarted"
	}
	for _, path := range list {
		asked, _ := env.Other(path)
		p.told[asked.Path] = true
	}
	for _, text := range texts {
		p.say("%s", text+", which "+because)
	}
	return nil
}

// differs returns a message about a module whose version in this program is not the one that the notebook asks for. mod
// is the module as the notebook wants it, and version is the version compiled into this program.
func differs(mod modules.Module, version string) string {
	what := mod.Version
	if mod.Replace != "" {
		what = mod.Replace
	}
	return fmt.Sprintf("%s %s is compiled into this program, but the notebook asks for %s", mod.Path, version, what)
}

// otherVersion reports whether the notebook asks for a version of a package's module that differs from the version in
// this program.
func otherVersion(env Env, path string) bool {
	if !thirdParty(path) {
		return false
	}
	asked, _ := env.Other(path)
	return asked.Path != ""
}

// thirdParty reports whether an import path may belong to a module other than this one and the standard
// library.
func thirdParty(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && !module.Has(bind.Current(path))
}
