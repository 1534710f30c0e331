// Package peer lets tests and benchmarks compare Go code with a peer: a Python library (numpy, scikit-learn, PyTorch)
// that does the same work.
//
// On a shared machine, a single measured time means little. So Race runs the Go code and the peer alternately, and
// reports the median time of each and the median ratio over the rounds. It measures wall-clock times and, on Linux,
// processor times, which are disturbed less by other work on the machine. The peer runs in one long-lived Python
// process, which measures its own times, so Python's startup and the communication with it do not count. Both sides
// use the same number of threads and the same instruction set, which the Go program passes to Python. Command bench
// runs benchmarks once for each instruction set.
//
//	py := peer.Start(b, 2, "import numpy as np\na = np.random.rand(512, 512)", "numpy")
//	r := peer.Race(9, mine, py.Timer("a @ a"))
//	r.Report(b)
package peer

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/cputime"
	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
)

// loop is the Python side. Each request is a line of JSON, and so is each reply. The output of libraries, including C
// libraries such as HiGHS, goes to standard error.
const loop = `
import os, sys, json, time, traceback
_out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.stdout = sys.stderr
_env = {}
for _line in sys.stdin:
    _q = json.loads(_line)
    try:
        if _q["do"] == "exec":
            exec(_q["src"], _env); _r = None
        elif _q["do"] == "clear":
            _env.clear(); _r = None
        elif _q["do"] == "time":
            _c = compile(_q["src"], "<peer>", "exec")
            _t, _p = time.perf_counter(), time.process_time()
            exec(_c, _env)
            _r = [time.perf_counter() - _t, time.process_time() - _p]
        else:
            _r = eval(_q["src"], _env)
            if hasattr(_r, "tolist"): _r = _r.tolist()
        _a = {"value": _r}
    except Exception:
        _a = {"error": traceback.format_exc(limit=-1)}
    _out.write(json.dumps(_a) + "\n"); _out.flush()
`

// A Python is a running Python interpreter.
type Python struct {
	tb testing.TB
	*process
}

// A process is a Python interpreter. Because imports in Python take seconds, a process serves several tests of a Go
// program, one after the other.
type process struct {
	in     io.WriteCloser
	out    *bufio.Reader
	broken bool // whether the process no longer answers
}

// idle holds the processes that no test is using, under their keys (see take). They end when this program ends, because
// their input is then closed.
var (
	mu   sync.Mutex
	idle = map[string][]*process{}
)

// Find returns the command of a Python interpreter that has the given modules. It prefers the Python environments of
// package pyenv to the system's Python. It returns "" if no Python has the modules.
func Find(modules ...string) string {
	return pyenv.Python(strings.Join(append([]string{"sys"}, modules...), ", "), pyenv.Peers, pyenv.Torch)
}

// Versions returns the versions of a module and of the Python that has it, such as "scikit-learn 1.9.1 (Python
// 3.11.2)", or "" if no Python has the module.
func Versions(module string) string {
	name := Find(module)
	if name == "" {
		return ""
	}
	const script = `import importlib.metadata, platform, sys
name = {"sklearn": "scikit-learn"}.get(sys.argv[1], sys.argv[1])
print(name, importlib.metadata.version(name), "(Python " + platform.python_version() + ")")`
	out, err := exec.Command(name, "-c", script, module).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Start starts Python and runs the statements in setup. Python's linear algebra uses at most the given number of
// threads, and the same instruction set as this program. Start may reuse an interpreter: variables of earlier tests are
// deleted, but changes that these tests made to modules remain. If no Python with the modules is found, Start skips the
// test or benchmark with a message.
func Start(tb testing.TB, threads int, setup string, modules ...string) *Python {
	tb.Helper()
	if len(modules) > 0 {
		patience.SkipShort(tb, "it has Python import libraries, and compare")
	}
	for _, name := range pyenv.Pythons(pyenv.Peers, pyenv.Torch) {
		key := fmt.Sprintln(name, threads, os.Environ())
		r, err := take(key, name, threads)
		if err != nil {
			continue // not installed
		}
		p := &Python{tb, r}
		if !p.has(modules) {
			p.giveBack(key)
			continue
		}
		tb.Cleanup(func() { p.giveBack(key) })
		p.Do(setup)
		return p
	}
	how := "go run ./internal/pyenv/make peers installs it"
	if slices.Contains(modules, "torch") {
		how = "go run ./internal/pyenv/make torch installs it (3 GB), or let OVERCOMPLETE_TORCH be the folder of a virtual environment that has numpy and PyTorch, such as its build for CPUs (200 MB)"
	}
	tb.Skipf("no python3 with %s to compare with: %s", strings.Join(modules, ", "), how)
	return nil
}

// take returns an idle process that was started with the same key. If no such process is idle, take starts Python with
// the given command. The key stands for everything that distinguishes processes: their command, their number of threads
// and their environment.
func take(key, name string, threads int) (*process, error) {
	mu.Lock()
	if list := idle[key]; len(list) > 0 {
		idle[key] = list[:len(list)-1]
		mu.Unlock()
		return list[len(list)-1], nil
	}
	mu.Unlock()
	cmd := exec.Command(name, "-c", loop)
	n := fmt.Sprint(threads)
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n, "MKL_NUM_THREADS="+n)
	cmd.Env = append(cmd.Env, instructionSetEnv(name)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

// has reports whether the modules can be imported.
func (p *Python) has(modules []string) bool {
	for _, m := range modules {
		if reply, err := p.request("exec", "import "+m); err != nil || reply.Error != "" {
			return false
		}
	}
	return true
}

// giveBack clears Python's variables and makes the process idle, for the next test with the same key (see take).
func (p *Python) giveBack(key string) {
	if reply, err := p.request("clear", ""); err != nil || reply.Error != "" {
		p.in.Close()
		return
	}
	mu.Lock()
	defer mu.Unlock()
	idle[key] = append(idle[key], p.process)
}

// A reply is an answer from Python.
type reply struct {
	Value json.RawMessage
	Error string
}

// request sends a request to Python and returns the reply. It returns an error if there is no reply.
func (p *process) request(do, src string) (a reply, err error) {
	if p.broken {
		return a, errors.New("Python has ended")
	}
	defer func() { p.broken = err != nil }()
	q, err := json.Marshal(map[string]string{"do": do, "src": src})
	if err != nil {
		return a, err
	}
	if _, err := p.in.Write(append(q, '\n')); err != nil {
		return a, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("Python ended: %w", err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("%w in %.200s", err, line)
	}
	return a, nil
}

func (p *Python) ask(do, src string, value any) {
	p.tb.Helper()
	a, err := p.request(do, src)
	if err != nil {
		p.tb.Fatalf("peer: %v", err)
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

// Do runs Python statements.
func (p *Python) Do(src string) { p.tb.Helper(); p.ask("exec", src, nil) }

// Float returns the value of a numeric expression.
func (p *Python) Float(expr string) float64 {
	p.tb.Helper()
	var x float64
	p.ask("eval", expr, &x)
	return x
}

// Floats returns the value of an expression that is a list or a vector of numbers.
func (p *Python) Floats(expr string) []float64 {
	p.tb.Helper()
	var x []float64
	p.ask("eval", expr, &x)
	return x
}

// Array stores M as the numpy array with the given name, in float64 and row-major order.
func (p *Python) Array(name string, M mat.Matrix) {
	p.tb.Helper()
	n, d := M.Dims()
	buf := make([]byte, 0, 8*n*d)
	for i := range n {
		for j := range d {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(M.At(i, j)))
		}
	}
	path := filepath.Join(p.tb.TempDir(), name)
	if err := os.WriteFile(path, buf, 0o600); err != nil {
		p.tb.Fatal(err)
	}
	p.Do(fmt.Sprintf("import numpy\n%s = numpy.fromfile(%q).reshape(%d, %d)", name, path, n, d))
}

// A Time holds the duration of some work, in seconds.
type Time struct {
	Clock float64
	// Processor is the processor time of all threads of the process, without child processes. It is 0 if it is unknown.
	Processor float64
}

// A Turn is one side of a timing comparison: a function that does that side's work once and returns the time that it
// took.
type Turn func() Time

// Timer returns a Turn, one side of a timing comparison, that runs the statements in src and measures their time.
func (p *Python) Timer(src string) Turn {
	return func() Time {
		p.tb.Helper()
		var t [2]float64
		p.ask("time", src, &t)
		return Time{t[0], t[1]}
	}
}

// Timer returns a Turn, one side of a timing comparison, that calls f and measures its time.
func Timer(f func()) Turn {
	return func() Time {
		used, begin := cputime.Own(), time.Now()
		f()
		return Time{time.Since(begin).Seconds(), (cputime.Own() - used).Seconds()}
	}
}

// A Result holds the measurements of a Race.
type Result struct {
	Mine, Peer float64 // medians of wall-clock times, in seconds
	// Speed is the median, over the rounds, of the peer's time divided by the time of the Go code. If Speed is above 1,
	// the Go code is faster.
	Speed float64
	// Processor is like Speed, but for processor times. It is 0 if these are unknown.
	Processor float64
}

// Race runs the given number of rounds, and returns the measured times. In each round, the two Turns run once each.
// The order alternates: mine runs first in the first round, peer in the second, and so on. Before the first round,
// each of them runs once without being measured.
func Race(rounds int, mine, peer Turn) Result {
	mine()
	peer()
	var x, y []Time
	for i := range rounds {
		if i%2 == 0 {
			x, y = append(x, mine()), append(y, peer())
		} else {
			y, x = append(y, peer()), append(x, mine())
		}
	}
	return compare(x, y)
}

// Compare returns the Result of a single round, in which the two sides took the given times. Use it instead of Race
// for work that takes minutes.
func Compare(mine, peer Time) Result { return compare([]Time{mine}, []Time{peer}) }

func compare(mine, peer []Time) Result {
	var a, b, s, p []float64
	for i, x := range mine {
		y := peer[i]
		a, b, s = append(a, x.Clock), append(b, y.Clock), append(s, y.Clock/x.Clock)
		if x.Processor > 0 && y.Processor > 0 {
			p = append(p, y.Processor/x.Processor)
		}
	}
	r := Result{Mine: median(a), Peer: median(b), Speed: median(s)}
	if len(p) == len(mine) {
		r.Processor = median(p)
	}
	return r
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// Report reports the result as metrics of a benchmark: both times in milliseconds, and the speed of the Go code
// relative to the peer (x-peer by the clock, x-peer-cpu by processor time).
func (r Result) Report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // hides the time of the whole race
	b.ReportMetric(r.Mine*1e3, "ms")
	b.ReportMetric(r.Peer*1e3, "peer-ms")
	b.ReportMetric(r.Speed, "x-peer")
	if r.Processor > 0 {
		b.ReportMetric(r.Processor, "x-peer-cpu")
	}
}
