package insight

import (
	"go/build"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/modcache"
	"overcomplete/kernel/internal/wellknown"
)

// availableModules finds packages that cells could import but have not imported yet. It looks in the modules of the
// notebook's go.mod and in downloaded modules, and uses no network.
type availableModules struct {
	*modcache.View
	change int
}

// Modules makes the Insight offer packages of other modules too. versions is the Versions method of a modules.Env, or a
// similar function that returns at once.
func (in *Insight) Modules(versions func() (file, mod string, rules bool)) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.available = &availableModules{View: modcache.NewView(in.available.Cache, versions)}
	in.lib, in.known = newLibrary(nil, in.available), nil
}

// refresh checks the notebook's go.mod for changes. It reports whether the file is unchanged.
func (o *availableModules) refresh() (same bool) {
	_, _, change := o.Required()
	same = change == o.change
	o.change = change
	return same
}

// fewLetters is how many letters the user must type before downloaded modules are offered.
const fewLetters = 3

// paths returns import paths that may complete the given prefix; the caller drops the paths that do not match. The
// result has the paths of the packages of the modules in the notebook's go.mod. Packages of an indirectly required
// module are included only if the prefix begins with the module's path.
//
// Downloaded modules are offered too, once the prefix has at least fewLetters letters, but not in notebooks that may
// import only modules of their go.mod. If the path of a downloaded module matches the prefix (see elementHas), only
// this path is offered. If the prefix begins with the module's path, the packages of the module are offered instead.
func (o *availableModules) paths(prefix string) (list []string) {
	take := func(path, dir string, keep bool) {
		for _, p := range o.Packages(path, dir, keep) {
			list = append(list, p.Path)
		}
	}
	required, rules, _ := o.Required()
	named := map[string]bool{}
	for _, m := range required {
		named[m.Path] = true
		if m.Dir != "" && (!m.Indirect || strings.HasPrefix(prefix, m.Path)) {
			take(m.Path, m.Dir, !m.Local)
		}
	}
	if rules || len(prefix) < fewLetters {
		return list
	}
	for path, versions := range o.Cache.Modules() {
		switch {
		case named[path]:
		case strings.HasPrefix(prefix, path):
			take(path, o.Dir(path, o.usual(path, versions)), true)
		case elementHas(path, prefix):
			list = append(list, path)
		}
	}
	return list
}

// usual returns the version of a downloaded module that an import would probably use: the version linked into
// this program, or else the newest one.
func (o *availableModules) usual(path string, versions []string) string {
	if v := modcache.Linked(path); v != "" && slices.Contains(versions, v) {
		return v
	}
	return versions[0]
}

// elementHas reports whether a path, or the part of it after one of its slashes, begins with the given prefix.
func elementHas(path, prefix string) bool {
	for {
		if strings.HasPrefix(path, prefix) {
			return true
		}
		i := strings.IndexByte(path, '/')
		if i < 0 {
			return false
		}
		path = path[i+1:]
	}
}

// find returns the package with the given path, in the version that the notebook would probably use. ok is false if the
// package's source is not on this machine.
func (o *availableModules) find(path string) (s engine.Source, ok bool) {
	of := func(module string) bool { return path == module || strings.HasPrefix(path, module+"/") }
	required, rules, _ := o.Required()
	var best modcache.Module
	for _, m := range required {
		if of(m.Path) && len(m.Path) > len(best.Path) {
			best = m
		}
	}
	if first, _, _ := strings.Cut(path, "/"); best.Path == "" && !rules && strings.Contains(first, ".") {
		for p, versions := range o.Cache.Modules() {
			if of(p) && len(p) > len(best.Path) {
				v := o.usual(p, versions)
				best = modcache.Module{Path: p, Version: v, Dir: o.Dir(p, v)}
			}
		}
	}
	if best.Dir == "" {
		return s, false
	}
	dir := filepath.Join(best.Dir, filepath.FromSlash(strings.TrimPrefix(path[len(best.Path):], "/")))
	pkg, err := build.ImportDir(dir, 0)
	if err != nil || pkg.Name == "main" {
		return s, false
	}
	s = engine.Source{Path: path, Name: pkg.Name, Dir: pkg.Dir, Files: pkg.GoFiles, Module: best.Path, Version: best.Version}
	if best.Local {
		s.Version = ""
	}
	return s, true
}

// versionOf returns completions for an argument of %get. If the argument has no @, the completions are the paths of
// required, downloaded and well-known modules. After an @ they are latest, and then the module's versions known on this
// machine, newest first. prefix is the part of the argument that the chosen completion replaces.
func (o *availableModules) versionOf(word string) (list []candidate, prefix string) {
	if path, version, ok := strings.Cut(word, "@"); ok {
		list = append(list, candidate{text: "latest", kind: kindConstant})
		for i, v := range o.Versions(path) {
			list = append(list, candidate{text: v, kind: kindConstant, far: i + 1})
		}
		return list, version
	}
	near := map[string]int{}
	for _, path := range wellknown.All() {
		near[path] = 2
	}
	for path := range o.Cache.Modules() {
		near[path] = 1
	}
	required, _, _ := o.Required()
	for _, m := range required {
		near[m.Path] = 0
		if m.Local {
			delete(near, m.Path) // a local module has no versions
		}
	}
	for _, path := range slices.Sorted(maps.Keys(near)) {
		if c := (candidate{text: path, kind: kindPackage, far: near[path]}); elementHas(path, word) {
			c.match = path[strings.LastIndex("/"+path, "/"+word):]
			list = append(list, c)
		}
	}
	return list, word
}

// modWords lists the arguments of %mod.
var modWords = []string{"tidy", "reload", "source", "on", "off", "cgo on", "cgo off"}

// modArgument returns completions for the text that has been typed between %mod and the cursor. After the word
// "reload", the completions are the given loaded packages, otherwise the arguments of %mod. prefix is the part of the
// text that the chosen completion replaces.
func (o *availableModules) modArgument(typed string, loaded []string) (list []candidate, prefix string) {
	typed = strings.TrimLeft(typed, " \t")
	if word, ok := strings.CutPrefix(typed, "reload "); ok {
		for _, path := range loaded {
			list = append(list, candidate{text: path, kind: kindPackage})
		}
		return list, strings.TrimLeft(word, " \t")
	}
	for i, word := range modWords {
		list = append(list, candidate{text: word, kind: kindKeyword, far: i})
	}
	return list, typed
}
