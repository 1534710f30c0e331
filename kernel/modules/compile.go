package modules

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"overcomplete/internal/filelock"
	"overcomplete/internal/module"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/internal/selfsource"
)

// Compile returns a program with the given packages compiled in, from the cache or newly built.
func (e *Env) Compile(ctx context.Context, packages []string, say func(string)) (*Program, error) {
	if packages = e.wanted(packages); len(packages) == 0 {
		return nil, errors.New("nothing to compile: all packages asked for are in this kernel")
	}
	if err := e.isOff(packages[0]); err != nil {
		return nil, err
	}
	if p := e.Known(packages); p != nil {
		return p, nil
	}
	b, err := e.plan(ctx, packages, say)
	if err != nil {
		return nil, err
	}
	if err := private(b.cache); err != nil {
		return nil, err
	}
	// Only one build may run at a time on this machine: two builds would use too much memory, and might build
	// the same program.
	unlock, err := filelock.Lock(ctx, filepath.Join(b.cache, "build.lock"), func() {
		tell(say, "waiting for another kernel to finish compiling")
	})
	if err != nil {
		return nil, err
	}
	defer unlock()
	e.mu.Lock()
	p := e.find(b.cache, b.spec)
	if p == nil {
		if p = b.serve(); p != nil {
			e.recordLocals(p.manifest.Local)
		}
	}
	e.mu.Unlock()
	if p != nil {
		return p, nil
	}
	if p, err = b.build(ctx); err != nil {
		return nil, e.adviseLocal(diskFull(err))
	}
	prune(b.cache, filepath.Dir(p.Path))
	return p, nil
}

// wanted returns the given packages, sorted and without duplicates. It leaves out a package that every kernel has,
// unless the ruling file (the user's go.mod or go.work) or a pin asks for another version of it.
func (e *Env) wanted(packages []string) []string {
	before, _ := CompiledIn()
	list := slices.DeleteFunc(slices.Clone(packages), func(path string) bool {
		if isOwn(path) || module.Has(path) {
			return true
		}
		asked, _ := e.Other(path)
		return bind.Name(path) != "" && !slices.Contains(before, path) && asked.Path == ""
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// A buildPlan is the state of building a program.
type buildPlan struct {
	cache    string
	spec     *programSpec
	q        *requirement
	go_      *toolchainChoice
	cgo      bool
	vendored []vendoredModule
	needed   []Module          // modules that the packages need, in the versions of the Env
	own      map[string]string // versions of modules built into the kernel
	fresh    *requirement      // the kernel's own requirements
	source   string            // folder of the kernel's source
	dir      string            // folder for the results
	over     map[string]string // overlay files, by the path of the file that they replace
	env      []string
	say      func(string)
	counter  *packageCounter
}

// plan determines the versions of all modules that the packages need. It copies everything that the build needs from
// the Env, so that the Env can be used during the build.
func (e *Env) plan(ctx context.Context, packages []string, say func(string)) (*buildPlan, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.internal(packages); err != nil {
		return nil, err
	}
	if _, err := kernelSource.Key(); err != nil {
		return nil, noSource(err)
	}
	v, all, err := e.resolve(ctx, packages, "", say)
	if err != nil {
		return nil, err
	}
	w, q, err := e.programSpec(packages)
	if err != nil {
		return nil, err
	}
	cache, _, err := e.folders()
	if err != nil {
		return nil, err
	}
	q.asked = maps.Clone(e.pins)
	vendor, err := e.vendoredModules(v.go_)
	if err != nil {
		return nil, err
	}
	own, err := kernelRequires()
	if err != nil {
		return nil, err
	}
	return &buildPlan{
		cache: cache, spec: w, q: q, needed: q.modules(all, packages), own: own, vendored: vendor, over: map[string]string{}, go_: v.go_, cgo: e.cgo, say: say,
		env: []string{"GOTOOLCHAIN=" + v.go_.toolchain, "GO111MODULE=on", "GOWORK=off", "GOPACKAGESDRIVER=off", "CGO_ENABLED=" + zeroOrOne(e.cgo)},
	}, nil
}

// sumFiles lists the user's go.sum files that the build must respect.
func (e *Env) sumFiles() (list []string) {
	switch e.ruling.kind {
	case goMod:
		list = append(list, filepath.Join(e.ruling.dir, "go.sum"))
	case goWork:
		list = append(list, e.ruling.file+".sum")
		if q, err := e.ruling.requirement(""); err == nil {
			for _, dir := range q.local {
				list = append(list, filepath.Join(dir, "go.sum"))
			}
		}
	}
	return list
}

// allSums returns the go.sum lines that the build must respect. The caller holds e.mu.
func (e *Env) allSums() string {
	sum := e.sum
	for _, name := range e.sumFiles() {
		if text, err := os.ReadFile(name); err == nil {
			sum = joinSums(sum, string(text))
		}
	}
	return sum
}

// private creates the cache folder, to which only the user has access.
func private(cache string) error {
	if err := os.MkdirAll(programs(cache), 0o700); err != nil {
		return cacheFault(cache, err)
	}
	// Never run programs from a folder to which others can write.
	for _, dir := range []string{cache, programs(cache)} {
		if err := trusted(dir); err != nil {
			return cacheFault(cache, err)
		}
	}
	return nil
}

// cacheFault returns the error for a cache folder or settings folder that cannot be used.
func cacheFault(dir string, err error) error {
	if e := diskFull(err); e != err {
		return e
	}
	return &Error{Kind: Failed, What: dir, Text: "cannot save modules' files: " + err.Error(), Advice: "make " + dir + " a folder that only you can write to"}
}

// build builds the program. The caller holds the build lock.
func (b *buildPlan) build(ctx context.Context) (*Program, error) {
	clean(b.cache)
	if err := b.extract(); err != nil {
		return nil, err
	}
	var err error
	if b.dir, err = os.MkdirTemp(programs(b.cache), ".new-"); err != nil {
		return nil, cacheFault(b.cache, err)
	}
	defer os.RemoveAll(b.dir)
	all, err := b.merge(ctx)
	if err != nil {
		return nil, err
	}
	m := &manifest{Base: b.spec.base, Requires: b.spec.requires, Packages: b.spec.packages, Go: b.go_.version, Built: time.Now().UTC()}
	m.Modules = b.withRaised(b.q.modules(b.reached(all), b.spec.packages), all)
	for _, p := range all {
		m.Linked = append(m.Linked, p.ImportPath)
	}
	slices.Sort(m.Linked)
	if m.Local, err = locals(all); err != nil {
		return nil, err
	}
	if m.Sums, err = b.sums(m.Modules); err != nil {
		return nil, err
	}
	companions := b.companions(all)
	if err := b.guardModules(all, companions); err != nil {
		return nil, err
	}
	// Compile the packages of other modules first, so that their errors are distinguished from the kernel's.
	if err := b.compile(ctx, m, m.Packages...); err != nil {
		return nil, err
	}
	if err := b.overlay(ctx, all, companions, m); err != nil {
		return nil, err
	}
	if err := b.link(ctx, m); err != nil {
		return nil, err
	}
	for _, l := range m.Local {
		if !l.current() {
			return nil, fmt.Errorf("%s was changed during compilation: run the cell again", l.Path)
		}
	}
	p, err := b.keep(m)
	if err == nil && !b.cgo {
		p.WithoutC = withoutC(all, b.spec.packages, "")
	}
	return p, err
}

// sums returns the checksums of modules. The go command verified them when it downloaded the modules.
func (b *buildPlan) sums(mods []Module) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(b.dir, "go.sum"))
	if err != nil {
		return nil, err
	}
	all, out := parseSums(string(text)), map[string]string{}
	for _, m := range mods {
		if key := m.Path + " " + m.Version; all[key] != "" {
			out[key] = all[key]
		}
	}
	return out, nil
}

// extract creates the folder with the kernel's source if it does not exist.
func (b *buildPlan) extract() error {
	key, err := kernelSource.Key()
	if err != nil {
		return noSource(err)
	}
	sources := filepath.Join(b.cache, "source")
	b.source = filepath.Join(sources, key)
	if _, err := os.Stat(filepath.Join(b.source, "go.mod")); err == nil {
		now := time.Now()
		os.Chtimes(b.source, now, now)
		return nil
	}
	if err := os.MkdirAll(sources, 0o700); err != nil {
		return cacheFault(b.cache, err)
	}
	tmp, err := os.MkdirTemp(sources, ".new-")
	if err != nil {
		return cacheFault(b.cache, err)
	}
	defer os.RemoveAll(tmp)
	if err := kernelSource.Extract(tmp); err != nil {
		if errors.Is(err, selfsource.ErrNone) {
			return noSource(err)
		}
		return err
	}
	return os.Rename(tmp, b.source)
}

// flags returns the common flags of go list and go build, followed by the given flags.
func (b *buildPlan) flags(more ...string) []string {
	return append([]string{"-mod=mod", "-modfile=" + filepath.Join(b.dir, "go.mod"), "-overlay=" + b.overlayFile(), "-trimpath", "-tags=" + b.go_.tags("packed")}, more...)
}

// run runs the go command in the kernel's source, and returns the command's output. While the command runs, its
// messages are written to said, unless said is nil. If the command fails and its messages blame no package, the error
// is about the package given by what.
func (b *buildPlan) run(ctx context.Context, what string, said io.Writer, args ...string) ([]byte, error) {
	var all bytes.Buffer
	to := io.Writer(&all)
	if said != nil {
		to = io.MultiWriter(&all, said)
	}
	out, err := executeTo(ctx, b.go_.command, b.source, b.env, to, args...)
	if err == nil || ctx.Err() != nil {
		return out, err
	}
	text := cmp.Or(withoutProgress(all.String()), err.Error())
	if fault := linkFault(b.spec.packages, text); fault != nil {
		return out, fault
	}
	return out, classify(blamedPackage(what, text), text)
}

// compile runs go build with args, which are flags and packages, and reports progress.
func (b *buildPlan) compile(ctx context.Context, m *manifest, args ...string) error {
	what := m.Packages[0]
	if len(m.Modules) > 0 {
		what = m.Modules[0].String()
	}
	if b.counter == nil {
		tell(b.say, "compiling "+what)
		b.counter = &packageCounter{say: func(n int) { tell(b.say, compiling(what, n)) }}
	}
	all := append([]string{"build", "-v", "-buildvcs=false"}, b.flags()...)
	_, err := b.run(ctx, m.Packages[0], b.counter, append(all, args...)...)
	return err
}

// compiling returns the progress message for a compilation. target says what is being compiled, and n is the number of
// packages compiled so far. The message includes n if n > 1.
func compiling(target string, n int) string {
	if n < 2 {
		return "compiling " + target
	}
	return fmt.Sprintf("compiling %s (%d packages)", target, n)
}

// link builds the program's executable file.
func (b *buildPlan) link(ctx context.Context, m *manifest) error {
	out := filepath.Join(b.dir, executable())
	if err := b.compile(ctx, m, "-ldflags=-s -w", "-o", out, "./cmd/overcomplete"); err != nil {
		return err
	}
	if err := os.Chmod(out, 0o700); err != nil {
		return err
	}
	var err error
	m.Size, m.SHA256, err = hash(out)
	return err
}

// hash returns the size and SHA-256 checksum of a file.
func hash(name string) (int64, string, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// keep moves the program and its manifest into the cache in one step, so that no manifest is ever without its
// program.
func (b *buildPlan) keep(m *manifest) (*Program, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(b.dir, manifestFile), text, 0o600); err != nil {
		return nil, err
	}
	for _, name := range []string{executable(), manifestFile} {
		if err := flush(filepath.Join(b.dir, name)); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return nil, err
	}
	for _, d := range entries {
		if d.Name() != executable() && d.Name() != manifestFile {
			if err := os.RemoveAll(filepath.Join(b.dir, d.Name())); err != nil {
				return nil, err
			}
		}
	}
	writeStamp(b.dir, filepath.Join(b.dir, executable()))
	place := filepath.Join(programs(b.cache), b.spec.name(m.Local))
	if err := os.RemoveAll(place); err != nil { // remove a damaged program
		return nil, err
	}
	if err := os.Rename(b.dir, place); err != nil {
		return nil, err
	}
	p := readProgram(place)
	if p == nil {
		return nil, fmt.Errorf("%s vanished", place)
	}
	p.Known = false
	return p, nil
}

// flush syncs a file to disk.
func flush(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// A packageCounter counts the packages that go build -v prints, one per line.
type packageCounter struct {
	n    int
	last time.Time
	say  func(int)
}

func (c *packageCounter) Write(p []byte) (int, error) {
	c.n += bytes.Count(p, []byte("\n"))
	if now := time.Now(); now.Sub(c.last) > time.Second {
		c.last = now
		c.say(c.n)
	}
	return len(p), nil
}
