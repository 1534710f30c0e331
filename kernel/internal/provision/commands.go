package provision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"overcomplete/kernel/magic"
	"overcomplete/kernel/modules"
)

// Variable is the environment variable that turns imports of other modules off if its value is "off".
const Variable = "OVERCOMPLETE_MODULES"

// Get executes a %get line of the running cell, unless Prepare has already executed it.
func (p *Provider) Get(ctx context.Context, c *magic.Command) error {
	if slices.Contains(p.carried, c.Start) {
		return nil
	}
	return plainly(p.get(ctx, c.Args))
}

// get pins the modules that a %get line asks for; args holds the arguments of the line. It prints the pins, and
// applies them to packages in use. If the pins were decided earlier for the whole notebook, get does not choose
// them again: it only records and prints them.
func (p *Provider) get(ctx context.Context, args string) error {
	words, err := getArgs(args)
	if err != nil {
		return err
	}
	if pins, ok := p.answers[args]; ok {
		p.pin(pins)
		return nil
	}
	env, err := p.env()
	if err != nil {
		return err
	}
	l := p.line()
	defer l.end()
	pins, err := env.Get(ctx, words, l.say)
	if err != nil {
		return err
	}
	l.end()
	p.pin(pins)
	return p.repin(ctx, env, pins)
}

// pin stores the given pins, and prints them as %get lines that would pin the same versions.
func (p *Provider) pin(pins []modules.Module) {
	for _, m := range pins {
		p.print("%%get %s@%s", m.Path, m.Version)
		p.pinned = slices.DeleteFunc(p.pinned, func(old modules.Module) bool { return old.Path == m.Path })
		p.pinned = append(p.pinned, m)
	}
}

// getArgs splits the arguments of %get.
func getArgs(args string) ([]string, error) {
	words := strings.Fields(args)
	if !slices.ContainsFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") }) {
		return nil, errors.New("%get needs a module, for example %get github.com/google/uuid@v1.6.0; without a version, it uses the newest")
	}
	for i, w := range words {
		if strings.HasPrefix(w, "-") && w != "-u" {
			return nil, fmt.Errorf("unknown flag %s: the only flag is -u, for newer versions also of the modules that these need", w)
		}
		words[i] = strings.TrimPrefix(w, "https://")
	}
	return words, nil
}

// repin applies newly pinned versions to packages in use. Packages that run from source are reloaded at once.
// Compiled-in packages are replaced when a cell next imports them. If this program cannot be replaced now, a message
// asks the user to restart the kernel instead.
func (p *Provider) repin(ctx context.Context, env Env, pins []modules.Module) error {
	var again, texts []string
	for _, m := range pins {
		for _, s := range p.opt.Loader.Loaded() {
			if s.Module == m.Path && s.Version != m.Version {
				again = append(again, s.Path)
				text := fmt.Sprintf("%s %s replaces %s", m.Path, m.Version, s.Version)
				if !slices.Contains(texts, text) {
					texts = append(texts, text)
				}
			}
		}
		for _, old := range p.opt.Modules {
			if old.Path != m.Path || old.Version == m.Version {
				continue
			}
			if held := p.opt.Held(); held != "" || !p.opt.Replaceable {
				p.say("%s %s is compiled into this program; restart the kernel to use %s", m.Path, old.Version, m.Version)
				continue
			}
			for _, path := range p.opt.Packages {
				if m.Within(path) && !slices.Contains(p.stale, path) {
					p.stale = append(p.stale, path)
				}
			}
		}
	}
	if len(again) == 0 {
		return nil
	}
	return p.reload(ctx, env, again, strings.Join(texts, ", "))
}

// A Listing is the output of %mod.
type Listing struct {
	Rows  [][]string // columns: module, version, how, note
	Notes []string
}

// List lists the modules in use.
func (p *Provider) List(ctx context.Context) (*Listing, error) {
	env, err := p.env()
	if err != nil {
		return nil, plainly(err)
	}
	l := &Listing{}
	var list []modules.Module
	if len(p.used) > 0 {
		if list, err = env.Modules(ctx, p.used); err != nil {
			// Packages in use work without the Env.
			text, _, _ := strings.Cut(plainly(err).Error(), "\n")
			l.Notes = append(l.Notes, "The versions after the next start are not known: "+text+".")
			list = p.Present()
		}
	}
	others := 0
	for _, m := range list {
		if !p.direct(m) && m.Asked == "" && !m.Local {
			others++
			continue
		}
		n := note(m)
		if is := p.running(m.Path); is != "" && is != m.Version {
			n = strings.Trim(m.Version+" takes effect when the kernel is restarted; "+n, "; ")
			m.Version = is
		}
		l.Rows = append(l.Rows, []string{m.Path, m.Version, p.how(m), n})
	}
	for _, m := range p.pinned {
		if !slices.ContainsFunc(list, func(n modules.Module) bool { return n.Path == m.Path }) {
			l.Rows = append(l.Rows, []string{m.Path, m.Version, "pinned", "no cell has imported it"})
		}
	}
	switch {
	case others == 1:
		l.Notes = append(l.Notes, "These modules need one more module.")
	case others > 1:
		l.Notes = append(l.Notes, fmt.Sprintf("These modules need %d more modules.", others))
	}
	if file := env.Ruling(); file != "" {
		l.Notes = append(l.Notes, file+" determines the versions; the kernel does not change that file.")
	} else {
		l.Notes = append(l.Notes, "There is no go.mod in the notebook's folder or above it: %get lines determine versions; other modules keep the version of their first import.")
	}
	if about := p.aboutNext(); about != "" {
		l.Notes = append(l.Notes, strings.ToUpper(about[:1])+about[1:]+".")
	}
	return l, nil
}

// Present lists the modules that are compiled into this program for the notebook, and those that run from
// source.
func (p *Provider) Present() (list []modules.Module) {
	add := func(m modules.Module) {
		if !slices.ContainsFunc(list, func(n modules.Module) bool { return n.Path == m.Path }) {
			list = append(list, m)
		}
	}
	for _, s := range p.opt.Loader.Loaded() {
		add(modules.Module{Path: s.Module, Version: s.Version, Dir: s.Dir, Local: s.Version == ""})
	}
	for _, m := range p.opt.Modules {
		add(m)
	}
	return list
}

// running returns the version in which a module is compiled into this program or run from source, or "" if the version
// is not known.
func (p *Provider) running(module string) string {
	for _, m := range p.Present() {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
}

// direct reports whether a package that cells have imported belongs to the module.
func (p *Provider) direct(m modules.Module) bool {
	return slices.ContainsFunc(p.used, m.Within)
}

// how says whether the packages of a module in this session are compiled in, run from source, or both.
func (p *Provider) how(m modules.Module) string {
	source, compiled := false, false
	for _, s := range p.opt.Loader.Loaded() {
		source = source || s.Module == m.Path
	}
	for _, path := range p.used {
		compiled = compiled || m.Within(path) && !p.loaded(path)
	}
	switch {
	case source && compiled:
		return "compiled in and from source"
	case source:
		return "from source"
	}
	return "compiled in"
}

// note returns a remark if another module has raised the version of m, or if m is in a local folder or replaced;
// otherwise it returns "".
func note(m modules.Module) string {
	var notes []string
	if m.Asked != "" && m.Asked != m.Version {
		notes = append(notes, "raised from "+m.Asked+" by another module")
	}
	if m.Local {
		notes = append(notes, "in "+m.Dir)
	} else if m.Replace != "" {
		notes = append(notes, "replaced by "+m.Replace)
	}
	return strings.Join(notes, "; ")
}

// Tidy removes pins that no package in use needs, and prints the removed pins.
func (p *Provider) Tidy(ctx context.Context) error {
	env, err := p.env()
	if err != nil {
		return plainly(err)
	}
	removed, err := env.Tidy(ctx, p.used)
	if err != nil {
		return plainly(err)
	}
	for _, m := range removed {
		p.print("dropped %s %s", m.Path, m.Version)
		p.pinned = slices.DeleteFunc(p.pinned, func(old modules.Module) bool { return old.Path == m.Path })
	}
	if len(removed) == 0 {
		p.print("nothing to drop")
	}
	if packages := p.linked(); len(packages) > 0 {
		p.remember(env, p.record(packages))
	} else if p.opt.Record != "" {
		os.Remove(p.opt.Record)
	}
	return nil
}

// SetOff disables imports of other modules if off is true, and otherwise enables these imports. They cannot be enabled
// if the environment variable OVERCOMPLETE_MODULES is "off".
func (p *Provider) SetOff(off bool) error {
	if !off && strings.EqualFold(os.Getenv(Variable), "off") {
		return errors.New(Variable + "=off is set for this kernel: whoever runs the kernel has disabled other modules")
	}
	env, err := p.env()
	if err != nil {
		return plainly(err)
	}
	env.SetOff(off)
	if off {
		p.print("imports of other modules are refused; earlier imports stay")
	} else {
		p.print("imports of other modules are allowed")
	}
	return nil
}

// SetCgo determines whether modules are compiled with their C code or without it. Packages in use that were compiled into
// this program are compiled again when a cell next imports them.
func (p *Provider) SetCgo(on bool) error {
	env, err := p.env()
	if err != nil {
		return plainly(err)
	}
	env.SetCgo(on)
	for _, path := range p.opt.Packages {
		if slices.Contains(p.used, path) && !slices.Contains(p.stale, path) {
			p.stale = append(p.stale, path) // the next import compiles the package with C code, or without it
		}
	}
	if on {
		p.print("modules may use C code, which needs a C compiler; such packages are always compiled")
	} else {
		p.print("modules are compiled without C code")
	}
	return nil
}

// Reload runs packages from source again: those in paths or, if paths is empty, all packages in use whose files have
// changed. It returns an error if one of these packages is compiled in or no cell has imported it.
func (p *Provider) Reload(ctx context.Context, paths []string) error {
	env, err := p.env()
	if err != nil {
		return plainly(err)
	}
	var local []string
	for _, s := range p.opt.Loader.Loaded() {
		if s.Version == "" {
			local = append(local, s.Path)
		}
	}
	for _, path := range paths {
		switch {
		case p.loaded(path):
		case slices.Contains(p.used, path):
			return fmt.Errorf("%s is compiled in: restart the kernel to use its current files", path)
		default:
			return fmt.Errorf("no cell has imported %s; %%mod lists the modules in use", path)
		}
	}
	if len(paths) == 0 {
		look := local
		if slices.ContainsFunc(p.opt.Modules, func(m modules.Module) bool { return m.Local }) {
			look = append(look, p.opt.Packages...)
		}
		changed := append(env.Changed(look), p.stale...)
		slices.Sort(changed)
		again, fixed := p.divide(slices.Compact(changed))
		if len(fixed) > 0 {
			return fmt.Errorf("%s is compiled in: restart the kernel to use its current files", strings.Join(fixed, ", "))
		}
		if paths = again; len(paths) == 0 {
			p.print("no package in use has changed")
			return nil
		}
	}
	return plainly(p.reload(ctx, env, paths, reloadedMessage(paths)))
}

// Source runs compiled-in packages from source, so that cells can use their generic functions and types.
func (p *Provider) Source(ctx context.Context, paths []string) error {
	env, err := p.env()
	if err != nil {
		return plainly(err)
	}
	l := p.line()
	defer l.end()
	importable := func(path string) bool { return p.opt.Loader.Importable(path) && !slices.Contains(paths, path) }
	list, err := env.Sources(ctx, importable, paths, l.say)
	if err != nil {
		return plainly(err)
	}
	for i := range list {
		list[i].Prefer = slices.Contains(paths, list[i].Path)
	}
	if err := p.load(ctx, list, l); err != nil {
		return plainly(err)
	}
	p.use(paths...)
	for _, path := range paths {
		p.uncompiled[path] = true
	}
	l.end()
	p.print("%s runs from source in this session", names(list, paths))
	return nil
}

// An AdviceError is an error with advice, which a front end shows as a hint.
type AdviceError struct{ Text, Advice string }

func (e *AdviceError) Error() string { return e.Text }

// plainly returns err in the form that the user sees: it turns a *modules.Error into an AdviceError, and returns other
// errors unchanged.
func plainly(err error) error {
	if err == nil {
		return nil
	}
	var m *modules.Error
	if !errors.As(err, &m) {
		return err
	}
	text, advice := message(err)
	return &AdviceError{text, advice}
}
