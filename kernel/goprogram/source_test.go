package goprogram

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
)

// TestSource: the files that Source names are enough to build a program, and are not the whole project.
func TestSource(t *testing.T) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		notebook.NewCode("import (\n\t\"overcomplete/kernel-helpers/gpu\"\n\t\"overcomplete/kernel-helpers/num\"\n)\nnum.Apply([]float64{1}, nil)"),
		notebook.NewCode("gpu.Devices()"),
	}}
	opt := options(t, "p")
	opt.Source = "./source"
	p, err := Write(nb, opt)
	if err != nil {
		t.Fatal(err)
	}
	files, err := p.Source(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"go.mod", "go.sum", "LICENSE", "kernel-helpers/num/num.go", "kernel-helpers/gemm/doc.go", "kernel-helpers/gpu/opencl/doc.go"} {
		if !slices.Contains(files, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if i := slices.IndexFunc(files, func(f string) bool { return strings.HasPrefix(f, "kernel/") || strings.HasSuffix(f, "_test.go") }); i >= 0 {
		t.Errorf("%d files, among them %s", len(files), files[i])
	}
	if testing.Short() {
		return
	}
	dir := t.TempDir()
	for _, f := range files {
		testfile.Write(t, filepath.Join(dir, "source", f), testfile.Read(t, filepath.Join(root, f)))
	}
	for name, b := range p.Files {
		testfile.Write(t, filepath.Join(dir, name), b)
	}
	cmd := exec.Command("go", "build", "-o", os.DevNull, ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, p.Files["main.go"])
	}

	// Nothing of the project.
	if p, err = Write(&notebook.Notebook{Cells: []*notebook.Cell{notebook.NewCode("1 + 1")}}, opt); err != nil {
		t.Fatal(err)
	}
	if files, err := p.Source(root); err != nil || files != nil {
		t.Error(files, err)
	}
}
