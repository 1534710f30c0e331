package goprogram

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// TestModules writes a program for a notebook that imports another module. The versions come from the
// notebook's metadata, and the go command loads the packages.
func TestModules(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	testfile.Write(t, filepath.Join(other, "go.mod"), "module example.org/go-other\n\ngo 1.26\n")
	testfile.Write(t, filepath.Join(other, "other.go"), "package other\n\n// A Thing is one.\ntype Thing struct{ N int }\n\nfunc (t Thing) String() string { return \"thing\" }\n")
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		notebook.NewCode("import \"example.org/go-other\"\n\nfunc get() other.Thing { return kept }\nkept := other.Thing{N: 1}\nkept"),
		notebook.NewCode("get()"),
		notebook.NewCode("display.Display(get())"),
	}}
	nb.SetLock(&notebook.Lock{Mod: "module notebook\n\nrequire example.org/go-other v0.0.0\n\nreplace example.org/go-other => " + filepath.ToSlash(other) + "\n"})
	opt := options(t, "things")
	opt.Root = opt.Source
	if _, err := Write(nb, opt); err == nil || !strings.Contains(err.Error(), "go command would read; --modules") {
		t.Errorf("a folder that the notebook names was read unasked: %v", err)
	}
	opt.Modules = true
	p, err := Write(nb, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Remarks) > 0 {
		t.Error(p.Remarks)
	}
	text := string(p.Files["main.go"])
	if !strings.Contains(text, "var kept other.Thing\n") || !strings.Contains(text, "fmt.Println(get())") {
		t.Errorf("the program is\n%s", text)
	}
	for name, b := range p.Files {
		testfile.Write(t, filepath.Join(dir, "program", name), b)
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = filepath.Join(dir, "program")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "thing\nthing\nthing\n" {
		t.Errorf("go run: %v\n%s", err, out)
	}
	nb.Cells[0].Source = strings.Replace(nb.Cells[0].Source, "go-other", "go-other/none", 1)
	if _, err := Write(nb, opt); err == nil || !strings.Contains(err.Error(), "cannot load what the notebook imports") {
		t.Errorf("a package that is not there: %v", err)
	}
}

// TestNothingFetched: nothing is downloaded without permission, because the author of a notebook chooses the
// requirements in its go.mod.
func TestNothingFetched(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.NotFound(w, r)
	}))
	defer proxy.Close()
	t.Setenv("GOPROXY", proxy.URL)
	t.Setenv("GOPRIVATE", "")
	t.Setenv("GONOSUMDB", "*")
	nb := &notebook.Notebook{Cells: []*notebook.Cell{notebook.NewCode("import \"example.org/no-such-module\"\n\nother.F()")}}
	nb.SetLock(&notebook.Lock{Mod: "module notebook\n\nrequire example.org/no-such-module v1.2.3\n"})
	opt := options(t, "things")
	opt.Root = opt.Source
	for _, allowed := range []bool{false, true} {
		opt.Modules = allowed
		_, err := Write(nb, opt)
		if n := asked.Load(); err == nil || (n > 0) != allowed || strings.Contains(err.Error(), "--modules") == allowed {
			t.Errorf("allowed %v: %d requests, %v", allowed, n, err)
		}
	}
}
