package provision

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/modules"
)

// A Plan holds what a kernel needs for all cells of a notebook, decided before any cell runs.
type Plan struct {
	Program *modules.Program // nil for the plain program
	State   []byte           // state for Resume
	Lock    *modules.Lock    // the versions of the notebook's modules
}

// A Wish holds everything that a notebook requests.
type Wish struct {
	Gets    []string // arguments of its %get lines, in order
	Imports []string // packages that may belong to other modules
	Native  []string // packages that %%native cells import
	Source  []string // packages of its %mod source lines, which load them
}

// Decide finds the versions of everything that a notebook asks for, and finds or compiles a program that has the
// packages. recorded, which may be nil, holds the versions of the notebook's last run. A %get line for a module
// selects the recorded version of the module, unless the line names another version. importable(path) reports whether
// cells can import a package in the plain program, which has no packages compiled in for the notebook. Decide reports
// its progress by calling progress(message).
func Decide(ctx context.Context, env Env, w Wish, recorded *modules.Lock, importable func(path string) bool, progress func(string)) (*Plan, error) {
	return decide(ctx, env, w, recorded, importable, (*modules.Program).Check, progress)
}

func decide(ctx context.Context, env Env, w Wish, recorded *modules.Lock, importable func(string) bool, check func(*modules.Program) error, say func(string)) (*Plan, error) {
	s := resumeState{Answers: map[string][]modules.Module{}}
	for _, args := range w.Gets {
		pins, err := follow(ctx, env, args, recorded, say)
		if err != nil {
			return nil, err
		}
		s.Answers[args] = pins
	}
	foreign := func(list []string) (some []string) {
		for _, path := range list {
			if (!importable(path) && env.Foreign(path) || otherVersion(env, path)) && !slices.Contains(some, path) {
				some = append(some, path)
			}
		}
		return some
	}
	imports, native := foreign(w.Imports), foreign(w.Native)
	imports = slices.DeleteFunc(imports, func(path string) bool { return slices.Contains(w.Source, path) })
	plan := &Plan{}
	if len(imports) > 0 {
		p := New(Options{Loader: plain(importable), Check: check})
		if plan.Program = p.known(env, imports); plan.Program == nil {
			found, err := p.sources(ctx, env, imports, say)
			if err != nil {
				return nil, err
			}
			if len(found.compiled) > 0 {
				if plan.Program = p.known(env, found.compiled); plan.Program == nil {
					plan.Program, err = env.Compile(ctx, found.compiled, say)
				}
				if err == nil {
					err = check(plan.Program)
				}
				switch {
				case err == nil:
				case kindOf(err) == modules.NoSource && found.why == nil:
					plan.Program = nil // all packages run from source
				default:
					return nil, err
				}
			}
		}
	}
	if len(native) > 0 { // so that the Env knows the versions of these packages
		if _, err := env.Modules(ctx, native); err != nil {
			return nil, err
		}
	}
	var err error
	if len(imports)+len(native)+len(w.Gets)+len(w.Source) > 0 {
		if plan.Lock, err = env.Lock(ctx); err != nil {
			return nil, err
		}
	}
	if s.Env, err = env.State(); err != nil {
		return nil, err
	}
	if plan.Program != nil {
		s.Used = plan.Program.Packages
	}
	plan.State, err = json.Marshal(s)
	return plan, err
}

// follow executes a %get line. A module with a recorded version keeps that version unless the line names
// another version.
func follow(ctx context.Context, env Env, args string, recorded *modules.Lock, say func(string)) ([]modules.Module, error) {
	words, err := getArgs(args)
	if err != nil {
		return nil, err
	}
	var pins []modules.Module
	var ask []string
	for _, w := range words {
		path, version, _ := strings.Cut(w, "@")
		m, ok := recorded.Of(path)
		switch {
		case strings.HasPrefix(w, "-"):
			ask = append(ask, w)
		case ok && (version == "" || version == "latest" || version == "upgrade" || version == "patch" || version == m.Version):
			pins = append(pins, m)
		default:
			ask = append(ask, w)
		}
	}
	if slices.ContainsFunc(ask, func(w string) bool { return !strings.HasPrefix(w, "-") }) {
		more, err := env.Get(ctx, ask, say)
		if err != nil {
			return nil, err
		}
		pins = append(pins, more...)
	}
	return pins, nil
}

// plain is the Loader of a program that runs no package from source.
type plain func(path string) bool

func (p plain) Importable(path string) bool                 { return p(path) }
func (p plain) Load(context.Context, []engine.Source) error { return nil }
func (p plain) Loaded() []engine.Source                     { return nil }
func (p plain) Unload([]string)                             {}
func (p plain) Declarations() []engine.Cell                 { return nil }
