package conformance

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/cputime"
	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/engine"
	_ "overcomplete/kernel/internal/bindings"
	"overcomplete/kernel/internal/ixengine"
)

var (
	only   = flag.String("only", "", "run the programs whose names match this regular expression, and print what they give")
	slow   = flag.Bool("slow", false, "run those of testdata/slow.txt too, which takes minutes")
	folder = flag.String("folder", "", "the folder whose programs TestFolder runs")
	runner = flag.Bool("runner", false, "run the programs on standard input (the tests start themselves so)")
)

const (
	// batch is the number of programs per process. It is limited because the types of each program stay in
	// memory.
	batch = 60
	// limit is the time limit of a program, on a busy machine.
	limit = 5 * patience.Long
	// long is the processor time above which the test reports a program.
	long = 4 * time.Second
	// cellMemory is the memory limit of a program.
	cellMemory = 2 << 30
)

// timeZone is the time zone of package time's examples.
const timeZone = "TZ=America/Los_Angeles"

// A result is the outcome of a program.
type result struct {
	Name  string
	Fault string        // "" if the program passed
	Took  time.Duration // processor time
}

// notRun begins the reasons in testdata/failing.txt for which a program is not even run.
const notRun = "not run: "

// answer precedes a result in the output of a test process, which may contain other text.
const answer = "\x00result "

func TestMain(m *testing.M) {
	flag.Parse()
	if *runner {
		serve()
		return
	}
	os.Exit(m.Run())
}

func TestGoPrograms(t *testing.T) {
	patience.SkipShort(t, "it runs hundreds of Go's own programs")
	if patience.RaceDetector {
		t.Skip("with the race detector it would take an hour, and some of the programs have races on purpose")
	}
	root := goroot(t)
	folder := filepath.Join(root, "test")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("this Go has no folder %s: it was installed without its test programs", folder)
	}
	all, others := readPrograms(t, folder)
	all = append(all, readExamples(t, filepath.Join(root, "src"))...)
	if gonum, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "gonum.org/v1/gonum").Output(); err == nil && len(gonum) > 1 {
		for _, p := range readExamples(t, strings.TrimSpace(string(gonum))) {
			if p.builtIn() {
				all = append(all, p)
			}
		}
	}
	failing, version := readFailing(t)
	isThere := map[string]bool{}
	packages, tests := readPackages(t, filepath.Join(root, "src"), func(name string) bool {
		isThere[name] = true
		return strings.HasPrefix(failing[name], notRun)
	})
	all = append(all, packages...)
	// Another version of Go has other programs, for which there is no list of failures.
	sameGo := strings.HasPrefix(runtime.Version(), version)
	for _, p := range all {
		isThere[p.Name] = true
	}
	for name := range failing {
		if !isThere[name] && sameGo {
			t.Errorf("testdata/failing.txt has %s, which is no program that can be a cell", name)
		}
	}
	late := readSlow(t)
	for name := range late {
		if !isThere[name] && sameGo {
			t.Errorf("testdata/slow.txt has %s, which is no program that can be a cell", name)
		}
	}
	pattern := regexp.MustCompile(*only)
	var programs []program
	for _, p := range all {
		switch {
		case *only != "":
			if !pattern.MatchString(p.Name) {
				continue
			}
		case strings.HasPrefix(failing[p.Name], notRun), late[p.Name] && !*slow, !*slow && patience.LeftOut(p.Name):
			continue
		}
		programs = append(programs, p)
	}
	passed := 0
	var spent time.Duration
	for r := range results(t, root, programs) {
		why, listed := failing[r.Name]
		spent += r.Took
		if r.Fault == "" {
			passed++
		}
		if *only != "" || r.Took > long {
			t.Logf("%s (%v): %s", r.Name, r.Took.Round(time.Millisecond), cmp.Or(r.Fault, "passes"))
		}
		switch {
		case r.Fault == "" && listed && sameGo:
			t.Errorf("%s passes: take it from testdata/failing.txt, which says %q", r.Name, why)
		case r.Fault != "" && !listed && sameGo:
			t.Errorf("%s: %s", r.Name, r.Fault)
		case r.Fault != "" && !listed:
			t.Logf("%s: %s (testdata/failing.txt is for %s; a program that is new since then need not pass)", r.Name, r.Fault, version)
		}
	}
	n := len(all)
	for why, names := range others {
		n += len(names)
		t.Logf("%d programs cannot be cells: each %s", len(names), why)
	}
	t.Logf("%d of the programs are packages, with %d tests of their own", len(packages), tests)
	t.Logf("%d programs, %d can be cells, %d were run, %d passed, in %v of processor time",
		n, len(all), len(programs), passed, spent.Round(time.Second))
}

func goroot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command: there is no folder with Go's test programs")
	}
	return strings.TrimSpace(string(out))
}

// readFailing reads testdata/failing.txt.
func readFailing(t *testing.T) (reasons map[string]string, version string) {
	text := testfile.Read(t, "testdata/failing.txt")
	reasons = map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# for "); ok {
			version = rest
		}
		if line == "" || line[0] == '#' {
			continue
		}
		name, why, ok := strings.Cut(line, ": ")
		if !ok || why == "" {
			t.Errorf("testdata/failing.txt: %q has no reason", line)
		}
		reasons[name] = why
	}
	return reasons, version
}

// readSlow reads testdata/slow.txt.
func readSlow(t *testing.T) map[string]bool {
	text := testfile.Read(t, "testdata/slow.txt")
	late := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			late[line] = true
		}
	}
	return late
}

// results runs programs in separate processes and sends the outcome of each. A program that ends its process
// has failed; the programs after it continue in another process.
func results(t *testing.T, root string, programs []program) <-chan result {
	queue, out := make(chan []program), make(chan result)
	go func() {
		for len(programs) > 0 {
			n := 1
			for !finalizes(programs[0]) && n < min(batch, len(programs)) && !finalizes(programs[n]) {
				n++
			}
			queue <- programs[:n]
			programs = programs[n:]
		}
		close(queue)
	}()
	var wg sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		wg.Go(func() {
			for list := range queue {
				for len(list) > 0 {
					n := runBatch(t, root, list, out)
					list = list[n:]
				}
			}
		})
	}
	go func() { wg.Wait(); close(out) }()
	return out
}

// finalizes reports whether a program registers finalizers, which may run after the program's end.
func finalizes(p program) bool {
	return strings.Contains(p.Source, "SetFinalizer") || strings.Contains(p.Source, "AddCleanup")
}

// runBatch runs programs in one process as long as the process lives, and returns the number of results that
// it has sent.
func runBatch(t *testing.T, root string, list []program, out chan<- result) int {
	exe, err := os.Executable()
	if err != nil {
		t.Error(err)
		return len(list)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-runner")
	cmd.Env = append(os.Environ(), "GOROOT="+root, // sets runtime.GOROOT, even if the test was built with -trimpath
		timeZone)
	text, err := json.Marshal(list)
	if err != nil {
		t.Error(err)
		return len(list)
	}
	cmd.Stdin = bytes.NewReader(text)
	var last lastLines
	cmd.Stderr = &last
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return len(list)
	}
	silence := time.AfterFunc(limit+patience.Long, func() { cmd.Process.Kill() })
	defer silence.Stop()
	n := 0
	lines := bufio.NewReader(stdout)
	for n < len(list) {
		line, err := lines.ReadString('\n')
		if _, text, ok := strings.Cut(line, answer); ok {
			silence.Reset(2 * patience.Long)
			var r result
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			out <- r
			n++
			continue
		}
		fmt.Fprint(&last, line)
		if err != nil {
			break
		}
	}
	io.Copy(io.Discard, lines)
	err = cmd.Wait()
	if n < len(list) {
		out <- result{Name: list[n].Name, Fault: fmt.Sprintf("the process ends: %v: %s", err, last.text())}
		n++
	}
	return n
}

// lastLines collects a process's output up to a limit.
type lastLines struct {
	mu   sync.Mutex
	kept []byte
}

func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := 2000 - len(l.kept); room > 0 {
		l.kept = append(l.kept, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

func (l *lastLines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.kept)
}

// serve runs the programs on standard input.
func serve() {
	var programs []program
	if err := json.NewDecoder(os.Stdin).Decode(&programs); err != nil {
		panic(err)
	}
	os.Args = os.Args[:1] // because some programs read more arguments
	os.Stdin, _ = os.Open(os.DevNull)
	stdout := os.Stdout
	for _, p := range programs {
		from := cputime.Used()
		r := result{Name: p.Name, Fault: runProgram(p)}
		r.Took = cputime.Used() - from
		text, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(stdout, "\n%s%s\n", answer, text)
	}
	os.Stdout = stdout
}

// runProgram runs a program as a cell and describes the fault, or returns "" if the program passes.
func runProgram(p program) string {
	// Programs may change GOMAXPROCS.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	file, err := os.CreateTemp("", "conformance")
	if err != nil {
		return err.Error()
	}
	defer os.Remove(file.Name())
	defer file.Close()
	out, fault := os.Stdout, os.Stderr
	defer func() { os.Stdout, os.Stderr = out, fault }()
	name, stderr := path.Base(p.Name), file // some programs look for the file name in stacks
	if p.File != "" {
		if stderr, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return err.Error()
		}
		defer stderr.Close()
		folder, err := os.Getwd()
		if err == nil {
			defer os.Chdir(folder)
			err = os.Chdir(filepath.Dir(p.File))
		}
		if err != nil {
			return err.Error()
		}
		name = filepath.Base(p.File)
	}
	os.Stdout, os.Stderr = file, stderr
	s, err := ixengine.New(ixengine.Options{Stdout: file, Stderr: stderr, MemoryLimit: cellMemory})
	if err != nil {
		return err.Error()
	}
	defer s.StopGoroutines()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_, err = s.Run(ctx, engine.Cell{Name: name, Source: p.Source})
	printed, readErr := os.ReadFile(file.Name())
	if readErr != nil {
		return readErr.Error()
	}
	got := strings.ReplaceAll(string(printed), "\r\n", "\n")
	e := (*engine.Error)(nil)
	failed := errors.As(err, &e) && (e.Kind != engine.Exit || e.ExitCode != 0)
	if failed && !p.Fails {
		return strings.Join(e.Traceback(), "\n") + "\n" + cut(got)
	}
	if p.Fails && !failed {
		return "does not fail, and prints " + cut(got)
	}
	if !p.printed(got) {
		return fmt.Sprintf("prints %q, not %q", cut(got), cut(p.Want))
	}
	return ""
}

// cut shortens a long text.
func cut(s string) string {
	const most = 500
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
