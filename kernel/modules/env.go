package modules

import (
	"context"
	"os/exec"

	"overcomplete/kernel/engine"
)

// Options are the options of an Env. The zero value is ready to use.
type Options struct {
	// Folder is the folder of the notebook, "" for the working directory. A go.mod or go.work
	// in it or above rules.
	Folder string
	// Cache is where programs and per-user state are kept; "" is the user's cache folder.
	Cache string
	// Lock, if not nil, gives the versions: the go.mod and go.sum that a notebook records.
	Lock *Lock
	// Locked refuses whatever would change Lock.
	Locked bool
}

// An Env says which versions of modules a notebook uses. Its methods may be called by several
// goroutines.
type Env struct{}

// Open finds out which file rules. It runs no command and reads no more than it must: a
// notebook that imports no other module pays only for the look at the file system.
func Open(opt Options) (*Env, error) { panic("not yet") }

// Close removes what only this Env needed.
func (e *Env) Close() error { panic("not yet") }

// Ruling returns the path of the go.mod or go.work that rules, "" if there is none.
func (e *Env) Ruling() string { panic("not yet") }

// A Lock is what fixes all versions.
type Lock struct {
	Mod string `json:"go.mod"`
	Sum string `json:"go.sum"`
}

// Lock returns the versions in use, ready to be recorded.
func (e *Env) Lock(ctx context.Context) (*Lock, error) { panic("not yet") }

// A Module is a module in use.
type Module struct {
	Path, Version string
	Replace       string // what it is replaced by, "" if it is not
	Dir           string // of its source
	Local         bool   // its source is a folder of the user's, which may change
	Asked         string // the version that was asked for, if another module raised it
}

// Get pins modules, as go get would: args are path@version, path (the newest version), or
// -u path. It returns the pins, exact. say is told of progress, and may be nil.
func (e *Env) Get(ctx context.Context, args []string, say func(string)) ([]Module, error) {
	panic("not yet")
}

// Tidy removes pins that none of the packages in use need.
func (e *Env) Tidy(ctx context.Context, used []string) (removed []Module, err error) {
	panic("not yet")
}

// SetOff makes every import of another module an error of kind Off; SetCgo allows cgo.
func (e *Env) SetOff(off bool) { panic("not yet") }
func (e *Env) SetCgo(on bool)  { panic("not yet") }

// Foreign reports whether a package would come from another module: its path is not in this
// program, and is neither the standard library's nor a word without a dot that no local
// module has.
func (e *Env) Foreign(path string) bool { panic("not yet") }

// Modules lists the modules that the packages need, these modules first that have one of
// the packages.
func (e *Env) Modules(ctx context.Context, packages []string) ([]Module, error) { panic("not yet") }

// Sources lists the packages to run from source so that paths can be imported, dependencies
// first, without those for which bound is true. Versions that nothing fixes yet are
// resolved, and remembered. Packages that cannot be run from source for a reason that can be
// seen in advance are an error of kind NotFromSource.
func (e *Env) Sources(ctx context.Context, bound func(path string) bool, paths []string, say func(string)) ([]engine.Source, error) {
	panic("not yet")
}

// Changed lists those local packages among paths whose files differ from what Sources or
// Compile saw last.
func (e *Env) Changed(paths []string) []string { panic("not yet") }

// Command returns a go command that sees the versions of this Env, to be run in a folder
// outside of any module: for native cells.
func (e *Env) Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	panic("not yet")
}

// A Program is a kernel with packages compiled in.
type Program struct {
	Path     string   // of the executable file
	Packages []string // that are compiled in, sorted
	Known    bool     // it was in the cache
}

// Known returns a program in the cache that has the packages in the versions of e, nil if
// there is none. It runs no command and takes milliseconds.
func (e *Env) Known(packages []string) *Program { panic("not yet") }

// Compile returns a program with the packages, from the cache or made now.
func (e *Env) Compile(ctx context.Context, packages []string, say func(string)) (*Program, error) {
	panic("not yet")
}

// Start returns the command that runs a program in place of this one, after checking that the file
// is what was compiled and belongs to the user.
func (p *Program) Check() error { panic("not yet") }

// State returns what the Env of another program needs to go on with this one; Resume makes
// it.
func (e *Env) State() ([]byte, error)   { panic("not yet") }
func Resume(state []byte) (*Env, error) { panic("not yet") }

// CompiledIn lists the packages of other modules that were compiled into the running
// program by Compile, with the versions; both are empty for the plain program.
func CompiledIn() (packages []string, mods []Module) { return nil, nil }

// A Kind says what is wrong.
type Kind string

// The kinds of error.
const (
	Off           Kind = "off"             // OVERCOMPLETE_MODULES=off, or %mod off
	NoToolchain   Kind = "no toolchain"    // no go command, or none that fits
	NoNetwork     Kind = "no network"      // the proxy cannot be reached
	NoVersion     Kind = "no such version" // or no such module
	NoPackage     Kind = "no such package" // the module has no such package
	NotRequired   Kind = "not required"    // the ruling go.mod does not require it
	Conflict      Kind = "conflict"        // with a version that is compiled in
	InternalPath  Kind = "internal"        // an internal package of another module
	NeedsGo       Kind = "needs go"        // a newer Go
	NotCompiling  Kind = "does not compile"
	NeedsCgo      Kind = "needs cgo"
	NotFromSource Kind = "not from source"
	Locked        Kind = "locked"
	Failed        Kind = "failed" // anything else that the go command says
)

// An Error says why a package cannot be had, and what to do.
type Error struct {
	Kind   Kind
	What   string // the package or module
	Text   string // what is wrong, one sentence
	Advice string // what to do, one sentence, "" if there is nothing
	Said   string // what the go command said, "" if that adds nothing
}

func (e *Error) Error() string { return e.Text }
