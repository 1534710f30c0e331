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

// defaults are the user's, for all notebooks: which version an unpinned import has got once, so that
// it has the same tomorrow, and what modules in some version need, so that no command must be asked
// twice.
type defaults struct {
	// Versions has the version by module.
	Versions map[string]string `json:"versions"`
	// Resolved has what a module needs, by path@version.
	Resolved map[string]*resolved `json:"resolved"`
}

// A resolved is what a go.mod that requires one module alone ends up with.
type resolved struct {
	Requires map[string]string `json:"requires"` // versions by module, with that of the module itself
	Sum      string            `json:"sum"`      // lines of go.sum
}

// folders returns where programs are kept, and the file of the defaults.
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

// readDefaults reads the versions; a file that is not there or is damaged has none.
func readDefaults(file string) *defaults {
	d := &defaults{}
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, d) != nil {
		d = &defaults{}
	}
	if d.Versions == nil {
		d.Versions = map[string]string{}
	}
	if d.Resolved == nil {
		d.Resolved = map[string]*resolved{}
	}
	maps.DeleteFunc(d.Resolved, func(_ string, r *resolved) bool { return r == nil })
	return d
}

// of returns the module that has a package, if one of those known has a path that fits, and what
// it needs.
func (d *defaults) of(pkg string) (path string, r *resolved) {
	for p, v := range d.Versions {
		if q := d.Resolved[p+"@"+v]; q != nil && within(pkg, p) && len(p) > len(path) {
			path, r = p, q
		}
	}
	return path, r
}

// remember notes what a module needs, and, if it is to be the default and there is none yet, its
// version. It returns what counts from now on: another kernel may have been first.
func remember(file, path, version string, r *resolved, isDefault bool) (*resolved, error) {
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
