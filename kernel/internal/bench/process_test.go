package bench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"overcomplete/internal/built"
	"overcomplete/internal/module"
	"overcomplete/kernel/wire"
)

// long enables the tests that take minutes.
var long = flag.Bool("long", os.Getenv("OVERCOMPLETE_LONG") != "", "run the tests that take minutes and write their figures")

// kernelProgram is the kernel's program, built for the first test that needs it; OVERCOMPLETE_BIN names an
// existing one.
var kernelProgram struct {
	once sync.Once
	dir  string
	path string
	err  error
}

func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	if kernelProgram.dir != "" {
		os.RemoveAll(kernelProgram.dir)
	}
	os.Exit(status)
}

// ours returns the kernel's program.
func ours(tb testing.TB) kind {
	tb.Helper()
	if testing.Short() {
		tb.Skip("builds the binary and starts kernels")
	}
	kernelProgram.once.Do(func() {
		if kernelProgram.path = os.Getenv("OVERCOMPLETE_BIN"); kernelProgram.path != "" {
			return // OVERCOMPLETE_BIN names it
		}
		if kernelProgram.dir, kernelProgram.err = os.MkdirTemp("", "bench"); kernelProgram.err != nil {
			return
		}
		kernelProgram.path = filepath.Join(kernelProgram.dir, "overcomplete")
		kernelProgram.err = built.Program(kernelProgram.path, module.Package("cmd/overcomplete"))
	})
	if kernelProgram.err != nil {
		tb.Fatal(kernelProgram.err)
	}
	return kind{name: "overcomplete", argv: []string{kernelProgram.path, "kernel", "-quiet"}}
}

// A kind describes a kernel program and how to start it.
type kind struct {
	name string
	argv []string // command line, to which the name of the connection file is appended
	env  []string
	miss string // reason why the kernel cannot be started, or ""
}

// A process is a running kernel.
type process struct {
	tb   testing.TB
	cmd  *exec.Cmd
	dir  string
	log  *os.File
	info wire.ConnectionInfo
	file string // name of the connection file
	done chan struct{}
	err  error // exit error, valid once done is closed
}

// launch starts a kernel and returns without waiting until it is ready.
func launch(tb testing.TB, k kind) *process {
	tb.Helper()
	info, err := wire.NewConnectionInfo()
	if err != nil {
		tb.Fatal(err)
	}
	return launchOn(tb, k, info)
}

func launchOn(tb testing.TB, k kind, info wire.ConnectionInfo) *process {
	tb.Helper()
	dir, err := os.MkdirTemp("", "kernel")
	if err != nil {
		tb.Fatal(err)
	}
	p := &process{tb: tb, dir: dir, info: info, file: filepath.Join(dir, "connection.json"), done: make(chan struct{})}
	if err := info.WriteFile(p.file); err != nil {
		tb.Fatal(err)
	}
	if p.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		tb.Fatal(err)
	}
	p.cmd = exec.Command(k.argv[0], append(k.argv[1:len(k.argv):len(k.argv)], p.file)...)
	p.cmd.Dir = dir
	p.cmd.Env = append(append(os.Environ(), "OVERCOMPLETE_HISTORY=off", "IPYTHONDIR="+dir), k.env...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	tb.Cleanup(p.kill)
	return p
}

// kill ends the process, if it has not ended, and removes its folder.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
	p.log.Close()
	if p.tb.Failed() {
		if text, err := os.ReadFile(p.log.Name()); err == nil && len(text) > 0 {
			p.tb.Logf("the kernel's log: %.3000s", text)
		}
	}
	os.RemoveAll(p.dir)
}

// ended waits for the process to exit by itself.
func (p *process) ended(within time.Duration) error {
	select {
	case <-p.done:
		return p.err
	case <-time.After(within):
		return fmt.Errorf("the process has not ended after %v", within)
	}
}

// alive fails the test if the kernel has exited.
func (p *process) alive() {
	p.tb.Helper()
	select {
	case <-p.done:
		p.tb.Fatalf("the kernel has ended: %v", p.err)
	default:
	}
}

// A client is one front end's connection to a kernel.
type client struct {
	*wire.Client
	tb  testing.TB
	ctx context.Context
}

// dial connects to our kernel, which reports when iopub is ready.
func (p *process) dial() *client { return p.connect(wire.Dial) }

// dialOther connects to any kernel. When it returns, the kernel has answered a kernel_info_request.
func (p *process) dialOther() *client { return p.connect(wire.DialOther) }

func (p *process) connect(dial func(context.Context, wire.ConnectionInfo) (*wire.Client, error)) *client {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := dial(ctx, p.info)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.tb.Cleanup(func() { c.Close() })
	return &client{Client: c, tb: p.tb, ctx: context.Background()}
}

// start starts our kernel and connects to it.
func start(tb testing.TB) (*process, *client) {
	tb.Helper()
	p := launch(tb, ours(tb))
	return p, p.dial()
}

// A shown is what a front end shows of a cell.
type shown struct {
	status string // status of the reply
	ename  string // name of the error, if the reply is an error
	text   string // streams and the plain text of results, in order
	mimes  map[string]int
}

// patience is how long a client waits for a message before the kernel counts as hung.
const patience = 2 * time.Minute

func (c *client) recv(ch wire.Channel) (*wire.Message, error) {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	return c.Recv(ctx, ch)
}

// code returns the content of an execute_request.
func code(src string) map[string]any {
	return map[string]any{"code": src, "silent": false, "store_history": true,
		"user_expressions": map[string]string{}, "allow_stdin": false, "stop_on_error": true}
}

// run runs a cell and waits for its reply and its idle status.
func (c *client) run(src string) shown {
	c.tb.Helper()
	s, err := c.try(src)
	if err != nil {
		c.tb.Fatal(err)
	}
	return s
}

// try is like run, for goroutines other than the test's, which must not end the test.
func (c *client) try(src string) (shown, error) {
	h, err := c.Send(wire.Shell, "execute_request", code(src))
	if err != nil {
		return shown{}, err
	}
	return c.result(h.MsgID)
}

// result collects the outcome of the cell whose message has the given id.
func (c *client) result(id string) (s shown, err error) {
	s.mimes = map[string]int{}
	for idle := false; !idle; {
		m, err := c.recv(wire.IOPub)
		if err != nil {
			return s, err
		}
		if m.Parent().MsgID == id {
			idle = s.add(m)
		}
	}
	for {
		m, err := c.recv(wire.Shell)
		if err != nil {
			return s, err
		}
		if m.Parent().MsgID != id {
			continue
		}
		var content struct{ Status, Ename string }
		if err := json.Unmarshal(m.Content, &content); err != nil {
			return s, err
		}
		s.status, s.ename = content.Status, content.Ename
		return s, nil
	}
}

// add adds an iopub message to s and reports whether it is the cell's last message.
func (s *shown) add(m *wire.Message) (idle bool) {
	var content struct {
		Name, Text, Evalue string
		State              string `json:"execution_state"`
		Data               map[string]json.RawMessage
	}
	json.Unmarshal(m.Content, &content)
	switch m.Header.MsgType {
	case "stream":
		s.text += content.Text
	case "execute_result", "display_data":
		for mime, raw := range content.Data {
			s.mimes[mime] += len(raw)
		}
		var text string
		json.Unmarshal(content.Data["text/plain"], &text)
		s.text += text
	case "error":
		s.text += content.Evalue
	case "status":
		return content.State == "idle"
	}
	return false
}

// want fails the test unless the cell went well and showed text.
func (c *client) want(src, text string) {
	c.tb.Helper()
	if s := c.run(src); s.status != "ok" || strings.TrimSpace(s.text) != text {
		c.tb.Fatalf("%q: %s %s, shows %.500q, not %q", src, s.status, s.ename, s.text, text)
	}
}

// until reads iopub until a stream message of the cell with the given id arrives.
func (c *client) until(id string) error {
	for {
		m, err := c.recv(wire.IOPub)
		if err != nil {
			return err
		}
		if m.Parent().MsgID != id {
			continue
		}
		switch m.Header.MsgType {
		case "stream":
			return nil
		case "error":
			return errors.New(string(m.Content))
		}
	}
}
