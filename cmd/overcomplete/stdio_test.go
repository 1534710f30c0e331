package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	patient "overcomplete/internal/patience"
	"overcomplete/internal/testfile"
)

// A piped is "overcomplete kernel --stdio", run by this test binary.
type piped struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	sent  int
}

func startPiped(t *testing.T) *piped {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &piped{t: t, cmd: exec.Command(self, "kernel", "--stdio", "--quiet")}
	p.cmd.Dir = t.TempDir()
	p.cmd.Env = append(os.Environ(), "OVERCOMPLETE_TEST=1", "OVERCOMPLETE_HISTORY=off", "OVERCOMPLETE_TRUST=off")
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patient.Long, func() { p.cmd.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	return p
}

// A pipedMessage is a message of the kernel, which is one line of its output.
type pipedMessage struct {
	Channel string
	Header  json.RawMessage
	Type    string
	Parent  struct {
		ID string `json:"msg_id"`
	} `json:"parent_header"`
	Content struct {
		Text, Name, Status, Prompt, Evalue string
		State                              string `json:"execution_state"`
		Password                           bool
	}
}

// send sends a request and returns its id.
func (p *piped) send(channel, kind string, content any) string {
	p.t.Helper()
	p.sent++
	id := strconv.Itoa(p.sent)
	p.write(map[string]any{"channel": channel, "header": map[string]any{"msg_id": id, "msg_type": kind}, "content": content})
	return id
}

func (p *piped) write(v any) {
	p.t.Helper()
	line, err := json.Marshal(v)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// read returns the kernel's next message. It fails if the next line is not a message.
func (p *piped) read() (m pipedMessage) {
	p.t.Helper()
	line, err := p.lines.ReadBytes('\n')
	if err != nil {
		p.t.Fatalf("%v after %q", err, line)
	}
	var head struct {
		Type string `json:"msg_type"`
	}
	if err = json.Unmarshal(line, &m); err == nil {
		err = json.Unmarshal(m.Header, &head)
	}
	if m.Type = head.Type; err != nil || m.Channel == "" || m.Type == "" {
		p.t.Fatalf("not a message: %.200q", line)
	}
	return m
}

// idle waits until the request with the given id has been processed, and returns its output by stream.
func (p *piped) idle(id string) map[string]string {
	p.t.Helper()
	texts := map[string]*strings.Builder{"stdout": {}, "stderr": {}}
	for {
		m := p.read()
		if m.Parent.ID != id {
			continue
		}
		if m.Type == "error" {
			p.t.Fatal(m.Content.Evalue)
		}
		if m.Type == "stream" {
			texts[m.Content.Name].WriteString(m.Content.Text)
		}
		if m.Content.State == "idle" {
			return map[string]string{"stdout": texts["stdout"].String(), "stderr": texts["stderr"].String()}
		}
	}
}

// TestStdio: text that cells, the runtime and other programs write to the standard output arrives inside messages,
// never as a line of its own. A program that a cell starts does not read the requests.
func TestStdio(t *testing.T) {
	p := startPiped(t)
	p.in.Write([]byte("no message\n\n{\"channel\": \"nowhere\"}\n"))
	cell := `import ("fmt"; "os"; "os/exec")
fmt.Println("1")
println("2")
os.Stdout.WriteString("3\n")
c := exec.Command("sh", "-c", "echo 4; cat >&2; echo 5 >&2")
c.Stdout, c.Stderr = os.Stdout, os.Stderr
c.Run()`
	if runtime.GOOS == "linux" {
		cell += "\nos.NewFile(1, \"1\").WriteString(\"6\\n\")"
	}
	if runtime.GOOS == "windows" {
		cell = "import \"fmt\"\nfmt.Println(1)"
	}
	id := p.send("shell", "execute_request", map[string]any{"code": cell})
	shown := p.idle(id)
	all := shown["stdout"] + shown["stderr"]
	for _, word := range strings.Fields("1 2 3 4 5 6") {
		if (word == "1" || runtime.GOOS != "windows") && (word != "6" || runtime.GOOS == "linux") && !strings.Contains(all, word+"\n") {
			t.Errorf("%s is missing: %q", word, shown)
		}
	}

	// The cell asks for a password, and then for a line. It is interrupted while it waits for the line.
	id = p.send("shell", "execute_request", map[string]any{"code": `display.Password("who? "); display.Input("again? ")`})
	for n := 0; n < 2; {
		m := p.read()
		if m.Type != "input_request" {
			continue
		}
		if n++; n == 1 {
			if m.Channel != "stdin" || m.Content.Prompt != "who? " || !m.Content.Password {
				t.Errorf("the question is %+v", m)
			}
			p.write(map[string]any{"channel": "stdin", "header": map[string]any{"msg_id": "a", "msg_type": "input_reply"}, "parent_header": m.Header, "content": map[string]any{"value": "Eve"}})
		}
	}
	p.send("control", "interrupt_request", nil)
	for {
		if m := p.read(); m.Channel == "shell" && m.Parent.ID == id {
			if m.Content.Status != "error" {
				t.Errorf("the cell was not interrupted: %+v", m)
			}
			break
		}
	}
}

// TestStdioEnds: the kernel ends when its input ends, also while a cell runs.
func TestStdioEnds(t *testing.T) {
	for _, cell := range []string{"1", "for {}"} {
		p := startPiped(t)
		id := p.send("shell", "execute_request", map[string]any{"code": cell})
		for {
			if m := p.read(); m.Parent.ID == id && m.Type == "execute_input" {
				break
			}
		}
		p.in.Close()
		if _, err := io.Copy(io.Discard, p.lines); err != nil {
			t.Error(err)
		}
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("%s: %v", cell, err)
		}
	}
}

// TestStdioSlowReader: if a cell prints faster than the front end reads, the cell waits, and nothing is lost. The
// kernel's memory stays bounded.
func TestStdioSlowReader(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads the memory of the process from /proc")
	}
	patient.SkipShort(t, "prints 250 MB")
	const pieces, size = 250, 1 << 20
	p := startPiped(t)
	p.idle(p.send("shell", "execute_request", map[string]any{"code": fmt.Sprintf("import (\"fmt\"; \"strings\")\npiece := strings.Repeat(\"x\", %d)", size)}))
	before := residentPeak(t, p.cmd.Process.Pid)
	id := p.send("shell", "execute_request", map[string]any{"code": fmt.Sprintf("for range %d { fmt.Print(piece) }", pieces)})
	// Wait until the memory stops growing.
	for last, same := 0, 0; same < 10; {
		time.Sleep(100 * time.Millisecond)
		now := residentPeak(t, p.cmd.Process.Pid)
		if same++; now > last+4<<20 {
			last, same = now, 0
		}
	}
	if grown := residentPeak(t, p.cmd.Process.Pid) - before; grown > 200<<20 {
		t.Errorf("the kernel has grown by %d MB while %d MB were not read", grown>>20, pieces*size>>20)
	} else {
		t.Logf("the kernel has grown by %d MB while %d MB were not read", grown>>20, pieces*size>>20)
	}
	if got := len(p.idle(id)["stdout"]); got != pieces*size {
		t.Errorf("%d bytes have arrived, want %d", got, pieces*size)
	}
}

// residentPeak returns the largest number of bytes that a process has used.
func residentPeak(t *testing.T, pid int) int {
	t.Helper()
	b := testfile.Read(t, fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(b)
	if m == nil {
		t.Fatal("no VmHWM")
	}
	kB, _ := strconv.Atoi(string(m[1]))
	return kB << 10
}

// TestEditorsClient runs the client in docs/editors.md.
func TestEditorsClient(t *testing.T) {
	patient.SkipShort(t, "compiles a program")
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" {
		t.Skip("compiles a program, and makes a link to this one")
	}
	page := testfile.Read(t, "../../docs/editors.md")
	m := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(page)
	if m == nil {
		t.Fatal("the page has no client")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	client := filepath.Join(dir, "client.go")
	testfile.Write(t, client, m[1])
	if err := os.Symlink(self, filepath.Join(dir, "overcomplete")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", client)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OVERCOMPLETE_TEST=1", "OVERCOMPLETE_HISTORY=off", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "0\n1\n4\n" {
		t.Errorf("%v: %q", err, out)
	}
}
