// Package peer times what a user would pick instead (numpy, scikit-learn,
// PyTorch) on the same work, in the same run, for benchmarks and for tests that
// compare results.
//
// A time on a shared machine means nothing by itself, so that Race lets the two
// sides take turns and reports the median of each and the median of the rounds'
// ratios. The peer runs in one long-lived Python process, which times itself:
// neither its start nor the pipe counts.
//
//	py := peer.Start(b, 2, "import numpy as np\na = np.random.rand(512, 512)", "numpy")
//	r := peer.Race(9, mine, py.Timer("a @ a"))
//	r.Report(b)
package peer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// loop is the Python side: one JSON request a line, one JSON reply a line.
const loop = `
import sys, json, time, traceback
_out = sys.stdout
sys.stdout = sys.stderr
_env = {}
for _line in sys.stdin:
    _q = json.loads(_line)
    try:
        if _q["do"] == "exec":
            exec(_q["src"], _env); _r = None
        elif _q["do"] == "time":
            _c = compile(_q["src"], "<peer>", "exec")
            _t = time.perf_counter(); exec(_c, _env); _r = time.perf_counter() - _t
        else:
            _r = eval(_q["src"], _env)
            if hasattr(_r, "tolist"): _r = _r.tolist()
        _a = {"value": _r}
    except Exception:
        _a = {"error": traceback.format_exc(limit=-1)}
    _out.write(json.dumps(_a) + "\n"); _out.flush()
`

// A Python is a running interpreter.
type Python struct {
	tb  testing.TB
	in  io.WriteCloser
	out *bufio.Reader
}

// interpreters are looked at in this order: the system's has the packages
// that come with the distribution.
var interpreters = []string{"/usr/bin/python3", "python3"}

// Start starts Python with at most threads threads for its linear algebra and
// runs setup. Where there is no Python with the modules the test or benchmark is
// skipped and says so.
func Start(tb testing.TB, threads int, setup string, modules ...string) *Python {
	tb.Helper()
	name := ""
	for _, c := range interpreters {
		if exec.Command(c, "-c", "import "+strings.Join(append([]string{"sys"}, modules...), ", ")).Run() == nil {
			name = c
			break
		}
	}
	if name == "" {
		tb.Skipf("no python3 with %s to compare with", strings.Join(modules, ", "))
	}
	cmd := exec.Command(name, "-c", loop)
	n := fmt.Sprint(threads)
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n, "MKL_NUM_THREADS="+n)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	p := &Python{tb: tb, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	tb.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	p.Do(setup)
	return p
}

func (p *Python) ask(do, src string, value any) {
	p.tb.Helper()
	q, err := json.Marshal(map[string]string{"do": do, "src": src})
	if err != nil {
		p.tb.Fatal(err)
	}
	if _, err := p.in.Write(append(q, '\n')); err != nil {
		p.tb.Fatalf("peer: %v", err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		p.tb.Fatalf("peer: Python ended: %v", err)
	}
	var a struct {
		Value json.RawMessage
		Error string
	}
	if err := json.Unmarshal(line, &a); err != nil {
		p.tb.Fatalf("peer: %v in %.200s", err, line)
	}
	if a.Error != "" {
		p.tb.Fatalf("peer: %s\nin: %s", a.Error, src)
	}
	if value != nil {
		if err := json.Unmarshal(a.Value, value); err != nil {
			p.tb.Fatalf("peer: %v in the value of %s", err, src)
		}
	}
}

// Do runs statements.
func (p *Python) Do(src string) { p.tb.Helper(); p.ask("exec", src, nil) }

// Float is the value of an expression that is a number.
func (p *Python) Float(expr string) float64 {
	p.tb.Helper()
	var x float64
	p.ask("eval", expr, &x)
	return x
}

// Floats is the value of an expression that is a list or a vector of numbers.
func (p *Python) Floats(expr string) []float64 {
	p.tb.Helper()
	var x []float64
	p.ask("eval", expr, &x)
	return x
}

// Timer runs the statements and gives the seconds that they took.
func (p *Python) Timer(src string) func() float64 {
	return func() float64 {
		p.tb.Helper()
		var t float64
		p.ask("time", src, &t)
		return t
	}
}

// Timer makes a timer of a Go function.
func Timer(f func()) func() float64 {
	return func() float64 {
		begin := time.Now()
		f()
		return time.Since(begin).Seconds()
	}
}

// A Result is what a Race measured.
type Result struct {
	Mine, Peer float64 // medians, seconds
	// Speed is the median over the rounds of the peer's time by mine: above 1,
	// mine is faster.
	Speed float64
}

// Race lets mine and the peer take turns, after one turn each that does not count.
func Race(rounds int, mine, peer func() float64) Result {
	mine()
	peer()
	var a, b, s []float64
	for i := range rounds {
		var x, y float64
		if i%2 == 0 {
			x, y = mine(), peer()
		} else {
			y, x = peer(), mine()
		}
		a, b, s = append(a, x), append(b, y), append(s, y/x)
	}
	return Result{median(a), median(b), median(s)}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// Report makes the result a benchmark's, in milliseconds and as a ratio.
func (r Result) Report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // hides the time of the whole race
	b.ReportMetric(r.Mine*1e3, "ms")
	b.ReportMetric(r.Peer*1e3, "peer-ms")
	b.ReportMetric(r.Speed, "x-peer")
}
