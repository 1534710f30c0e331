package modules

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/filelock"
)

// defaults are data about modules, stored per user for all notebooks. They include the versions found for unpinned
// imports, so that later sessions use the same versions. They also include the requirements of modules, so that the
// go command need not resolve the same module twice.
type defaults struct {
	// Versions has the default version of each module.
	Versions map[string]string `json:"versions"`
	// Resolved has the requirements of modules, by path@version.
	Resolved map[string]*resolution `json:"resolved"`
}

// A resolution is the result of resolving a go.mod that requires only one module.
type resolution struct {
	Requires map[string]string `json:"requires"` // versions by module, including the module itself
	Sum      string            `json:"sum"`      // lines of go.sum
}

// folders returns the path of the folder with the programs, and that of the file with the defaults.
func (e *Env) folders() (cache, file string, err error) {
	if e.opt.Cache != "" {
		dir, err := filepath.Abs(e.opt.Cache)
		return dir, filepath.Join(dir, "user", "versions.json"), err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", "", err
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		return "", "", err
	}
	return filepath.Join(dir, "overcomplete", "modules"), filepath.Join(settings, "overcomplete", "versions.json"), nil
}

// readDefaults reads the defaults. A missing or damaged file counts as empty.
func readDefaults(file string) *defaults {
	d := &defaults{}
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, d) != nil {
		d = &defaults{}
	}
	if d.Versions == nil {
		d.Versions = map[string]string{}
	}
	if d.Resolved == nil {
		d.Resolved = map[string]*resolution{}
	}
	maps.DeleteFunc(d.Resolved, func(_ string, r *resolution) bool { return r == nil })
	return d
}

// moduleFor finds the module that can contain the package pkg, among the modules with a default version. If there are
// several, it chooses the one with the longest path. It returns the module's path and the requirements of its default
// version, or "" and nil if there is no such module.
func (d *defaults) moduleFor(pkg string) (path string, r *resolution) {
	for p, v := range d.Versions {
		if q := d.Resolved[p+"@"+v]; q != nil && within(pkg, p) && len(p) > len(path) {
			path, r = p, q
		}
	}
	return path, r
}

// remember records, in a file of defaults, the requirements (r) of a module in a version. If isDefault is set, it also
// records the version as the module's default version, but keeps a default version that another kernel has recorded
// first. It returns the requirements to use from now on: those of the kept default version, or else r.
func remember(file, path, version string, r *resolution, isDefault bool) (*resolution, error) {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, cacheFault(dir, err)
	}
	unlock, err := filelock.Lock(context.Background(), file+".lock", nil)
	if err != nil {
		return nil, cacheFault(dir, err)
	}
	defer unlock()
	d := readDefaults(file)
	if v := d.Versions[path]; isDefault && v != "" && d.Resolved[path+"@"+v] != nil {
		return d.Resolved[path+"@"+v], nil
	}
	d.Resolved[path+"@"+version] = r
	if isDefault {
		d.Versions[path] = version
	}
	text, err := json.MarshalIndent(d, "", "\t")
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(file, append(text, '\n'), 0o644); err != nil {
		return nil, cacheFault(dir, diskFull(err))
	}
	return r, nil
}
