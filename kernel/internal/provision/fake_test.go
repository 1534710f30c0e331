package provision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/needs"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/modules"
)

// A world is a stand-in for everything that a Provider uses: the go command, the cache of programs, the
// interpreter and the process. It records its calls, in brackets, among the text that the user sees.
type world struct {
	t        *testing.T
	out      bytes.Buffer
	provider *Provider
	options  func(*Options)

	held     string // description of what the session holds
	versions map[string]string
	cached   [][]string // packages of each program in the cache
	changed  []string
	outside  []string                  // imports by the user's packages from other modules
	withoutC []string                  // packages from which Compile omits C code
	others   map[string]modules.Module // modules of compiled packages
	clock    time.Time

	fails   map[string]error // by "sources PATH", "load PATH", "compile PATH", "get", "state", "check", ...
	mu      sync.Mutex       // guards blocks and blocked
	blocks  string           // the call that blocks until the cell is interrupted
	blocked chan struct{}    // if not nil, closed when that call blocks
	hidden  bool             // calls are not recorded
	allow   chan struct{}    // if not nil, a background compile waits for a receive from it

	bound  []string // packages compiled into the running program
	loaded []engine.Source
	pins   map[string]string // pins in the Env
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, clock: time.Unix(0, 0), fails: map[string]error{}, pins: map[string]string{}, versions: map[string]string{
		"github.com/google/uuid": "v1.6.0", "github.com/fatih/color": "v1.19.0", "github.com/samber/lo": "v1.53.0", "example.org/mine": "",
	}}
	w.begin(nil)
	return w
}

// begin starts a program that has the packages of prog.
func (w *world) begin(prog *modules.Program) {
	opt := Options{
		Open: func(state []byte) (Env, error) {
			if err := w.fails["open"]; err != nil {
				return nil, err
			}
			if state != nil {
				w.note("resume %s", state)
			}
			return w, nil
		},
		Loader: (*loader)(w), Held: func() string { return w.held }, Replaceable: true, Interactive: true,
		Stdout: &w.out, Stderr: &w.out,
		Check: func(p *modules.Program) error { return w.fails["check "+p.Path] },
	}
	w.loaded, w.bound = nil, []string{"fmt", "math"}
	if prog != nil {
		opt.Packages = prog.Packages
		for _, path := range prog.Packages {
			m := w.module(path)
			opt.Modules = append(opt.Modules, modules.Module{Path: m, Version: w.version(m), Local: w.version(m) == ""})
		}
		w.bound = append(w.bound, prog.Packages...)
	}
	if w.options != nil {
		w.options(&opt)
	}
	w.provider = New(opt)
	w.provider.now = func() time.Time { return w.clock }
	w.provider.every, w.provider.quiet = time.Hour, time.Hour
}

func (w *world) note(format string, args ...any) {
	if !w.hidden {
		fmt.Fprintf(&w.out, "["+format+"]\n", args...)
	}
}

// run does what the kernel does with a cell, up to the point at which the cell's Go code would run.
func (w *world) run(ctx context.Context, src string) {
	if !w.hidden {
		fmt.Fprintf(&w.out, "--- %s\n", strings.ReplaceAll(src, "\n", "\n    "))
	}
	var stay error
	for {
		text := magic.Read(src)
		r := Request{Cell: engine.Cell{Name: "In[1]", Source: src}, Needs: needs.Of(text, nil), Stay: stay, Whole: func() bool { return needs.Whole(text, nil) }}
		err := w.provider.Prepare(ctx, r)
		var replaced *Replacement
		if errors.As(err, &replaced) {
			if w.fails["exec"] != nil {
				w.note("no replacement by %s", replaced.Program.Path)
				stay = w.fails["exec"]
				continue
			}
			w.note("replaced by %s", replaced.Program.Path)
			w.begin(replaced.Program)
			if err := w.provider.Resume(ctx, replaced.State); err != nil {
				w.note("resume: %v", err)
			}
			continue
		}
		if err == nil {
			for _, c := range r.Needs.LaterGets {
				if err = w.provider.Get(ctx, c); err != nil {
					break
				}
			}
			for _, c := range r.Needs.Gets {
				if err := w.provider.Get(ctx, c); err != nil {
					w.t.Fatal(err)
				}
			}
		}
		w.fail(err)
		return
	}
}

func (w *world) fail(err error) {
	var e *engine.Error
	var a *AdviceError
	switch {
	case err == nil:
	case errors.As(err, &e):
		w.out.WriteString(strings.Join(e.Traceback(), "\n") + "\n")
	case errors.As(err, &a):
		fmt.Fprintf(&w.out, "%s\n  hint: %s\n", a.Text, a.Advice)
	default:
		fmt.Fprintln(&w.out, err)
	}
}

// step is called by each method of the fakes. It fails or blocks if the test has requested this.
func (w *world) step(ctx context.Context, what string, paths []string) error {
	for _, key := range append([]string{what}, paths...) {
		if key != what {
			key = what + " " + key
		}
		w.mu.Lock()
		wait := w.blocks == key
		if wait && w.blocked != nil {
			close(w.blocked)
			w.blocked = nil
		}
		w.mu.Unlock()
		if wait {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(patience.Long):
				w.t.Error("nobody has stopped " + key)
			}
		}
		if err := w.fails[key]; err != nil {
			return err
		}
	}
	return nil
}

// module returns the module of a package.
func (w *world) module(path string) string {
	for m := range w.versions {
		if path == m || strings.HasPrefix(path, m+"/") {
			return m
		}
	}
	return path
}

func (w *world) version(module string) string {
	if v, ok := w.pins[module]; ok {
		return v
	}
	return w.versions[module]
}

func (w *world) Versions() (file, mod string, rules bool) { return "", "", true }

func (w *world) Ruling() string {
	if w.fails["ruling"] != nil {
		return w.fails["ruling"].Error()
	}
	return ""
}

func (w *world) Get(ctx context.Context, args []string, say func(string)) (pins []modules.Module, err error) {
	w.note("get %s", strings.Join(args, " "))
	if err := w.step(ctx, "get", nil); err != nil {
		return nil, err
	}
	for _, a := range args {
		if path, version, _ := strings.Cut(a, "@"); path != "-u" {
			if version == "" || version == "latest" {
				version = w.versions[path]
			}
			w.pins[path] = version
			pins = append(pins, modules.Module{Path: path, Version: version})
		}
	}
	return pins, nil
}

func (w *world) Tidy(ctx context.Context, used []string) (removed []modules.Module, err error) {
	for m, v := range w.pins {
		if !slices.ContainsFunc(used, func(path string) bool { return w.module(path) == m }) {
			delete(w.pins, m)
			removed = append(removed, modules.Module{Path: m, Version: v})
		}
	}
	return removed, w.fails["tidy"]
}

func (w *world) SetOff(off bool) { w.note("off %v", off) }
func (w *world) SetCgo(on bool)  { w.note("cgo %v", on) }

func (w *world) Local(path string) bool { return w.version(w.module(path)) == "" }

func (w *world) Other(path string) (modules.Module, string) {
	return w.others[path], "v0.17.0"
}

func (w *world) Foreign(path string) bool {
	return strings.Contains(path, ".") && w.fails["not foreign"] == nil
}

func (w *world) Modules(ctx context.Context, packages []string) (list []modules.Module, err error) {
	if err := w.step(ctx, "modules", nil); err != nil {
		return nil, err
	}
	for _, path := range packages {
		m := modules.Module{Path: w.module(path), Version: w.version(w.module(path))}
		if m.Version == "" {
			m.Local, m.Dir = true, "/home/me/mine"
		}
		if m.Path == "github.com/fatih/color" {
			m.Asked = "v1.0.0"
		}
		list = append(list, m)
	}
	return append(list, modules.Module{Path: "golang.org/x/sys", Version: "v0.1.0"}), nil
}

func (w *world) Sources(ctx context.Context, bound func(string) bool, paths []string, say func(string)) (list []engine.Source, err error) {
	say("resolving " + strings.Join(paths, ", "))
	w.note("sources %s", strings.Join(paths, " "))
	if err := w.step(ctx, "sources", paths); err != nil {
		return nil, err
	}
	for _, path := range paths {
		dir := "plain"
		if path == "github.com/samber/lo" {
			dir = "generic"
		}
		if w.fails["broken "+path] != nil {
			dir = "broken"
		}
		full := filepath.Join("testdata", dir)
		if dir == "broken" {
			full = w.t.TempDir()
			if err := os.WriteFile(filepath.Join(full, "broken.go"), []byte("package broken\n\nfunc New( { }\n"), 0o600); err != nil {
				return nil, err
			}
		}
		files := []string{dir + ".go"}
		m := w.module(path)
		list = append(list, engine.Source{Path: path, Name: filepath.Base(path), Dir: full, Files: files, Module: m, Version: w.version(m), WithoutC: slices.Contains(w.withoutC, path)})
	}
	return list, nil
}

func (w *world) Outside(ctx context.Context, paths []string, say func(string)) (list []engine.Source, err error) {
	for _, path := range w.outside {
		m, kind := w.module(path), "plain"
		if m == "github.com/samber/lo" {
			kind = "generic"
		}
		list = append(list, engine.Source{Path: path, Name: filepath.Base(path), Dir: filepath.Join("testdata", kind), Files: []string{kind + ".go"}, Module: m, Version: w.version(m)})
	}
	return list, w.fails["outside"]
}

func (w *world) Changed(paths []string) (changed []string) {
	for _, path := range paths {
		if slices.Contains(w.changed, path) {
			changed = append(changed, path)
		}
	}
	return changed
}

func (w *world) Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	return exec.CommandContext(ctx, "go", args...), nil
}

func (w *world) Known(packages []string) *modules.Program {
	if len(w.changed) > 0 { // programs are identified by their content
		return nil
	}
	for _, list := range w.cached {
		if !slices.ContainsFunc(packages, func(p string) bool { return !slices.Contains(list, p) }) {
			return w.program(list, true)
		}
	}
	return nil
}

func (w *world) program(list []string, known bool) *modules.Program {
	return &modules.Program{Path: "program(" + strings.Join(list, " ") + ")", Packages: list, Known: known}
}

func (w *world) Compile(ctx context.Context, packages []string, say func(string)) (*modules.Program, error) {
	if say != nil {
		var names []string
		for _, path := range packages {
			if !slices.Contains(w.bound, path) {
				names = append(names, strings.TrimSpace(w.module(path)+" "+w.version(w.module(path))))
			}
		}
		say("compiling " + strings.Join(names, ", "))
	}
	if w.allow != nil && modules.Gentle(ctx) {
		select {
		case <-w.allow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	w.note("compile %s", strings.Join(packages, " "))
	w.clock = w.clock.Add(9 * time.Second)
	if err := w.step(ctx, "compile", packages); err != nil {
		return nil, err
	}
	w.changed = nil
	w.cached = append(w.cached, packages)
	p := w.program(packages, false)
	p.WithoutC = w.withoutC
	return p, nil
}

func (w *world) State() ([]byte, error) { return []byte("pins"), w.fails["state"] }
func (w *world) Close() error           { return nil }

func (w *world) Lock(ctx context.Context) (*modules.Lock, error) {
	lines := []string{"module notebook"}
	for _, path := range slices.Sorted(maps.Keys(w.pins)) {
		lines = append(lines, "require "+path+" "+w.pins[path])
	}
	return &modules.Lock{Mod: strings.Join(lines, "\n") + "\n"}, w.fails["lock"]
}

// A loader is a world that serves as an engine.Loader.
type loader world

func (l *loader) Load(ctx context.Context, list []engine.Source) error {
	w := (*world)(l)
	var paths []string
	for _, s := range list {
		paths = append(paths, s.Path)
	}
	w.note("load %s", strings.Join(paths, " "))
	if err := w.step(ctx, "load", paths); err != nil {
		return err
	}
	for i, s := range list {
		w.changed = slices.DeleteFunc(w.changed, func(path string) bool { return path == s.Path })
		if !l.Importable(s.Path) {
			w.loaded = append(w.loaded, list[i])
		}
	}
	return nil
}

func (l *loader) Loaded() []engine.Source { return slices.Clone(l.loaded) }

func (l *loader) Unload(paths []string) {
	(*world)(l).note("unload %s", strings.Join(paths, " "))
	l.loaded = slices.DeleteFunc(l.loaded, func(s engine.Source) bool { return slices.Contains(paths, s.Path) })
}

func (l *loader) Importable(path string) bool {
	return slices.Contains(l.bound, path) || slices.ContainsFunc(l.loaded, func(s engine.Source) bool { return s.Path == path })
}

func (l *loader) Declarations() []engine.Cell { return nil }
