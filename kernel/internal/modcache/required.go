package modcache

import (
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// A Module is a module that a go.mod or go.work names.
type Module struct {
	Path, Version string
	Dir           string // folder of its source, "" if it is not on this machine
	Local         bool   // Dir is a folder of the user, not of the cache
	Indirect      bool   // only other modules need this module
}

// Required returns the modules whose packages can be imported. Both arguments are results of a Versions function.
//
// For a go.mod, the list holds the module that the go.mod declares and the modules that it requires. If file is "", the
// list holds only the modules that are required in mod, the text of a go.mod. For a go.work, the list holds the modules
// of all go.mod files that the go.work uses, and the modules that are required in these files or in mod.
//
// If a required module is replaced, Dir is the folder of the replacement. If the file cannot be read or does not
// parse, Required returns no modules.
func (c *Cache) Required(file, mod string) []Module {
	if filepath.Base(file) == "go.work" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil
		}
		return c.workspace(file, data, mod)
	}
	if mod != "" {
		return c.requiredBy(file, []byte(mod), nil)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return c.requiredBy(file, data, nil)
}

// workspace returns the modules that a go.work uses, and the modules that their go.mod files require. It adds the
// modules required by mod, the text of another go.mod. Each module is listed once. data is the content of the go.work,
// and file is its name.
func (c *Cache) workspace(file string, data []byte, mod string) (list []Module) {
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil
	}
	var required []Module
	for _, use := range work.Use {
		name := filepath.Join(resolve(file, use.Path), "go.mod")
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		of := c.requiredBy(name, data, replacements(file, work.Replace))
		if len(of) > 0 && of[0].Dir == filepath.Dir(name) { // the go.mod's own module comes first
			list, of = append(list, of[0]), of[1:]
		}
		required = append(required, of...)
	}
	required = append(required, c.requiredBy("", []byte(mod), nil)...)
	seen := map[string]bool{}
	for _, m := range list {
		seen[m.Path] = true
	}
	for _, m := range required {
		if !seen[m.Path] {
			seen[m.Path] = true
			list = append(list, m)
		}
	}
	return list
}

// requiredBy returns the modules of a go.mod: the module that it declares, unless file is "", and those that it
// requires. file is the path of the go.mod, and data is its content. over holds replacements that take precedence over
// the replacements in the go.mod.
func (c *Cache) requiredBy(file string, data []byte, over map[module.Version]replacement) (list []Module) {
	mod, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		return nil
	}
	if mod.Module != nil && file != "" {
		list = append(list, Module{Path: mod.Module.Mod.Path, Dir: filepath.Dir(file), Local: true})
	}
	// ParseLax omits replacements.
	own := map[module.Version]replacement{}
	if strict, err := modfile.Parse(file, data, nil); err == nil {
		own = replacements(file, strict.Replace)
	}
	for _, r := range mod.Require {
		m := Module{Path: r.Mod.Path, Version: r.Mod.Version, Indirect: r.Indirect}
		by, ok := replaced(over, r.Mod)
		if !ok {
			by, ok = replaced(own, r.Mod)
		}
		switch {
		case !ok:
			m.Dir = c.Dir(m.Path, m.Version)
		case by.dir != "":
			m.Dir, m.Local = by.dir, true
		default:
			m.Dir = c.Dir(by.mod.Path, by.mod.Version)
		}
		list = append(list, m)
	}
	return list
}

// A replacement is what a replace directive puts in place of a module: a folder or another module.
type replacement struct {
	dir string
	mod module.Version
}

// replacements returns the replacements in the directives of file. A key with version "" stands for all
// versions.
func replacements(file string, list []*modfile.Replace) map[module.Version]replacement {
	m := map[module.Version]replacement{}
	for _, r := range list {
		if r.New.Version == "" {
			m[r.Old] = replacement{dir: resolve(file, r.New.Path)}
		} else {
			m[r.Old] = replacement{mod: r.New}
		}
	}
	return m
}

func replaced(by map[module.Version]replacement, m module.Version) (replacement, bool) {
	r, ok := by[m]
	if !ok {
		r, ok = by[module.Version{Path: m.Path}]
	}
	return r, ok
}

// resolve returns path as an absolute path. A relative path is relative to the folder of the file that mentions it.
func resolve(file, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
}
