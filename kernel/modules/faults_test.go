package modules

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcomplete/internal/filelock"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/toolchain"
)

// wrapGo replaces the go command by a shell script that handles some subcommands itself. In the script, REAL is
// the path of the real go command.
func wrapGo(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script = "#!/bin/sh\n" + strings.ReplaceAll(script, "REAL", real) + "\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// made lists the names in the folder of programs.
func (w *world) made() (names []string) {
	entries, _ := os.ReadDir(programs(w.cache))
	for _, d := range entries {
		names = append(names, d.Name())
	}
	return names
}

// inProcess is an environment variable that makes the test binary act as a kernel that compiles, so that a test
// can kill it.
const inProcess = "OVERCOMPLETE_TEST_COMPILE"

// TestMain compiles in a separate process if inProcess is set.
func TestMain(m *testing.M) {
	dir := os.Getenv(inProcess)
	if dir == "" {
		os.Exit(m.Run())
	}
	text, err := os.ReadFile(filepath.Join(dir, "kernel.txtar"))
	if err == nil {
		kernelSource = fakeSource(text)
		var e *Env
		if e, err = Open(Options{Folder: dir, Cache: os.Getenv(inProcess + "_CACHE")}); err == nil {
			_, err = e.Compile(context.Background(), []string{"example.com/hello"}, func(s string) { fmt.Println(s) })
			e.Close()
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// process returns a command that runs another kernel, which compiles example.com/hello in the same cache.
func (w *world) process(prefix ...string) *exec.Cmd {
	w.t.Helper()
	testfile.Write(w.t, filepath.Join(w.dir, "kernel.txtar"), kernelSource.(fakeSource))
	args := append(prefix, os.Args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), inProcess+"="+w.dir, inProcess+"_CACHE="+w.cache)
	return cmd
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	if !patience.Wait(so) {
		t.Fatalf("never: %s", what)
	}
}

// TestKilled: a kernel that is killed while it compiles releases the lock, and leaves nothing that could be
// mistaken for a program.
func TestKilled(t *testing.T) {
	w := newWorld(t)
	begun := filepath.Join(t.TempDir(), "begun")
	wrapGo(t, `if [ "$1" = build ] && [ ! -e `+begun+` ]; then echo $$ > `+begun+`; exec sleep 60; fi`)
	cmd := w.process()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the build begins", func() bool { text, _ := os.ReadFile(begun); return bytes.HasSuffix(text, []byte("\n")) })
	cmd.Process.Kill()
	cmd.Wait()
	text, _ := os.ReadFile(begun)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill() // the go command is now an orphan
		}
	}
	if made := w.made(); len(made) != 1 || made[0][0] != '.' {
		t.Fatalf("left behind: %q", made)
	}
	if p := w.open().Known([]string{"example.com/hello"}); p != nil {
		t.Errorf("%+v", p)
	}
	_, out := compiled(t, w.open(), "example.com/hello")
	if !strings.Contains(out, "example.com/hello 2") {
		t.Error(out)
	}
	if made := w.made(); len(made) != 1 || made[0][0] == '.' {
		t.Errorf("left behind: %q", made)
	}
}

// TestTwo: if two kernels want the same program, one builds the program, and the other reports that it is
// waiting.
func TestTwo(t *testing.T) {
	w := newWorld(t)
	log := filepath.Join(t.TempDir(), "log")
	wrapGo(t, `for last; do :; done; if [ "$1 $last" = "build ./cmd/overcomplete" ]; then echo build >> `+log+`; sleep 0.3; fi`)
	cmd := w.process()
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var told []string
	p, err := w.open().Compile(context.Background(), []string{"example.com/hello"}, func(s string) { told = append(told, s) })
	if err != nil {
		t.Fatal(err, said(err))
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err, out.String())
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(log); string(text) != "build\n" {
		t.Errorf("built: %q", text)
	}
	if all := out.String() + strings.Join(told, "\n"); strings.Count(all, "waiting for another kernel") != 1 {
		t.Errorf("told:\n%s", all)
	}
}

// TestSameEnv: several goroutines of one kernel request programs at the same time.
func TestSameEnv(t *testing.T) {
	w := newWorld(t)
	e := w.open()
	var wg sync.WaitGroup
	for _, path := range []string{"example.com/hello", "example.com/hello", "example.com/embeds"} {
		wg.Go(func() {
			if _, err := e.Compile(context.Background(), []string{path}, func(string) {}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := e.Sources(context.Background(), isBound, []string{path}, nil); err != nil {
				t.Error(err)
			}
			e.Known([]string{path})
			e.Changed([]string{path})
		})
	}
	wg.Wait()
	if made := w.made(); len(made) != 2 {
		t.Errorf("%q", made)
	}
}

// TestDiskFull: if the disk fills up during compilation, nothing is left behind. A limit on file sizes
// simulates a full disk.
func TestDiskFull(t *testing.T) {
	w := newWorld(t)
	if runtime.GOOS == "windows" {
		t.Skip("no such limit")
	}
	cmd := w.process("/bin/sh", "-c", `ulimit -f 2000 && exec "$0"`)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("no error: %s", out)
	}
	t.Logf("%s", out)
	if made := w.made(); len(made) != 0 {
		t.Errorf("left behind: %q", made)
	}
	compiled(t, w.open(), "example.com/hello")
}

// TestDiskFullSaid: the go command's messages about a full disk are recognized.
func TestDiskFullSaid(t *testing.T) {
	w := newWorld(t)
	wrapGo(t, `if [ "$1" = build ]; then echo "write /tmp/x: no space left on device" >&2; exit 1; fi`)
	_, err := w.open().Compile(context.Background(), []string{"example.com/hello"}, nil)
	if e, ok := err.(*Error); !ok || !strings.HasPrefix(e.Text, "the disk is full") {
		t.Error(err)
	}
	if made := w.made(); len(made) != 0 {
		t.Errorf("left behind: %q", made)
	}
}

// TestDamaged: a program that differs from what was compiled is never used, and is built again.
func TestDamaged(t *testing.T) {
	patience.SkipShort(t, "it builds programs")
	w := newWorld(t)
	paths := []string{"example.com/hello"}
	first, _ := compiled(t, w.open(), paths...)
	dir := filepath.Dir(first.Path)
	manifest := filepath.Join(dir, manifestFile)
	for what, damage := range map[string]func() error{
		"truncated program":  func() error { return os.Truncate(first.Path, 1000) },
		"empty program":      func() error { return os.Truncate(first.Path, 0) },
		"no program":         func() error { return os.Remove(first.Path) },
		"no manifest":        func() error { return os.Remove(manifest) },
		"truncated manifest": func() error { return os.Truncate(manifest, 20) },
	} {
		if err := damage(); err != nil {
			t.Fatal(what, err)
		}
		if p := w.open().Known(paths); p != nil {
			t.Errorf("%s: %+v", what, p)
		}
		if p, _ := compiled(t, w.open(), paths...); p.Known || p.Path != first.Path {
			t.Errorf("%s: %+v", what, p)
		}
	}
	// Size and modification time are the same, but the change time differs, so the checksum is computed again.
	info, err := os.Stat(first.Path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(first.Path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("x"), 5000); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := os.Chtimes(first.Path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	p := w.open().Known(paths)
	if p == nil {
		t.Fatal("not known")
	}
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "is not the program that was compiled") {
		t.Errorf("checked: %v", err)
	}
	if p := w.open().Known(paths); p != nil {
		t.Errorf("still known: %+v", p)
	}
	compiled(t, w.open(), paths...)
}

// TestTrust: a program that another user could have written is not started.
func TestTrust(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are inherited there")
	}
	w := newWorld(t)
	p, _ := compiled(t, w.open(), "example.com/hello")
	dir := filepath.Dir(p.Path)
	for _, name := range []string{p.Path, dir, programs(w.cache)} {
		if err := os.Chmod(name, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), "other users can write to "+name) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Chmod(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(p.Path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Error(err)
		}
		if err := os.Chown(p.Path, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(p.Path, p.Path+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.Path+"2", p.Path); err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err == nil {
		t.Error("no error for a link")
	}
}

// TestBetweenSteps: if a kernel is killed between any two steps, what it leaves behind is not used as a
// program.
func TestBetweenSteps(t *testing.T) {
	w := newWorld(t)
	paths := []string{"example.com/hello"}
	p, _ := compiled(t, w.open(), paths...)
	place := filepath.Dir(p.Path)
	half := filepath.Join(programs(w.cache), ".new-1234")
	if err := os.Rename(place, half); err != nil { // undo the last rename
		t.Fatal(err)
	}
	if q := w.open().Known(paths); q != nil {
		t.Errorf("%+v", q)
	}
	// Another process has begun to remove the folder, so the manifest is missing.
	if err := os.MkdirAll(place, 0o700); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(place, executable()), "half")
	// The source was only partly extracted.
	sources := filepath.Join(w.cache, "source")
	entries, _ := os.ReadDir(sources)
	if len(entries) != 1 {
		t.Fatal(entries)
	}
	if err := os.RemoveAll(filepath.Join(sources, entries[0].Name())); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(sources, ".new-1", "go.mod"), "module half\n")
	q, _ := compiled(t, w.open(), paths...)
	if q.Known || q.Path != p.Path {
		t.Errorf("%+v", q)
	}
	for _, dir := range []string{half, filepath.Join(sources, ".new-1")} {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
}

// TestProxyGone: the proxy fails in the middle of a download.
func TestProxyGone(t *testing.T) {
	w := newWorld(t)
	files := http.FileServer(http.Dir(w.proxy))
	var gone atomic.Bool
	gone.Store(true)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if gone.Load() && strings.HasSuffix(r.URL.Path, ".zip") {
			rw.Header().Set("Content-Length", "100000")
			rw.Write([]byte("PK"))
			panic(http.ErrAbortHandler)
		}
		files.ServeHTTP(rw, r)
	}))
	defer server.Close()
	t.Setenv("GOPROXY", server.URL)
	e := w.open()
	_, err := sources(t, e, "example.com/hello")
	if e, ok := err.(*Error); !ok || e.Kind != NoNetwork {
		t.Errorf("%v\n%s", err, said(err))
	}
	gone.Store(false)
	if got, err := sources(t, e, "example.com/hello"); err != nil || len(got) != 1 {
		t.Error(got, err)
	}
}

// TestNoCache: the cache is not writable.
func TestNoCache(t *testing.T) {
	w := newWorld(t)
	testfile.Write(t, w.cache, "a file where the folder should be")
	var e *Error
	if _, err := w.open().Compile(context.Background(), []string{"example.com/hello"}, nil); !errors.As(err, &e) || !strings.Contains(e.Advice, "only you can write to") {
		t.Error(err)
	}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		return
	}
	w.cache = filepath.Join(t.TempDir(), "cache")
	if err := os.MkdirAll(w.cache, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := w.open().Compile(context.Background(), []string{"example.com/hello"}, nil); !errors.As(err, &e) || e.Kind != Failed {
		t.Error(err)
	}
}

// TestWrongGo: the installed Go cannot build a kernel and no other version is available, or the go command does
// not work.
func TestWrongGo(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"old":    {`if [ "$GOTOOLCHAIN" = local ]; then echo '{"GOVERSION":"go1.20.1"}'; exit; fi; echo "go: download ` + preferred() + `: not available" >&2; exit 1`, "but only go1.20.1 is installed"},
		"broken": {`echo "cannot execute binary file" >&2; exit 126`, "the go command does not work"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			wrapGo(t, c.script)
			_, err := sources(t, w.open(), "example.com/hello")
			if e, ok := err.(*Error); !ok || e.Kind != NoToolchain || !strings.Contains(e.Text, c.want) {
				t.Error(err)
			}
		})
	}
}

// TestNewerGo: for a module that needs a newer Go, a newer tried version is used.
func TestNewerGo(t *testing.T) {
	newest := toolchain.Newest()
	if toolchain.Current() == toolchain.Minor(newest) {
		t.Skip("this is the newest")
	}
	w := newWorld(t)
	log := filepath.Join(t.TempDir(), "log")
	wrapGo(t, `echo "$GOTOOLCHAIN" >> `+log+`
if [ "$1" = env ] && [ "$GOTOOLCHAIN" = `+newest+` ]; then echo '{"GOVERSION":"`+newest+`"}'; exit; fi
if [ "$1" = get ] && [ "$GOTOOLCHAIN" = local ]; then echo "go: example.com/hello@v1.1.0 requires go >= 1.27 (running go 1.26.8)" >&2; exit 1; fi
GOTOOLCHAIN=local; export GOTOOLCHAIN`)
	e := w.open()
	if _, err := sources(t, e, "example.com/hello"); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(log); e.chosen.version != newest || !strings.HasSuffix(string(text), newest+"\n") {
		t.Errorf("%s\n%s", e.chosen.version, text)
	}
}

// TestCancelled: when a go command is stopped, its child processes end too, and the session continues.
func TestCancelled(t *testing.T) {
	w := newWorld(t)
	begun := filepath.Join(t.TempDir(), "begun")
	wrapGo(t, `if [ "$1" = build ] && [ ! -e `+begun+` ]; then sleep 600 & echo $! > `+begun+`; wait; fi`)
	ctx, cancel := context.WithCancel(context.Background())
	e := w.open()
	go func() {
		eventually(t, "the build begins", func() bool { text, _ := os.ReadFile(begun); return bytes.HasSuffix(text, []byte("\n")) })
		cancel()
	}()
	if _, err := e.Compile(ctx, []string{"example.com/hello"}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	text, _ := os.ReadFile(begun)
	if runtime.GOOS == "linux" {
		eventually(t, "the child ends", func() bool {
			status, err := os.ReadFile("/proc/" + strings.TrimSpace(string(text)) + "/status")
			return err != nil || bytes.Contains(status, []byte("State:\tZ"))
		})
	}
	if made := w.made(); len(made) != 0 {
		t.Errorf("left behind: %q", made)
	}
	compiled(t, e, "example.com/hello")
}

// TestChangedMeanwhile: if a local package is edited during compilation, the program is not stored under the
// new content of the package.
func TestChangedMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.files("-- go.mod --\nmodule mine\n\ngo 1.21\n-- p/p.go --\npackage p\n\nfunc F() {}\n")
	file := filepath.Join(w.dir, "p", "p.go")
	wrapGo(t, `for last; do :; done; if [ "$1 $last" = "build ./cmd/overcomplete" ]; then echo "func G() {}" >> `+file+`; fi`)
	_, err := w.open().Compile(context.Background(), []string{"mine/p"}, nil)
	if err == nil || !strings.Contains(err.Error(), "was changed during compilation") {
		t.Error(err)
	}
	if made := w.made(); len(made) != 0 {
		t.Errorf("left behind: %q", made)
	}
}

// TestDamagedDefaults: a damaged versions file counts as empty, and is written again.
func TestDamagedDefaults(t *testing.T) {
	w := newWorld(t)
	_, file, _ := w.open().folders()
	for _, text := range []string{"", "{", "null", `{"versions":{"example.com/hello":"v1.0.0"}}`, `{"resolved":{"example.com/hello@v1.0.0":null},"versions":{"example.com/hello":"v1.0.0"}}`} {
		testfile.Write(t, file, text)
		if got, err := sources(t, w.open(), "example.com/hello"); err != nil || got[0] != "example.com/hello v1.1.0" {
			t.Errorf("%s: %q, %v", text, got, err)
		}
		if d := readDefaults(file); d.Versions["example.com/hello"] != "v1.1.0" {
			t.Errorf("%s: %+v", text, d)
		}
	}
}

// TestPrune: the ten most recently used programs are kept, and so are running programs.
func TestPrune(t *testing.T) {
	w := newWorld(t)
	p, _ := compiled(t, w.open(), "example.com/hello")
	place := filepath.Dir(p.Path)
	var dirs []string
	for i := range keptPrograms + 3 {
		dir := filepath.Join(programs(w.cache), fmt.Sprint("copy", i))
		if err := os.CopyFS(dir, os.DirFS(place)); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-time.Duration(i+1) * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, manifestFile), when, when); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	f, err := os.Open(filepath.Join(dirs[len(dirs)-1], manifestFile)) // as the function hold does
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if ok, err := filelock.Try(f, filelock.Shared); !ok {
		t.Fatal(err)
	}
	prune(w.cache, dirs[len(dirs)-2])
	for i, dir := range append([]string{place}, dirs...) {
		_, err := os.Stat(dir)
		if want := i < keptPrograms || i >= len(dirs)-1; (err == nil) != want {
			t.Errorf("%d, %s: there %t, want %t", i, filepath.Base(dir), err == nil, want)
		}
	}
}
