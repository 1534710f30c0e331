package modules

import (
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

// noVersion returns the version that a go.mod gives to a required module that is replaced by a folder. The version
// must match the path: the module m/v2 needs a version that begins with v2.
func noVersion(path string) string {
	major := "v0"
	if _, suffix, ok := module.SplitPathVersion(path); ok && suffix != "" {
		major = module.PathMajorPrefix(suffix)
	}
	return major + ".0.0-00010101000000-000000000000"
}

// A requirement is the content of go.mod and go.work files, in a form that does not depend on their location.
type requirement struct {
	requires map[string]string                 // versions by module
	replaces map[module.Version]module.Version // folders are absolute
	excludes map[module.Version]bool
	local    map[string]string // folders by module, for main modules and modules replaced by folders
	asked    map[string]string // versions by module, for pins that other modules may have raised
	goes     string            // highest version in any go directive
}

func newRequirement() *requirement {
	return &requirement{requires: map[string]string{}, replaces: map[module.Version]module.Version{}, excludes: map[module.Version]bool{}, local: map[string]string{}}
}

// requirement reads the ruling file and mod, the text of a go.mod. If the ruling file is a go.mod, it is read only if
// mod is empty. If it is a go.work, both are read. Without a ruling file, only mod is read.
func (r ruling) requirement(mod string) (*requirement, error) {
	q := newRequirement()
	switch r.kind {
	case none:
		return q, q.add(mod, "go.mod", "")
	case goMod:
		if mod == "" {
			text, err := os.ReadFile(r.file)
			if err != nil {
				return nil, err
			}
			mod = string(text)
		}
		return q, q.main(mod, r.file)
	}
	text, err := os.ReadFile(r.file)
	if err != nil {
		return nil, err
	}
	w, err := modfile.ParseWork(r.file, text, nil)
	if err != nil {
		return nil, err
	}
	for _, use := range w.Use {
		file := filepath.Join(absolute(r.dir, use.Path), "go.mod")
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := q.main(string(text), file); err != nil {
			return nil, err
		}
	}
	q.replace(w.Replace, r.dir)
	return q, q.add(mod, "go.mod", "")
}

// main adds a main module. mod is the text of its go.mod, and file is the path of this go.mod, which lies in the folder
// of the module's source.
func (q *requirement) main(mod, file string) error {
	path := modfile.ModulePath([]byte(mod))
	if path == "" {
		return fmt.Errorf("%s has no module line", file)
	}
	dir := filepath.Dir(file)
	if err := q.add(mod, file, dir); err != nil {
		return err
	}
	q.requires[path] = noVersion(path)
	q.local[path] = dir
	q.replaces[module.Version{Path: path}] = module.Version{Path: dir}
	return nil
}

// add adds the requirements of a go.mod file. text is the text of the go.mod, file is its name for error messages, and
// dir is the folder to which its relative paths refer.
func (q *requirement) add(text, file, dir string) error {
	if text == "" {
		return nil
	}
	f, err := modfile.Parse(file, []byte(text), nil)
	if err != nil {
		return err
	}
	for _, r := range f.Require {
		if semver.Compare(r.Mod.Version, q.requires[r.Mod.Path]) > 0 && q.local[r.Mod.Path] == "" {
			q.requires[r.Mod.Path] = r.Mod.Version
		}
	}
	for _, x := range f.Exclude {
		q.excludes[x.Mod] = true
	}
	if f.Go != nil && semver.Compare("v"+f.Go.Version, "v"+q.goes) > 0 {
		q.goes = f.Go.Version
	}
	q.replace(f.Replace, dir)
	return nil
}

func (q *requirement) replace(list []*modfile.Replace, dir string) {
	for _, r := range list {
		to := r.New
		if to.Version == "" {
			to.Path = absolute(dir, to.Path)
			q.local[r.Old.Path] = to.Path
		}
		q.replaces[r.Old] = to
	}
}

// absolute makes a file path absolute. The path is from a go.mod or go.work file in the folder dir.
func absolute(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// String lists the required, replaced and excluded versions, sorted. Equal requirements give equal strings.
func (q *requirement) String() string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(q.requires)) {
		fmt.Fprintf(&b, "require %s %s\n", path, q.requires[path])
	}
	for _, old := range slices.SortedFunc(maps.Keys(q.replaces), compareVersions) {
		fmt.Fprintf(&b, "replace %s => %s\n", old, q.replaces[old])
	}
	for _, x := range slices.SortedFunc(maps.Keys(q.excludes), compareVersions) {
		fmt.Fprintf(&b, "exclude %s\n", x)
	}
	return b.String()
}

func compareVersions(a, b module.Version) int {
	if c := strings.Compare(a.Path, b.Path); c != 0 {
		return c
	}
	return strings.Compare(a.Version, b.Version)
}

// moduleFor returns the path of the required module that can contain a package. If there are several, it returns the
// longest path. ok is false if there is none.
func (q *requirement) moduleFor(pkg string) (path string, ok bool) { return longest(q.requires, pkg) }

// modVersion returns a module.Version that has the given path and no version. On the left of a replacement, such a
// module.Version stands for all versions of a module. On the right, it stands for a folder.
func modVersion(path string) module.Version { return module.Version{Path: path} }
