package grade

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A process is the grader's side of a student's process.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	said    *bufio.Scanner
	pipe    *os.File
	stderr  prefixWriter
	stop    func() // stops watching the folder
	mu      sync.Mutex
	full    bool // the process was killed because its folder was too large
	waited  chan struct{}
	waitErr error
}

// errDied is the error for a process that has ended.
var errDied = errors.New("the process ended")

// start starts a process that can see only the given folder. The result free lists the limits that could not be
// applied.
func (o *Options) start(folder string) (p *process, free []string, err error) {
	r := request{Op: "begin", Folder: folder, Memory: uint64(o.Memory), Disk: uint64(o.Disk)}
	for _, e := range enclosures {
		r.Enclosed, r.Mounts, r.Alone = true, e.hasOwnMounts(), e.hasOwnPIDs()
		if p, free, err = o.begin(r, e.apply); err == nil {
			return p, free, nil
		}
	}
	r.Enclosed, r.Mounts, r.Alone = false, false, false // this system has no namespaces, or does not permit them
	return o.begin(r, group)
}

// begin prepares a command by calling apply, starts its process, and makes the process restrict itself. The second
// result lists the limits that could not be applied.
func (o *Options) begin(r request, apply func(*exec.Cmd)) (*process, []string, error) {
	p, err := o.launch(apply)
	if err != nil {
		return nil, nil, err
	}
	a, err := p.ask(r, time.Now().Add(time.Minute))
	if err != nil {
		err = fmt.Errorf("the kernel did not start: %s", p.describeEnd())
	} else if a.Fault != "" {
		err = errors.New(a.Fault)
	}
	if err != nil {
		p.close()
		return nil, nil, err
	}
	if !r.Mounts {
		p.watch(r.Folder, o.Disk)
	}
	return p, a.Free, nil
}

func (o *Options) launch(apply func(*exec.Cmd)) (*process, error) {
	p := &process{stop: func() {}, waited: make(chan struct{})}
	p.cmd = exec.Command(o.Program[0], o.Program[1:]...)
	// Do not pass on the lecturer's environment, which may contain secrets.
	p.cmd.Env = append([]string{"LANG=C.UTF-8"}, o.Env...)
	p.cmd.Dir = os.TempDir()
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second
	apply(p.cmd)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout = w
	err = p.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	p.pipe, p.said = r, bufio.NewScanner(r)
	p.said.Buffer(nil, longest)
	go func() {
		p.waitErr = p.cmd.Wait()
		close(p.waited)
	}()
	return p, nil
}

// ask sends a request and waits for the answer. At the deadline it kills the process.
func (p *process) ask(r request, deadline time.Time) (answer, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	p.in.Write(append(b, '\n')) // if writing fails, reading fails too
	late := time.AfterFunc(time.Until(deadline), p.end)
	defer late.Stop()
	var a answer
	if !p.said.Scan() {
		return a, errDied
	}
	if json.Unmarshal(p.said.Bytes(), &a) != nil {
		return a, errDied // not a message that a kernel writes
	}
	a.Result = bytes.Clone(a.Result)
	return a, nil
}

// watch kills the process when its folder becomes too large. It cannot see deleted files that are still open;
// only the limit on the size of a single file applies to them.
func (p *process) watch(folder string, most int64) {
	over := make(chan struct{})
	p.stop = sync.OnceFunc(func() { close(over) })
	go func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			if isTooLarge(folder, most) {
				p.mu.Lock()
				p.full = true
				p.mu.Unlock()
				p.end()
				return
			}
		}
	}()
}

// end kills the process. It does nothing if the process has already ended, because its process ID may have been
// reused.
func (p *process) end() {
	select {
	case <-p.waited:
	default:
		end(p.cmd)
	}
}

// describeEnd says how the process ended. It kills the process if necessary.
func (p *process) describeEnd() string {
	p.end()
	<-p.waited
	p.mu.Lock()
	full := p.full
	p.mu.Unlock()
	text := p.stderr.String()
	switch {
	case full:
		return wroteTooMuch
	case strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate memory"):
		return "the memory was full"
	case strings.HasPrefix(text, "SIGABRT: abort"), strings.Contains(text, "failed to create new OS thread"), strings.Contains(text, "pthread_create failed"):
		return "it was aborted: no memory was left for another thread"
	case strings.Contains(text, "stack overflow"):
		return "stack overflow"
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "fatal error: "); ok {
			return oneLine(rest)
		}
	}
	if text != "" {
		return oneLine(text)
	}
	return fmt.Sprint(p.waitErr)
}

// close kills the process and releases its resources.
func (p *process) close() {
	p.stop()
	p.in.Close()
	p.end()
	<-p.waited
	p.pipe.Close()
}

// A prefixWriter is a writer that keeps only the beginning of its input, because the first lines of a crash name
// its cause.
type prefixWriter struct {
	mu   sync.Mutex
	text []byte
}

func (b *prefixWriter) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, p[:min(len(p), 4000-len(b.text))]...)
	return len(p), nil
}

func (b *prefixWriter) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text)
}

// The grader and a student's process exchange JSON, one message per line: requests on the standard input of the
// process, answers on its standard output. A cell that gains access to the standard output can write there too. But
// it can only forge a result, and only a correct result earns points.
