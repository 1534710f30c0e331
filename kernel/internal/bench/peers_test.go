package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"overcomplete/internal/pyenv"
)

// python returns a Python with ipykernel: the Python of package pyenv, which make bench installs, or the
// system's Python.
var python = sync.OnceValue(func() string { return pyenv.Python("ipykernel", pyenv.Peers) })

// has reports whether Python has a module.
func has(module string) bool { return exec.Command(python(), "-c", "import "+module).Run() == nil }

// ipykernel returns Python's kernel.
func ipykernel() kind {
	k := kind{name: "ipykernel", argv: []string{python(), "-m", "ipykernel_launcher", "-f"}}
	if python() == "" {
		k.miss = "no python3 with ipykernel"
	}
	return k
}

// gonb returns GoNB, which compiles each cell. It needs the go command and goimports.
func gonb() kind {
	k := kind{name: "gonb"}
	program, err := exec.LookPath("gonb")
	if err != nil {
		k.miss = "no gonb on PATH (go install github.com/janpfeifer/gonb@v0.11.3)"
		return k
	}
	if _, err := exec.LookPath("goimports"); err != nil {
		k.miss = "no goimports on PATH, which GoNB needs"
	}
	k.argv = []string{program, "--kernel"}
	return k
}

// gophernotes returns an older Go kernel; see package compat.
func gophernotes() kind {
	k := kind{name: "gophernotes"}
	program, err := filepath.Abs("../../bin/gophernotes")
	if err != nil {
		k.miss = err.Error()
		return k
	}
	if _, err := os.Stat(program); err != nil {
		k.miss = "bin/gophernotes is not built (make gophernotes)"
	}
	k.argv = []string{program}
	k.env = []string{"GOFLAGS=-mod=mod", "GOPROXY=off"}
	return k
}

// peers returns the other kernels.
func peers() []kind { return []kind{ipykernel(), gonb(), gophernotes()} }

// A work holds a cell that does the same work for each kernel, or the reason why a kernel is left out.
type work struct {
	python, gonb, gopher, ours string
}

// source returns the cell for a kind of kernel, or "" if that kernel cannot do the work.
func (w work) source(kind string) string {
	switch kind {
	case "ipykernel":
		return w.python
	case "gonb":
		return w.gonb
	case "gophernotes":
		return w.gopher
	}
	return w.ours
}

// tenImports imports and uses ten packages, or the corresponding Python modules.
var tenImports = func() work {
	const goCell = `import (
	"archive/zip"
	"compress/gzip"
	"container/heap"
	"encoding/csv"
	"encoding/json"
	"html"
	"image/png"
	"math/big"
	"net/http"
	"text/template"
)
use := func(...interface{}) {}
use(zip.NewReader, gzip.NewReader, heap.Init, csv.NewReader, json.Marshal, html.EscapeString, png.Decode, big.NewInt, http.NewRequest, template.New)`
	const pyCell = `import zipfile
import gzip
import heapq
import csv
import json
import html
import zlib
import decimal
import http.client
import string
_ = (zipfile.ZipFile, gzip.open, heapq.heapify, csv.reader, json.dumps, html.escape, zlib.decompress, decimal.Decimal, http.client.HTTPConnection, string.Template)`
	return work{
		python: pyCell, ours: goCell, gopher: goCell,
		gonb: strings.Replace(goCell, "use := func", "%%\nuse := func", 1),
	}
}()

// loop is a loop at the top level of the cell, as users write it: its variables are the session's.
var loop = func() work {
	const goCell = "s := 0\nfor i := 0; i < 10000000; i++ {\n\ts += i\n}\ns"
	return work{
		python: "s = 0\nfor i in range(10000000):\n    s += i\ns",
		ours:   goCell, gopher: goCell,
		gonb: "import \"fmt\"\n%%\ns := 0\nfor i := 0; i < 10000000; i++ {\n\ts += i\n}\nfmt.Println(s)",
	}
}()

// loopInFunction is the same loop in a function.
var loopInFunction = func() work {
	const goCell = "func sum(n int) int {\n\ts := 0\n\tfor i := 0; i < n; i++ {\n\t\ts += i\n\t}\n\treturn s\n}\nsum(10000000)"
	return work{
		python: "def sum_(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\nsum_(10000000)",
		ours:   goCell, gopher: goCell,
		gonb: "import \"fmt\"\nfunc sum(n int) int {\n\ts := 0\n\tfor i := 0; i < n; i++ {\n\t\ts += i\n\t}\n\treturn s\n}\n%%\nfmt.Println(sum(10000000))",
	}
}()

// plotted draws a line through 100 points. GoNB would have to fetch gonum/plot first; gophernotes cannot
// import it.
var plotted = work{
	python: "%matplotlib inline\nimport math\nimport matplotlib.pyplot as plt\nplt.plot([math.sin(i / 10) for i in range(100)])\nplt.title('sine')\nplt.show()",
	ours:   "import (\n\t\"math\"\n\n\t\"gonum.org/v1/plot\"\n\t\"gonum.org/v1/plot/plotter\"\n)\np := plot.New()\np.Title.Text = \"sine\"\nxy := make(plotter.XYs, 100)\nfor i := range xy {\n\txy[i].X, xy[i].Y = float64(i), math.Sin(float64(i)/10)\n}\nline, err := plotter.NewLine(xy)\nif err != nil {\n\tpanic(err)\n}\np.Add(line)\np",
}
