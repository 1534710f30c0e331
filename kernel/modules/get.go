package modules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A getArg is one argument of Get.
type getArg struct {
	path    string // path of a module or package
	version string // the part after the @, or ""
	update  bool   // the flag -u precedes the argument
}

// parseGetArgs reads the arguments of Get.
func parseGetArgs(args []string) (list []getArg, err error) {
	update := false
	for _, a := range args {
		if a == "-u" {
			update = true
			continue
		}
		path, version, at := strings.Cut(a, "@")
		switch err := module.CheckImportPath(path); {
		case strings.HasPrefix(a, "-"):
			return nil, fmt.Errorf("unknown flag %s: %%get's only flag is -u", a)
		case err != nil:
			return nil, fmt.Errorf("%%get needs path@version: %w", err)
		case path[0] == '.':
			return nil, fmt.Errorf("%%get needs path@version: %q is not the path of a module", path)
		case at && (version == "" || strings.ContainsAny(version, " @\\\"'`")):
			return nil, fmt.Errorf("%%get needs path@version: %q has no valid version", a)
		}
		list = append(list, getArg{path, version, update})
	}
	if len(list) == 0 {
		return nil, errors.New("%get needs path@version, for example github.com/google/uuid@latest")
	}
	return list, nil
}

// Get pins modules, like go get. Each argument is path@version, path (for the newest version), or the flag -u. After
// this flag, the dependencies are raised to their newest versions too. Get returns the pins with exact versions. It
// returns an error of kind Conflict if a pin asks for a version of a module that is older than the version in every
// kernel. Progress messages are passed to the function progress, which may be nil.
func (e *Env) Get(ctx context.Context, args []string, progress func(string)) ([]Module, error) {
	asks, err := parseGetArgs(args)
	if err != nil {
		return nil, err
	}
	if err := e.isOff(asks[0].path); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	mod, sum := e.mod, e.sum
	pins, err := e.get(ctx, asks, progress)
	if err == nil {
		err = e.checkNotOlder(asks, pins)
	}
	if err != nil {
		e.mod, e.sum = mod, sum // undo all pins if one fails
		return nil, err
	}
	for _, p := range pins {
		e.pins[p.Path] = p.Version
	}
	return pins, nil
}

func (e *Env) get(ctx context.Context, asks []getArg, say func(string)) (pins []Module, err error) {
	if e.opt.Locked {
		q, err := e.ruling.requirement(e.mod)
		if err != nil {
			return nil, err
		}
		for _, a := range asks {
			path, ok := q.moduleFor(a.path)
			switch {
			case !ok:
				return nil, lockedError(a.path)
			case a.version != "" && a.version != q.requires[path] || a.update:
				return nil, &Error{Kind: Locked, What: a.path,
					Text:   fmt.Sprintf("this notebook records %s %s, but %%get asks for %s", path, q.requires[path], cmp.Or(a.version, "the newest version")),
					Advice: "run the notebook without --locked to change the version",
				}
			}
			pins = append(pins, Module{Path: path, Version: q.requires[path]})
		}
		return pins, nil
	}
	if e.ruling.kind == goMod {
		return e.getInto(ctx, asks, say)
	}
	for _, a := range asks {
		m, err := e.getAlone(ctx, a, say)
		if err != nil {
			return nil, err
		}
		pins = append(pins, m)
	}
	return pins, nil
}

// getAlone pins one module in this Env's own go.mod.
func (e *Env) getAlone(ctx context.Context, a getArg, say func(string)) (Module, error) {
	_, file, err := e.folders()
	if err != nil {
		return Module{}, err
	}
	var r *resolution
	var path, version string
	if a.version != "" && !a.update {
		// If an exact version is already known, no command is needed.
		for key, known := range readDefaults(file).Resolved {
			if p, v, _ := strings.Cut(key, "@"); v == a.version && module.CanonicalVersion(v) == v && within(a.path, p) && len(p) > len(path) {
				path, version, r = p, v, known
			}
		}
	}
	if r == nil {
		tell(say, "resolving "+a.path)
		query := cmp.Or(a.version, "latest")
		if path, version, r, err = e.resolveAlone(ctx, a.path, query, a.update); err != nil {
			return Module{}, err
		}
		if !a.update {
			if _, err := remember(file, path, version, r, false); err != nil {
				return Module{}, err
			}
		}
	}
	if err := e.require(r.Requires, r.Sum); err != nil {
		return Module{}, err
	}
	// The requested version replaces an earlier one, even a newer one.
	f, err := modfile.Parse("go.mod", []byte(e.mod), nil)
	if err != nil {
		return Module{}, err
	}
	if err := f.AddRequire(path, version); err != nil {
		return Module{}, err
	}
	return Module{Path: path, Version: version}, e.setMod(f, "")
}

// getInto pins modules in a copy of the ruling go.mod.
func (e *Env) getInto(ctx context.Context, asks []getArg, say func(string)) ([]Module, error) {
	if e.mod == "" {
		if err := e.copyRuling(); err != nil {
			return nil, err
		}
	}
	v, err := e.view(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{"get", "-modfile=" + filepath.Join(e.work, "go.mod")}
	if slices.ContainsFunc(asks, func(a getArg) bool { return a.update }) {
		args = append(args, "-u")
	}
	args = append(args, "--")
	for _, a := range asks {
		args = append(args, a.path+"@"+cmp.Or(a.version, "latest"))
	}
	tell(say, "resolving "+asks[0].path)
	if _, err := v.run(ctx, args[len(args)-len(asks)], args...); err != nil {
		return nil, err
	}
	if err := e.readMod(e.work); err != nil {
		return nil, err
	}
	q, err := e.ruling.requirement(e.mod)
	if err != nil {
		return nil, err
	}
	var pins []Module
	for _, a := range asks {
		path, ok := q.moduleFor(a.path)
		if !ok || q.local[path] != "" {
			return nil, &Error{Kind: Conflict, What: a.path, Text: a.path + " is replaced by a folder in " + e.ruling.file, Advice: "change the replacement in that file"}
		}
		pins = append(pins, Module{Path: path, Version: q.requires[path]})
	}
	return pins, nil
}

// copyRuling makes this Env's own copy of the ruling go.mod.
func (e *Env) copyRuling() error {
	mod, err := os.ReadFile(e.ruling.file)
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(e.ruling.dir, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	e.base, e.mod, e.sum = string(mod), string(mod), joinSums(e.sum, string(sum))
	return nil
}

// stale reports whether the ruling go.mod has changed since this Env made its copy. It returns false if there is no
// copy.
func (e *Env) stale() (bool, error) {
	if e.ruling.kind != goMod || e.mod == "" {
		return false, nil
	}
	now, err := os.ReadFile(e.ruling.file)
	return string(now) != e.base, err
}

// refresh discards this Env's copy of the ruling go.mod if that go.mod has since changed. If there are pins, refresh
// then makes a new copy and applies the pins to it. The caller holds e.mu.
func (e *Env) refresh(ctx context.Context) error {
	if stale, err := e.stale(); err != nil || !stale {
		return err
	}
	e.mod = ""
	if len(e.pins) == 0 {
		return nil
	}
	var asks []getArg
	for _, path := range slices.Sorted(maps.Keys(e.pins)) {
		asks = append(asks, getArg{path: path, version: e.pins[path]})
	}
	_, err := e.getInto(ctx, asks, nil)
	return err
}

// Modules lists the modules that the packages need. The modules of the packages themselves come first.
func (e *Env) Modules(ctx context.Context, packages []string) ([]Module, error) {
	if len(packages) == 0 {
		return nil, nil
	}
	if err := e.isOff(packages[0]); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	_, all, err := e.resolve(ctx, packages, "", nil)
	if err != nil {
		return nil, err
	}
	q, err := e.ruling.requirement(e.mod)
	if err != nil {
		return nil, err
	}
	q.asked = e.pins
	return q.modules(all, packages), nil
}

// modules returns the modules of the packages in list, except this project's own. The modules of the packages whose
// paths are in packages come first.
func (q *requirement) modules(list []*goPackage, packages []string) []Module {
	var first, rest []Module
	seen := map[string]bool{}
	take := func(to *[]Module, p *goPackage) {
		if p.Module == nil || seen[p.Module.Path] || isOwn(p.Module.Path) {
			return
		}
		seen[p.Module.Path] = true
		m := p.Module.module()
		if asked := cmp.Or(q.asked[m.Path], q.requires[m.Path]); !m.Local && asked != "" && semver.Compare(asked, m.Version) != 0 {
			m.Asked = asked
		}
		*to = append(*to, m)
	}
	for _, p := range list {
		if slices.Contains(packages, p.ImportPath) {
			take(&first, p)
		}
	}
	for _, p := range list {
		take(&rest, p)
	}
	byPath := func(a, b Module) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(first, byPath)
	slices.SortFunc(rest, byPath)
	return append(first, rest...)
}

// Tidy removes the pins that none of the given packages needs, and returns the removed pins.
func (e *Env) Tidy(ctx context.Context, used []string) (removed []Module, err error) {
	needed := map[string]bool{}
	mods, err := e.Modules(ctx, used)
	if err != nil {
		return nil, err
	}
	for _, m := range mods {
		needed[m.Path] = true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opt.Locked || e.mod == "" {
		return nil, nil
	}
	f, err := modfile.Parse("go.mod", []byte(e.mod), nil)
	if err != nil {
		return nil, err
	}
	for path, version := range e.pins {
		if needed[path] {
			continue
		}
		delete(e.pins, path)
		removed = append(removed, Module{Path: path, Version: version})
		if e.ruling.kind != goMod {
			if err := f.DropRequire(path); err != nil {
				return nil, err
			}
		}
	}
	if e.ruling.kind == goMod && len(removed) > 0 {
		e.base = "" // start from the unchanged ruling file, then apply the remaining pins
		return removed, e.refresh(ctx)
	}
	slices.SortFunc(removed, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return removed, e.setMod(f, "")
}

// Lock returns the versions in use, in the form in which a notebook records them.
func (e *Env) Lock(ctx context.Context) (*Lock, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.refresh(ctx); err != nil {
		return nil, err
	}
	if e.mod != "" || e.ruling.kind != goMod {
		return &Lock{Mod: e.mod, Sum: e.sum}, nil
	}
	mod, err := os.ReadFile(e.ruling.file)
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(e.ruling.dir, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return &Lock{Mod: string(mod), Sum: string(sum)}, nil
}
