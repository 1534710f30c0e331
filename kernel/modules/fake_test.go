package modules

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"

	"overcomplete/internal/module"
	"overcomplete/internal/nested"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/bind"
	_ "overcomplete/kernel/internal/bindings"
)

// A world is a fake machine with a go command, its own module proxy and a small kernel.
type world struct {
	t     testing.TB
	proxy string // the proxy's folder
	cache string
	dir   string // the notebook's folder
}

// newWorld changes the environment for the rest of the test.
func newWorld(t testing.TB) *world {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	w := &world{t: t, proxy: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache"), dir: t.TempDir()}
	for _, a := range proxyModules(t).Archives() {
		w.publish(a.Name, a.Archive)
	}
	for name, value := range map[string]string{
		"GOPROXY": (&url.URL{Scheme: "file", Path: filepath.ToSlash(w.proxy)}).String(), "GONOSUMDB": "*", "GOSUMDB": "off", "GOPRIVATE": "", "GONOPROXY": "",
		"GOMODCACHE": t.TempDir(), "GOFLAGS": "-modcacherw", "GOWORK": "", "GOENV": "off", "GOTOOLCHAIN": "local",
		"GIT_CONFIG_GLOBAL": os.DevNull, "OVERCOMPLETE_MODULES": "",
	} {
		t.Setenv(name, value)
	}
	text := testfile.Read(t, "testdata/kernel.txtar")
	was := kernelSource
	kernelSource = fakeSource(bytes.ReplaceAll(text, []byte("MODULE"), []byte(module.Path)))
	t.Cleanup(func() { kernelSource = was })
	return w
}

// proxyModules returns the modules of the proxy. Their names end in the version.
func proxyModules(t testing.TB) *nested.File {
	t.Helper()
	f, err := nested.Read("testdata/proxy.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// publish adds a module to the proxy. The name ends in the version.
func (w *world) publish(name string, a *txtar.Archive) {
	w.t.Helper()
	_, version, ok := strings.Cut(name, "_v")
	if !ok || a.Files[0].Name != "go.mod" {
		w.t.Fatalf("%s: no version, or its first file is not go.mod", name)
	}
	w.publishAs(modfile.ModulePath(a.Files[0].Data), "v"+version[strings.LastIndex(version, "v")+1:], a)
}

func (w *world) publishAs(path, version string, a *txtar.Archive) {
	w.t.Helper()
	dir := filepath.Join(w.proxy, filepath.FromSlash(path), "@v")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range a.Files {
		m, err := z.Create(path + "@" + version + "/" + f.Name)
		if err != nil {
			w.t.Fatal(err)
		}
		m.Write(f.Data)
	}
	if err := z.Close(); err != nil {
		w.t.Fatal(err)
	}
	list, _ := os.ReadFile(filepath.Join(dir, "list"))
	for name, data := range map[string][]byte{
		version + ".zip":  b.Bytes(),
		version + ".mod":  a.Files[0].Data,
		version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2024-01-02T03:04:05Z"}`, version),
		"list":            append(list, version+"\n"...),
	} {
		testfile.Write(w.t, filepath.Join(dir, name), data)
	}
}

// files writes files, given as a txtar archive, into the notebook's folder.
func (w *world) files(text string) {
	w.t.Helper()
	for _, f := range txtar.Parse([]byte(text)).Files {
		testfile.Write(w.t, filepath.Join(w.dir, filepath.FromSlash(f.Name)), f.Data)
	}
}

// open opens an Env for the notebook.
func (w *world) open(change ...func(*Options)) *Env {
	w.t.Helper()
	opt := Options{Folder: w.dir, Cache: w.cache}
	for _, f := range change {
		f(&opt)
	}
	e, err := Open(opt)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := e.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return e
}

// fakeSource is the source of a kernel, as a txtar archive.
type fakeSource []byte

func (s fakeSource) Key() (string, error) {
	sum := sha256.Sum256(s)
	return hex.EncodeToString(sum[:8]), nil
}

func (s fakeSource) GoMod() ([]byte, error) { return txtar.Parse(s).Files[0].Data, nil }

func (s fakeSource) Extract(dir string) error {
	for _, f := range txtar.Parse(s).Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// isBound replaces the function that a session passes to Sources.
func isBound(path string) bool { return bind.Name(path) != "" || path == "example.com/shared" }

// sources lists the packages that would run from source so that cells can import the packages at paths.
func sources(t *testing.T, e *Env, paths ...string) ([]string, error) {
	t.Helper()
	list, err := e.Sources(context.Background(), isBound, paths, nil)
	var out []string
	for _, s := range list {
		out = append(out, s.Path+" "+s.Version)
	}
	return out, err
}

// compiled compiles packages and returns the program and its output.
func compiled(t *testing.T, e *Env, paths ...string) (*Program, string) {
	t.Helper()
	patience.SkipShort(t, "it builds programs")
	p, err := e.Compile(context.Background(), paths, nil)
	if err != nil {
		t.Fatalf("%v\n%v", err, said(err))
	}
	return p, start(t, p)
}

// start runs a program and returns its output.
func start(t *testing.T, p *Program) string {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(p.Path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func said(err error) string {
	if e, ok := err.(*Error); ok {
		return e.Said
	}
	return ""
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// sum writes a go.sum for the module in dir, as the user would have done with the go command.
func (w *world) sum(dir string) {
	w.t.Helper()
	cmd := exec.Command("go", "mod", "download", "all")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}
