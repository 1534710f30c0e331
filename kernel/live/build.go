package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/module"
	"overcomplete/kernel/internal/overlay"
	"overcomplete/kernel/internal/selfsource"
	"overcomplete/kernel/modules"
)

// program is the import path of the kernel for the browser.
var program = module.Package("cmd/overcomplete-live")

// A Kernel is a folder with the kernel for the browser, built with one set of packages and compressed.
type Kernel struct {
	dir string
	manifest
}

// A manifest describes a kernel. It is stored as a file in the kernel's folder. A folder without a manifest
// contains no kernel.
type manifest struct {
	Set    string `json:"set"`
	Source string `json:"source"` // key of the source from which the kernel was built
	Go     string `json:"go"`
	Size   int64  `json:"size"`   // in bytes, uncompressed
	SHA256 string `json:"sha256"` // of the uncompressed file
}

// The files of a kernel.
const (
	manifestFile = "kernel.json"
	brotliFile   = "kernel.wasm.br"
	gzipFile     = "kernel.wasm.gz"
	glueFile     = "wasm_exec.js" // from the Go version that built the kernel
)

// A Builder builds kernels for the browser, or finds kernels that are already built. The zero value is ready to
// use.
type Builder struct {
	// Cache is the folder of built kernels. If it is "", the folder is overcomplete/live in the user's cache.
	Cache string
	// Beside is the folder with the kernels of a release. If it is "", the folder is named live and is next to the
	// program.
	Beside string
	// Quality is the compression quality: SmallestFile (also for 0) or Fast.
	Quality int
	// Version is the version that the built kernel reports.
	Version string
	// Say, if not nil, receives messages about slow steps.
	Say func(string)
}

func (b *Builder) say(format string, args ...any) {
	if b.Say != nil {
		b.Say(fmt.Sprintf(format, args...))
	}
}

// Kernel returns the kernel with the packages of the set s, from the release or from the cache. If neither has it,
// Kernel builds it, which takes a few minutes.
func (b *Builder) Kernel(ctx context.Context, s Set) (*Kernel, error) {
	source, err := selfsource.Key()
	if err != nil {
		return nil, fmt.Errorf("building the kernel for the browser needs the program's source: %w; build the program with make", err)
	}
	if k := readKernel(filepath.Join(b.releaseFolder(), s.Name)); k != nil && k.Source == source && k.Set == s.Name {
		return k, nil
	}
	g, err := modules.FindGo(ctx)
	if err != nil {
		return nil, err
	}
	cache, err := b.cache()
	if err != nil {
		return nil, err
	}
	if b.Quality == 0 {
		b.Quality = SmallestFile
	}
	dir := filepath.Join(cache, kept+key(source, g.Version, g.Tags, s.Name, b.Version, fmt.Sprint(b.Quality)))
	if k := readKernel(dir); k != nil {
		now := time.Now()
		os.Chtimes(dir, now, now) // mark the kernel as used
		return k, nil
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	atomicfile.RemoveOld(cache, began, abandonedAge)
	tmp, err := os.MkdirTemp(cache, began)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	made := filepath.Join(tmp, "made")
	if err := os.Mkdir(made, 0o700); err != nil {
		return nil, err
	}
	m := manifest{Set: s.Name, Source: source, Go: g.Version}
	if err := b.build(ctx, g, s, tmp, made, &m); err != nil {
		return nil, fmt.Errorf("the kernel for the browser: %w", err)
	}
	// If this fails, another process may have stored the same kernel first.
	if err := os.Rename(made, dir); err != nil && readKernel(dir) == nil {
		return nil, err
	}
	prune(cache)
	k := readKernel(dir)
	if k == nil {
		return nil, fmt.Errorf("%s disappeared while it was being written", dir)
	}
	return k, nil
}

// tags returns the build tags of a kernel: the user's tags, the set's tags, and livesimd. With livesimd the library
// uses WebAssembly's vector instructions, through the functions that simd.js provides.
func tags(g *modules.GoCommand, s Set) string {
	all := append(strings.FieldsFunc(g.Tags, func(r rune) bool { return r == ',' }), "livesimd")
	return strings.Join(append(all, s.Tags...), ",")
}

// build builds the kernel with the set s. It writes the kernel to the folder given by made, and temporary files to the
// folder given by tmp. It adds the size and the checksum to the manifest m, and writes the manifest too.
func (b *Builder) build(ctx context.Context, g *modules.GoCommand, s Set, tmp, made string, m *manifest) error {
	b.say("compiling the kernel for the browser (packages: %s)", s.Name)
	source, err := extract(tmp)
	if err != nil {
		return err
	}
	c := compiler{go_: g, source: source, tags: tags(g, s)}
	if err := c.tailor(ctx, tmp, s); err != nil {
		return err
	}
	root, err := c.root(ctx)
	if err != nil {
		return err
	}
	if c.repair, err = overlay.Write(filepath.Join(tmp, "go"), root); err != nil {
		return err
	}
	wasm := filepath.Join(tmp, "kernel.wasm")
	flags := "-s -w"
	if b.Version != "" {
		flags += " -X main.version=" + b.Version
	}
	if _, err := c.run(ctx, "build", "-overlay="+c.repair.File, "-trimpath", "-buildvcs=false", "-tags="+c.tags, "-ldflags="+flags, "-o", wasm, program); err != nil {
		return err
	}
	if m.Size, m.SHA256, err = hash(wasm); err != nil {
		return err
	}
	glue, err := c.glue(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(made, glueFile), glue, 0o600); err != nil {
		return err
	}
	patience := ""
	if b.Quality == SmallestFile {
		patience = ", which takes a few minutes the first time"
	}
	b.say("compressing %d MB%s", m.Size/1e6, patience)
	if err := compressBrotli(ctx, filepath.Join(made, brotliFile), wasm, b.Quality); err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(made, manifestFile), text, 0o600)
}

// extract writes the program's source into a folder below tmp. It returns the folder's path without symbolic links,
// the form in which the go command gives paths.
func extract(tmp string) (string, error) {
	source := filepath.Join(tmp, "source")
	if err := os.Mkdir(source, 0o700); err != nil {
		return "", err
	}
	if err := selfsource.Extract(source); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(source)
}

// A compiler runs the go command in the program's source.
type compiler struct {
	go_    *modules.GoCommand
	source string
	tags   string
	repair *overlay.Overlay // overlay that replaces files of Go's own source, once written
}

func (c *compiler) run(ctx context.Context, args ...string) ([]byte, error) {
	path, env := c.go_.Path, c.go_.Env
	if c.repair != nil {
		path, env = c.repair.Go(), append(slices.Clone(env), c.repair.Env()...)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = c.source
	cmd.Env = append(append(os.Environ(), env...), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	var said bytes.Buffer
	cmd.Stderr = &said
	// On an interrupt, the go command removes its temporary files.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.Output()
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(said.String()))
	}
	return out, errors.Join(err, ctx.Err())
}

// tailor changes the program's source into the source of a kernel for the browser that has the packages of the set s.
func (c *compiler) tailor(ctx context.Context, tmp string, s Set) error {
	if _, err := leaveOut(c.source, s); err != nil {
		return err
	}
	if err := document(c.source, c.go_.Version, s); err != nil {
		return err
	}
	return c.thinFonts(ctx, filepath.Join(tmp, "modules"))
}

// glue returns Go's script that connects a WebAssembly file to its page.
func (c *compiler) glue(ctx context.Context) ([]byte, error) {
	root, err := c.root(ctx)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
}

// root returns the GOROOT of the Go version that compiles the kernel.
func (c *compiler) root(ctx context.Context) (string, error) {
	root, err := c.run(ctx, "env", "GOROOT")
	return strings.TrimSpace(string(root)), err
}

// key returns a hash of the texts.
func key(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%q\n", t)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// hash returns the size and checksum of a file.
func hash(name string) (int64, string, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// The prefixes of folders in the cache.
const (
	kept  = "kernel-"
	began = ".new-"
	// keptKernels is the number of kernels that stay in the cache.
	keptKernels = 6
	// abandonedAge is the age at which an unfinished build counts as abandoned.
	abandonedAge = 2 * time.Hour
)

func (b *Builder) cache() (string, error) {
	if b.Cache != "" {
		return filepath.Abs(b.Cache)
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "overcomplete", "live"), err
}

// prune removes all kernels from the cache except the most recently used ones. keptKernels is the number that it keeps.
func prune(cache string) {
	entries, _ := os.ReadDir(cache)
	var dirs []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), kept) {
			dirs = append(dirs, info)
		}
	}
	slices.SortFunc(dirs, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, d := range dirs[min(keptKernels, len(dirs)):] {
		os.RemoveAll(filepath.Join(cache, d.Name()))
	}
}
