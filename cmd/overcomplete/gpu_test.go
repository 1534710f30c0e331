package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/built"
	"overcomplete/internal/module"
	patient "overcomplete/internal/patience"
	"overcomplete/kernel-helpers/gpu"
	"overcomplete/kernel-helpers/s3c"
	"overcomplete/kernel/notebook"
)

// deviceCell learns a model and encodes on a device, as inCell does.
const deviceCell = `
import (
	"context"
	"fmt"
	"hash/fnv"
	"math"

	"gonum.org/v1/gonum/mat"

	"MODULE/kernel-helpers/gpu"
	"MODULE/kernel-helpers/s3c"
)

X := mat.NewDense(200, 12, nil)
X.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i*j + i)) }, X)
src, err := s3c.Rows(X, 1)
r, err := s3c.Fit(context.Background(), src, &s3c.Options{Units: 20, Batch: 60, Steps: 4, Device: gpu.First()})
if err != nil {
	panic(err)
}
H, err := r.Model.Transform(context.Background(), X, &s3c.EncodeOptions{EncoderOptions: s3c.EncoderOptions{Device: gpu.First()}})
sum := fnv.New64()
for _, m := range []*mat.Dense{r.Model.W, H} {
	for _, v := range m.RawMatrix().Data {
		fmt.Fprintf(sum, "%x ", math.Float64bits(v))
	}
}
fmt.Printf("bits %x\n", sum.Sum64())
`

// inCell does what deviceCell does.
func inCell(t *testing.T, d gpu.Device) string {
	X := mat.NewDense(200, 12, nil)
	X.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i*j + i)) }, X)
	src, err := s3c.Rows(X, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s3c.Fit(t.Context(), src, &s3c.Options{Units: 20, Batch: 60, Steps: 4, Device: d})
	if err != nil {
		t.Fatal(err)
	}
	H, err := r.Model.Transform(t.Context(), X, &s3c.EncodeOptions{EncoderOptions: s3c.EncoderOptions{Device: d}})
	if err != nil {
		t.Fatal(err)
	}
	sum := fnv.New64()
	for _, m := range []*mat.Dense{r.Model.W, H} {
		for _, v := range m.RawMatrix().Data {
			fmt.Fprintf(sum, "%x ", math.Float64bits(v))
		}
	}
	return fmt.Sprintf("bits %x\n", sum.Sum64())
}

// runCells runs a notebook and returns its cells and what they show.
func runCells(t *testing.T, cells ...string) string {
	t.Helper()
	dir := t.TempDir()
	nb := &notebook.Notebook{}
	for _, c := range cells {
		nb.Cells = append(nb.Cells, notebook.NewCode(strings.ReplaceAll(c, "MODULE", module.Path)))
	}
	if err := nb.Write(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	_, out, errs := output(t, dir, "run", "--export", "markdown", "a.ipynb")
	page, err := os.ReadFile(filepath.Join(dir, "run", "a.md"))
	if err != nil {
		t.Fatal(err, out, errs)
	}
	return string(page)
}

// Cells have devices through the program with the driver, and compute with the bits that Go programs have. (That these
// are the bits of a driver in the program, the tests of gpu/opencl say.)
func TestDevicesInCells(t *testing.T) {
	patient.SkipShort(t, "it builds the program with the driver")
	folder := t.TempDir()
	if err := built.Program(filepath.Join(folder, driverFile()), module.Package("cmd/"+driverProgram)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	giveDevices()
	list, err := gpu.Devices()
	if len(list) == 0 {
		t.Skip("no device; on Debian, apt-get install pocl-opencl-icd makes one of the processor: ", err)
	}
	t.Setenv(gpu.Variable, "opencl")
	want := inCell(t, list[0])
	page := runCells(t, "%gpu", deviceCell)
	if !strings.Contains(page, list[0].Info().Name) || !strings.Contains(page, want) {
		t.Errorf("no %q on\n%s", want, page)
	}
}

// Without the program, %gpu says what to do: install Go, or build this program so that it has its source.
func TestNoDevicesInCells(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	page := runCells(t, "%gpu")
	if !strings.Contains(page, driverProgram+", which is neither beside this program nor on the PATH") || !strings.Contains(page, "install go") && !strings.Contains(page, "build this program with make") {
		t.Error(page)
	}
}
