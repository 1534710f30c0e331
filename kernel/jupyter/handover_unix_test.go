//go:build unix

package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/history"
	"overcomplete/kernel/wire"
	"overcomplete/ui/comm"
)

// These tests run this test binary as a kernel, which is replaced by the same binary under another name. A cell
// with the line
//
//	import "example.com/other"
//
// needs the program that the environment variable otherProgram names.
const (
	otherImport  = `import "example.com/other"`
	otherProgram = "JUPYTER_TEST_PROGRAM"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "kernel" {
		if err := serveTest(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveTest does the same as the command "overcomplete kernel".
func serveTest(args []string) error {
	if args[0] == "-can-resume" {
		if format := os.Getenv("JUPYTER_TEST_FORMAT"); format != "" {
			fmt.Println(format)
			return nil
		}
		fmt.Println(Format)
		return nil
	}
	interrupts := NewInterrupts()
	connection := args[len(args)-1]
	var info wire.ConnectionInfo
	var err error
	if connection != overStdio {
		if info, err = wire.ReadConnectionFile(connection); err != nil {
			return err
		}
	}
	logger := log.New(Stderr(), "", log.Lmicroseconds)
	opt := Options{
		Log:        logger,
		History:    history.New(os.Getenv("JUPYTER_TEST_HISTORY")),
		Resuming:   func(program, file string) []string { return []string{program, "kernel", "-resume", file, connection} },
		Interrupts: interrupts,
		Complete: func(ctx context.Context, code string, cursor int) (Completion, error) {
			time.Sleep(20 * time.Millisecond) // the request is in flight when the hand-over begins
			return Completion{Matches: []string{code + "letion"}, End: cursor}, nil
		},
	}
	session := "session-1"
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ko := kernel.Options{Replaceable: true}
	if args[0] == "-resume" {
		if slow, err := time.ParseDuration(os.Getenv("JUPYTER_TEST_SLOW")); err == nil {
			time.Sleep(slow)
		}
		if opt.Resumed, err = ReadHandover(args[1]); err != nil {
			return err
		}
		opt.History = history.Resume(*opt.Resumed.History)
		ko.Resume, ko.Declared = opt.Resumed.State, opt.Resumed.Cells()
		session = opt.Resumed.Session
	}
	channels, err := testChannels(info, session, opt.Resumed, logger, cancel)
	if err != nil {
		return err
	}
	open := func() (Executor, error) {
		k, err := kernel.New(ko)
		if err != nil {
			return nil, err
		}
		r := &replaceable{Kernel: k, generation: 1, declared: ko.Declared}
		if len(ko.Resume) > 0 {
			fmt.Sscan(string(ko.Resume), &r.generation)
		}
		return r, nil
	}
	New(channels, session, open, opt).Run(ctx)
	return nil
}

// overStdio is the connection of a kernel that uses its standard input and output.
const overStdio = "--stdio"

func testChannels(info wire.ConnectionInfo, session string, handed *Handover, logger *log.Logger, gone func()) (Channels, error) {
	stdio := info.Transport == ""
	switch {
	case stdio && handed != nil:
		p, err := wire.ResumePipes(handed.Sockets, logger, gone)
		if err != nil {
			return Channels{}, err
		}
		return OverPipes(p), nil
	case stdio:
		in, out, err := Stdio()
		return OverPipes(wire.OpenPipes(in, out, logger, gone)), err
	}
	var sockets *wire.Sockets
	var err error
	if handed == nil {
		sockets, err = wire.Listen(info, session, logger)
	} else {
		sockets, err = wire.Resume(info, session, handed.Sockets, logger)
	}
	if err != nil {
		return Channels{}, err
	}
	return OverSockets(sockets), nil
}

// replaceable is a kernel whose cells may need another program.
type replaceable struct {
	*kernel.Kernel
	generation int // 0 for the first program, 1 for its replacement, and so on
	declared   []engine.Cell
}

func (r *replaceable) Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error {
	source, needs := strings.CutPrefix(cell.Source, otherImport+"\n")
	if needs {
		why := kernel.Staying(ctx)
		if why == nil {
			out.Stream("stderr", "replacing ... ")
			return &kernel.Replace{Program: os.Getenv(otherProgram), State: fmt.Append(nil, r.generation+1), Declarations: r.declared}
		}
		if !errors.Is(why, errReplaced) {
			out.Stream("stderr", "staying: "+why.Error()+"\n")
		}
		cell = engine.Cell{Name: cell.Name, Source: source}
	} else if !strings.Contains(source, "\n") && (strings.HasPrefix(source, "func") || strings.HasPrefix(source, "import")) {
		r.declared = append(r.declared, engine.Cell{Name: cell.Name, Source: source})
	}
	if source == "generation" {
		out.Stream("stdout", fmt.Sprintf("generation %d, pid %d", r.generation, os.Getpid()))
		return nil
	}
	return r.Kernel.Execute(ctx, cell, out)
}

// A process is a kernel in another process, and a client of it.
type process struct {
	*session
	cmd    *exec.Cmd
	info   wire.ConnectionInfo
	log    *locked
	other  string // path of the program that cells may need
	tmp    string // folder for the process's temporary files
	exited chan error
}

type locked struct {
	sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(b)
}

func (l *locked) String() string {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.String()
}

// startProcess starts this test binary as a kernel. The binary's second name is the other program.
func startProcess(t *testing.T, info wire.ConnectionInfo, env ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := &process{info: info, log: new(locked), other: filepath.Join(dir, "other"), tmp: filepath.Join(dir, "tmp"), exited: make(chan error, 1)}
	os.Mkdir(p.tmp, 0o700)
	if err := os.Link(self, p.other); err != nil {
		data := testfile.Read(t, self) // cannot be linked: it is on another file system
		if err := os.WriteFile(p.other, data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	connection := overStdio
	if info.Transport != "" {
		connection = filepath.Join(dir, "connection.json")
		if err := info.WriteFile(connection); err != nil {
			t.Fatal(err)
		}
	}
	p.cmd = exec.Command(self, "kernel", connection)
	p.cmd.Dir = dir
	p.cmd.Env = append(append(os.Environ(), otherProgram+"="+p.other, "TMPDIR="+p.tmp), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	var client *wire.Client
	if info.Transport == "" {
		in, out := filesOfPipe(t), filesOfPipe(t)
		p.cmd.Stdin, p.cmd.Stdout = in[0], out[1]
		defer in[0].Close()
		defer out[1].Close()
		client = wire.DialPipes(out[0], in[1])
		t.Cleanup(func() { client.Close() })
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience.Long)
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		ended := <-p.exited // "signal: killed", unless the kernel had ended before
		cancel()
		if t.Failed() {
			t.Logf("the kernel's end: %v; its log:\n%s", ended, p.log)
		}
	})
	go func() { p.exited <- p.cmd.Wait() }()
	if client != nil {
		p.session = &session{Client: client, t: t, ctx: ctx}
		return p
	}
	p.session = p.dial(t, ctx)
	return p
}

// dial returns a new client.
func (p *process) dial(t *testing.T, ctx context.Context) *session {
	t.Helper()
	c, err := wire.Dial(ctx, p.info)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &session{Client: c, t: t, ctx: ctx}
}

func tcp(t *testing.T) wire.ConnectionInfo {
	t.Helper()
	info, err := wire.NewConnectionInfo()
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func ipc(t *testing.T) wire.ConnectionInfo {
	t.Helper()
	dir, err := os.MkdirTemp("", "jup") // a short name, because names of sockets have a maximum length
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return wire.ConnectionInfo{Transport: "ipc", IP: filepath.Join(dir, "k"), ShellPort: 1, ControlPort: 2,
		StdinPort: 3, IOPubPort: 4, HBPort: 5, SignatureScheme: "hmac-sha256", Key: "k"}
}

// texts returns the text printed on one stream, from published messages.
func texts(published []string, stream string) string {
	var b strings.Builder
	for _, p := range published {
		if text, ok := strings.CutPrefix(p, stream+":"); ok {
			b.WriteString(text)
		}
	}
	return b.String()
}

// generation runs a cell that shows which program is running.
func (p *process) generation() string {
	p.t.Helper()
	_, published := p.execute(code("generation"))
	return texts(published, "stdout")
}

func (p *process) expect(generation int) {
	p.t.Helper()
	want(p.t, "the program", p.generation(), fmt.Sprintf("generation %d, pid %d", generation, p.cmd.Process.Pid))
}

// TestHandover: queued cells continue in the other program, in the same process. The other program has the
// declarations of earlier cells, the count, the history, the working directory and the environment.
func TestHandover(t *testing.T) {
	for name, info := range map[string]wire.ConnectionInfo{"tcp": tcp(t), "ipc": ipc(t), "stdio": {}} {
		t.Run(name, func(t *testing.T) {
			p := startProcess(t, info)
			p.execute(code("func twice(x int) int { return 2 * x }"))
			p.execute(code("import \"os\""))
			p.execute(code(`os.Chdir("/"); os.Setenv("MINE", "1")`))
			var ids []string
			for i := range 22 {
				src := fmt.Sprintf("twice(%d)", i)
				if i == 1 {
					src = otherImport + "\n" + src
				}
				ids = append(ids, p.send(wire.Shell, "execute_request", code(src)))
			}
			for i, id := range ids {
				r := p.reply(wire.Shell, id, "execute_reply")
				want(t, "reply", []any{r["status"], r["execution_count"]}, []any{"ok", i + 4})
				words := []string{"busy", "execute_input", "execute_result", "idle"}
				if i == 1 {
					words = slices.Insert(words, 2, "stderr:replacing ... ")
				}
				want(t, fmt.Sprint("iopub of ", i), p.published(id), words)
			}
			p.expect(2)
			r, published := p.execute(map[string]any{"code": `os.Stdout.WriteString(os.Getenv("MINE") + ",")`, "user_expressions": map[string]string{"wd": "len(os.Args)"}})
			want(t, "environment", []any{r["status"], texts(published, "stdout")}, "[ok 1,]")
			_, published = p.execute(code(`wd, _ := os.Getwd(); os.Stdout.WriteString(wd)`))
			want(t, "working directory", texts(published, "stdout"), "/")
			id := p.send(wire.Shell, "history_request", map[string]any{"hist_access_type": "range", "session": 0, "start": 4, "stop": 7, "output": true})
			h, _ := json.Marshal(p.reply(wire.Shell, id, "history_reply")["history"])
			want(t, "history", string(h), `[[1,4,["twice(0)","0"]],[1,5,["import \"example.com/other\"\ntwice(1)","2"]],[1,6,["twice(2)","4"]]]`)
			p.published(id)
			if left, _ := os.ReadDir(p.tmp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if info.Transport == "ipc" {
				if files, _ := filepath.Glob(info.IP + "-*"); len(files) != 5 {
					t.Errorf("the files of the sockets: %v", files)
				}
			}
			id = p.send(wire.Control, "shutdown_request", map[string]any{"restart": false})
			p.reply(wire.Control, id, "shutdown_reply")
			select {
			case err := <-p.exited:
				want(t, "exit", err, nil)
				p.exited <- err
			case <-time.After(patience.Long):
				t.Error("the kernel does not end")
			}
			if files, _ := filepath.Glob(info.IP + "-*"); info.Transport == "ipc" && len(files) != 0 {
				t.Errorf("after the end the files of the sockets are there: %v", files)
			}
		})
	}
}

// files lists the targets of a process's open files, without targets that have unique numbers.
func (p *process) files(t *testing.T) []string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`\d+`)
	var kinds []string
	for _, f := range list {
		to, err := os.Readlink(filepath.Join(dir, f.Name()))
		if err != nil {
			continue
		}
		kinds = append(kinds, number.ReplaceAllString(to, "N"))
	}
	slices.Sort(kinds)
	return kinds
}

// TestHandoverAgain: nothing accumulates if a kernel is handed over many times.
func TestHandoverAgain(t *testing.T) {
	p := startProcess(t, tcp(t), "JUPYTER_TEST_HISTORY="+t.TempDir())
	var before []string
	var took []time.Duration
	for i := range 10 {
		r, _ := p.execute(code("1"))
		want(t, "status", r["status"], "ok")
		if runtime.GOOS == "linux" {
			time.Sleep(20 * time.Millisecond) // a garbage collection or the like may be opening files
			if i == 0 {
				before = p.files(t)
			} else if !patience.Wait(func() bool { return slices.Equal(p.files(t), before) }) {
				t.Fatalf("open after %d hand-overs:\n%q, before:\n%q", i, p.files(t), before)
			}
		}
		begin := time.Now()
		r, _ = p.execute(code(otherImport + "\n1"))
		if i > 0 { // the first hand-over asks the program for its Format
			took = append(took, time.Since(begin))
		}
		want(t, "status", []any{r["status"], r["execution_count"]}, []any{"ok", 3*i + 2})
		p.expect(i + 2)
	}
	slices.Sort(took)
	t.Logf("a cell with a hand-over: median %v, %v to %v", took[len(took)/2], took[0], took[len(took)-1])
}

// TestHandoverFails: if anything prevents the other program from running, the cell runs in this program, which
// keeps its whole state.
func TestHandoverFails(t *testing.T) {
	if patience.RaceDetector {
		t.Skip("several processes of some seconds each")
	}
	self, _ := os.Executable()
	selfInfo, err := os.Stat(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		fault func(t *testing.T, p *process)
		env   string
		want  string
	}{
		{"gone", func(t *testing.T, p *process) { os.Remove(p.other) }, "", "the program no longer exists"},
		{"a folder", func(t *testing.T, p *process) { os.Remove(p.other); os.Mkdir(p.other, 0o700) }, "", "is not a program"},
		{"not executable", func(t *testing.T, p *process) {
			os.Remove(p.other)
			os.WriteFile(p.other, []byte("#!/bin/sh\n"), 0o600)
		}, "", "permission denied"},
		{"no program", func(t *testing.T, p *process) {
			os.Remove(p.other)
			os.WriteFile(p.other, []byte("\x00\x01"), 0o700)
		}, "", "exec format error"},
		{"another format", func(t *testing.T, p *process) {}, "JUPYTER_TEST_FORMAT=999", `format "999"`},
		{"says nothing", func(t *testing.T, p *process) {
			os.Remove(p.other)
			os.Symlink("/bin/true", p.other)
		}, "", `format ""`},
		{"ends at once", func(t *testing.T, p *process) {
			os.Remove(p.other)
			os.Symlink("/bin/false", p.other)
		}, "", "does not start"},
		{"exec fails", func(t *testing.T, p *process) { // the program has already reported its Format
			os.Remove(p.other)
			os.WriteFile(p.other, []byte("\x00\x01"), 0o700)
			info, _ := os.Stat(p.other)
			os.WriteFile(p.other+knownSuffix, fmt.Appendf(nil, "format %d, %d bytes, written %d\n", Format, info.Size(), info.ModTime().UnixNano()), 0o600)
		}, "", "exec format error"},
		{"no room for the state", func(t *testing.T, p *process) { os.RemoveAll(p.tmp) }, "", "no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startProcess(t, tcp(t), c.env)
			c.fault(t, p)
			p.execute(code("x := 20"))
			var files []string
			if runtime.GOOS == "linux" {
				files = p.files(t)
			}
			later := p.send(wire.Shell, "execute_request", code(otherImport+"\nimport \"fmt\"\nfmt.Println(x)"))
			next := p.send(wire.Shell, "execute_request", code("x + 1"))
			want(t, "status", p.reply(wire.Shell, later, "execute_reply")["status"], "ok")
			want(t, "next", p.reply(wire.Shell, next, "execute_reply")["status"], "ok")
			published := p.published(later)
			if got := texts(published, "stderr"); !strings.Contains(got, c.want) {
				t.Errorf("stderr %q, want %q in it", got, c.want)
			}
			want(t, "stdout", texts(published, "stdout"), "20\n")
			p.published(next)
			p.expect(1)
			if err := p.Ping(p.ctx, []byte("beat")); err != nil {
				t.Error(err)
			}
			if files != nil {
				if !patience.Wait(func() bool { return slices.Equal(p.files(t), files) }) {
					t.Errorf("open before:\n%q, after:\n%q", files, p.files(t))
				}
			}
			if left, _ := os.ReadDir(p.tmp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	if now, err := os.Stat(self); err != nil || now.Size() != selfInfo.Size() {
		t.Errorf("the test has changed its own binary: %v", err)
	}
}

// TestDiesAtOnce: if the other program exits when it starts, the kernel ends, and Jupyter restarts it. The
// hand-over leaves no files behind.
func TestDiesAtOnce(t *testing.T) {
	p := startProcess(t, tcp(t))
	os.Remove(p.other)
	os.WriteFile(p.other, fmt.Appendf(nil, "#!/bin/sh\ntest \"$2\" = -can-resume && echo %d\n", Format), 0o700)
	p.send(wire.Shell, "execute_request", code(otherImport+"\n1"))
	select {
	case err := <-p.exited:
		p.exited <- err
		if err == nil || err.Error() != "exit status 1" {
			t.Errorf("the kernel ended with %v", err)
		}
	case <-time.After(patience.Long):
		t.Fatal("the kernel lives")
	}
	if left, _ := os.ReadDir(p.tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestNotHandedOver: a server is not replaced if it has state that another program cannot take over.
func TestNotHandedOver(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := fake{}
	inside := make(chan func(s *Server), 1)
	var s *session
	var why []string
	f["needs"] = func(ctx context.Context, out kernel.Output) error {
		if err := kernel.Staying(ctx); err != nil {
			why = append(why, err.Error())
			return nil
		}
		(<-inside)(s.server)
		return &kernel.Replace{Program: self}
	}
	s = start(t, f, Options{Resuming: func(program, file string) []string {
		t.Error("it was nearly handed over")
		return []string{"/bin/false"}
	}})
	s.server.Comms().Target("t", func(c *comm.Comm, open comm.Message) func() {
		c.Closed(func(comm.Message) func() { return func() {} })
		return nil
	})
	for _, c := range []struct {
		do   func(*Server)
		want string
	}{
		{func(s *Server) { s.comms.Open("x", "mine", nil, nil) }, "1 widgets or other comms are open"},
		{func(s *Server) { // the comm is closed while the cell runs, and its callback waits
			s.comms.Handle("comm_close", json.RawMessage(`{"comm_id":"mine"}`), nil, nil)
			s.mu.Lock()
			s.queue = append(s.queue, &request{then: func() {}, Message: &wire.Message{Identities: [][]byte{{1}}}})
			s.mu.Unlock()
		}, "a widget's callback is waiting"},
	} {
		inside <- c.do
		s.execute(code("needs"))
		if len(why) == 0 || why[len(why)-1] != c.want {
			t.Errorf("%q, want %q at last", why, c.want)
		}
	}
	inside <- func(s *Server) { s.Interrupt() }
	r, _ := s.execute(code("needs"))
	want(t, "interrupted", r["ename"], "Interrupted")

	plain := start(t, f, Options{})
	s = plain
	inside <- func(*Server) {}
	plain.execute(code("needs"))
	want(t, "without Resuming", why[len(why)-1], "this kernel cannot be replaced while it runs")
}

// TestInterruptInHandover sends interrupts at various times around a hand-over. The endless cell ends every
// time, and the process survives.
func TestInterruptInHandover(t *testing.T) {
	for _, how := range []string{"message", "signal"} {
		p := startProcess(t, tcp(t))
		for i, after := range []time.Duration{0, 1, 3, 6, 10, 20, 40, 80, 160} {
			id := p.send(wire.Shell, "execute_request", code(otherImport+"\nfor {}"))
			queued := p.send(wire.Shell, "execute_request", code("1"))
			for {
				if m, _ := p.recv(wire.IOPub); m.Parent().MsgID == id && m.Header.MsgType == "execute_input" {
					break
				}
			}
			time.Sleep(after * time.Millisecond)
			interrupt := func() {
				if how == "message" {
					p.reply(wire.Control, p.send(wire.Control, "interrupt_request", nil), "interrupt_reply")
				} else {
					p.cmd.Process.Signal(syscall.SIGINT)
				}
			}
			interrupt()
			if how == "signal" { // a signal that arrives between the two programs may have no effect
				for stop := time.Now().Add(patience.Long); time.Now().Before(stop); {
					ctx, cancel := context.WithTimeout(p.ctx, time.Second)
					m, err := p.Recv(ctx, wire.Shell)
					cancel()
					if err == nil {
						want(t, "parent", m.Parent().MsgID, id)
						break
					}
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Fatalf("a signal after %d ms: %v", after, err)
					}
					t.Logf("a signal after %d ms had no effect", after)
					interrupt()
				}
			} else {
				want(t, fmt.Sprint("after ", after, " ms"), p.reply(wire.Shell, id, "execute_reply")["ename"], "Interrupted")
			}
			want(t, "the queue", p.reply(wire.Shell, queued, "execute_reply")["status"], "aborted")
			p.published(queued)
			r, _ := p.execute(code("1"))
			want(t, "afterwards", []any{r["status"], r["execution_count"]}, []any{"ok", 2*i + 2})
		}
		t.Logf("%s: %s", how, p.generation())
	}
}

// TestShutdownInHandover: a shutdown at any time around a hand-over is answered, and ends
// the process.
func TestShutdownInHandover(t *testing.T) {
	for _, after := range []time.Duration{0, 1, 2, 4, 8, 16, 32, 64} {
		p := startProcess(t, tcp(t), "JUPYTER_TEST_SLOW=5ms")
		p.send(wire.Shell, "execute_request", code(otherImport+"\n1"))
		time.Sleep(after * time.Millisecond)
		id := p.send(wire.Control, "shutdown_request", map[string]any{"restart": false})
		want(t, fmt.Sprint("after ", after, " ms"), p.reply(wire.Control, id, "shutdown_reply")["status"], "ok")
		select {
		case err := <-p.exited:
			want(t, "exit", err, nil)
			p.exited <- err
		case <-time.After(patience.Long):
			t.Fatalf("after %d ms: the kernel does not end", after)
		}
		if left, _ := os.ReadDir(p.tmp); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// TestClientsInHandover: during hand-overs, requests of all kinds are answered and new clients can connect.
func TestClientsInHandover(t *testing.T) {
	p := startProcess(t, tcp(t), "JUPYTER_TEST_SLOW=30ms")
	p.execute(code("1"))
	first := p.send(wire.Shell, "execute_request", code(otherImport+"\n\"done\""))
	var requests []string
	for i := range 100 { // more requests than a socket's queue holds
		requests = append(requests, p.send(wire.Shell, "complete_request", map[string]any{"code": fmt.Sprint("comp", i), "cursor_pos": 4}))
		if i%10 == 0 {
			p.send(wire.Control, "kernel_info_request", nil)
		}
	}
	large := p.send(wire.Shell, "is_complete_request", code(strings.Repeat("x", 30<<20))) // a part of it has arrived
	var comers sync.WaitGroup
	for i := range 8 {
		comers.Go(func() {
			time.Sleep(time.Duration(5*i) * time.Millisecond)
			c, err := wire.Dial(p.ctx, p.info)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			m, err := c.Request(p.ctx, wire.Shell, "kernel_info_request", nil)
			if err != nil || !strings.Contains(string(m.Content), `"status":"ok"`) {
				t.Errorf("a client that came meanwhile: %v", err)
			}
			if err := c.Ping(p.ctx, []byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
	seen := map[string]int{}
	next := 0
	for len(seen) < len(requests)+2 {
		m, content := p.recv(wire.Shell)
		id := m.Parent().MsgID
		seen[id]++
		if m.Header.MsgType == "complete_reply" {
			want(t, "order", content["matches"], fmt.Sprintf("[comp%dletion]", next))
			next++
		}
	}
	for range 10 {
		m, _ := p.recv(wire.Control)
		want(t, "control", m.Header.MsgType, "kernel_info_reply")
	}
	comers.Wait()
	for _, id := range append(requests, first, large) {
		if seen[id] != 1 {
			t.Fatalf("%d replies to one request", seen[id])
		}
	}
	p.expect(2)
}

// TestInputAfterHandover: after a hand-over, the cell can ask for input.
func TestInputAfterHandover(t *testing.T) {
	p := startProcess(t, tcp(t))
	id := p.send(wire.Shell, "execute_request", map[string]any{"allow_stdin": true,
		"code": otherImport + "\nimport \"fmt\"\nvar name string\nfmt.Scanln(&name)\nfmt.Print(\"hello \", name)"})
	m, _ := p.recv(wire.Stdin)
	want(t, "type", m.Header.MsgType, "input_request")
	p.Reply(wire.Stdin, m, "input_reply", map[string]any{"value": "Eve"})
	p.reply(wire.Shell, id, "execute_reply")
	want(t, "stdout", texts(p.published(id), "stdout"), "hello Eve")
	p.expect(2)
}
