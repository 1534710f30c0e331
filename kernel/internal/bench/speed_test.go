package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/pyenv"
)

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

// A sample is the duration of a measured operation, in ms.
type sample struct {
	clock     float64
	processor float64 // processor time of the kernel's process; 0 if unknown
}

// A side is one kernel in a comparison.
type side struct {
	kind
	turn func() sample
	got  []sample
}

// race lets the sides take turns, in a different order each round, after one warm-up turn each. It reports
// the medians and the ratios: x-NAME says how many times faster our kernel is than NAME, as the median of the
// rounds' ratios. x-NAME-cpu says the same for processor time. The first side is our kernel.
func race(b *testing.B, rounds int, sides []*side) {
	b.Helper()
	for _, s := range sides {
		s.turn()
	}
	for i := range rounds {
		for j := range sides {
			s := sides[(i+j)%len(sides)]
			s.got = append(s.got, s.turn())
		}
	}
	clocks := func(s *side) (x, p []float64) {
		for _, g := range s.got {
			x, p = append(x, g.clock), append(p, g.processor)
		}
		return x, p
	}
	b.ReportMetric(0, "ns/op") // omit the time of the whole comparison
	mine, used := clocks(sides[0])
	b.ReportMetric(median(mine), "ms")
	report := fmt.Sprintf("ours %.2f ms (least %.2f, cpu %.2f)", median(mine), slices.Min(mine), median(used))
	if median(used) > 0 {
		b.ReportMetric(median(used), "cpu-ms")
	}
	for _, s := range sides[1:] {
		theirs, usedThere := clocks(s)
		var x, p []float64
		for i := range theirs {
			x = append(x, theirs[i]/mine[i])
			if used[i] > 0 && usedThere[i] > 0 {
				p = append(p, usedThere[i]/used[i])
			}
		}
		b.ReportMetric(median(x), "x-"+s.name)
		if len(p) > 0 {
			b.ReportMetric(median(p), "x-"+s.name+"-cpu")
		}
		report += fmt.Sprintf("; %s %.2f ms (least %.2f, cpu %.2f)", s.name, median(theirs), slices.Min(theirs), median(usedThere))
	}
	b.Log(report)
}

// enter returns the sides of a comparison. setup returns the function that runs a turn of a kernel. If the
// kernel cannot take part, setup reports the reason and returns nil.
func enter(b *testing.B, setup func(k kind) func() sample) []*side {
	b.Helper()
	var sides []*side
	for _, k := range append([]kind{ours(b)}, peers()...) {
		if k.miss != "" {
			b.Logf("without %s: %s", k.name, k.miss)
			continue
		}
		if turn := setup(k); turn != nil {
			sides = append(sides, &side{kind: k, turn: turn})
		}
	}
	return sides
}

// timed returns the time of f, and the processor time that p uses meanwhile.
func timed(p *process, f func()) sample {
	used, begin := p.processor(), time.Now()
	f()
	s := sample{clock: time.Since(begin).Seconds() * 1e3}
	s.processor = (p.processor() - used) * 1e3
	return s
}

// check runs a cell that must succeed and show the given text.
func check(c *client, k kind, src, text string) {
	c.tb.Helper()
	if s := c.run(src); s.status != "ok" || text != "" && !strings.Contains(s.text, text) {
		c.tb.Fatalf("%s: %q: %s %s, shows %.1000q", k.name, src, s.status, s.ename, s.text)
	}
}

// fresh returns a turn that starts a new kernel. If withStart is set, the turn times the start, and also
// timedCell unless that is "". Otherwise it runs the cell in the parameter before, and times only timedCell.
// The cell timedCell must show the given text.
func fresh(b *testing.B, k kind, withStart bool, before, timedCell, text string) func() sample {
	return func() sample {
		var s sample
		if withStart {
			begin := time.Now()
			p := launch(b, k)
			defer p.kill()
			c := p.dialOther()
			defer c.Close()
			if timedCell != "" {
				check(c, k, timedCell, text)
			}
			s.clock = time.Since(begin).Seconds() * 1e3
			s.processor = p.processor() * 1e3
			return s
		}
		p := launch(b, k)
		defer p.kill()
		c := p.dialOther()
		defer c.Close()
		check(c, k, before, "")
		return timed(p, func() { check(c, k, timedCell, text) })
	}
}

// answer is a session's first cell.
var answer = work{python: "6 * 7", gopher: "6 * 7", ours: "6 * 7", gonb: "import \"fmt\"\n%%\nfmt.Println(6 * 7)"}

// BenchmarkStart measures the time from starting the process to its first answer, and to the result of a
// first cell.
func BenchmarkStart(b *testing.B) {
	b.Run("answer", func(b *testing.B) {
		race(b, 5, enter(b, func(k kind) func() sample { return fresh(b, k, true, "", "", "") }))
	})
	b.Run("cell", func(b *testing.B) {
		race(b, 5, enter(b, func(k kind) func() sample { return fresh(b, k, true, "", answer.source(k.name), "42") }))
	})
}

// BenchmarkImports measures a cell with ten imports, in a session in which nothing has been imported.
func BenchmarkImports(b *testing.B) {
	race(b, 5, enter(b, func(k kind) func() sample {
		return fresh(b, k, false, answer.source(k.name), tenImports.source(k.name), "")
	}))
}

// oneSession returns a turn that runs f; one kernel runs all turns of its side.
func oneSession(b *testing.B, k kind, f func(c *client)) func() sample {
	p := launch(b, k)
	c := p.dialOther()
	check(c, k, answer.source(k.name), "42")
	return func() sample { return timed(p, func() { f(c) }) }
}

// BenchmarkEmpty measures the round trip of an empty cell. A turn consists of 20 cells.
func BenchmarkEmpty(b *testing.B) {
	const n = 20
	race(b, 25, enter(b, func(k kind) func() sample {
		turn := oneSession(b, k, func(c *client) {
			for range n {
				check(c, k, "", "")
			}
		})
		return func() sample { return turn().per(n) }
	}))
}

func (s sample) per(n int) sample { return sample{s.clock / float64(n), s.processor / float64(n)} }

// BenchmarkLoop measures ten million additions, in session variables and in a function.
func BenchmarkLoop(b *testing.B) {
	for _, row := range []struct {
		name string
		work
	}{{"cell", loop}, {"function", loopInFunction}} {
		b.Run(row.name, func(b *testing.B) {
			race(b, 3, enter(b, func(k kind) func() sample {
				return oneSession(b, k, func(c *client) { check(c, k, row.source(k.name), "49999995000000") })
			}))
		})
	}
}

// BenchmarkPlot measures the first plot of a session, including its imports, and a later plot.
func BenchmarkPlot(b *testing.B) {
	able := func(b *testing.B, k kind) bool {
		switch {
		case plotted.source(k.name) == "":
			b.Logf("without %s: it cannot import gonum/plot without fetching and compiling it", k.name)
			return false
		case k.name == "ipykernel" && !has("matplotlib"):
			b.Log("without ipykernel: no python3 with matplotlib")
			return false
		}
		return true
	}
	draw := func(c *client, k kind) {
		s := c.run(plotted.source(k.name))
		if s.status != "ok" || s.mimes["image/png"]+s.mimes["image/svg+xml"] == 0 {
			c.tb.Fatalf("%s: %s, shows %.500q %v", k.name, s.status, s.text, s.mimes)
		}
	}
	b.Run("first", func(b *testing.B) {
		race(b, 5, enter(b, func(k kind) func() sample {
			if !able(b, k) {
				return nil
			}
			return func() sample {
				p := launch(b, k)
				defer p.kill()
				c := p.dialOther()
				defer c.Close()
				check(c, k, answer.source(k.name), "42")
				return timed(p, func() { draw(c, k) })
			}
		}))
	})
	b.Run("later", func(b *testing.B) {
		race(b, 25, enter(b, func(k kind) func() sample {
			if !able(b, k) {
				return nil
			}
			turn := oneSession(b, k, func(c *client) { draw(c, k) })
			turn() // makes the first plot
			return turn
		}))
	})
}

// BenchmarkThousand: 1,000 different cells one after the other; the times are per cell. GoNB runs only 5
// cells, which take as long as 1,000 cells of the other kernels.
func BenchmarkThousand(b *testing.B) {
	race(b, 3, enter(b, func(k kind) func() sample {
		n := 1000
		if k.name == "gonb" {
			n = 5
		}
		i := 0
		turn := oneSession(b, k, func(c *client) {
			for range n {
				i++
				w := work{python: fmt.Sprintf("x = %d\nx + 1", i), ours: fmt.Sprintf("x := %d\nx + 1", i)}
				w.gopher = w.ours
				w.gonb = fmt.Sprintf("import \"fmt\"\n%%%%\nx := %d\nfmt.Println(x + 1)", i)
				check(c, k, w.source(k.name), fmt.Sprint(i+1))
			}
		})
		return func() sample { return turn().per(n) }
	}))
}

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
