package provision

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"sync"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/modcache"
	"overcomplete/kernel/modules"
)

// An Env knows the versions of modules. *modules.Env implements it and documents the methods.
type Env interface {
	Ruling() string
	Get(ctx context.Context, args []string, say func(string)) ([]modules.Module, error)
	Tidy(ctx context.Context, used []string) (removed []modules.Module, err error)
	SetOff(off bool)
	SetCgo(on bool)
	Foreign(path string) bool
	Local(path string) bool
	Other(path string) (asked modules.Module, have string)
	Modules(ctx context.Context, packages []string) ([]modules.Module, error)
	Sources(ctx context.Context, bound func(path string) bool, paths []string, say func(string)) ([]engine.Source, error)
	Outside(ctx context.Context, paths []string, say func(string)) ([]engine.Source, error)
	Changed(paths []string) []string
	Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error)
	Known(packages []string) *modules.Program
	Compile(ctx context.Context, packages []string, say func(string)) (*modules.Program, error)
	Lock(ctx context.Context) (*modules.Lock, error)
	Versions() (file, mod string, rules bool)
	State() ([]byte, error)
	Close() error
}

var _ Env = (*modules.Env)(nil)

// Options are the options of a Provider. Open, Loader, Held, Stdout and Stderr must be set.
type Options struct {
	// Open opens the Env when it is first needed. The parameter state is the state of the previous program's
	// Env, or nil if there was none.
	Open func(state []byte) (Env, error)
	// Loader runs packages from source.
	Loader engine.Loader
	// Held describes in a few words the part of the session that a replacement would lose, or returns "" if
	// it would lose nothing.
	Held func() string
	// Replaceable is set if another program can replace this one.
	Replaceable bool
	// Interactive is set if a user watches long operations. Then programs are also compiled for the next
	// start.
	Interactive bool
	// Packages and Modules are the packages and modules compiled into this program for the notebook.
	Packages []string
	Modules  []modules.Module
	// Record is the file that records the packages last compiled for the notebook. If it is "", nothing is
	// recorded.
	Record string
	// Stdout and Stderr receive text to show with the running cell.
	Stdout, Stderr io.Writer
	// Check returns an error if a program must not be run. If Check is nil, Program's own method is used.
	Check func(*modules.Program) error
}

// A Provider brings packages of other modules into one session. Two goroutines must not call its methods at
// the same time.
type Provider struct {
	opt    Options
	state  []byte // state to pass to Open
	opened Env

	// used holds the packages of other modules that cells have imported, in the order of the imports.
	used   []string
	pinned []modules.Module // modules pinned by %get
	// told holds the modules for which the user was told that the program has a version other than the
	// version asked for.
	told map[string]bool
	// stale holds compiled-in packages that have changed since they were compiled, or that %get has
	// pinned to another version.
	stale []string
	// uncompiled holds packages that run from source because they could not be compiled. generic is a cache, keyed by
	// folder, that says whether packages are mostly generic.
	uncompiled, generic map[string]bool

	view *modcache.View // the notebook's modules, for hints

	// answers holds pins that were decided for the whole notebook, keyed by the arguments of the %get line that
	// asks for them.
	answers map[string][]modules.Module
	// done holds the arguments of the running cell's %get lines that have been executed. A program that replaces
	// this one does not execute these lines again.
	done []string
	// carried holds the offsets of the running cell's %get lines that have already been executed.
	carried []int
	// notices holds texts to show with the next cell.
	notices []string

	now   func() time.Time
	every time.Duration // time between two updates of a progress line
	quiet time.Duration // time after which an operation gets a progress line

	mu   sync.Mutex         // guards next
	next *backgroundCompile // nil if there has been no background compile
}

// New returns a Provider.
func New(opt Options) *Provider {
	if opt.Check == nil {
		opt.Check = (*modules.Program).Check
	}
	return &Provider{
		opt: opt, now: time.Now, every: time.Second, quiet: 700 * time.Millisecond,
		uncompiled: map[string]bool{}, generic: map[string]bool{}, told: map[string]bool{},
	}
}

// env returns the Env, which it opens if necessary.
func (p *Provider) env() (Env, error) {
	if p.opened != nil {
		return p.opened, nil
	}
	if p.state == nil {
		if e := p.recall(); e != nil {
			p.opened = e
			return e, nil
		}
	}
	e, err := p.opt.Open(p.state)
	if err != nil {
		return nil, err
	}
	p.opened = e
	return e, nil
}

// Close ends a background compile and closes the Env.
func (p *Provider) Close() error {
	p.stopNext()
	if p.opened == nil {
		return nil
	}
	return p.opened.Close()
}

// Command returns a go command that runs in dir and uses the module versions of this session; see modules.Env.Command.
func (p *Provider) Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	e, err := p.env()
	if err != nil {
		return nil, err
	}
	return e.Command(ctx, dir, args...)
}

// use records that cells have imported packages of other modules.
func (p *Provider) use(paths ...string) {
	for _, path := range paths {
		if !slices.Contains(p.used, path) {
			p.used = append(p.used, path)
		}
	}
}

// loaded reports whether a package runs from source.
func (p *Provider) loaded(path string) bool {
	return slices.ContainsFunc(p.opt.Loader.Loaded(), func(s engine.Source) bool { return s.Path == path })
}

// linked returns the packages that a program needs to continue this session: the packages in use and the given
// additional packages. Packages in use that always run from source are omitted.
func (p *Provider) linked(more ...string) []string {
	list := append(slices.Clone(p.used), more...)
	for _, s := range p.opt.Loader.Loaded() {
		if slices.Contains(list, s.Path) && !slices.Contains(more, s.Path) && (p.uncompiled[s.Path] || p.mostlyGeneric(s) || p.isUsersOwn(s.Path)) {
			list = slices.DeleteFunc(list, func(path string) bool { return path == s.Path })
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// isUsersOwn reports whether a package is the user's own, which may change while the session runs. Such a package
// runs from source if it can, so that a change needs no new program.
func (p *Provider) isUsersOwn(path string) bool {
	return p.opt.Interactive && p.opened != nil && p.opened.Local(path)
}

func (p *Provider) say(format string, args ...any)   { fmt.Fprintf(p.opt.Stderr, format+"\n", args...) }
func (p *Provider) print(format string, args ...any) { fmt.Fprintf(p.opt.Stdout, format+"\n", args...) }

// Hint returns advice for a cell that uses a package with the given name without importing it. Hint knows the
// packages of modules that the notebook requires and some widely used packages. It returns "" if it does not
// know the name. It uses no network.
func (p *Provider) Hint(name string) string {
	e, err := p.env()
	if err != nil {
		return ""
	}
	if p.view == nil {
		p.view = modcache.NewView(modcache.Open(""), e.Versions)
	}
	return p.view.Hint(name)
}
