package modcache

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"overcomplete/kernel/internal/wellknown"
)

// A View is the part of a cache that one notebook sees: the modules that its go.mod or go.work names and, if the
// notebook may import others too, all other modules in the cache. The zero value sees nothing. Its methods are safe
// for concurrent use.
type View struct {
	*Cache
	versions Versions

	mu       sync.Mutex
	file     string
	mod      string
	read     time.Time
	required []Module // modules of the file at the last read
	changes  int
}

// A Versions function says what determines the versions of the modules that a notebook imports. The result file is the
// go.mod or go.work file in effect, or "". The result mod is the text of a go.mod, or "". If file is a go.mod, the text
// mod takes its place; if file is a go.work, mod supplements it; if file is "", mod is used alone. If rules is true,
// every import must be from a module that is named in file or in mod. The function must return at once.
type Versions func() (file, mod string, rules bool)

// NewView returns the view of a notebook. If versions is nil, the view sees nothing.
func NewView(c *Cache, versions Versions) *View {
	return &View{Cache: c, versions: versions}
}

// Required returns the modules named by the go.mod or go.work that is in effect now. If rules is true, every import
// must come from one of these modules. change is a number that increases whenever the file or its content has changed.
// The list must not be modified.
func (v *View) Required() (list []Module, rules bool, change int) {
	if v.versions == nil {
		return nil, true, 0
	}
	file, mod, rules := v.versions()
	var read time.Time
	if file != "" {
		if info, err := os.Stat(file); err == nil {
			read = info.ModTime()
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if file != v.file || mod != v.mod || !read.Equal(v.read) {
		v.file, v.mod, v.read = file, mod, read
		v.changes++
		v.required = v.Cache.Required(file, mod)
	}
	return v.required, rules, v.changes
}

// Direct returns the packages of the modules that the notebook's go.mod or go.work names, except modules marked as
// indirect and modules that are not on this machine.
func (v *View) Direct() (list []Package) {
	required, _, _ := v.Required()
	for _, m := range required {
		if !m.Indirect && m.Dir != "" {
			list = append(list, v.Packages(m.Path, m.Dir, !m.Local)...)
		}
	}
	return list
}

// Named returns the paths of those packages of Direct that have the given name.
func (v *View) Named(name string) (list []string) {
	for _, p := range v.Direct() {
		if p.Name == name {
			list = append(list, p.Path)
		}
	}
	return list
}

// Hint returns advice for a cell that uses a package with the given name without importing it: a sentence that
// does not begin with a capital letter, or "" if the name is unknown.
func (v *View) Hint(name string) string {
	if list := v.Named(name); len(list) > 0 {
		list = list[:min(len(list), 3)]
		for i, path := range list {
			list[i] = "import " + strconv.Quote(path)
		}
		return "add " + strings.Join(list, " or ")
	}
	path := wellknown.Named(name)
	if path == "" || v.versions == nil {
		return ""
	}
	required, rules, _ := v.Required()
	switch {
	case !rules, Has(required, path):
		return "add import " + strconv.Quote(path)
	case len(required) == 0:
		return "" // modules are off
	}
	return "import " + strconv.Quote(path) + " after %get " + path
}

// Has reports whether a package belongs to one of the modules in list.
func Has(list []Module, path string) bool {
	for _, m := range list {
		if path == m.Path || strings.HasPrefix(path, m.Path+"/") {
			return true
		}
	}
	return false
}
