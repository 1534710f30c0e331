package modules

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
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

// Local reports whether a package belongs to a module whose source is in one of the user's folders.
func (e *Env) Local(path string) bool { return e.ruling.local(path) }

// plausible reports whether an import path can name a package of a module: the path is not empty, not relative
// and not a file path.
func plausible(path string) bool {
	return path != "" && path[0] != '.' && path[0] != '/' && !strings.ContainsAny(path, "\\ \t\n\"`@:")
}

// switchedOff reports whether the environment variable OVERCOMPLETE_MODULES is "off".
func switchedOff() bool { return strings.EqualFold(os.Getenv("OVERCOMPLETE_MODULES"), "off") }

// isOff returns an error if the Env is off. The error names the package or module given by what.
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

// versions is the last result of Versions.
type versions struct {
	file, mod string
	rules     bool
}

// Versions says where the versions of modules come from now. file is the go.mod or go.work file in effect, or "" if
// there is none. mod is the text of a go.mod of the Env, or "". This text replaces a go.mod file, supplements a go.work
// file, or is used alone. If rules is true, every import must come from a module in file or in mod. If the Env is off,
// file and mod are "" and rules is true, so no import is allowed. Versions runs no command and does not wait for other
// methods: while another method is running, Versions returns its own last result.
func (e *Env) Versions() (file, mod string, rules bool) {
	if e.mu.TryLock() {
		v := &versions{e.ruling.file, e.mod, e.ruling.kind != none}
		if e.off {
			v = &versions{rules: true}
		}
		e.mu.Unlock()
		e.last.Store(v)
	}
	v := e.last.Load()
	if v == nil {
		v = &versions{file: e.ruling.file, rules: e.ruling.kind != none}
	}
	return v.file, v.mod, v.rules
}

// A state holds everything that another program needs to continue with an Env.
type state struct {
	Options Options
	Off     bool
	Cgo     bool
	Base    string
	Mod     string
	Sum     string
	Pins    map[string]string
	Seen    map[string]localPackage
}

// State returns the state of this Env, for Resume in another program.
func (e *Env) State() ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return json.Marshal(state{e.opt, e.off, e.cgo, e.base, e.mod, e.sum, e.pins, e.seen})
}

// Resume returns an Env that continues from the given text, which is a result of State.
func Resume(text []byte) (*Env, error) {
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	e, err := Open(s.Options)
	if err != nil {
		return nil, err
	}
	e.off, e.cgo, e.base, e.mod, e.sum = s.Off, s.Cgo, s.Base, s.Mod, s.Sum
	maps.Copy(e.pins, s.Pins)
	maps.Copy(e.seen, s.Seen)
	e.recordLocals(compiledIn.Local)
	return e, nil
}

// Command returns a command that runs go with the given arguments in dir, and uses the versions of this Env. It is for
// compiling native cells, whose Go code is compiled and not interpreted. The folder dir must be outside any module;
// Command writes a go.mod and a go.sum into it.
func (e *Env) Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, err := e.choose(ctx)
	if err != nil {
		return nil, err
	}
	if err := e.refresh(ctx); err != nil {
		return nil, err
	}
	q, err := e.ruling.requirement(e.mod)
	if err != nil {
		return nil, err
	}
	mod, err := merged([]byte(emptyMod()), q)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), []byte(e.allSums()), 0o600); err != nil {
		return nil, err
	}
	if len(args) > 0 {
		args = append([]string{args[0], "-mod=mod"}, args[1:]...)
	}
	cmd := exec.CommandContext(ctx, c.command, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOTOOLCHAIN="+c.toolchain, "GO111MODULE=on", "GOWORK=off", "CGO_ENABLED="+zeroOrOne(e.cgo))
	return cmd, nil
}
