package headless

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel"
	"overcomplete/kernel/modules"
	"overcomplete/kernel/notebook"
)

// An uncompiled is an Env that compiles nothing: its packages run from source.
type uncompiled struct{ *modules.Env }

func (uncompiled) Known([]string) *modules.Program { return nil }
func (uncompiled) Compile(context.Context, []string, func(string)) (*modules.Program, error) {
	return nil, &modules.Error{Kind: modules.NoSource, Text: "no source"}
}

// beside creates a folder with a module and a notebook. It returns options for running the notebook, and a list
// in which the started programs are recorded.
func beside(t *testing.T, cells ...string) (path string, opt Options, started *[]string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("other modules need the go command")
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	dir, cache := t.TempDir(), t.TempDir()
	testfile.WriteAll(t, dir, map[string]string{"go.mod": "module example.org/mine\n\ngo 1.24\n", "tools/tools.go": "package tools\n\nfunc Two() int { return 2 }\n"})
	nb := &notebook.Notebook{Metadata: map[string]any{}}
	for i, src := range cells {
		c := notebook.NewCode(src)
		c.ID = string(rune('a' + i))
		nb.Cells = append(nb.Cells, c)
	}
	path = filepath.Join(dir, "n.ipynb")
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	started = new([]string)
	open := func(state []byte) (kernel.Modules, error) {
		if state != nil {
			e, err := modules.Resume(state)
			return uncompiled{e}, err
		}
		e, err := modules.Open(modules.Options{Folder: dir, Cache: cache})
		return uncompiled{e}, err
	}
	start := func(what string, o kernel.Options) func(string) (Kernel, error) {
		return func(folder string) (Kernel, error) {
			*started = append(*started, what)
			return Here(func() (InProcess, error) { return kernel.New(o) })(folder)
		}
	}
	opt = Options{Progress: io.Discard, New: start("plain", kernel.Options{}), Modules: &Modules{
		Open: func(folder string, lock *modules.Lock) (kernel.Modules, error) {
			e, err := modules.Open(modules.Options{Folder: folder, Cache: cache, Lock: lock})
			return uncompiled{e}, err
		},
		Start: func(folder, program string, state []byte) (Kernel, error) {
			return start("with modules "+program, kernel.Options{Modules: open, Resume: state})(folder)
		},
	}}
	return path, opt, started
}

// TestModules runs a notebook that imports a package of another module. The versions are recorded, and two runs
// give the same result.
func TestModules(t *testing.T) {
	path, opt, started := beside(t, "x := 1", "import \"example.org/mine/tools\"\ntools.Two() + x", "%mod")
	var last []byte
	for range 2 {
		res, err := Run(context.Background(), path, opt)
		if err != nil {
			t.Fatal(err)
		}
		b := testfile.Read(t, res.Written)
		if last != nil {
			if same, err := Same(last, b); !same {
				t.Errorf("two runs differ (%v):\n%s\n%s", err, last, b)
			}
		}
		last = b
		nb, err := notebook.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if l := nb.Lock(); l == nil || !strings.Contains(l.Mod, "module example.org/mine") {
			t.Errorf("it records %+v", l)
		}
		if text := string(b); !strings.Contains(text, `"text/plain": [`+"\n"+`       "3"`) || strings.Contains(text, "stderr") {
			t.Errorf("it shows\n%s", text)
		}
	}
	if got := strings.Join(*started, "; "); got != "with modules ; with modules " {
		t.Errorf("started: %s", got)
	}
}

// TestNoModules runs a notebook that imports no other module. The notebook does not change, except that a lock
// from an earlier version of the notebook is removed.
func TestNoModules(t *testing.T) {
	path, opt, started := beside(t, "import \"fmt\"\nfmt.Sprint(1)", "import \"tabwritr\"")
	opt.AllowErrors, opt.InPlace = true, true
	nb, err := notebook.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	nb.SetLock(&notebook.Lock{Mod: "module old\n"})
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), path, opt); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), "go.mod") {
		t.Errorf("%v: the metadata have modules:\n%s", err, b)
	}
	if got := strings.Join(*started, "; "); got != "plain" {
		t.Errorf("started: %s", got)
	}
}

// TestLocked: Locked refuses versions that differ from the recorded ones, before anything runs.
func TestLocked(t *testing.T) {
	path, opt, started := beside(t, "import \"example.org/mine/tools\"\ntools.Two()")
	opt.InPlace = true
	run := func(want string) {
		t.Helper()
		_, err := Run(context.Background(), path, opt)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	opt.Modules.Locked = true
	run("n.ipynb: the notebook does not record the versions")
	opt.Modules.Locked = false
	run("")
	opt.Modules.Locked = true
	run("")
	testfile.Write(t, filepath.Join(filepath.Dir(path), "go.mod"), "module example.org/mine\n\ngo 1.25\n")
	run("n.ipynb: the notebook's modules differ from those that it records")
	opt.Modules.Locked, opt.Modules.Update = false, true
	run("")
	if len(*started) != 3 {
		t.Errorf("started: %q", *started)
	}
}

// TestModuleErrors: a notebook with unavailable modules does not run.
func TestModuleErrors(t *testing.T) {
	for src, want := range map[string]string{
		"import \"example.org/mine/nothing\"": "example.org/mine/nothing",
		"%get":                                "n.ipynb: %get needs a module",
		"%get -x a":                           "unknown flag -x",
	} {
		path, opt, started := beside(t, "x := 1", src)
		res, err := Run(context.Background(), path, opt)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "n.ipynb: ") || res.Written != "" || len(*started) > 0 {
			t.Errorf("%s: %v, written to %q, started %q", src, err, res.Written, *started)
		}
	}
}

// TestModulesMissing: if cells may fail, an unavailable package is an error of the cell that imports it, and
// the other cells run with the available packages. Otherwise nothing runs.
func TestModulesMissing(t *testing.T) {
	cells := []string{"x := 1", "import \"example.com/none/pkg\"\npkg.F()", "import \"example.org/mine/tools\"\ntools.Two() + x", "%get example.com/none2@v1.0.0", "x + 10"}
	path, opt, started := beside(t, cells...)
	res, err := Run(context.Background(), path, opt)
	if err == nil || res.Written != "" || len(*started) > 0 {
		t.Errorf("without leave to fail: %v, written %q, started %v", err, res.Written, *started)
	}
	opt.AllowErrors = true
	res, err = Run(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := notebook.Read(res.Written)
	if err != nil {
		t.Fatal(err)
	}
	for i, fails := range []bool{false, true, false, true, false} {
		failed := false
		for _, o := range nb.Cells[i].Outputs {
			failed = failed || o.Type() == notebook.ErrorOutput
		}
		if failed != fails {
			t.Errorf("cell %d failed: %v, want %v: %v", i+1, failed, fails, nb.Cells[i].Outputs)
		}
	}
	for i, want := range map[int]string{1: "example.com/none/pkg", 2: "3", 3: "example.com/none2", 4: "11"} {
		if b := fmt.Sprint(nb.Cells[i].Outputs); !strings.Contains(b, want) {
			t.Errorf("cell %d shows %s, not %q", i+1, b, want)
		}
	}
}
