package modcache

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"overcomplete/kernel/internal/wellknown"
)

// A View is what one notebook sees of a cache: the modules that its go.mod names, and unless
// that file rules, the others. The zero value sees nothing. Its methods may be called by several goroutines.
type View struct {
	*Cache
	versions Versions

	mu       sync.Mutex
	file     string
	mod      string
	read     time.Time
	required []Module // of the file, as it was at read
	changes  int
}

// Versions says what gives the versions of a notebook: the go.mod or go.work file that rules, ""
// if there is none; the text of a go.mod that counts in place of such a file, or beside a
// go.work, or alone, "" if there is none; and whether an import must be of a module that these
// name. It must answer at once.
type Versions func() (file, mod string, rules bool)

// NewView returns the view of a notebook; without versions it sees nothing.
func NewView(c *Cache, versions Versions) *View {
	return &View{Cache: c, versions: versions}
}

// Required returns the modules that Versions names, as it is now, and whether imports must be
// of one of them. The list must not be changed; change differs if the file has changed.
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

// Direct returns the packages of the modules that the file itself requires, as far as they
// are on this machine.
func (v *View) Direct() (list []Package) {
	required, _, _ := v.Required()
	for _, m := range required {
		if !m.Indirect && m.Dir != "" {
			list = append(list, v.Packages(m.Path, m.Dir, !m.Local)...)
		}
	}
	return list
}

// Named returns the paths of the packages called name among Direct.
func (v *View) Named(name string) (list []string) {
	for _, p := range v.Direct() {
		if p.Name == name {
			list = append(list, p.Path)
		}
	}
	return list
}

// Hint returns what to do if a cell uses a package called name that it has not imported: a
// sentence without a capital letter, "" if nothing is known of the name.
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

// Has reports whether a package is of one of the modules.
func Has(list []Module, path string) bool {
	for _, m := range list {
		if path == m.Path || strings.HasPrefix(path, m.Path+"/") {
			return true
		}
	}
	return false
}
