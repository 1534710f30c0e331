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
	"golang.org/x/mod/semver"
)

// resolve determines the versions for the packages. It returns a view, with which the go command uses these versions,
// and the packages as "go list" then reports them. The caller holds e.mu.
func (e *Env) resolve(ctx context.Context, packages []string, tags string, say func(string)) (*view, []*goPackage, error) {
	if err := e.checkLocked(); err != nil {
		return nil, nil, err
	}
	if e.ruling.kind == none {
		_, err := e.fix(packages, func(pkg string) error { return e.fetch(ctx, pkg, "", say) })
		if err != nil {
			return nil, nil, err
		}
	}
	for tried := false; ; tried = true {
		v, err := e.view(ctx)
		if err != nil {
			return nil, nil, err
		}
		what := packages[0]
		all, err := v.list(ctx, what, v.go_.tags(tags), packages...)
		if err == nil {
			var missing string
			missing, err = e.faults(all, packages)
			if missing != "" && !tried && e.ruling.kind == none && !e.opt.Locked {
				// A module with a matching path is required but does not contain the package. A module with a
				// longer path may contain it.
				if err := e.fetch(ctx, missing, "", say); err != nil {
					return nil, nil, err
				}
				continue
			}
		}
		if fault := (*Error)(nil); errors.As(err, &fault) && strings.Contains(tags, appengine) && (fault.What == "appengine" || strings.HasPrefix(fault.What, "appengine/")) {
			// Here the tag selects code for the App Engine of 2011, with its own standard library.
			tags = strings.Replace(tags, appengine, "", 1)
			continue
		}
		if again, e2 := e.newerGo(ctx, err); again {
			continue
		} else if e2 != nil {
			err = e2
		}
		if err != nil {
			return nil, nil, e.adviseLocal(err)
		}
		if v.own {
			if err := e.takeOver(v.dir); err != nil {
				return nil, nil, err
			}
		}
		return v, all, nil
	}
}

// adviseLocal returns err. If err says that one of the user's own packages does not compile, adviseLocal first
// replaces the advice in err: the user should correct the file, not try another version.
func (e *Env) adviseLocal(err error) error {
	var fault *Error
	if errors.As(err, &fault) && fault.Kind == NotCompiling && e.ruling.local(fault.What) {
		fault.Advice = "correct the file, and run the cell again"
	}
	return err
}

// takeOver adopts the go command's additions to this Env's own go.mod and go.sum: missing checksums, and the
// language version that a module needs. The requirements stay unchanged.
func (e *Env) takeOver(dir string) error {
	if sum, err := os.ReadFile(filepath.Join(dir, "go.sum")); err == nil {
		e.sum = joinSums(string(sum))
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	written, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return err
	}
	f, err := modfile.Parse("go.mod", []byte(cmp.Or(e.mod, emptyMod())), nil)
	if err != nil {
		return err
	}
	if written.Go == nil || f.Go != nil && f.Go.Version == written.Go.Version {
		return nil
	}
	if err := f.AddGoStmt(written.Go.Version); err != nil {
		return err
	}
	return e.setMod(f, "")
}

// newerGo chooses a newer version of Go if err says that one is needed. It chooses among the tried versions (see
// package toolchain). The result again reports whether it has chosen a version.
func (e *Env) newerGo(ctx context.Context, err error) (again bool, _ error) {
	var fault *Error
	if !errors.As(err, &fault) || fault.Kind != NeedsGo {
		return false, nil
	}
	wants := goNeeded(fault.Said)
	for _, v := range triedFrom(wants) {
		if semver.Compare("v"+strings.TrimPrefix(v, "go"), "v"+strings.TrimPrefix(e.chosen.version, "go")) <= 0 {
			continue
		}
		c := *e.chosen
		c.toolchain = v
		if e2 := c.ask(ctx); e2 != nil {
			fault.Advice = "install " + v + " from https://go.dev/dl, or let the go command download it"
			return false, fault
		}
		e.chosen = &c
		return true, nil
	}
	return false, nil
}

// faults looks for errors in a list of packages from the go command. It returns one of these errors, preferably the
// error of the first requested package. If this error says that no known module provides the package (kind NotRequired
// or NoPackage), missing is the package's path.
func (e *Env) faults(all []*goPackage, packages []string) (missing string, err error) {
	var first *Error
	for _, p := range all {
		if p.Error == nil && (p.DepOnly || p.Name != "main") {
			continue
		}
		what := cmp.Or(p.ImportPath, packages[0])
		var fault *Error
		if p.Error == nil {
			fault = &Error{Kind: NoPackage, What: what, Text: what + " is a program, which cannot be imported", Advice: "import another package of the module"}
		} else {
			fault = classify(what, p.Error.Err)
		}
		switch {
		case fault.Kind == NeedsCgo && !slices.ContainsFunc(p.IgnoredGoFiles, func(string) bool { return true }):
			fault = &Error{Kind: NoPackage, What: what, Text: what + " has no Go files", Advice: "look up the right path on https://pkg.go.dev", Said: fault.Said}
		case fault.Kind == NotRequired:
			fault.Advice = e.requireAdvice(what, fault.Advice)
		}
		if first == nil || !p.DepOnly && first.What != packages[0] {
			first = fault
		}
	}
	if first == nil {
		return "", nil
	}
	if first.Kind == NotRequired || first.Kind == NoPackage {
		missing = first.What
	}
	return missing, first
}

func (e *Env) requireAdvice(what, advice string) string {
	if e.ruling.kind == none {
		return "pin its module: `%get " + what + "@latest`"
	}
	if advice != "" {
		return advice
	}
	return fmt.Sprintf("run `go get %s` in %s, or, only for this notebook, `%%get %s@latest`", what, e.ruling.dir, what)
}

// fix makes the Env, which has no ruling file, require the modules of the given packages. It uses the known versions,
// and calls fetch(pkg) for each package whose version is unknown. If fetch is nil, fix returns the packages with
// unknown versions. The caller holds e.mu.
func (e *Env) fix(packages []string, fetch func(pkg string) error) (unknown []string, err error) {
	q, err := e.ruling.requirement(e.mod)
	if err != nil {
		return nil, err
	}
	_, file, err := e.folders()
	if err != nil {
		return nil, err
	}
	d := readDefaults(file)
	own := ownRequires()
	for _, pkg := range packages {
		if _, ok := q.moduleFor(pkg); ok {
			continue
		}
		if p, ok := longest(own, pkg); ok {
			err = e.require(map[string]string{p: own[p]}, "")
		} else if p, r := d.moduleFor(pkg); p != "" {
			err = e.require(r.Requires, r.Sum)
		} else if fetch == nil {
			unknown = append(unknown, pkg)
		} else {
			err = fetch(pkg)
		}
		if err != nil {
			return nil, err
		}
		if q, err = e.ruling.requirement(e.mod); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// fetch finds the module of a package in the given version, or in the newest version if version is "", and
// requires the module. The caller holds e.mu.
func (e *Env) fetch(ctx context.Context, pkg, version string, say func(string)) error {
	if e.opt.Locked {
		return lockedError(pkg)
	}
	tell(say, "resolving "+pkg)
	path, found, r, err := e.resolveAlone(ctx, pkg, cmp.Or(version, "latest"), false)
	if err != nil {
		return err
	}
	_, file, err := e.folders()
	if err != nil {
		return err
	}
	if r, err = remember(file, path, found, r, version == ""); err != nil {
		return err
	}
	return e.require(r.Requires, r.Sum)
}

// resolveAlone resolves a go.mod that requires only one module, so that versions do not depend on the order in which
// cells run. The parameter pkg is the path of the module or of one of its packages, and version may be a query such as
// latest. If update is set, the module's dependencies are raised to their newest versions, as go get -u does. The
// results are the module's path, the version found, and the requirements.
func (e *Env) resolveAlone(ctx context.Context, pkg, version string, update bool) (path, found string, r *resolution, err error) {
	v, err := e.view(ctx)
	if err != nil {
		return "", "", nil, err
	}
	dir, err := e.temp("alone-")
	if err != nil {
		return "", "", nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(emptyMod()), 0o666); err != nil {
		return "", "", nil, err
	}
	v.dir = dir
	v.env = append(v.env, "GOWORK=off")
	args := []string{"get"}
	if update {
		args = append(args, "-u")
	}
	if _, err := v.run(ctx, pkg+"@"+version, append(args, "--", pkg+"@"+version)...); err != nil {
		if again, e2 := e.newerGo(ctx, err); again {
			return e.resolveAlone(ctx, pkg, version, update)
		} else if e2 != nil {
			err = e2
		}
		return "", "", nil, err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", "", nil, err
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return "", "", nil, err
	}
	q := newRequirement()
	if err := q.add(string(mod), "go.mod", dir); err != nil {
		return "", "", nil, err
	}
	path, ok := q.moduleFor(pkg)
	if !ok {
		return "", "", nil, &Error{Kind: NoVersion, What: pkg, Text: "no module contains " + pkg, Advice: "look for it on https://pkg.go.dev"}
	}
	return path, q.requires[path], &resolution{Requires: q.requires, Sum: string(sum)}, nil
}

// require adds requirements to the Env's go.mod. If the go.mod has a higher version of a module, that version
// stays.
func (e *Env) require(versions map[string]string, sum string) error {
	f, err := modfile.Parse("go.mod", []byte(cmp.Or(e.mod, emptyMod())), nil)
	if err != nil {
		return err
	}
	have := map[string]string{}
	for _, r := range f.Require {
		have[r.Mod.Path] = r.Mod.Version
	}
	for _, path := range slices.Sorted(maps.Keys(versions)) {
		if v := versions[path]; semver.Compare(v, have[path]) > 0 {
			if err := f.AddRequire(path, v); err != nil {
				return err
			}
		}
	}
	return e.setMod(f, sum)
}

func (e *Env) setMod(f *modfile.File, sum string) error {
	f.SortBlocks()
	f.Cleanup()
	text, err := f.Format()
	if err != nil {
		return err
	}
	e.mod, e.sum = string(text), joinSums(e.sum, sum)
	return nil
}

// joinSums returns the lines of several go.sum texts, sorted and without duplicates.
func joinSums(texts ...string) string {
	seen := map[string]bool{}
	for _, t := range texts {
		for line := range strings.Lines(t) {
			if line = strings.TrimSpace(line); line != "" {
				seen[line] = true
			}
		}
	}
	if len(seen) == 0 {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), "\n") + "\n"
}

// checkLocked returns an error if the Lock must not change but the ruling file differs from it.
func (e *Env) checkLocked() error {
	if !e.opt.Locked || e.opt.Lock == nil || e.ruling.kind == none {
		return nil
	}
	now, err := e.ruling.requirement(e.mod)
	if err != nil {
		return err
	}
	then, err := e.ruling.requirement(e.opt.Lock.Mod)
	if err != nil {
		return err
	}
	if now.String() != then.String() {
		return &Error{Kind: Locked, What: e.ruling.file, Text: e.ruling.file + " differs from the versions that this notebook records", Advice: "run the notebook without --locked to record the current versions"}
	}
	return nil
}

func lockedError(what string) error {
	return &Error{Kind: Locked, What: what, Text: "this notebook records no version for " + what, Advice: "run the notebook without --locked to add it"}
}

func tell(say func(string), text string) {
	if say != nil {
		say(text)
	}
}

// ownRequires returns the versions of the modules that are compiled into this program.
func ownRequires() map[string]string {
	versions, err := kernelRequires()
	if err != nil {
		return builtWith()
	}
	for path, version := range builtWith() { // these include modules added or raised by Compile
		versions[path] = version
	}
	return versions
}

// kernelRequires returns the versions of the modules that every kernel needs.
func kernelRequires() (map[string]string, error) {
	text, err := kernelSource.GoMod()
	if err != nil {
		return nil, err
	}
	q := newRequirement()
	return q.requires, q.add(string(text), "go.mod", "")
}
