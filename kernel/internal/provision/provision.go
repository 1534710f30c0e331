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

// An Env knows the versions of modules. *modules.Env is one, and says what the methods do.
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
	State() ([]byte, error)
	Close() error
}

var _ Env = (*modules.Env)(nil)

// Options are what a Provider works with. Open, Loader, Held, Stdout and Stderr must be set.
type Options struct {
	// Open opens the Env when it is first needed; state is what the Env of the program before
	// has given, nil if there was none.
	Open func(state []byte) (Env, error)
	// Loader runs packages from source.
	Loader engine.Loader
	// Held says in a few words what the session holds that a replacement would lose, "" if
	// there is nothing.
	Held func() string
	// Replaceable is set if another program can replace this one.
	Replaceable bool
	// Interactive is set if somebody watches what takes long, and programs should be made for the
	// next start.
	Interactive bool
	// Packages and Modules are those that were compiled into this program for it.
	Packages []string
	Modules  []modules.Module
	// Record is the file that says what the notebook had compiled last, "" if nothing is to be
	// remembered of it.
	Record string
	// Stdout and Stderr show text with the running cell.
	Stdout, Stderr io.Writer
	// Check returns an error if a program must not be run; nil stands for the method of Program.
	Check func(*modules.Program) error
}

// A Provider brings packages of other modules into one session. Its methods must not be called by
// two goroutines at once.
type Provider struct {
	opt    Options
	state  []byte // for Open
	opened Env

	// used are the packages of other modules that cells have imported, in that order.
	used   []string
	pinned []modules.Module // by %get
	// told are the modules of which was said that the program has another version than is asked for.
	told map[string]bool
	// stale are packages that are compiled in as they were, and have changed since, or have another version
	// since %get.
	stale []string
	// uncompiled are packages that run from source because they could not be compiled; generic
	// says which of those that were looked at are mostly generic, by their folders.
	uncompiled, generic map[string]bool

	view *modcache.View // for hints

	// answers has the pins of %get lines that were decided for the whole notebook, by their
	// arguments.
	answers map[string][]modules.Module
	// done are the arguments of %get lines that this cell had carried out before it began in
	// another program.
	done []string
	// carried are the offsets of the running cell's %get lines that are carried out already.
	carried []int
	// notices are shown with the next cell.
	notices []string

	now   func() time.Time
	every time.Duration // between two updates of a line of progress
	quiet time.Duration // how long something takes before it is worth a line

	mu   sync.Mutex // guards next
	next *next      // nil if nothing is, or was, compiled in the background
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

// env returns the Env. It opens it if that has not been done.
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

// Close ends a compile in the background and closes the Env.
func (p *Provider) Close() error {
	p.stopNext()
	if p.opened == nil {
		return nil
	}
	return p.opened.Close()
}

// Command returns a go command that sees the versions in use, see modules.Env.
func (p *Provider) Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	e, err := p.env()
	if err != nil {
		return nil, err
	}
	return e.Command(ctx, dir, args...)
}

// use notes that cells have imported packages of other modules.
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

// linked lists the packages that a program must have to go on with this session: those in use, and
// more, but for those that always run from source.
func (p *Provider) linked(more ...string) []string {
	list := append(slices.Clone(p.used), more...)
	for _, s := range p.opt.Loader.Loaded() {
		if slices.Contains(list, s.Path) && !slices.Contains(more, s.Path) && (p.uncompiled[s.Path] || p.mostlyGeneric(s) || p.users(s.Path)) {
			list = slices.DeleteFunc(list, func(path string) bool { return path == s.Path })
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// users reports whether a package is the user's own, who may change it while the session runs: it
// runs from source if it can, so that the change comes in without a new program.
func (p *Provider) users(path string) bool {
	return p.opt.Interactive && p.opened != nil && p.opened.Local(path)
}

func (p *Provider) say(format string, args ...any)   { fmt.Fprintf(p.opt.Stderr, format+"\n", args...) }
func (p *Provider) print(format string, args ...any) { fmt.Fprintf(p.opt.Stdout, format+"\n", args...) }
