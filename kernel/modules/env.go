package modules

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
)

// Options are the options of an Env. The zero value is ready to use.
type Options struct {
	// Folder is the folder of the notebook; "" stands for the working directory. The ruling file is the go.mod
	// or go.work file in this folder or above.
	Folder string
	// Cache is the folder for programs and per-user state. If it is "", programs go to the user's cache folder,
	// and versions to the user's settings folder.
	Cache string
	// Lock, if not nil, gives the versions: it is the go.mod and go.sum that a notebook records. A go.mod or
	// go.work file in Folder or above takes precedence.
	Lock *Lock
	// Locked makes it an error to import or request anything that would change the versions in Lock.
	Locked bool
}

// An Env holds the versions of modules that a notebook uses. Its methods may be called by several goroutines.
type Env struct {
	opt    Options // Folder is absolute
	ruling ruling

	mu   sync.Mutex
	off  bool
	cgo  bool
	work string // folder of this Env's copies, or "" if it does not exist yet
	// mod and sum are the go.mod and go.sum of this Env, if it has its own. Without a ruling file they give the
	// versions in use. Otherwise they are a copy of the ruling file with the pins.
	mod, sum string
	base     string                  // text of the ruling go.mod from which mod was made
	pins     map[string]string       // pinned versions by module, as passed to Get
	seen     map[string]localPackage // state when Sources last saw the package, or when it was compiled into this program
	chosen   *toolchainChoice
	last     atomic.Pointer[versions] // see Versions
}

// Open returns an Env for a notebook. It runs no command and only looks for a go.mod or go.work file, so it is cheap
// for a notebook that imports no other module.
func Open(opt Options) (*Env, error) {
	if opt.Folder == "" {
		opt.Folder = "."
	}
	dir, err := filepath.Abs(opt.Folder)
	if err != nil {
		return nil, err
	}
	hold()
	opt.Folder = dir
	e := &Env{
		opt: opt, ruling: findRuling(dir, os.Getenv("GOWORK")),
		off:  switchedOff(),
		pins: map[string]string{}, seen: map[string]localPackage{},
	}
	e.recordLocals(compiledIn.Local)
	if opt.Lock != nil && e.ruling.kind == none {
		e.mod, e.sum = opt.Lock.Mod, opt.Lock.Sum
	}
	return e, nil
}

// Close removes the temporary files of this Env.
func (e *Env) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.work == "" {
		return nil
	}
	dir := e.work
	e.work = ""
	return os.RemoveAll(dir)
}

// Ruling returns the path of the go.mod or go.work file in effect, or "" if there is none.
func (e *Env) Ruling() string { return e.ruling.file }

// SetOff(true) makes every import of another module an error of kind Off.
func (e *Env) SetOff(off bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.off = off
}

// SetCgo allows or forbids cgo.
func (e *Env) SetCgo(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cgo = on
}

// Foreign reports whether the package with the given path would come from another module. It returns false for
// packages in this program, and for packages of the standard library. It also returns false if the first element of
// the path has no dot, unless the path belongs to a local module.
func (e *Env) Foreign(path string) bool {
	path = bind.Current(path)
	if path == "C" || path == module.Path || module.Has(path) || bind.Name(path) != "" || !plausible(path) {
		return false
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return true
	}
	return e.ruling.local(path)
}

// Local reports whether a package belongs to a module with its source in a folder of the user.
func (e *Env) Local(path string) bool { return e.ruling.local(path) }

// plausible reports whether an import path can name a package of a module: the path is not empty, not relative
// and not a file path.
func plausible(path string) bool {
	return path != "" && path[0] != '.' && path[0] != '/' && !strings.ContainsAny(path, "\\ \t\n\"`@:")
}

// switchedOff reports whether the environment variable OVERCOMPLETE_MODULES is "off".
func switchedOff() bool { return strings.EqualFold(os.Getenv("OVERCOMPLETE_MODULES"), "off") }

// isOff returns an error if the Env is off. The error names the argument, which is a package or a module.
func (e *Env) isOff(what string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.off {
		return nil
	}
	advice := "use `%mod on`"
	if switchedOff() {
		advice = "start the kernel without OVERCOMPLETE_MODULES=off"
	}
	return &Error{Kind: Off, What: what, Text: what + " is not in this kernel, and other modules are disabled", Advice: advice}
}

// folder returns this Env's temporary folder, which holds its go.mod and go.sum and its copies of the user's files. It
// creates the folder if necessary. The caller holds e.mu.
func (e *Env) folder() (string, error) {
	if e.work != "" {
		return e.work, nil
	}
	dir, err := os.MkdirTemp("", "overcomplete-modules-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // the form that the go command uses
	}
	if err != nil {
		return "", err
	}
	e.work = dir
	return dir, nil
}

// temp creates a new folder inside this Env's temporary folder (see Env.folder). The caller holds e.mu.
func (e *Env) temp(pattern string) (string, error) {
	dir, err := e.folder()
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, pattern)
}
