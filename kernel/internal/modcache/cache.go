// Package modcache reads what the go command has left on this machine: the downloaded modules and their
// packages, the modules that a go.mod requires, and the folders with the source of compiled-in packages.
//
// It runs no command, uses no network and writes nothing. Its results are for completion, inspection and
// hints. The module versions that a cell uses are determined by package modules.
package modcache

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A Cache is a module cache. Its methods are safe for concurrent use.
type Cache struct {
	root string

	mu      sync.Mutex
	modules map[string][]string // versions by module path, newest first
	read    time.Time           // when the field modules was last filled
	folders map[string]folder   // keyed by the folder of a module
}

// A folder caches the packages found in the folder of a module.
type folder struct {
	packages []Package
	read     time.Time
}

// fresh is how long the list of modules stays valid. freshFolder is how long the packages of a folder stay valid if the
// folder may change.
var fresh, freshFolder = 20 * time.Second, 3 * time.Second

// Limits for searches, so that an answer never takes long.
const (
	mostModules  = 20_000 // entries in the cache
	deepest      = 8      // elements in a module's path
	mostPackages = 2_000  // packages of one module
	mostFolders  = 5_000  // folders of one module
)

// Open returns the cache at root; "" means the user's cache.
func Open(root string) *Cache {
	if root == "" {
		root = userCache()
	}
	return &Cache{root: root, folders: map[string]folder{}}
}

// userCache returns the folder of the module cache that the go command would use: GOMODCACHE or, if that is not set,
// pkg/mod in the first folder of GOPATH. Both are looked up by Setting, and GOPATH defaults to the folder go in the
// user's home. The result is "" if there is no home.
func userCache() string {
	if dir := Setting("GOMODCACHE"); dir != "" {
		return dir
	}
	path := Setting("GOPATH")
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		path = filepath.Join(home, "go")
	}
	return filepath.Join(filepath.SplitList(path)[0], "pkg", "mod")
}

// Dir returns the folder of a downloaded module, or "" if the module is not downloaded.
func (c *Cache) Dir(path, version string) string {
	p, err := module.EscapePath(path)
	if err != nil || c.root == "" {
		return ""
	}
	v, err := module.EscapeVersion(version)
	if err != nil {
		return ""
	}
	dir := filepath.Join(c.root, filepath.FromSlash(p)+"@"+v)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// Modules maps the path of each downloaded module to its downloaded versions: releases first, then prereleases, each
// from the newest to the oldest. The cache is read again only after some seconds. The map must not be changed.
func (c *Cache) Modules() map[string][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.modules == nil || time.Since(c.read) > fresh {
		c.modules, c.read = c.list(), time.Now()
	}
	return c.modules
}

// list finds the downloaded modules and their versions, for Modules. It reads the folders of the cache, and descends
// only until a folder's name contains a version.
func (c *Cache) list() map[string][]string {
	found := map[string][]string{}
	left := mostModules
	var walk func(dir, escaped string, depth int)
	walk = func(dir, escaped string, depth int) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			if left--; left < 0 {
				return
			}
			name := e.Name()
			if !e.IsDir() || depth == 0 && (name == "cache" || !strings.Contains(name, ".")) {
				continue
			}
			at := escaped + name
			last, version, isModule := strings.Cut(name, "@")
			if !isModule {
				if depth < deepest {
					walk(filepath.Join(dir, name), at+"/", depth+1)
				}
				continue
			}
			path, err := module.UnescapePath(escaped + last)
			if err != nil || path == "golang.org/toolchain" {
				continue
			}
			if version, err = module.UnescapeVersion(version); err == nil {
				found[path] = append(found[path], version)
			}
		}
	}
	if c.root != "" {
		walk(c.root, "", 0)
	}
	for _, versions := range found {
		slices.SortFunc(versions, newestFirst)
	}
	return found
}

// newestFirst compares versions for sorting in the go command's order of preference: releases before prereleases, and
// newer versions before older ones within each group.
func newestFirst(a, b string) int {
	if a, b := semver.Prerelease(a) == "", semver.Prerelease(b) == ""; a != b {
		if a {
			return -1
		}
		return 1
	}
	return semver.Compare(b, a)
}

// Versions returns the known versions of the module with the given path: the downloaded ones, and those in the lists of
// versions that the go command has downloaded. Releases come before prereleases, and newer versions before older ones.
func (c *Cache) Versions(path string) []string {
	list := slices.Clone(c.Modules()[path])
	escaped, err := module.EscapePath(path)
	if err != nil || c.root == "" {
		return nil
	}
	data, _ := os.ReadFile(filepath.Join(c.root, "cache", "download", filepath.FromSlash(escaped), "@v", "list"))
	for _, line := range strings.Fields(string(data)) {
		if semver.IsValid(line) {
			list = append(list, line)
		}
	}
	slices.SortFunc(list, newestFirst)
	return slices.Compact(list)
}

// Setting returns the value that the go command uses for a variable, from the environment or from `go env
// -w`. It returns "" if the variable has its default.
func Setting(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	file := os.Getenv("GOENV")
	if file == "off" {
		return ""
	}
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(dir, "go", "env")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return v
		}
	}
	return ""
}
