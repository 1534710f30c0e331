package insight

import (
	"go/build"
	"os"
	"strings"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/modcache"
)

// outside has the packages of modules that cells cannot import yet, but could: what the
// notebook's go.mod names, and what is downloaded. It uses no network.
type outside struct {
	cache    *modcache.Cache
	versions func() (file string, rules bool) // nil if there are no modules

	required []modcache.Module // of the file, as it was at read
	file     string
	read     time.Time
}

// Modules makes in answer for packages of other modules too. versions returns the go.mod or
// go.work that gives their versions, "" if there is none, and whether an import must be of a
// module that it names. It must answer at once.
func (in *Insight) Modules(versions func() (file string, rules bool)) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.outside = &outside{cache: in.outside.cache, versions: versions}
	in.lib, in.known = newLibrary(nil, in.outside), nil
}

// refresh reads the file again if it has changed, and reports whether it was as before.
func (o *outside) refresh() (same bool) {
	file := ""
	if o.versions != nil {
		file, _ = o.versions()
	}
	var read time.Time
	if file != "" {
		if info, err := os.Stat(file); err == nil {
			read = info.ModTime()
		}
	}
	if file == o.file && read.Equal(o.read) {
		return true
	}
	o.file, o.read, o.required = file, read, nil
	if file != "" {
		o.required = o.cache.Required(file)
	}
	return false
}

// rules reports whether imports must be of modules that the file names.
func (o *outside) rules() bool {
	_, rules := o.versions()
	return rules
}

// paths returns the paths of packages that an import could name which begins with prefix, or
// has an element that does. Without a file that rules, the downloaded modules are among
// them once a few letters are typed.
func (o *outside) paths(prefix string) (list []string) {
	if o.versions == nil {
		return nil
	}
	take := func(path, dir string, keep bool) {
		for _, p := range o.cache.Packages(path, dir, keep) {
			list = append(list, p.Path)
		}
	}
	named := map[string]bool{}
	for _, m := range o.required {
		named[m.Path] = true
		if m.Dir != "" && (!m.Indirect || strings.HasPrefix(prefix, m.Path)) {
			take(m.Path, m.Dir, !m.Local)
		}
	}
	if o.rules() || len(prefix) < fewLetters {
		return list
	}
	for path, versions := range o.cache.Modules() {
		if !named[path] && (strings.HasPrefix(prefix, path+"/") || elementHas(path, prefix)) && len(list) < mostPaths {
			take(path, o.cache.Dir(path, versions[0]), true)
		}
	}
	return list
}

// Limits of what is offered of downloaded modules.
const (
	fewLetters = 3
	mostPaths  = 1000
)

// elementHas reports whether path, or what follows one of its slashes, begins with prefix.
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

// named returns the packages called name of the modules that the file itself requires.
func (o *outside) named(name string) (list []string) {
	if o.versions == nil {
		return nil
	}
	for _, m := range o.required {
		if m.Indirect || m.Dir == "" {
			continue
		}
		for _, p := range o.cache.Packages(m.Path, m.Dir, !m.Local) {
			if p.Name == name {
				list = append(list, p.Path)
			}
		}
	}
	return list
}

// names returns the names of the packages of the modules that the file itself requires.
func (o *outside) names() (list []string) {
	if o.versions == nil {
		return nil
	}
	for _, m := range o.required {
		if m.Indirect || m.Dir == "" {
			continue
		}
		for _, p := range o.cache.Packages(m.Path, m.Dir, !m.Local) {
			list = append(list, p.Name)
		}
	}
	return list
}

// find returns a package that is on this machine, in the version that the notebook would
// probably use.
func (o *outside) find(path string) (s engine.Source, ok bool) {
	if o.versions == nil || !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") && !o.local(path) {
		return s, false
	}
	of := func(module string) bool { return path == module || strings.HasPrefix(path, module+"/") }
	var best modcache.Module
	for _, m := range o.required {
		if of(m.Path) && len(m.Path) > len(best.Path) {
			best = m
		}
	}
	if best.Path == "" && !o.rules() {
		for p, versions := range o.cache.Modules() {
			if of(p) && len(p) > len(best.Path) {
				best = modcache.Module{Path: p, Version: versions[0], Dir: o.cache.Dir(p, versions[0])}
			}
		}
	}
	if best.Dir == "" {
		return s, false
	}
	pkg, err := build.ImportDir(best.Dir+path[len(best.Path):], 0)
	if err != nil || pkg.Name == "main" {
		return s, false
	}
	s = engine.Source{Path: path, Name: pkg.Name, Dir: pkg.Dir, Files: pkg.GoFiles, Module: best.Path, Version: best.Version}
	if best.Local {
		s.Version = ""
	}
	return s, true
}

// local reports whether a path is of one of the user's own modules, whose paths need no dot.
func (o *outside) local(path string) bool {
	for _, m := range o.required {
		if m.Local && (path == m.Path || strings.HasPrefix(path, m.Path+"/")) {
			return true
		}
	}
	return false
}
