package separate

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"overcomplete/kernel-helpers/gpu"
)

// patience is how long a call may take. Tests have less.
var patience = 5 * time.Minute

// grace is how long an interrupted call may still take.
const grace = time.Second

// serveWord is the command-line argument that tells a program to call Serve.
const serveWord = "serve"

// On systems where a process can inherit files from its parent, these are the numbers of the inherited files. On such
// systems, answers do not go to the standard output, because a driver may print to it.
const (
	answersFile = 3
	memoryFile  = 4
)

// extraFiles says whether processes can inherit these files.
const extraFiles = runtime.GOOS != "windows"

// A process is a running program that has called Serve, seen from the program that started it.
type process struct {
	cmd     *exec.Cmd
	to      *os.File      // the process reads requests from this pipe
	from    *os.File      // the process writes answers to this pipe
	in      *bufio.Reader // a buffered reader of the pipe above
	enc     *gob.Encoder
	dec     *gob.Decoder
	memory  *memory // nil if numbers go through the pipes
	said    said
	infos   []gpu.Info // the devices of the process
	without error      // why some or all devices are missing from infos
	ended   bool
}

// start starts the program at the given path, asks for its devices, and returns the running process. If share is set,
// the contents of buffers go through shared memory where the system has it.
func start(ctx context.Context, program string, share bool) (p *process, err error) {
	p = &process{cmd: exec.Command(program, serveWord)}
	requests, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, answers, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, requests.Close(), to.Close())
	}
	p.to, p.from, p.in = to, from, bufio.NewReader(from)
	p.enc, p.dec = gob.NewEncoder(to), gob.NewDecoder(p.in) // which reads no more than a message
	p.cmd.Stdin, p.cmd.Stderr, p.cmd.WaitDelay = requests, &p.said, time.Second
	if extraFiles {
		p.cmd.ExtraFiles = []*os.File{answers}
	} else {
		p.cmd.Stdout = answers
	}
	if share {
		if p.memory = newMemory(); p.memory != nil {
			p.cmd.ExtraFiles = append(p.cmd.ExtraFiles, p.memory.file)
		}
	}
	err = p.cmd.Start()
	requests.Close()
	answers.Close()
	if err != nil {
		p.close()
		return nil, fmt.Errorf("gpu: %s does not start, which on Linux needs glibc: %w", program, err)
	}
	a, err := p.call(ctx, "Devices", &request{Do: devices})
	switch {
	case a == nil:
		return nil, err
	case a.Version != version:
		p.end()
		return nil, fmt.Errorf("gpu: %s is of another version of this project: remove it, or build it again", program)
	}
	p.infos, p.without = a.Infos, err
	return p, nil
}

// call sends a request to the process and waits for the answer. If the driver returned an error, the results are the
// answer and this error. After any other error, the process has ended; such an error contains op, the name of the
// operation. If the driver panicked, so does call.
func (p *process) call(ctx context.Context, op string, r *request) (*answer, error) {
	p.said.reset()
	a := &answer{}
	done := make(chan error, 1)
	go func() { done <- p.exchange(r, a) }()
	late := time.NewTimer(patience)
	defer late.Stop()
	var err, hangs error
	select {
	case err = <-done:
	case <-late.C:
		hangs = fmt.Errorf("no answer for %v", patience)
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(grace):
			hangs = ctx.Err()
		}
	}
	if hangs != nil {
		p.end()
		<-done // nobody looks at r any more
		return nil, fmt.Errorf("gpu: %s: %w; the driver's program was ended, and the next call starts it again", op, hangs)
	}
	switch {
	case err != nil:
		state := p.end()
		return nil, fmt.Errorf("gpu: %s: the driver's program has ended (%v)%s; the next call starts it again", op, cmp.Or(state, err), p.said.text())
	case a.Panic != "":
		panic(a.Panic)
	case a.Err != "":
		return a, &driverError{a.Err, a.Memory}
	}
	return a, nil
}

// exchange sends a request and receives the answer.
func (p *process) exchange(r *request, a *answer) error {
	err := p.enc.Encode(r)
	if err == nil && r.Do == write {
		_, err = p.to.Write(bytesOf(r.numbers))
	}
	if err == nil {
		err = p.dec.Decode(a)
	}
	if err == nil && r.Do == read && a.Err == "" && a.Panic == "" {
		_, err = io.ReadFull(p.in, bytesOf(r.numbers))
	}
	return err
}

// end closes the pipes of the process, and kills it if it does not exit soon. It returns the error with which the
// process exited. If the process cannot be killed, the error says so.
func (p *process) end() error {
	if p.ended {
		return nil
	}
	p.close()
	gone := make(chan error, 1)
	go func() { gone <- p.cmd.Wait() }()
	select {
	case err := <-gone: // it has crashed, or seen the closed pipe
		return err
	case <-time.After(grace / 2):
	}
	p.cmd.Process.Kill()
	select {
	case err := <-gone:
		return err
	case <-time.After(grace): // the system does not let go of it
		return errors.New("cannot be killed")
	}
}

func (p *process) close() {
	p.ended = true
	p.to.Close()
	p.from.Close()
	p.memory.close()
}

// share returns shared memory for n numbers, and stores the size of the shared memory in the request.
func (p *process) share(r *request, n int) ([]float32, error) {
	if err := p.memory.grow(4 * n); err != nil {
		return nil, err
	}
	r.Shared = len(p.memory.bytes)
	return numbersIn(p.memory.bytes[:4*n]), nil
}

// said is a writer that keeps the first 1000 bytes that a process prints to its standard error during a call. They
// are quoted in the error if the process crashes.
type said struct {
	mu sync.Mutex
	b  []byte
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = append(s.b, b[:min(len(b), 1000-len(s.b))]...)
	return len(b), nil
}

func (s *said) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = s.b[:0]
}

// text returns a colon and the first lines that the process has printed, or "" if it has printed nothing.
func (s *said) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(string(bytes.TrimSpace(s.b)), "\n")
	if lines[0] == "" {
		return ""
	}
	return ": " + strings.Join(lines[:min(3, len(lines))], "\n")
}
